#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: validate_summary
short_description: Say what the results of all checks come to
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Reads the results of every device below a report's folder, shows what did not pass as a table,
    writes JUnit XML, and fails on a breach.
  - Only a failed check is a breach. What was not run, or cannot be realised on a stand-in, is
    counted and never shown as passed.
  - Runs on the controller.
options:
  report:
    description: Folder that holds C(results).
    type: path
    required: true
  state:
    description: V(empty) removes the results of earlier runs instead.
    type: str
    choices: [present, empty]
    default: present
  strict:
    description: Whether checks that did not run are a breach too.
    type: bool
    default: false
extends_documentation_fragment:
  - spectrum_x.fabric.controller
seealso:
  - module: spectrum_x.fabric.validate_switch
"""

EXAMPLES = r"""
- name: Begin with an empty folder
  spectrum_x.fabric.validate_summary:
    report: report
    state: empty

- name: Show the table and fail on a breach
  spectrum_x.fabric.validate_summary:
    report: report
"""

RETURN = r"""
counts:
  description: Results by state.
  returned: when O(state=present)
  type: dict
  sample: {pass: 120, fail: 1, waived: 0, not_run: 0, not_realised: 12}
junit:
  description: JUnit XML that was written.
  returned: when O(state=present)
  type: str
  sample: report/junit.xml
"""
