#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: switch_batches
short_description: Order switches in batches whose loss the fabric survives
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Chooses a first switch of each role, and divides the others into batches, plane by plane, tier by
    tier. Switches out of service are left out.
  - No batch, also of the first ones, has two switches that relay EVPN in the same pod or super-spine group,
    switches of two planes, or a whole tier of a pod or plane that has more than one switch in service.
  - In check mode it shows RV(lines), and RV(batches) has no switches, as none is to be changed.
  - Runs on the controller.
options:
  hosts:
    description: Names of switches; other devices are ignored.
    type: list
    elements: str
    required: true
  share:
    description: Most of a tier that is changed at a time, as a percentage, in a plane and in each of its pods.
    type: int
    default: 25
  compared:
    description:
      - Variable in which a task M(spectrum_x.fabric.switch) of each host kept its result. Hosts that it says not to
        change are left out. While one has no such result, or would be refused, RV(batches) has no switches.
    type: str
  approved:
    description: Approved changes of the run. A host that was refused, as it has others, holds up nobody then.
    type: path
  description:
    description: Path of the description; by default as the variable C(spx_description) or the project folder says.
    type: path
extends_documentation_fragment:
  - spectrum_x.fabric.controller
"""

EXAMPLES = r"""
- name: Order the switches of the play
  spectrum_x.fabric.switch_batches:
    hosts: "{{ ansible_play_hosts_all }}"
  run_once: true
  delegate_to: localhost
  register: order
"""

RETURN = r"""
batches:
  description:
    - The order. C(first) in batches of C(first_sizes), C(rest) in batches of C(sizes), C(resting) out of
      service.
    - C(lines) has for the first switch of each batch what the loss of the batch would disturb.
  returned: success
  type: dict
  sample:
    first: [spine-p1-s01]
    first_sizes: [1]
    rest: [spine-p1-s02]
    sizes: [1]
    resting: []
    lines:
      spine-p1-s01: "batch 1 of 2: 1 spine of plane 1 (at most drainable: traffic moves to others)"
      spine-p1-s02: "batch 2 of 2: 1 spine of plane 1 (at most drainable: traffic moves to others)"
lines:
  description: What the loss of each batch of a run would disturb, in order.
  returned: success
  type: list
  elements: str
  sample: ["batch 1 of 1: 1 spine of plane 1 (at most drainable: traffic moves to others)"]
"""
