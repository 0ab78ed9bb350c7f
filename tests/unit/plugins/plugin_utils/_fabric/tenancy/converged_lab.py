# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The laboratory with a converged fabric beside it: a stand-in that is written by hand, one pair of leaves per SU.

Storage arrays are at the first pair, external links at the one pair of border leaves.
"""

from __future__ import annotations

import copy
import types
import typing as t

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.topology.cabling import (
    Node,
    Switch,
)

SLOTS = 4
ROLES = {"front_end_leaf": "front-end-leaf", "storage_leaf": "storage-leaf"}
CODES = {"border_leaf": 1, "front_end_leaf": 2, "storage_leaf": 3}


class NetPort(t.NamedTuple):
    """A port of a node on a network of the converged fabric."""

    network: str
    index: int


def space(data):
    """Nested mappings as objects."""
    if isinstance(data, dict):
        return types.SimpleNamespace(**{key: space(value) for key, value in data.items()})
    return [space(one) for one in data] if isinstance(data, list) else data


def networks(**more):
    """The block of the description; `more` replaces keys of its parts."""
    made = {
        "front_end": {
            "ports_per_node": 2,
            "attachment": "bond",
            "subnets": {"prefix": "10.208.0.0/13", "length": 23},
            "dhcp": ["192.0.2.67"],
            "provisioning": {
                "servers": ["10.255.0.10/32"],
                "dhcp": ["10.255.0.10"],
                "border": "border-leaf-01",
            },
        },
        "storage": {
            "mode": "per-tenant",
            "node_ports": 2,
            "attachment": "bond",
            "subnets": {"prefix": "10.216.0.0/13", "length": 23},
            "arrays": [{"name": "vast-1", "ports": [1, 2], "attachment": "bond"}],
        },
        "border": {
            "pairs": 1,
            "links": [
                {"name": "isp-a", "leaf": "border-leaf-01-1", "port": 1},
                {"name": "isp-b", "leaf": "border-leaf-01-2", "port": 1},
            ],
        },
    }
    for part, keys in more.items():
        made[part] = {**made[part], **keys} if keys is not None else None
    return space(made)


class Beside:
    """A fabric with a converged one beside it."""

    def __init__(self, fabric, **more):
        self._fabric = fabric
        self.description = copy.copy(fabric.description)
        object.__setattr__(self.description, "__dict__", {**fabric.description.__dict__})
        self.description.__dict__["networks"] = networks(**more)
        self.converged = self

    def __getattr__(self, name):
        return getattr(self._fabric, name)

    # The cabling

    def node_ports(self, node):
        nets = self.description.networks
        counts = {"front-end": nets.front_end.ports_per_node, "storage": nets.storage.node_ports}
        return [NetPort(name, index) for name, count in counts.items() for index in range(count)]

    def leaf_of(self, node, port):
        role = "front_end_leaf" if port.network == "front-end" else "storage_leaf"
        return Switch(role, 0, node.su, port.index), node.slot

    # The devices

    def name(self, device):
        role = getattr(device, "role", "node")
        if role == "border_leaf":
            return f"border-leaf-{device.pod + 1:02}-{device.index + 1}"
        if role not in ROLES:
            return self._fabric.name(device)
        return f"{ROLES[device.role]}-{device.pod + 1:03}-{device.index + 1}"

    def device(self, name):
        for role, prefix in (*ROLES.items(), ("border_leaf", "border-leaf")):
            if name.startswith(prefix):
                _head, pair, member = name.rsplit("-", 2)
                return Switch(role, 0, int(pair) - 1, int(member) - 1)
        return self._fabric.device(name)

    def known(self, name):
        return self.device(name)

    def port_name(self, device, port):
        return (
            f"swp{port.index + 1}" if device.role in CODES else self._fabric.port_name(device, port)
        )

    def slice(self, device):
        if device.role not in CODES:
            return self._fabric.slice(device)
        code = CODES[device.role]
        return {
            "name": self.name(device),
            "role": device.role,
            "asn": 4_240_000_000 + code * 1_000_000 + device.pod * 2 + device.index,
            "loopback": f"10.200.{code}.{device.pod * 2 + device.index}",
            "vtep": f"10.202.{code}.{device.pod * 2 + device.index}",
            "ports": list(self._ports(device)),
        }

    def _ports(self, device):
        nets = self.description.networks
        if device.role == "border_leaf":
            for link in nets.border.links:
                if link.leaf == self.name(device):
                    yield {
                        "port": f"swp{link.port}",
                        "kind": "external",
                        "present": True,
                        "link": link.name,
                    }
            return
        network = "front-end" if device.role == "front_end_leaf" else "storage"
        part = getattr(nets, network.replace("-", "_"))
        for slot in range(SLOTS):
            node = Node(0, device.pod, slot)
            row = {
                "port": f"swp{slot + 1}",
                "kind": "host",
                "present": self.present(node),
                "network": network,
                "node": self._fabric.name(node),
                "peer": {"device": self._fabric.name(node), "role": "node"},
            }
            if part.attachment == "bond":
                yield {**row, "bond": f"bond{slot + 1}"}
            else:
                yield {**row, "address": "10.160.0.1", "peer_address": "10.160.0.0", "length": 31}
        if network == "storage" and device.pod == 0:
            for number in range(2):
                yield {
                    "port": f"swp{40 + number}",
                    "kind": "array",
                    "present": True,
                    "array": "vast-1",
                    "bond": f"bond{5001 + number}",
                }
