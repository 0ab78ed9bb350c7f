# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches and hosts in containers or namespaces, cabled as a file says, for tests and the demo.

The lab knows nothing of the fabric's plan. Its one input is a cabling file, see ``cabling.py``;
what it makes and how it is used is in ``README.md``.
"""

from __future__ import annotations
