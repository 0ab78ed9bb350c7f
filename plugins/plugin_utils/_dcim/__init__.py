# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A DCIM as a service: NetBox and Nautobot behind one port.

``port`` has the port and what crosses it, ``client`` what both dialects share, ``netbox``
and ``nautobot`` the dialects, ``opened`` the choice. What the plan wants and how it differs is pure
and is in ``_fabric.export.dcim``; nothing here knows a fabric, nothing imports Ansible.
"""
