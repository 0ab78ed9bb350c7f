#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module `host_network`."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: host_network
short_description: Names, addresses, MTU and routes of the rails of a host
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Gives each port its stable name by a udev rule on its PCI address, and keeps addresses, MTU, rail
    routes and policy rules in the files of what the host uses, C(netplan), C(systemd-networkd) or
    C(NetworkManager).
  - A port keeps what it is given while it has no carrier, whichever of these the host uses.
  - Compares both the files and the live state. What is wrong is written, made effective on the
    interfaces where it is wrong, and read again. With C(netplan), whose file is one for all, new text
    is made effective on all of them.
  - A file beside ours that changes what ours means is removed, and owner and mode of ours are kept, as
    M(spectrum_x.fabric.host_files) does. A C(sysctl) file of somebody else that wins over ours is reported and left.
  - A route of another interface into the prefixes of the fabric is refused before anything is
    written.
options:
  interfaces:
    description:
      - Entries with V(name), V(pci), V(address), V(length), V(gateway), V(mtu), V(table) and V(routes),
        a list of V(to) and V(metric). Where another port of the same NIC has the rail's address, V(address),
        V(length), V(gateway), V(table) and V(routes) are absent, and the port gets its name and MTU.
      - M(spectrum_x.fabric.host) returns them as V(wanted.interfaces).
    type: list
    elements: dict
    required: true
  prefixes:
    description: Prefixes that belong to the fabric, into which no other interface may have a route.
    type: list
    elements: str
    default: []
  backend:
    description: What keeps the network of the host; V(auto) takes what is there.
    type: str
    choices: [auto, netplan, networkd, networkmanager]
    default: auto
  arp:
    description:
      - Answer and announce ARP on the interface of the address only (C(arp_ignore), C(arp_announce)). Needed where
        several rails share a subnet. Rails with an IPv4 address have a loose C(rp_filter) in any case.
    type: bool
    default: false
  settle_timeout:
    description: Seconds until the live state must be as wanted.
    type: int
    default: 30
  sysfs_path:
    description: Where the kernel's sysfs is mounted.
    type: path
    default: /sys
attributes:
  check_mode:
    description: Writes nothing in check mode and predicts exactly.
    support: full
  diff_mode:
    description: Shows the text of each file before and after.
    support: full
notes:
  - Runs on the host as root and needs iproute2 and the standard library of Python 3.9 or later.
"""

EXAMPLES = r"""
- name: Configure the rails
  spectrum_x.fabric.host_network:
    interfaces: "{{ dpu_state_look.wanted.interfaces }}"
    prefixes: "{{ dpu_state_look.wanted.fabric_prefixes }}"
"""

RETURN = r"""
backend:
  description: What keeps the network of the host.
  returned: success
  type: str
drift:
  description: What of the live state was not as wanted, in sentences.
  returned: success
  type: list
  elements: str
renames_in_use:
  description:
    - Renames, such as C(enp24s0f0np0 to rail1p1), of ports that bore an address of the plan. They disturb what runs
      over them.
  returned: success
  type: list
  elements: str
files:
  description: Paths of the files that were, or would be, written.
  returned: success
  type: list
  elements: str
wrong_files:
  description: A sentence for each file that was not as planned.
  returned: success
  type: list
  elements: str
left:
  description: A sentence, also a warning, for each file of somebody else that changes what ours mean.
  returned: success
  type: list
  elements: str
commands:
  description: What was, or would be, run to make it effective.
  returned: success
  type: list
  elements: str
interfaces:
  description: Of each interface V(name), V(pci), V(rdma) and V(gid_index).
  returned: success
  type: list
  elements: dict
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._host.backends import NAMES
from ..module_utils._host.interfaces import interfaces_from
from ..module_utils._host.network import apply_network
from ..module_utils._nic.edge import partly
from ..module_utils._nic.errors import NicError
from ..module_utils._nic.tools import Host


def main() -> None:
    """Entry of the module."""
    module = AnsibleModule(
        argument_spec={
            "interfaces": {"type": "list", "elements": "dict", "required": True},
            "prefixes": {"type": "list", "elements": "str", "default": []},
            "backend": {"type": "str", "choices": ["auto", *NAMES], "default": "auto"},
            "arp": {"type": "bool", "default": False},
            "settle_timeout": {"type": "int", "default": 30},
            "sysfs_path": {"type": "path", "default": "/sys"},
        },
        supports_check_mode=True,
    )
    params = module.params
    host = Host(check_mode=module.check_mode, sysfs=str(params["sysfs_path"]))
    try:
        result = apply_network(
            host,
            interfaces_from(params["interfaces"]),
            backend=params["backend"],
            prefixes=params["prefixes"],
            arp=params["arp"],
            timeout=float(params["settle_timeout"]),
        )
    except NicError as exc:
        module.fail_json(msg=str(exc), **partly(host))
    for sentence in result["left"]:
        module.warn(sentence)
    module.exit_json(**result)


if __name__ == "__main__":
    main()
