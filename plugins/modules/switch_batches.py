#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: switch_batches
short_description: Order switches by what a mistake would cost
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Chooses a first switch of each role, and divides the others into batches, plane by plane, tier by
    tier, a share of a tier at a time. Switches out of service are left out.
  - Runs on the controller.
options:
  hosts:
    description: Names of switches; other devices are ignored.
    type: list
    elements: str
    required: true
  share:
    description: Percentage of a tier of a plane that is changed at a time.
    type: int
    default: 25
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
  description: "The order: C(first), C(rest), C(sizes) of the batches of rest, and C(resting)."
  returned: success
  type: dict
  sample: {first: [spine-p1-s01, leaf-p1-su001-r1], rest: [spine-p1-s02], sizes: [1], resting: []}
"""
