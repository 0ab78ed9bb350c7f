#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module `nic_reset`."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: nic_reset
short_description: Reset NICs that wait for it, in the cheapest way that works
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Finds out what is pending on each card (settings, firmware, operating mode) and which reset
    activates it, from a live patch over C(mlxfwreset) and a reboot to a power cycle.
  - A reset in place is only done with O(allow_reset=true), and only for ConnectX unless O(level)
    insists. A BlueField may lose its NIC mode by it, and in DPU mode does not reload its firmware
    for a reset of the host.
  - A reboot or power cycle is never done. It is returned as RV(required), for the play to collect.
  - What a reboot left staged, as C(/etc/spectrum-x/rebooted.json) shows, needs a power cycle.
  - After a reset the card must answer again, in its mode, with those of the wanted settings current
    that waited for it.
options:
  allow_reset:
    description: Reset the cards that need it. Otherwise it is only said what they need.
    type: bool
    default: false
  level:
    description:
      - Insist on this level of C(mlxfwreset), on every card of O(nics).
      - V(0) is a live patch, V(1) resets the Arm side only, V(3) restarts driver and PCI. Level 4
        would reboot the host and is not offered.
    type: int
    choices: [0, 1, 3]
  minimum:
    description:
      - Do not go below the most disruptive of these, for example because M(spectrum_x.fabric.nic_config) and
        M(spectrum_x.fabric.nic_firmware) said so (C(reset_needed)) when they staged something.
      - V(reset) leaves it to the card which reset it is.
    type: list
    elements: str
    choices: [none, reset, live_patch, mlxfwreset, reboot, power_cycle]
    default: []
  reset_timeout:
    description: Seconds for a reset, and as many for the card to answer again.
    type: int
    default: 300
extends_documentation_fragment:
  - spectrum_x.fabric.nic
attributes:
  check_mode:
    description: Resets nothing in check mode.
    support: full
  diff_mode:
    description: Shows what is pending and which reset is done.
    support: full
seealso:
  - module: spectrum_x.fabric.nic_config
  - module: spectrum_x.fabric.nic_firmware
"""

EXAMPLES = r"""
- name: Reset what can be reset in place
  spectrum_x.fabric.nic_reset:
    nics: "{{ planned_nics }}"
    allow_reset: true
  register: reset

- name: Reboot where the cards need it
  ansible.builtin.reboot:
  when: reset.required == 'reboot'
"""

RETURN = r"""
required:
  description:
    - The most disruptive that is still to be done, V(none), V(live_patch), V(mlxfwreset), V(reboot) or
      V(power_cycle).
  returned: success
  type: str
nics:
  description: One entry per card.
  returned: success
  type: list
  elements: dict
  contains:
    pci: {description: "PCI address.", type: str, returned: always}
    needed: {description: "The reset that activates what is pending.", type: str, returned: always}
    performed: {description: "What was done, empty for nothing.", type: str, returned: always}
    required: {description: "What is still to be done.", type: str, returned: always}
    reasons: {description: "What is pending.", type: list, elements: str, returned: always}
    waits: {description: "The same by name, with the values that wait.", type: dict, returned: always}
commands:
  description: The resets that were, or would be, done.
  returned: success
  type: list
  elements: str
queries:
  description: How many tools were run to read.
  returned: success
  type: int
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._nic.edge import COMMON, finish, wanted_nics
from ..module_utils._nic.plan.reset import ANY, COST, NONE
from ..module_utils._nic.reset import apply_reset


def main() -> None:
    """Entry of the module."""
    module = AnsibleModule(
        argument_spec={
            **COMMON,
            "allow_reset": {"type": "bool", "default": False},
            "level": {"type": "int", "choices": [0, 1, 3]},
            "minimum": {
                "type": "list",
                "elements": "str",
                "choices": [NONE, ANY, *COST[1:]],
                "default": [],
            },
            "reset_timeout": {"type": "int", "default": 300},
        },
        supports_check_mode=True,
    )
    params = module.params
    finish(
        module,
        lambda host: apply_reset(
            host,
            wanted_nics(module),
            allow=params["allow_reset"],
            level=params["level"],
            minimum=params["minimum"],
            timeout=params["reset_timeout"],
        ),
    )


if __name__ == "__main__":
    main()
