# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pair of leaves with two tenants, their sessions to the outside and their bonds, as the plan says.

The shape of a segment is that of the NVUE reference (nv show evpn multihoming esi -o json), with the flags of the
designated forwarder.
"""

from __future__ import annotations

import copy
import dataclasses

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.networks_view import (
    NetworksReading,
    NetworksView,
    esi,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.results import Subject
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.addressing.pools import (
    blocks,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.sessions import Peer

MAC = "44:38:39:ff:02:00"
VTEPS = ("10.201.128.0", "10.201.128.1")
ISP, TRANSIT = "192.0.2.1", "swp9s0.3034"


def session(name="isp-a", **more):
    return {
        "name": name,
        "link": "isp-a",
        "port": "swp9s0",
        "vlan": 3021,
        "address": "192.0.2.0",
        "peer_address": ISP,
        "length": 31,
        "asn": 64601,
        "accept_default": True,
        "accept": ["198.51.100.0/24"],
        "announce": ["10.208.14.0/23"],
        "maximum": 10,
        "warning": 50,
        **more,
    }


def vrf(number, slug, *bonds, sessions=(), **more):
    subnet = f"10.208.{2 * (number - 14)}.0/23"
    return {
        "vrf": f"t{number}-{slug}",
        "id": number,
        "slug": slug,
        "kind": "tenant",
        "network": "front-end",
        "l3vni": 4_100_000 + number,
        "segments": [
            {
                "vlan": number,
                "l2vni": 4_300_000 + number,
                "subnet": subnet,
                "relay": ["192.0.2.67"],
                "ports": [
                    {"bond": bond, "tagged": False, "node": bond, "up": True} for bond in bonds
                ],
                "isolated": False,
            }
        ],
        "routed": [],
        "sessions": list(sessions),
        "leaks": [],
        **more,
    }


ACME = vrf(21, "acme", "bond1", sessions=[session()])
UMBRELLA = vrf(
    34,
    "umbrella",
    "bond2",
    sessions=[
        session(
            "transit",
            port="swp9s0",
            vlan=3034,
            address=None,
            peer_address=None,
            accept_default=False,
            announce=["10.208.40.0/23"],
        )
    ],
)
BLOCKS = blocks(
    {
        "umbrella on the network front-end": "10.208.40.0/23",
        "umbrella on the network storage": "10.216.40.0/23",
        "addressing.pools.loopback": "10.128.0.0/13",
    }
)
OWNED = {
    "t21-acme": ["10.208.14.0/23"],
    "t34-umbrella": ["10.208.40.0/23"],
    "storage": ["10.223.0.0/23"],
}


def ports():
    return [
        {
            "port": f"swp{number}",
            "kind": "host",
            "present": True,
            "bond": f"bond{number}",
            "segment": {"local_id": number, "mac": MAC},
        }
        for number in (1, 2)
    ]


def segment(bond, partner, *, forwards):
    role = "designated-forward" if forwards else "non-designated-forward"
    words = ("local", "oper-up", "ready-for-bgp", "bridge-port", "remote", role)
    return {
        "df-preference": 50000,
        "flags": dict.fromkeys(words, "on"),
        "local-interface": bond,
        "mac-count": 2,
        "remote-vtep": {partner: {"df-algorithm": "preference", "df-preference": 50000}},
        "vni-count": 1,
    }


def leaf(member=0):
    """One leaf of the pair, as planned."""
    name, other = (f"border-leaf-01-{n}" for n in (member + 1, 2 - member))
    segments = {
        esi(row["segment"]): segment(row["bond"], VTEPS[1 - member], forwards=number % 2 == member)
        for number, row in enumerate(ports())
    }
    read = NetworksReading(
        interfaces={f"vlan{n}": {"link": {"oper-status": "up"}} for n in (21, 34)},
        neighbors={
            "t21-acme": {ISP: Peer("established")},
            "t34-umbrella": {TRANSIT: Peer("established")},
        },
        received={
            ("t21-acme", ISP): ["0.0.0.0/0", "198.51.100.0/25"],
            ("t34-umbrella", TRANSIT): ["198.51.100.0/24"],
        },
        accepted={
            ("t21-acme", ISP): ["0.0.0.0/0", "198.51.100.0/25"],
            ("t34-umbrella", TRANSIT): ["198.51.100.0/24"],
        },
        announced={
            ("t21-acme", ISP): ["10.208.14.0/23"],
            ("t34-umbrella", TRANSIT): ["10.208.40.0/23"],
        },
        routes={
            "t21-acme": ["0.0.0.0/0", "10.208.14.0/23", "198.51.100.0/25"],
            "t34-umbrella": ["10.208.40.0/23", "198.51.100.0/24"],
        },
        segments=segments,
        vnis=["4100021", "4300021", "4100034", "4300034"],
        relays={"t21-acme": ["192.0.2.67"], "t34-umbrella": ["192.0.2.67"]},
    )
    return NetworksView(
        subject=Subject("lab", name, name),
        row={"name": name, "partner": other, "ports": ports()},
        vrfs=copy.deepcopy([ACME, UMBRELLA]),
        read=read,
        owned=OWNED,
        blocks=BLOCKS,
        defaults=["t21-acme"],
        partner=VTEPS[1 - member],
    )


def but(view, **read):
    """The leaf, with other things read."""
    return dataclasses.replace(view, read=dataclasses.replace(view.read, **read))
