#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: switch_changes
short_description: Join the changes of all switches into one file, and say what is left to do
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Joins the files that M(spectrum_x.fabric.switch) wrote below a report's folder into
    C(changes.json), which is read, approved, and given back as C(spx_approved).
  - Fails with every sentence by which a run would refuse a switch of O(hosts), and with every tenant drift.
  - Runs on the controller, in check mode too.
options:
  report:
    description: Folder of the report; without it no file is written.
    type: path
  hosts:
    description: Switches whose results are summed up.
    type: list
    elements: str
    default: []
  compared:
    description: Variable in which a task M(spectrum_x.fabric.switch) of each host kept its result.
    type: str
    default: switch_apply_result
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
  - module: spectrum_x.fabric.switch
"""

EXAMPLES = r"""
- name: Join the changes
  spectrum_x.fabric.switch_changes:
    report: report
"""

RETURN = r"""
path:
  description: The file.
  returned: when O(report) is set
  type: str
  sample: report/changes.json
devices:
  description: How many switches were compared.
  returned: when O(report) is set
  type: int
  sample: 48
differing:
  description: Those that differ.
  returned: when O(report) is set
  type: list
  elements: str
  sample: [leaf-p1-su001-r1]
"""
