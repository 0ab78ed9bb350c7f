# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host as the checks see it."""

from __future__ import annotations

import copy
import dataclasses

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.parse.mlxreg import SELECTS
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.plan.nvconfig import flat
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import (
    host,
    host_pairs,
    host_partners,
    host_tries,
    host_view,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.results import Subject
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.desired import (
    desired,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.identity import (
    Identity,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

NODE = Node(0, 0, 0)
DRIVER = {"wrong": [], "hinders": [], "rebuilt": [], "upon": {}, "running": [], "locked": ""}
PCI = [f"0000:{bus:02x}:00.0" for bus in range(0x18, 0x20)]
REGISTRY = """
tenants:
  - {id: 21, slug: acme, nodes: ["*/*/h01", "su01/h02"], host_access: managed}
rest:
  - {nodes: ["su02/h02", "su02/h03"], acceptance: burn-in}
"""

TWO = """
tenants:
  - {id: 21, slug: acme, nodes: ["*/*/h01"], host_access: managed}
  - {id: 22, slug: globex, nodes: ["su02/h02"]}
"""
REST = """
rest:
  - {nodes: ["su01/h01", "su02/h01"], acceptance: burn-in}
  - {nodes: ["su01/h02"], acceptance: repair}
  - {nodes: ["su02/h02", "su02/h03"]}
"""
MOVING = TWO + 'moving: {"su01/h02": {from: quarantine, to: globex, step: shut}}\n'
EVERYBODY = """
tenants:
  - {id: 21, slug: acme, nodes: [su01, su02], host_access: managed}
"""


def parts(fabric=None, registry=None, node=NODE):
    fabric = fabric or example("lab")
    registry = registry or Registry.parse(fabric, REGISTRY)
    wanted = desired(fabric, fabric.name(node), registry=registry, settings={"platform": "h200"})
    return fabric, registry, wanted


def states(view):
    return {row["id"]: row["state"] for row in host.check(view)}


def port(view):
    return view.nics[0]["ports"][0]


def out(device, port=None):
    row = {"device": device, "since": "2026-11-20", "reason": "repair ordered"}
    return {**row, "port": port} if port else row


def view_of(fabric, registry, wanted, packages, node=NODE):
    """A host of a fabric as it should be."""
    met = host_partners.partners(fabric, registry, node)
    return host_view.View(
        subject=Subject.of(fabric, node, wanted["tenant"]),
        wanted={**wanted, "manage": ["dpu_qos", "dpu_interfaces"]},
        look={
            "nics": {"error": "", "nics": [record(nic) for nic in wanted["nics"]], "skew": ""},
            "packages": packages,
            "system": {"hpcx": [], "driver": DRIVER, "uptime": 4000},
            "network": {
                "error": "",
                "changed": False,
                "drift": [],
                "wrong_files": [],
                "writers": [],
            },
            "agent": {"wrong_files": [], "wrong_units": [], "left": []},
            "facts": {},
            "asked": {},
        },
        probe={
            "pings": answers(host_tries.pings(wanted, met)),
            "attempts": silence(host_tries.attempts(fabric, registry, node, wanted)),
            "findings": [],
            "textfile": 30,
            "gpudirect": {
                "gpus": ["0000:1b:00.0"],
                "memory": "nvidia-peermem",
                "acs": [],
                "iommu": {},
            },
        },
        leaves=leaves(fabric, wanted),
        unproven={row["peer"]["device"]: {} for row in wanted["interfaces"]},
        others=met,
        identity=Identity("proven", "It is."),
        addresses=[],
    )


def spoiled(view, look=None, **changes):
    """A copy of a view; `look` has the parts of its look that differ."""
    made = copy.deepcopy(view)
    return dataclasses.replace(made, look={**made.look, **(look or {})}, **changes)


def record(nic):
    """Return the record of module host for a card that is as planned."""
    version = nic["firmware"]["version"]
    return {
        "pci": nic["pci"],
        "device": nic["device"],
        "mode": nic["mode"],
        "mode_next": nic["mode"],
        "firmware": {"running": version, "burned": version},
        "nvconfig": {
            name: {"default": "0", "current": str(value), "next": str(value)}
            for name, value in flat(nic["nvconfig"]).items()
        },
        "ports": [port_record(nic, row, first=n == 0) for n, row in enumerate(nic["ports"])],
    }


def answers(pings):
    return [{**row, "ok": True, "reason": ""} for row in pings]


def silence(attempts):
    return [{**row, "answer": ""} for row in attempts]


def leaves(fabric, wanted):
    """The leaves as the plan has them."""
    found = {}
    for row in wanted["interfaces"]:
        name = row["peer"]["device"]
        ports = {port["port"]: "400G" for port in fabric.slice(name)["ports"]}
        found[name] = host_pairs.leaf_ports(compose.document(fabric, name), ports)
    return found


def port_record(nic, row, *, first):
    """With hwplb the first port has the RDMA device of all; in mode dpu the DPU has the rest."""
    seen = {
        "pci": row["pci"],
        "netdev": row["netdev"],
        "rdma": f"mlx5_{row['netdev']}",
        "link": "up",
        "speed": 400_000,
        "mtu": 9166,
        "qos": {},
    }
    if "roce" not in nic:
        return seen
    cc = nic["roce"]["cc"]
    seen["qos"] = {
        "trust": "dscp",
        "pfc": [0, 0, 0, 1, 0, 0, 0, 0],
        "dscp2prio": {str(n): n >> 3 for n in range(64)},
        "cnp_dscp": 48,
        "tos": 96,
        "roce_mode": 2,
        "traffic_class": 96,
        "dcbx": "os",
    }
    seen["roce"] = {
        "accl": {**nic["roce"]["accl"], **dict.fromkeys(SELECTS.values(), 1)},
        "max_read_request": 4096,
        "inter_packet_gap": {"ipg": 33, "ipg_oper": 33},
        "dcqcn": {"rp": [1] * 8, "np": [1] * 8},
    }
    seen["cc"] = {"state": "active", "pid": 1}
    seen["ppcc"] = copy.deepcopy({key: cc[key] for key in ("slots", "params")})
    if nic["multiplane"] == "hwplb" and not first:
        seen["rdma"] = ""
        for part, keys in (("qos", ("tos", "traffic_class")), (None, ("cc", "ppcc"))):
            for key in keys:
                del (seen[part] if part else seen)[key]
    return seen
