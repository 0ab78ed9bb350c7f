# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

DOCUMENTATION = r"""
module: nvue_action
short_description: Start an action of a switch and follow it to its end
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Starts what the command line calls C(nv action), such as clearing counters or a reboot, and
    polls its job until it ends.
  - An action has no state to compare with, so that a started action always counts as a change. In
    check mode it is not started.
options:
  path:
    description:
      - Place on which the action works, keys joined with C(/), a slash inside a key written C(%2F).
    type: str
    required: true
  action:
    description: Name of the action, such as C(clear) or C(reboot).
    type: str
    required: true
  parameters:
    description: Parameters of the action.
    type: dict
    default: {}
  poll:
    description:
      - Longest wait in seconds for the end of the action; V(0) returns once it was started.
    type: int
    default: 60
  silence:
    description:
      - How long in seconds the switch may not answer meanwhile, for actions that restart it.
    type: int
    default: 0
  write:
    description: V(false) starts nothing, as in check mode.
    type: bool
    default: true
extends_documentation_fragment:
  - spectrum_x.fabric.nvue
seealso:
  - module: spectrum_x.fabric.nvue_config
"""

EXAMPLES = r"""
- name: Clear the RoCE counters of a port
  spectrum_x.fabric.nvue_action:
    path: interface/swp1s0/qos/roce/counters
    action: clear

- name: Reboot and wait for the end
  spectrum_x.fabric.nvue_action:
    path: system
    action: reboot
    parameters:
      no-confirm: true
    poll: 900
    silence: 600
"""

RETURN = r"""
job:
  description: Number of the job.
  returned: when the action was started
  type: str
  sample: "12"
answer:
  description: Report of the switch about the finished job.
  returned: when O(poll) is not V(0)
  type: dict
  sample:
    state: action_success
    status: Counters were cleared.
"""
