#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: validate
short_description: Prove that a device does what the plan says
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Compares one device with the plan, or sums up the results of all devices. Writes nothing to any device.
  - Only a failed check is a breach. What was not run, or cannot be realised on a stand-in, is
    counted and never shown as passed.
options:
  of:
    description:
      - V(switch) reads a switch over its API - release, applied configuration, BGP and EVPN sessions, links, LLDP
        neighbours, QoS, adaptive routing, counters. The variables of the switch roles count, as for
        M(spectrum_x.fabric.switch). Two exchanged cables are named as such.
      - V(tenants) reads what a leaf runs and compares it with the registry - every host port in exactly one VRF,
        quarantine that exports nothing, access lists, no stray VRF, and in each VRF exactly the expected routes,
        with missing and surplus both named. With O(leaves) it checks all leaves together - only declared VRFs
        import each other's routes.
      - V(host) reads a host as M(spectrum_x.fabric.host) does, sends packets of the path MTU, tries what must fail,
        and compares all that with the plan, and its NICs with what the leaves' applied configurations say. A rented
        node is not contacted; its results are what its leaves tried for it.
      - V(summary) reads the results of every device below O(report), shows what did not pass as a table, writes
        JUnit XML, and fails on a breach.
    type: str
    choices: [switch, tenants, host, summary]
    required: true
  report:
    description:
      - Folder in which C(results/DEVICE.json), for tenants C(results/DEVICE.tenants.json), is written. Without it
        nothing is written.
      - Needed with O(of=summary).
    type: path
  checks:
    description: Checks to run, as ids, first words of ids, or globs; all by default.
    type: list
    elements: str
    default: []
  where:
    description: Places, devices and tenants; devices that they do not mean are skipped.
    type: list
    elements: str
    default: []
  waivers:
    description: File with waivers; C(waivers.yml) beside the description by default.
    type: path
  fail:
    description: Whether a failed check fails the task. A summary always does.
    type: bool
    default: false
  strict:
    description: With O(fail) or O(of=summary), whether a check that could not be made is a breach too.
    type: bool
    default: false
  probes:
    description:
      - With O(of=switch), whether a leaf tries some of its rented nodes from the VRF of their tenant, with its own
        ping. It configures nothing, but it is an action - it needs an account that may write, and is left in check
        mode.
      - At most four nodes of a leaf, with two packets each.
    type: bool
    default: false
  leaves:
    description: With O(of=tenants), hosts whose earlier results are checked together. Nothing is read then.
    type: list
    elements: str
  checked:
    description: Variable in which these hosts have their results, for O(leaves).
    type: str
    default: validate_tenants_leaf
  allow_versions:
    description: With O(of=host), whether versions outside the validated set are allowed.
    type: bool
    default: false
  state:
    description: With O(of=summary), V(empty) removes the results of earlier runs instead.
    type: str
    choices: [present, empty]
    default: present
  device:
    description: Name of the device in the plan; the inventory name by default.
    type: str
  description:
    description: Path of the description; by default that of the inventory source or of the project.
    type: path
  tenants:
    description: Path of the tenants' registry; the file beside the description by default.
    type: path
extends_documentation_fragment:
  - spectrum_x.fabric.nvue
"""

EXAMPLES = r"""
- name: Check a switch and keep its results
  spectrum_x.fabric.validate:
    of: switch
    report: report

- name: Check the QoS of a switch, and stop when it is wrong
  spectrum_x.fabric.validate:
    of: switch
    checks: [switch.roce, switch.pfc, switch.ecn, switch.pools]
    fail: true

- name: Show the table and fail on a breach
  spectrum_x.fabric.validate:
    of: summary
    report: report
"""

RETURN = r"""
counts:
  description: Results by state.
  returned: when results were made, or summed up
  type: dict
  sample: {pass: 20, fail: 0, waived: 0, not_run: 0, not_realised: 2}
failures:
  description: A sentence for each failed check.
  returned: when results were made
  type: list
  elements: str
failed_checks:
  description: Number of failed checks, by device.
  returned: when results were made
  type: dict
  sample: {leaf-p1-su001-r1: 2}
report:
  description: File with the results, such as C(report/results/leaf-p1-su001-r1.json).
  returned: when O(report) is set
  type: str
document:
  description: The leaf's VRFs and ports of moving nodes as it runs them, for O(leaves).
  returned: with O(of=tenants), unless O(leaves) is given
  type: dict
junit:
  description: JUnit XML that was written, C(junit.xml) in O(report).
  returned: with O(of=summary)
  type: str
"""
