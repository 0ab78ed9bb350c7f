# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Access lists of converged leaves: what hosts and the outside may say to a switch, and to each other.

    acl/spx-control           at bonds, and ports without one: ICMP and DHCP to the switch, nothing else
    acl/spx-tenant-gateways   of the control plane: no TCP or UDP to gateways, from wherever it comes
    acl/spx-tenant-house-N    at ports in quarantine and rest: DHCP, the gateway, provisioning servers
    acl/spx-tenant-IF-in4     at a session to the outside: BGP and BFD of the peer to the switch, and ICMP
    acl/spx-tenant-IF-out4    at a session to the outside: sources of the tenant, and the switch itself

A list ends with a rule that denies the rest. Rules match the TTL since Cumulus Linux 5.5 (What's New), and
only that of IPv4. Sources: Cumulus Linux 5.18 and 5.19, Access Control List Configuration. That lists work on
subinterfaces and, outbound, for IPv6 is written nowhere: [inferred] of the kernel's rules that NVUE makes.
"""

from __future__ import annotations

import typing as t

from ...description.errors import FabricError
from ...plan.topology.cabling import HOST
from . import converged
from .control_plane_acl import NAME, NAME_V6
from .converged import LAST_RULE, MOST_RULES

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .....module_utils._json import Doc
    from ...tenants.vrfs import Segment, Session, Vrf
    from .context import Context

GATEWAYS = f"{converged.LIST}-gateways"
MOST_HOPS = 8
_BGP, _DHCP = "179", "67"
_BFD, _BFD_OVER_HOPS = "3784", "4784"
"""FRR 8.4 takes a session with TTL security for one over several hops, whose BFD has a port of its own (RFC 5883)."""
_BROADCAST = "255.255.255.255/32"
_LINK_LOCAL = "fe80::/10"
_ALL_ON_LINK = "ff02::/16"
_VERSIONS = ("ipv4", "ipv6")
_ICMP = {"ipv4": "icmp", "ipv6": "icmpv6"}


def control_plane_acl(ctx: Context) -> Doc | None:
    """The lists for hosts, and their binding to every bond, and port of a node, array or server without one."""
    rows = converged.ports(ctx, HOST, *converged.EQUIPMENT)
    if not rows:
        return None
    names = {row.get("bond", row["port"]): None for row in rows}
    inbound: Doc = {"inbound": {"control-plane": {}}}
    bound: Doc = {"acl": {NAME: inbound, NAME_V6: inbound}}
    permitted = [{"protocol": "icmp"}, _udp(_DHCP)]
    return {
        "acl": {
            NAME: made("ipv4", permitted),
            NAME_V6: made("ipv6", [{"protocol": "icmpv6"}]),
        },
        "interface": dict.fromkeys(names, bound),
    }


def made(version: str, permitted: Iterable[Mapping[str, t.Any]]) -> Doc:
    """A list that permits some matches and denies everything else."""
    rules: Doc = {
        str(number * 10): {"match": {"ip": dict(match)}, "action": {"permit": {}}}
        for number, match in enumerate(permitted, start=1)
    }
    if len(rules) > MOST_RULES:
        raise FabricError.of(
            f"an access list needs {len(rules)} rules and {MOST_RULES} are possible: announce fewer prefixes."
        )
    rules[str(LAST_RULE)] = {"match": {"ip": {"dest-ip": "ANY"}}, "action": {"deny": {}}}
    return {"type": version, "rule": rules}


def _udp(port: str, **more: str) -> dict[str, t.Any]:
    return {"protocol": "udp", "udp": {"dest-port": {port: {}}}, **more}


# Gateways of tenants


def gateways(ctx: Context, rows: Iterable[Vrf]) -> Doc:
    """The list of the control plane, with its binding; nothing where no VRF has a gateway.

    The answers of DHCP servers come to a gateway too, so they come first.
    """
    segments = [segment for row in rows for segment in row["segments"]]
    own = {s["gateway"]: None for s in segments} | {
        converged.own_address(ctx, s): None for s in segments
    }
    own |= {routed["address"]: None for row in rows for routed in row["routed"]}
    if not own:
        return {}
    servers = sorted({server for segment in segments for server in segment["relay"]})
    acl: Doc = {}
    for version in _VERSIONS:
        answers = [_udp(_DHCP, **{"source-ip": converged.host(s)}) for s in of(version, servers)]
        rules = _gateway_rules(answers, of(version, own))
        if rules:
            acl[f"{GATEWAYS}-{version[-1]}"] = {"type": version, "rule": rules}
    bound: Doc = {name: {"inbound": {}} for name in acl}
    return {"acl": acl, "system": {"control-plane": {"acl": bound}}} if acl else {}


def _gateway_rules(answers: list[dict[str, t.Any]], own: list[str]) -> Doc:
    denied = [
        {"protocol": word, "dest-ip": converged.host(address)}
        for address in own
        for word in ("tcp", "udp")
    ]
    rules = [(match, "permit") for match in answers if denied] + [
        (match, "deny") for match in denied
    ]
    return {
        str(number * 10): {"match": {"ip": match}, "action": {action: {}}}
        for number, (match, action) in enumerate(rules, start=1)
    }


def of(version: str, addresses: Iterable[str]) -> list[str]:
    """The addresses or prefixes of one version."""
    return [text for text in addresses if converged.family(text) == version]


# House VRFs


def house(row: Vrf, *, segment: Segment | None = None, gateway: str = "") -> Doc:
    """The lists of a port in quarantine or rest: what its node may reach, by name."""
    name = f"{converged.LIST}-house-{segment['vlan'] if segment else row['id']}"
    own = [segment["gateway"] if segment else gateway]
    relay = segment["relay"] if segment else []
    targets = [converged.host(address) for address in own + relay] + row["allowed"]
    dhcp = [_udp(_DHCP, **{"dest-ip": _BROADCAST})] if relay else []
    lists: Doc = {}
    for version in _VERSIONS:
        first = dhcp if version == "ipv4" else _neighbours(own)
        reached = [{"dest-ip": target} for target in dict.fromkeys(of(version, targets))]
        lists[f"{name}-{version[-1]}"] = made(version, first + reached)
    return lists


def _neighbours(gateways: Iterable[str]) -> list[dict[str, t.Any]]:
    """Rules for the discovery of an IPv6 gateway: to its link-local and multicast addresses (RFC 4861)."""
    found = of("ipv6", gateways)
    return [{"protocol": "icmpv6", "dest-ip": to} for to in (_LINK_LOCAL, _ALL_ON_LINK) if found]


# Sessions to the outside


def outside(name: str, sessions: list[Session]) -> tuple[Doc, Doc]:
    """(lists, binding) of an interface to the outside, for all sessions on it."""
    stem = f"{converged.LIST}-{name.replace('.', '-')}"
    lists: Doc = {}
    bound: Doc = {}
    for version in _VERSIONS:
        digit = version[-1]
        lists[f"{stem}-in{digit}"] = made(version, _to_switch(version, sessions))
        lists[f"{stem}-out{digit}"] = made(version, _sources(version, sessions))
        bound[f"{stem}-in{digit}"] = {"inbound": {"control-plane": {}}}
        bound[f"{stem}-out{digit}"] = {"outbound": {}}
    return lists, bound


def _to_switch(version: str, sessions: Iterable[Session]) -> list[dict[str, t.Any]]:
    matches: list[dict[str, t.Any]] = [{"protocol": _ICMP[version]}]
    for session in sessions:
        peer = session["peer_address"]
        source = converged.host(peer) if peer else _LINK_LOCAL
        if converged.family(source) != version:
            continue
        for ttl in _ttls(session, version):
            for key in ("dest-port", "source-port"):
                matches.append(
                    {"protocol": "tcp", "tcp": {key: {_BGP: {}}}, "source-ip": source, **ttl}
                )
        if session["bfd"]:
            over = () if session["ttl_security"] is None else (_BFD_OVER_HOPS,)
            matches += [_udp(port, **{"source-ip": source}) for port in (_BFD, *over)]
    return matches


def _ttls(session: Session, version: str) -> list[dict[str, int]]:
    """The TTLs that packets of a session may have: 255 for a peer that is one hop away."""
    hops = session["ttl_security"]
    if hops is None or version == "ipv6":
        return [{}]
    if hops > MOST_HOPS:
        raise FabricError.of(
            f"external peer {session['name']}: ttl_security is {hops}, and an access list has a rule for each of at "
            f"most {MOST_HOPS} hops: state 1 for a peer at the other end of the link."
        )
    return [{"ttl": 255 - hop} for hop in range(hops)]


def _sources(version: str, sessions: Iterable[Session]) -> list[dict[str, t.Any]]:
    """The tenant's prefixes, and the addresses of the switch on the link."""
    own = {prefix: None for session in sessions for prefix in session["announce"]}
    own |= {converged.host(s["address"]): None for s in sessions if s["address"]}
    own[_LINK_LOCAL] = None
    return [{"source-ip": prefix} for prefix in of(version, own)]
