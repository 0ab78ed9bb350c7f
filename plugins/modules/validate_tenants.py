#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: validate_tenants
short_description: Prove that tenants are isolated
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Reads what a leaf runs, without writing, and compares it with the registry of tenants - every host port in
    exactly one VRF, quarantine that exports nothing, access lists, no stray VRF, and in each VRF exactly the
    expected routes, with missing and surplus both named.
  - With O(leaves), checks all leaves together - only declared VRFs import each other's routes.
options:
  report:
    description: Folder in which C(results/DEVICE.tenants.json) is written; without it nothing is written.
    type: path
  checks:
    description: Checks to run, as ids, first words of ids, or globs; all by default.
    type: list
    elements: str
    default: []
  where:
    description: A place, device or tenant; leaves that it does not mean are skipped.
    type: str
    default: ""
  waivers:
    description: File with waivers; C(waivers.yml) beside the description by default.
    type: path
  leaves:
    description: Hosts whose earlier results are checked together. Nothing is read then.
    type: list
    elements: str
  checked:
    description: Variable in which these hosts have their results, for O(leaves).
    type: str
    default: validate_tenants_leaf
  device:
    description: Name of the leaf in the plan; the inventory name by default.
    type: str
  description:
    description: Path of the description; by default as the variable C(spx_description) or the project folder says.
    type: path
  tenants:
    description: Path of the tenants' registry; the file beside the description by default.
    type: path
extends_documentation_fragment:
  - spectrum_x.fabric.nvue
seealso:
  - module: spectrum_x.fabric.validate_switch
  - module: spectrum_x.fabric.validate_summary
"""

EXAMPLES = r"""
- name: Check the tenants of a leaf
  spectrum_x.fabric.validate_tenants:
    report: report
  register: validate_tenants_leaf

- name: Check all leaves together
  spectrum_x.fabric.validate_tenants:
    report: report
    leaves: "{{ ansible_play_hosts }}"
  run_once: true
"""

RETURN = r"""
counts:
  description: Results by state.
  returned: success
  type: dict
  sample: {pass: 6, fail: 0, waived: 0, not_run: 0, not_realised: 0}
failures:
  description: Sentences of failed checks.
  returned: success
  type: list
  elements: str
  sample: []
failed_checks:
  description: How many checks failed, by device.
  returned: success
  type: dict
  sample: {leaf-p1-su001-r1: 2}
document:
  description: The leaf's VRFs and ports of moving nodes as it runs them, for O(leaves).
  returned: unless O(leaves) is given
  type: dict
  sample: {vrf: {t1-quarantine: {table: auto}}}
report:
  description: The file with the results.
  returned: when O(report) is given
  type: str
  sample: report/results/leaf-p1-su001-r1.tenants.json
"""
