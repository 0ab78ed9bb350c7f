#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module `nic_info`."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: nic_info
short_description: Read everything about the BlueField and ConnectX NICs of a host
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Lists every NIC by PCI address with model, PSID, operating mode, firmware (running, burned and stored),
    non-volatile settings, network and RDMA devices, link, QoS, RoCE and congestion control.
  - With O(nics) it also says, part by part, whether the wanted state is reached, so that a play can
    leave out the other modules.
options:
  nics:
    description:
      - The wanted state of the NICs of the host, as the other NIC modules take it.
      - Without it every NIC is listed.
    type: list
    elements: dict
    required: false
  gather:
    description:
      - The parts to read.
      - V(privilege) asks for the zero-trust state, at the price of one more tool per card.
    type: list
    elements: str
    choices: [firmware, nvconfig, qos, roce, cc, privilege]
    default: [firmware, nvconfig, qos, roce, cc]
  deep:
    description:
      - Read each congestion control parameter from the card, one tool call per parameter.
      - Otherwise what this collection wrote to the running algorithm is taken from its note.
    type: bool
    default: false
extends_documentation_fragment:
  - spectrum_x.fabric.nic
attributes:
  check_mode:
    description: Can run in check mode and reads only.
    support: full
  diff_mode:
    description: Has nothing to show as a difference.
    support: none
seealso:
  - module: spectrum_x.fabric.nic_config
  - module: spectrum_x.fabric.nic_firmware
  - module: spectrum_x.fabric.nic_qos
  - module: spectrum_x.fabric.nic_roce
"""

EXAMPLES = r"""
- name: Read all NICs of the host
  spectrum_x.fabric.nic_info:
  register: nics

- name: Read the NICs of the plan and compare them with it
  spectrum_x.fabric.nic_info:
    nics: "{{ planned_nics }}"
  register: found

- name: Set the QoS only where it differs
  spectrum_x.fabric.nic_qos:
    nics: "{{ planned_nics }}"
  when: found.verdict.qos != 'current'
"""

RETURN = r"""
nics:
  description: The NICs, sorted by PCI address, or in the order of O(nics).
  returned: success
  type: list
  elements: dict
  contains:
    pci: {description: "PCI address of the first function.", type: str, returned: always}
    device: {description: "PCI device id.", type: str, returned: always, sample: a2dc}
    model: {description: "Name of the device.", type: str, returned: always, sample: BlueField-3}
    mode:
      description: Operating mode now, V(nic), V(dpu), V(adapter) for ConnectX, or V(unknown).
      type: str
      returned: always
    mode_next: {description: "Operating mode after the next reset.", type: str, returned: always}
    psid: {description: "Board id.", type: str, returned: with firmware}
    firmware:
      description:
        - V(running) works now, V(burned) is in the flash, V(stored) is what C(devlink) says the next reset loads,
          empty where it says nothing.
        - V(source) is the tool that answered. With V(devlink) the stored version counts as the burned one. With
          V(flint) the flash was read.
      type: dict
      returned: with firmware
    nvconfig:
      description: Settings with V(default), V(current) and V(next); the wanted ones with O(nics).
      type: dict
      returned: with nvconfig
    restricted: {description: "Is the host barred?", type: bool, returned: with privilege}
    ports:
      description:
        - Functions with V(pci), V(netdev), V(rdma), V(link), V(speed), V(mtu), V(qos), V(roce),
          V(cc) and, where parameters are wanted, V(ppcc).
        - With O(nics) only what an entry wants of a port is read. What cannot be read is absent, and its
          sentence stands in V(errors), also of a function that no driver has, which is warned of.
      type: list
      elements: dict
      returned: always
verdict:
  description:
    - V(current), V(staged), V(differs) or V(blocked) for each of V(nvconfig), V(firmware), V(qos)
      and V(roce). V(blocked) means that the module would refuse.
  returned: with O(nics)
  type: dict
queries:
  description: How many tools were run.
  returned: success
  type: int
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import nics_from
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.edge import COMMON, finish
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.gather import (
    DEFAULT_SECTIONS,
    SECTIONS,
    gather,
    lost_drivers,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.verdict import verdict


def read(params: dict, host: Host) -> dict:
    """The records, and what they say about the wanted state."""
    nics = nics_from(params["nics"] or [])
    records = gather(host, nics, params["gather"], deep=params["deep"])
    found = {"changed": False, "nics": records, "warnings": list(lost_drivers(records))}
    return {**found, "verdict": verdict(records, nics)} if nics else found


def main() -> None:
    """Entry of the module."""
    module = AnsibleModule(
        argument_spec={
            "nics": {"type": "list", "elements": "dict"},
            "sysfs_path": COMMON["sysfs_path"],
            "timeout": COMMON["timeout"],
            "gather": {
                "type": "list",
                "elements": "str",
                "choices": list(SECTIONS),
                "default": list(DEFAULT_SECTIONS),
            },
            "deep": {"type": "bool", "default": False},
        },
        supports_check_mode=True,
    )
    finish(module, lambda host: read(module.params, host))


if __name__ == "__main__":
    main()
