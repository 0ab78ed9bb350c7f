# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Slices and VRFs of a small converged fabric, written by hand as the plan and the registry state them.

One pair of each leaf, two spines. Node h01 is a tenant's, h02 is in quarantine, h03 is not built; `vast-1` is an
array; tenants acme and beta share the link isp-a. The core has all of it on one pair, in place of leaves and spines.
"""

from __future__ import annotations

import copy
import types

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Switch,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch.context import (
    Context,
)

MTU = {"fabric": 9216, "host": 9166, "path": 9166}
ROLE_CODE = {
    "converged_spine": 0,
    "border_leaf": 1,
    "front_end_leaf": 2,
    "storage_leaf": 3,
    "converged_core": 4,
}
NAMES = {
    "front_end_leaf": "front-end-leaf-001",
    "storage_leaf": "storage-leaf-001",
    "border_leaf": "border-leaf-01",
    "converged_core": "converged-core",
}
FRONT, STORAGE, BORDER, SPINE, CORE = (
    Switch("front_end_leaf", 0, 0, 0),
    Switch("storage_leaf", 0, 0, 0),
    Switch("border_leaf", 0, 0, 0),
    Switch("converged_spine", 0, 0, 0),
    Switch("converged_core", 0, 0, 0),
)
ALL = (FRONT, STORAGE, BORDER, SPINE, CORE)


def name_of(switch):
    """The name of a switch of the converged fabric."""
    if switch.role == "converged_spine":
        return f"converged-spine-s{switch.index + 1:02}"
    return f"{NAMES[switch.role]}-{switch.index + 1}"


def asn_of(switch):
    """Its AS number: all spines share one."""
    spine = switch.role == "converged_spine"
    return 4_240_000_000 + ROLE_CODE[switch.role] * 1_000_000 + (0 if spine else switch.index)


def port(name, kind, *, peer, speed="400G", breakout=2, present=True, **more):
    """A port, broken out in two unless said otherwise."""
    return {
        "port": name,
        "cage": int(name[3:].partition("s")[0]),
        "breakout": breakout,
        "kind": kind,
        "speed": speed,
        "present": present,
        "peer": peer,
        **more,
    }


def to_switch(switch, name):
    """The other end of a link between switches."""
    return {
        "device": name_of(switch),
        "port": name,
        "role": switch.role,
        "asn": asn_of(switch),
        "index": switch.index,
    }


def uplinks(leaf_number):
    """The uplinks of a leaf, one to each spine."""
    return [
        port(
            f"swp31s{spine}",
            "up",
            peer=to_switch(Switch("converged_spine", 0, 0, spine), f"swp{leaf_number + 1}s0"),
        )
        for spine in (0, 1)
    ]


def core_links():
    """Three links to the other switch of the core, of which two carry EVPN."""
    far = Switch("converged_core", 0, 0, 1)
    names = ("swp31s0", "swp31s1", "swp32s0")
    return [port(name, "down", peer=to_switch(far, name)) for name in names]


def node_port(index, network, *, present=True, core=None):
    """The port of node h01, h02 ... on a leaf, a member of a bond with a segment; `core` is where its bonds begin."""
    base, code, nic = (0, 2, "front1") if network == "front-end" else (4_000_000, 3, "stor1")
    node, first, code = f"worker-su01-rack01-h{index + 1:02}", core or 0, 4 if core else code
    return port(
        f"swp{first + index + 1}s0",
        "host",
        speed="200G",
        peer={"device": node, "port": nic, "role": "node"},
        present=present,
        network=network,
        node=node,
        ordinal=index,
        bond=f"bond{first + index + 1}",
        segment={"local_id": base + index + 1, "mac": f"44:38:39:ff:0{code}:00"},
    )


def array_port(index, *, bond=True, code=3):
    """A port of the array on a storage leaf."""
    more = {
        "bond": f"bond{5001 + index}",
        "segment": {"local_id": 8_000_000 + index + 1, "mac": f"44:38:39:ff:0{code}:00"},
    }
    return port(
        f"swp{20 + index}s0",
        "array",
        speed="200G",
        peer={"device": "vast-1", "port": "", "role": "array"},
        array="vast-1",
        **(more if bond else {}),
    )


def external_port(index, link=None):
    """A port to the outside; without a link it is spare."""
    return port(
        f"swp{9 + index}",
        "external",
        speed="100G",
        breakout=1,
        peer={"device": link or "", "port": "", "role": "outside"},
        present=link is not None,
        **({"link": link} if link else {}),
    )


PORTS = {
    "front_end_leaf": lambda: [
        node_port(0, "front-end"),
        node_port(1, "front-end"),
        node_port(2, "front-end", present=False),
        *uplinks(2),
    ],
    "storage_leaf": lambda: [
        node_port(0, "storage"),
        node_port(1, "storage"),
        array_port(0),
        array_port(1, bond=False),
        *uplinks(1),
    ],
    "border_leaf": lambda: [external_port(0, "isp-a"), external_port(1), *uplinks(0)],
    "converged_core": lambda: [
        *(node_port(index, "front-end", core=10) for index in (0, 1)),
        *(node_port(index, "storage", core=12) for index in (0, 1)),
        external_port(0, "isp-a"),
        external_port(1),
        array_port(0, code=4),
        array_port(1, bond=False),
        *core_links(),
    ],
    "converged_spine": lambda: [
        port(f"swp{number + 1}s0", "down", peer=to_switch(leaf, "swp31s0"))
        for number, leaf in enumerate((BORDER, STORAGE, FRONT))
    ],
}


def slice_of(switch):
    """The slice of a switch, as the plan gives it."""
    number = switch.index + 1
    code = ROLE_CODE[switch.role]
    made = {
        "schema": 1,
        "fabric": "lab",
        "name": name_of(switch),
        "role": switch.role,
        "pair": switch.pod,
        "member": switch.index,
        "management": f"10.204.{code}.{number}/24",
        "management_gateway": f"10.204.{code}.254",
        "asn": asn_of(switch),
        "loopback": f"10.200.{code}.{number}",
        "router_id": f"10.200.{code}.{number}",
        "mtu": dict(MTU),
        "ports": PORTS[switch.role](),
    }
    if switch.role != "converged_spine":
        made["vtep"] = f"10.202.{code}.{number}"
        made["partner"] = name_of(switch._replace(index=1 - switch.index))
    return made


def segment(vlan, l2vni, subnet, gateway, ports, **more):
    """A VLAN of a VRF; a port is (bond, tagged)."""
    return {
        "vlan": vlan,
        "l2vni": l2vni,
        "subnet": subnet,
        "gateway": gateway,
        "mtu": 9166,
        "relay": [],
        "ports": [
            {"bond": bond, "tagged": tagged, "node": "", "up": True} for bond, tagged in ports
        ],
        "isolated": False,
        **more,
    }


def vrf(name, number, network, **more):
    """A VRF of an owner on one network."""
    base = 4_100_000 if network == "front-end" else 4_200_000
    target = f"64512:{base + number}"
    return {
        "vrf": name,
        "id": number,
        "slug": name.partition("-")[2],
        "kind": "tenant",
        "network": network,
        "version": 4,
        "l3vni": base + number,
        "l3vlan": 4000 + (number - 11) * 2 + (network == "storage"),
        "rd": f"10.200.2.1:{number}",
        "imports": [target],
        "exports": [target],
        "collapse": False,
        "segments": [],
        "routed": [],
        "sessions": [],
        "allowed": [],
        "leaks": [],
        **more,
    }


def session(tenant, number, **more):
    """A session of a tenant on a VLAN of the link isp-a."""
    return {
        "name": "isp-a",
        "link": "isp-a",
        "port": "swp9",
        "vlan": 3000 + number,
        "address": f"192.0.2.{number * 2 % 256}",
        "peer_address": f"192.0.2.{number * 2 % 256 + 1}",
        "length": 31,
        "local_asn": asn_of(BORDER),
        "asn": 64496,
        "password": False,
        "bfd": True,
        "ttl_security": 1,
        "accept_default": True,
        "accept": [],
        "announce": [f"10.208.{(number - 14) * 2}.0/23"],
        "maximum": 1000,
        "warning": 75,
        "reestablish": 60,
        **more,
    }


def quarantine():
    """The front end's quarantine: only the provisioning servers are reached."""
    return vrf(
        "t1-quarantine",
        11,
        "front-end",
        kind="quarantine",
        allowed=["10.255.0.10/32"],
        segments=[
            segment(
                11,
                4_300_001,
                "10.208.0.0/23",
                "10.208.0.1",
                [("bond2", False)],
                relay=["10.255.0.10"],
                isolated=True,
            )
        ],
    )


