#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: validate_switch
short_description: Prove that a switch does what the plan says
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Reads a switch over its API, without writing, and compares it with the plan - release, applied
    configuration, BGP and EVPN sessions, links, LLDP neighbours, QoS, adaptive routing, counters.
  - The variables of the switch roles count, as for M(spectrum_x.fabric.switch).
  - Two exchanged cables are named as such.
options:
  report:
    description: Folder in which C(results/DEVICE.json) is written; without it nothing is written.
    type: path
  checks:
    description: Checks to run, as ids, first words of ids, or globs; all by default.
    type: list
    elements: str
    default: []
  where:
    description: A place, device or tenant; switches that it does not mean are skipped.
    type: str
    default: ""
  waivers:
    description: File with waivers; C(waivers.yml) beside the description by default.
    type: path
  fail:
    description: Whether a failed check fails the task.
    type: bool
    default: false
  strict:
    description: With O(fail), whether a check that could not be made fails the task as well.
    type: bool
    default: false
  probes:
    description:
      - Whether a leaf tries some of its rented nodes from the VRF of their tenant, with its own ping.
        It configures nothing, but it is an action - it needs an account that may write, and is left in check mode.
      - At most four nodes of a leaf, with two packets each.
    type: bool
    default: false
  device:
    description: Name of the switch in the plan; the inventory name by default.
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
  - module: spectrum_x.fabric.validate_summary
"""

EXAMPLES = r"""
- name: Check a switch and keep its results
  spectrum_x.fabric.validate_switch:
    report: report

- name: Check the QoS of a switch, and stop when it is wrong
  spectrum_x.fabric.validate_switch:
    checks: [switch.roce, switch.pfc, switch.ecn, switch.pools]
    fail: true
"""

RETURN = r"""
counts:
  description: Results by state.
  returned: success
  type: dict
  sample: {pass: 20, fail: 0, waived: 0, not_run: 0, not_realised: 2}
failures:
  description: A sentence for each failed check.
  returned: success
  type: list
  elements: str
  sample: []
failed_checks:
  description: How many checks failed, by device.
  returned: success
  type: dict
  sample: {leaf-p1-su001-r1: 2}
report:
  description: File with the results.
  returned: when O(report) is set
  type: str
  sample: report/results/leaf-p1-su001-r1.json
ansible_facts:
  description: Of a leaf C(spx_fact_host_ports) and with O(probes) C(spx_fact_rented), for the checks of hosts.
  returned: when a leaf was read
  type: dict
"""
