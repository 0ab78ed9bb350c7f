# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Attributes of an action that runs on the controller; what one changes, it states itself."""

    DOCUMENTATION = r"""
options: {}
attributes:
  platform:
    support: full
    platforms: posix
    description: Runs where Ansible runs.
  check_mode:
    support: full
    description: Never changes anything.
  diff_mode:
    support: none
    description: Nothing to compare.
"""
