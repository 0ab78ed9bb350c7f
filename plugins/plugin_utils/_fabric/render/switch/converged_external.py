# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""BGP of a tenant with the outside: one session on a port, or on a VLAN of a port that tenants share.

    swp9s0.3021              subinterface of VLAN 3021, in the tenant's VRF
    spx-tenant-V-NAME-in4    prefix list of what is accepted: no own prefix, the default, the stated ones
    spx-tenant-V-out4        prefix list of what is announced: the tenant's own prefixes, nothing else
    spx-tenant-V-evpn        route-map of what goes on into the VRF elsewhere, as type 5

The default that a provider announces goes on as it is received: a border leaf never originates one, so that
it attracts no traffic when its provider is gone. What was accepted from one peer is not announced to another,
since no list of announced prefixes has it. The switch keeps what the list refuses (`soft-reconfiguration`), as it
reports no received routes else (FRR, show bgp neighbors received-routes).
Sources: Cumulus Linux 5.18, Optional BGP Configuration; ttl-security is set at neighbours, as FRR ignores it on groups;
reestablish-wait exists since 5.14.
"""

from __future__ import annotations

import ipaddress
import typing as t

from ...._nvue.document.release import Release
from ...description.errors import FabricError
from ...tenants import nets
from . import converged
from .converged_acl import outside

if t.TYPE_CHECKING:
    from collections.abc import Iterable

    from .....module_utils._json import Doc
    from ...tenants.vrfs import Session, Vrf
    from .context import Context

BFD = "spx-external"
BFD_TIMERS = {"detect-multiplier": 3, "min-rx-interval": 300, "min-tx-interval": 300}
"""Timers of BFD, as in NVIDIA's rendered core switch towards storage; milliseconds."""
_REESTABLISH_SINCE = Release(5, 14)
_NO_COMMUNITIES = {"regular": "disabled", "extended": "disabled", "large": "disabled"}
_DEFAULT = {4: "0.0.0.0/0", 6: "::/0"}


def external(ctx: Context, rows: Iterable[Vrf]) -> Doc:
    """Interfaces, access lists, prefix lists and the BFD profile of all sessions on a border leaf."""
    interfaces: Doc = {
        row["port"]: {"vrf": converged.UNUSED} for row in converged.ports(ctx, converged.EXTERNAL)
    }
    made: Doc = {"interface": interfaces}
    acls: Doc = {}
    lists: Doc = {}
    for row in rows:
        for name, sessions in _by_interface(row).items():
            access, bound = outside(name, sessions)
            acls.update(access)
            interfaces[name] = _interface(row, name, sessions) | {"acl": bound}
        lists.update(prefix_lists(row))
    if interfaces:
        made["vrf"] = {converged.UNUSED: {"table": "auto"}}
    if acls:
        made["acl"] = acls
        made["router"] = {"bfd": {"profile": {BFD: dict(BFD_TIMERS)}}}
    if lists:
        made.setdefault("router", {})
        made["router"] = {**t.cast("Doc", made["router"]), "policy": {"prefix-list": lists}}
    return made


def _by_interface(row: Vrf) -> dict[str, list[Session]]:
    made: dict[str, list[Session]] = {}
    for session in row["sessions"]:
        made.setdefault(nets.interface(session["port"], session["vlan"]), []).append(session)
    return made


def _interface(row: Vrf, name: str, sessions: list[Session]) -> Doc:
    """The port or subinterface of some sessions, in the VRF, with their addresses."""
    first = sessions[0]
    made: Doc = {"vrf": row["vrf"]}
    if first["vlan"] is not None:
        made |= {"type": "sub", "base-interface": first["port"], "vlan": first["vlan"]}
        made["description"] = f"{row['vrf']} {first['link']}"
    own: Doc = {f"{s['address']}/{s['length']}": {} for s in sessions if s["address"]}
    if own:
        made[f"ipv{row['version']}"] = {"address": own}
    return made


# Sessions


def neighbors(ctx: Context, row: Vrf) -> Doc:
    """The neighbours of a VRF, by peer address, or by interface where unnumbered: all of the VRF's version of IP."""
    return {
        session["peer_address"] or nets.interface(session["port"], session["vlan"]): _neighbor(
            ctx, row, session
        )
        for session in row["sessions"]
    }


def _neighbor(ctx: Context, row: Vrf, session: Session) -> Doc:
    made: Doc = {
        "type": "numbered" if session["peer_address"] else "unnumbered",
        "remote-as": session["asn"],
        "description": f"{session['name']} {session['link']}",
        "address-family": _family(ctx, row, session),
    }
    if session["local_asn"] != converged.own_slice(ctx)["asn"]:
        made["local-as"] = {
            "state": "enabled",
            "asn": session["local_asn"],
            "prepend": "disabled",
            "replace": "disabled" if session.get("local_as_added") else "enabled",
        }
    if session["bfd"]:
        made["bfd"] = {"profile": BFD}
    if session["ttl_security"] is not None:
        made["ttl-security"] = {"state": "enabled", "hops": session["ttl_security"]}
    if session["password"]:
        made["password"] = _password(ctx, row, session)
    return made


