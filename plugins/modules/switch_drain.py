#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: switch_drain
short_description: Whether other switches take over the traffic of switches that are to be drained
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Reads the switches that do the same work, and fails where none of them is in service. Never writes.
  - These are the leaves of the same rails in other planes, the other spines of the pod, and the other super-spines of
    the plane. Of a switch that relays EVPN routes these are others that do.
  - A switch is in service when it answers, is not drained, and has a BGP session that is Established. One that is
    listed in C(out_of_service), is among O(hosts), or could not be read counts as not in service.
  - Reads as many switches at a time as Ansible has forks, until one is in service.
options:
  hosts:
    description: Names of the switches that are to be drained together.
    type: list
    elements: str
    required: true
  allow_interrupting:
    description: Whether their traffic may stop; then no switch is read.
    type: bool
    default: false
  description:
    description: Path of the description; by default as the variable C(spx_description) or the project folder says.
    type: path
attributes:
  check_mode:
    support: full
    description: Reads and fails as without it.
  diff_mode:
    support: none
    description: Changes nothing.
extends_documentation_fragment:
  - spectrum_x.fabric.controller
notes:
  - Runs on the controller.
  - The connection options of each switch are its own variables, as those of M(spectrum_x.fabric.nvue_config).
"""

EXAMPLES = r"""
- name: See that other switches take over the traffic of the switches of this play
  spectrum_x.fabric.switch_drain:
    hosts: "{{ ansible_play_hosts_all }}"
  run_once: true
"""

RETURN = r"""
in_service:
  description: Names of the switches that were read and are in service.
  returned: success
  type: list
  elements: str
  sample: [spine-p1-s02]
"""
