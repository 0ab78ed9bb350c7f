# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""View of one leaf of the front end, storage or border, for its checks.

`row` and `vrfs` are plain data of the plan: the slice of the switch, and the VRFs that the registry gives it.
What was read is None, or absent, where the switch gives no answer, so that nothing passes that was not read. Only
sessions that a switch does not have are missing.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import typing as t

from ..tenants import nets

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from ....module_utils._json import Doc
    from ..._nvue.wire.sessions import Peer
    from ..plan.addressing.pools import Block
    from .results import Subject

    Row = Mapping[str, t.Any]
    Key = tuple[str, str]

ANYWHERE = ("0.0.0.0/0", "::/0")
Prefix = t.Union[ipaddress.IPv4Network, ipaddress.IPv6Network]


@dataclasses.dataclass(frozen=True)
class NetworksReading:
    """State of a leaf as it was read.

    `neighbors` are the sessions of each VRF; `received`, `accepted` and `announced` the prefixes of each session, by
    VRF and neighbour: what the peer gives, what the switch lets in, and what the peer hears; `routes` the prefixes in
    the routing table of each VRF; `segments` as NVUE reports `evpn/multihoming/esi`; `vnis` those that EVPN has;
    `relays` VRF -> the servers of its DHCP relay.
    """

    interfaces: Doc | None = None
    neighbors: Mapping[str, Mapping[str, Peer]] = dataclasses.field(default_factory=dict)
    received: Mapping[Key, Collection[str] | None] = dataclasses.field(default_factory=dict)
    accepted: Mapping[Key, Collection[str] | None] = dataclasses.field(default_factory=dict)
    announced: Mapping[Key, Collection[str] | None] = dataclasses.field(default_factory=dict)
    routes: Mapping[str, Collection[str] | None] = dataclasses.field(default_factory=dict)
    segments: Mapping[str, Doc] | None = None
    vnis: Collection[str] | None = None
    relays: Mapping[str, Collection[str]] | None = None


@dataclasses.dataclass(frozen=True)
class NetworksView:
    """A leaf's plan and what was read of it.

    `owned` are the prefixes of every VRF of the registry on the networks; `home` those of the owner of each VRF, on
    all networks; `blocks` what nobody outside may give; `reaches` the VRFs that a VRF may reach besides; `defaults`
    the VRFs to which a peer may give a default route, on whatever leaf; `resting` the ports out of service; `partner`
    the VTEP of the other leaf, None where that rests.
    """

    subject: Subject
    row: Row
    vrfs: Sequence[Row]
    read: NetworksReading
    owned: Mapping[str, Collection[str]] = dataclasses.field(default_factory=dict)
    home: Mapping[str, Collection[str]] = dataclasses.field(default_factory=dict)
    blocks: Sequence[Block] = ()
    reaches: Mapping[str, Collection[str]] = dataclasses.field(default_factory=dict)
    defaults: Collection[str] = ()
    resting: Collection[str] = ()
    partner: str | None = None

    @property
    def device(self) -> str:
        """Its name."""
        return self.subject.device

    def sessions(self) -> Iterator[tuple[Row, Row, str]]:
        """(VRF, session, the neighbour's key) of each session whose port is in service."""
        for vrf in self.vrfs:
            for session in vrf["sessions"]:
                if session["port"] not in self.resting:
                    yield vrf, session, key(session)

    def segments(self) -> Iterator[tuple[str, str]]:
        """(bond, ESI) of each segment in use, in order; a bond whose ports are all shut is not."""
        seen: set[str] = set()
        used = {
            port["bond"]
            for vrf in self.vrfs
            for s in vrf["segments"]
            for port in s["ports"]
            if port["up"]
        }
        for port in self.row["ports"]:
            bond, segment = port.get("bond"), port.get("segment")
            if (
                segment
                and bond in used - seen
                and port["present"]
                and port["port"] not in self.resting
            ):
                seen.add(bond)
                yield bond, esi(segment)


def key(session: Row) -> str:
    """By what a switch names the neighbour of a session: its address, or the interface where unnumbered."""
    if session["peer_address"]:
        return str(session["peer_address"])
    return nets.interface(session["port"], session["vlan"])


def esi(segment: Row) -> str:
    """The identifier of a segment: type 3, its MAC address, and three bytes of its local id.

    >>> esi({"mac": "44:38:39:ff:02:00", "local_id": 258})
    '03:44:38:39:ff:02:00:00:01:02'
    """
    number = f"{segment['local_id']:06x}"
    pairs = [number[at : at + 2] for at in range(0, 6, 2)]
    return ":".join(["03", segment["mac"].lower(), *pairs])


def within(prefix: str, others: Collection[str]) -> bool:
    """Check whether a prefix is one of some prefixes, or a part of one; see `outside`."""
    return not outside([prefix], others)


def outside(prefixes: Iterable[str], others: Iterable[str]) -> list[str]:
    """The prefixes that are neither one of some others nor a part of one; a default has no parts."""
    wholes = [ipaddress.ip_network(other, strict=False) for other in others]

    def part(prefix: str) -> bool:
        mine = ipaddress.ip_network(prefix, strict=False)
        return any(_inside(mine, whole) for whole in wholes)

    return [prefix for prefix in prefixes if not part(prefix)]


def host(prefix: str) -> bool:
    """Check whether a prefix is that of one address, which leaves have from EVPN and which nobody announces."""
    network = ipaddress.ip_network(prefix, strict=False)
    return network.prefixlen == network.max_prefixlen


def _inside(mine: Prefix, other: Prefix) -> bool:
    if not other.prefixlen:
        return mine == other
    return mine.version == other.version and mine.subnet_of(other)  # type: ignore[arg-type]