def front_vrfs():
    """The VRFs of the front-end leaf: quarantine with h02, acme with h01."""
    acme = vrf(
        "t21-acme",
        21,
        "front-end",
        segments=[
            segment(
                21,
                4_300_021,
                "10.208.14.0/23",
                "10.208.14.1",
                [("bond1", False)],
                relay=["192.0.2.67"],
            )
        ],
    )
    return [quarantine(), acme]


def routed_port(index, *, up=True):
    """The leaf's end of the link of node h01, h02 ..., as the registry has it in a VRF."""
    return {
        "port": f"swp{index + 1}s0",
        "node": f"worker-su01-rack01-h{index + 1:02}",
        "present": True,
        "address": f"10.160.0.{16 * index + 1}",
        "peer_address": f"10.160.0.{16 * index}",
        "length": 31,
        "up": up,
    }


def route(slice_):
    """Make the ports of nodes of a slice routed ones."""
    for row in slice_["ports"]:
        if "node" in row:
            for key in ("bond", "segment"):
                row.pop(key, None)
            own = routed_port(row["ordinal"])
            row |= {key: own[key] for key in ("address", "peer_address", "length")}


def routed_vrfs():
    """The front-end leaf where nodes have links of their own: h01 is acme's, h02 in quarantine."""
    house, acme = front_vrfs()
    house |= {"segments": [], "routed": [routed_port(1)]}
    acme |= {"segments": [], "routed": [routed_port(0)]}
    return [house, acme]


