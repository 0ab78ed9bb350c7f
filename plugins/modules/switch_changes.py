#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: switch_changes
short_description: Join the changes of all switches into one file
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Joins the files that M(spectrum_x.fabric.nvue_config) wrote below a report's folder into
    C(changes.json), which is read, approved, and given back as C(spx_approved).
  - Runs on the controller, in check mode too.
options:
  report:
    description: Folder of the report.
    type: path
    required: true
  state:
    description: V(empty) removes the changes of earlier runs instead.
    type: str
    choices: [present, empty]
    default: present
  approved:
    description: Approved changes that this run applies; they must not lie in a folder that is emptied.
    type: path
extends_documentation_fragment:
  - spectrum_x.fabric.controller
seealso:
  - module: spectrum_x.fabric.nvue_config
"""

EXAMPLES = r"""
- name: Join the changes
  spectrum_x.fabric.switch_changes:
    report: report
"""

RETURN = r"""
path:
  description: The file.
  returned: when O(state=present)
  type: str
  sample: report/changes.json
devices:
  description: How many switches were compared.
  returned: when O(state=present)
  type: int
  sample: 48
differing:
  description: Those that differ.
  returned: when O(state=present)
  type: list
  elements: str
  sample: [leaf-p1-su001-r1]
"""
