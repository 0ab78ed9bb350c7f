#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: validate_host
short_description: Judge a host, and its NICs with their leaf ports
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Without O(observed) says what is to be done with the node. RV(todo) is V(read) or V(skip); for a
    rented node its results are written, with what its leaves tried for it, and nothing else is to be done.
  - With O(observed) compares what was read of the host with the plan, and its NICs with what the
    leaves' applied configurations say, and writes the results.
  - Contacts no device itself.
options:
  observed:
    description:
      - What was read of the host. V(look) of M(spectrum_x.fabric.host_look), V(probe) of
        M(spectrum_x.fabric.host_probe), V(unreachable) with the reason where nothing answered.
      - V(allow) says whether versions outside the validated set are allowed.
    type: dict
  report:
    description: Folder in which C(results/DEVICE.json) is written; without it nothing is written.
    type: path
  checks:
    description: Checks to run, as ids, first words of ids, or globs; all by default.
    type: list
    elements: str
    default: []
  where:
    description: A place, device or tenant; nodes that it does not mean are skipped.
    type: str
    default: ""
  waivers:
    description: File with waivers; C(waivers.yml) beside the description by default.
    type: path
  device:
    description: Name of the node in the plan; the inventory name by default.
    type: str
  description:
    description: Path of the description; by default as the variable C(spx_description) or the project folder says.
    type: path
  tenants:
    description: Path of the tenants' registry; the file beside the description by default.
    type: path
attributes:
  check_mode:
    description: Can run in check mode and changes no device.
    support: full
  diff_mode:
    description: Has nothing to show as a difference.
    support: none
seealso:
  - module: spectrum_x.fabric.validate_switch
  - module: spectrum_x.fabric.validate_summary
"""

EXAMPLES = r"""
- name: See whether the node is to be read
  spectrum_x.fabric.validate_host:
    report: report
  register: asked
"""

RETURN = r"""
todo:
  description:
    - V(read), V(skip), or V(done) once the host was judged.
    - V(try) where O(checks) ask for nothing but what the host tries, so that no NIC has to be read.
  returned: success
  type: str
pings:
  description: Packets to be sent by M(spectrum_x.fabric.host_probe).
  returned: when O(observed) is absent
  type: list
  elements: dict
attempts:
  description: Connections that the host tries and must not get, for M(spectrum_x.fabric.host_probe).
  returned: when O(observed) is absent
  type: list
  elements: dict
counts:
  description: Number of results by state.
  returned: when results were made
  type: dict
failures:
  description: Sentences of the failed checks.
  returned: when results were made
  type: list
  elements: str
failed_checks:
  description: How many checks failed, by device.
  returned: when results were made
  type: dict
  sample: {leaf-p1-su001-r1: 2}
report:
  description: Path of the results.
  returned: when results were written
  type: str
"""
