# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NVUE as a document and as a service.

From the bottom up: ``paths``, ``tree``, ``ranges``, ``secrets`` and ``dialect`` work on documents;
``http`` and ``client`` connect to one switch; ``converge`` has the whole story. Nothing here knows
a fabric, nothing imports Ansible.
"""