def other_sessions():
    """Sessions that are not numbered by IPv4: acme's by IPv6 on a VLAN, beta's unnumbered on a whole port."""
    six = session(
        "acme",
        21,
        address="2001:db8:1::2",
        peer_address="2001:db8:1::3",
        length=127,
        announce=["2001:db8:21::/48"],
        accept=["2001:db8:ffff::/48"],
    )
    plain = session(
        "beta",
        22,
        link="isp-b",
        port="swp10",
        vlan=None,
        address=None,
        peer_address=None,
        length=0,
        bfd=False,
    )
    return [
        vrf("t21-acme", 21, "front-end", version=6, sessions=[six]),
        vrf("t22-beta", 22, "front-end", sessions=[plain]),
    ]


def both_cabled(slice_):
    """Cable the second port to the outside too."""
    at = next(n for n, row in enumerate(slice_["ports"]) if row["port"] == "swp10")
    slice_["ports"][at] = external_port(1, "isp-b")


def storage_vrfs():
    """The storage VRF of acme and beta: VLANs to the array, and the storage port of h01."""
    return [
        vrf(
            "s21-acme",
            21,
            "storage",
            segments=[
                segment(
                    2021,
                    4_400_021,
                    "10.216.14.0/23",
                    "10.216.14.1",
                    [("bond1", False), ("bond5001", True), ("swp21s0", True)],
                )
            ],
        ),
        vrf(
            "s22-beta",
            22,
            "storage",
            segments=[
                segment(2022, 4_400_022, "10.216.16.0/23", "10.216.16.1", [("bond5001", True)])
            ],
        ),
    ]


def border_vrfs():
    """Acme takes the default, beta the default and a list; both on one link."""
    return [
        vrf("t21-acme", 21, "front-end", sessions=[session("acme", 21)]),
        vrf(
            "t22-beta",
            22,
            "front-end",
            sessions=[session("beta", 22, accept=["198.51.100.0/24"])],
        ),
    ]


def core_vrfs():
    """VRFs of front-end, storage and border leaf, on the bonds of a core; acme's sessions are in its front end."""
    house, acme = front_vrfs()
    border, beta = border_vrfs()
    stored = storage_vrfs()
    house["segments"][0]["ports"][0]["bond"] = "bond12"
    acme["segments"][0]["ports"][0]["bond"] = "bond11"
    stored[0]["segments"][0]["ports"][0]["bond"] = "bond13"
    acme["sessions"] = border["sessions"]
    rows = [house, acme, stored[0], beta, stored[1]]
    for row in rows:
        own = "10.200.4.1" if row["network"] == "front-end" else "10.202.4.1"
        row["rd"] = f"{own}:{row['id']}"
        for one in row["sessions"]:
            one["local_asn"] = asn_of(CORE)
    return rows


VRFS = {
    "front_end_leaf": front_vrfs,
    "storage_leaf": storage_vrfs,
    "border_leaf": border_vrfs,
    "converged_core": core_vrfs,
    "converged_spine": list,
}


def shared_vrfs():
    """The storage leaf of the mode shared: a service VRF with the array, and two tenants that reach it."""
    service = vrf(
        "s4-storage",
        4,
        "storage",
        kind="service",
        l3vlan=4060,
        segments=[segment(2004, 4_400_004, "10.216.2.0/24", "10.216.2.1", [("bond5001", False)])],
        leaks=[
            {"vrf": "s21-acme", "prefixes": ["10.216.14.0/23"]},
            {"vrf": "s22-beta", "prefixes": ["10.216.16.0/23"]},
        ],
    )
    tenants = storage_vrfs()
    for row in tenants:
        row["segments"][0]["ports"] = []
        row["leaks"] = [{"vrf": "s4-storage", "prefixes": ["10.216.2.0/24"]}]
    tenants[0]["segments"][0]["ports"] = [
        {"bond": "bond1", "tagged": False, "node": "h01", "up": True}
    ]
    return [service, *tenants]


def running(description, releases):
    """The description of a fabric whose switches run some releases, whether or not a set has them."""
    release = description.release.model_copy(update={"cumulus": releases[0]})
    more = {"release": release, "accept_releases": list(releases[1:])}
    return description.model_copy(update=more)


def context(load, switch, *, networks=None, options=None, change=None, releases=(), **description):
    """The context of a converged switch; `change` edits its slice, the rest its description."""
    fabric = load(**description)
    made = slice_of(switch)
    if change:
        change(made)
    plan = types.SimpleNamespace(
        description=running(fabric.description, releases) if releases else fabric.description,
        clos=fabric.clos,
        addresses=fabric.addresses,
        others=types.SimpleNamespace(switches=lambda: {"border_leaf": 6, "converged_spine": 2}),
    )
    rows = VRFS[switch.role]() if networks is None else networks
    return Context(plan, switch, made, options or {}, None, copy.deepcopy(rows))