def _password(ctx: Context, row: Vrf, session: Session) -> str:
    name = f"{row['slug']}/{session['name']}"
    known = ctx.options.get("external_passwords") or {}
    if name not in known:
        raise FabricError.of(
            f"{ctx.slice['name']}: the external peer '{name}' has a password and the variable "
            f"spx_external_passwords has none for it: add the key '{name}' from the vault."
        )
    return known[name]


def _family(ctx: Context, row: Vrf, session: Session) -> Doc:
    """The address family of a session; that of IPv4 is there unless it is disabled."""
    made: Doc = {} if row["version"] == 4 else {"ipv4-unicast": {"state": "disabled"}}
    made[f"ipv{row['version']}-unicast"] = {
        "state": "enabled",
        "policy": {
            "inbound": {"prefix-list": _accepted(row, session)},
            "outbound": {"prefix-list": _announced(row)},
        },
        "prefix-limits": {"inbound": _limit(ctx, session)},
        "soft-reconfiguration": "enabled",
        "aspath": {"private-as": "remove"},
        "community-advertise": dict(_NO_COMMUNITIES),
    }
    return made


def _limit(ctx: Context, session: Session) -> Doc:
    """The most prefixes; above it the session ends, and comes back by itself where the release can."""
    made: Doc = {"maximum": session["maximum"], "warning-threshold": session["warning"]}
    if ctx.everywhere_since(_REESTABLISH_SINCE):
        made["reestablish-wait"] = session["reestablish"]
    return made


# Prefix lists and the route-map into EVPN


def _accepted(row: Vrf, session: Session) -> str:
    return f"{converged.LIST}-{row['vrf']}-{session['name']}-in{row['version']}"


def _announced(row: Vrf) -> str:
    return f"{converged.LIST}-{row['vrf']}-out{row['version']}"


def export_map(row: Vrf) -> str:
    """The route-map of what a VRF with sessions exports to EVPN."""
    return f"{converged.LIST}-{row['vrf']}-evpn"


def prefix_lists(row: Vrf) -> Doc:
    """The prefix lists of a VRF with sessions: accepted by session, and announced."""
    version, sessions = row["version"], row["sessions"]
    own = list(dict.fromkeys(prefix for session in sessions for prefix in session["announce"]))
    made = {_accepted(row, session): _accepts(session, own, version) for session in sessions}
    return {**made, _announced(row): own_list(version, own)} if sessions else {}


def own_list(version: int, own: Iterable[str]) -> Doc:
    """A list of own prefixes with their links, which a stated one may hold several of, and without hosts."""
    return prefix_list(version, [("permit", prefix, _longest(version) - 1) for prefix in own])


def _accepts(session: Session, own: Iterable[str], version: int) -> Doc:
    """No part of an own prefix, then the default, then the stated prefixes with their parts."""
    longest = _longest(version)
    rules = [("deny", prefix, longest) for prefix in own]
    if session["accept_default"]:
        rules.append(("permit", _DEFAULT[version], 0))
    for prefix in session["accept"]:
        rules.append(("permit", prefix, longest if converged.length(prefix) else 0))
    return prefix_list(version, rules)


def _longest(version: int) -> int:
    return 32 if version == 4 else 128


def prefix_list(version: int, rules: Iterable[tuple[str, str, int]]) -> Doc:
    """A prefix list of (action, prefix, longest part or 0 for the prefix itself); without a rule it denies all."""
    made: Doc = {}
    kept = list(rules) or [("deny", _DEFAULT[version], _longest(version))]
    for number, (action, prefix, longest) in enumerate(kept, start=1):
        whole = longest > converged.length(prefix)
        match: Doc = {"max-prefix-len": longest} if whole else {}
        made[str(number * 10)] = {"action": action, "match": {prefix: match}}
    return {"type": f"ipv{version}", "rule": made}


def local_prefixes(row: Vrf) -> list[str]:
    """The subnets and links of a VRF on this leaf."""
    links = [
        str(ipaddress.ip_interface(f"{routed['address']}/{routed['length']}").network)
        for routed in row["routed"]
        if routed["up"]
    ]
    return list(dict.fromkeys([segment["subnet"] for segment in row["segments"]] + links))


def export_policy(row: Vrf) -> Doc:
    """The route-map into EVPN, and its list: what is local, and what peers may announce. Links are neither."""
    version, sessions = row["version"], row["sessions"]
    allowed = [("permit", prefix, 0) for prefix in local_prefixes(row)]
    if any(session["accept_default"] for session in sessions):
        allowed.append(("permit", _DEFAULT[version], 0))
    accepted = dict.fromkeys(prefix for session in sessions for prefix in session["accept"])
    allowed += [("permit", p, _longest(version) if converged.length(p) else 0) for p in accepted]
    rules: Doc = {"65000": {"action": {"deny": {}}}}
    lists: Doc = {}
    if allowed:
        name = f"{export_map(row)}{version}"
        lists[name] = prefix_list(version, allowed)
        match: Doc = {"type": f"ipv{version}", "ip-prefix-list": name}
        rules["10"] = {"action": {"permit": {}}, "match": match}
    return {"prefix-list": lists, "route-map": {export_map(row): {"rule": rules}}}
