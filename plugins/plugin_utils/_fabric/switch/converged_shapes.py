# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a switch of the converged fabric is made from: its slice of the plan, and the VRFs on it.

A port beside those of the east-west fabric has one of

    bond, segment          a member of a bond with an Ethernet segment (nodes, storage arrays)
    address, peer_address  a routed port
    link                   the name of a link to the outside
    array                  the name of a storage array
"""

from __future__ import annotations

import typing as t

from ..slices import Peer, Slice


class EthernetSegment(t.TypedDict):
    """The two numbers that make the identifier of an Ethernet segment (type 3)."""

    local_id: int
    mac: str


class ConvergedPort(t.TypedDict):
    """A port of a switch of the converged fabric."""

    port: str
    cage: int
    breakout: int
    kind: str
    speed: str
    present: bool
    peer: Peer
    network: t.NotRequired[str]
    node: t.NotRequired[str]
    ordinal: t.NotRequired[int]
    bond: t.NotRequired[str]
    segment: t.NotRequired[EthernetSegment]
    address: t.NotRequired[str]
    peer_address: t.NotRequired[str]
    length: t.NotRequired[int]
    link: t.NotRequired[str]
    array: t.NotRequired[str]


class ConvergedSlice(Slice):
    """The slice of a switch of the converged fabric; a spine has no VTEP and no partner."""

    pair: int
    member: int
    router_id: str
    vtep: t.NotRequired[str]
    partner: t.NotRequired[str]
    ports: list[ConvergedPort]


class SegmentPort(t.TypedDict):
    """A bond, or a port without one, in the VLAN of a segment."""

    bond: str
    tagged: bool
    node: str
    up: bool


class Segment(t.TypedDict):
    """One VLAN of a VRF on a leaf; `relay` are DHCP servers, `isolated` keeps neighbours apart."""

    vlan: int
    l2vni: int
    subnet: str
    gateway: str
    mtu: int
    relay: list[str]
    ports: list[SegmentPort]
    isolated: bool


class Routed(t.TypedDict):
    """A routed port of a node in a VRF."""

    port: str
    node: str
    address: str
    peer_address: str
    length: int
    up: bool


class Session(t.TypedDict):
    """One BGP session to the outside; without addresses it is unnumbered, without a VLAN the port is the VRF's."""

    name: str
    link: str
    port: str
    vlan: int | None
    address: str | None
    peer_address: str | None
    length: int
    local_asn: int
    asn: int
    password: bool
    bfd: bool
    ttl_security: int | None
    accept_default: bool
    accept: list[str]
    announce: list[str]
    maximum: int
    warning: int
    reestablish: int


class Leak(t.TypedDict):
    """A VRF of the same leaf whose prefixes enter this one, and which of them may."""

    vrf: str
    prefixes: list[str]


class NetVrf(t.TypedDict):
    """A VRF of a leaf of the converged fabric; `allowed` are the only destinations of a house VRF."""

    vrf: str
    id: int
    slug: str
    kind: str
    network: str
    l3vni: int
    l3vlan: int
    rd: str
    imports: list[str]
    exports: list[str]
    segments: list[Segment]
    routed: list[Routed]
    sessions: list[Session]
    allowed: list[str]
    leaks: list[Leak]
