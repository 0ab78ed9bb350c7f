# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Are front end, storage and border as the plan says? Pure functions of what was planned and what was read.

Ids and what they say are in `catalog/checks_networks.yaml`. A check passes only where all that it needs was read.
Of a segment NVUE reports `local-interface`,
`remote-vtep` and flags such as `oper-up`, `designated-forward` (NVUE reference, nv show evpn multihoming esi). It
reports no partner of LACP, which is asked at the host's end of a bond (`host.bond`).
"""

from __future__ import annotations

import typing as t

from ..._nvue.document.shapes import below
from ..._nvue.wire.operational import state_of
from ..._nvue.wire.sessions import ESTABLISHED
from ..catalog.data import table
from ..plan.addressing.pools import overlapped
from ..tenants import nets
from .networks_view import ANYWHERE, host, outside, within
from .results import FAIL, failed, not_run, passed, some, waived

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from ....module_utils._json import Doc
    from .networks_view import NetworksView, Row
    from .results import Check, Finding, Findings, Result

UNKNOWN = "not known"
FLAGS = ("local", "oper-up", "ready-for-bgp")
"""Flags of a segment that works on this leaf."""
SET = ("on", "enabled")
"""The word of a flag that is set: the second since Cumulus Linux 5.15 [inferred]."""
_KEPT = 100
"""Prefixes of a peer that a result has at most."""
FORWARDS, WAITS = "designated-forward", "non-designated-forward"


def check(
    view: NetworksView, asked: Sequence[str] = (), *, maintenance: bool = False
) -> list[Result]:
    """Every result of one leaf, of the checks asked for; in maintenance, what work disturbs there is waived."""
    rows, known = table("checks_networks"), {name: _whole(one) for name, one in CHECKS.items()}
    return [
        waived(row, "Waived: the switch is in maintenance.")
        if maintenance and row["state"] == FAIL and rows[row["id"]].get("disturbed")
        else row
        for row in view.subject.judge(known, view, asked)
    ]


def _whole(one: Check[NetworksView]) -> Check[NetworksView]:
    """The check, with a pass where it found nothing wrong and nothing that is not known."""

    def judged(view: NetworksView) -> Findings:
        yield from list(one(view)) or [passed()]

    return judged


# Sessions to the outside


def sessions(view: NetworksView) -> Findings:
    """Planned sessions are Established."""
    for vrf, session, name in view.sessions():
        found = _state(view, vrf["vrf"], name)
        if found == UNKNOWN:
            yield _silent(view, f"state of the session '{session['name']}' in {vrf['vrf']}", vrf)
        elif found != ESTABLISHED:
            on = nets.interface(session["port"], session["vlan"])
            says = (
                f"{vrf['vrf']}: the session '{session['name']}' with {name} (AS {session['asn']}) on "
                f"{on} is {found}: check the link {session['link']}, and address, AS number and "
                "password with the operator of the other end."
            )
            yield failed(says, session["port"], ESTABLISHED, found, vrf["slug"])


def _state(view: NetworksView, vrf: str, name: str) -> str:
    """The state of a session; `missing` where the switch does not have it, `not known` where it reports none."""
    peer = view.read.neighbors.get(vrf, {}).get(name)
    return "missing" if peer is None else peer.text or UNKNOWN


def _routes_of(
    view: NetworksView,
    vrf: Row,
    session: Row,
    name: str,
    kind: t.Literal["received", "accepted", "announced"],
) -> tuple[Collection[str] | None, Finding]:
    """The routes of a session; None where nothing is known, with what to say of that."""
    state = _state(view, vrf["vrf"], name)
    if state != ESTABLISHED:
        says = f"{vrf['vrf']}: the session '{session['name']}' is {state}: nothing is known of its routes."
        return None, not_run(says, session["port"], tenant=vrf["slug"])
    found = getattr(view.read, kind).get((vrf["vrf"], name))
    way = "to" if kind == "announced" else "from"
    return found, _silent(view, f"routes {way} '{session['name']}' in {vrf['vrf']}", vrf)


def accepted(view: NetworksView) -> Findings:
    """Check that the routes of a session are in its list, and stay below its limit."""
    for vrf, session, name in view.sessions():
        found, unknown = _routes_of(view, vrf, session, name, "accepted")
        if found is None:
            yield unknown
            continue
        allowed = _lets_in(session)
        wrong = sorted(outside(found, allowed))
        where = f"{vrf['vrf']}: the session '{session['name']}'"
        if wrong:
            says = (
                f"{where} brings {some(wrong)}, which the registry does not accept: run switches."
            )
            yield failed(says, session["port"], allowed, wrong, vrf["slug"])
        most = session["maximum"] * session["warning"] // 100
        if len(found) > most:
            says = (
                f"{where} brings {len(found)} prefixes, more than {most} ({session['warning']} % of "
                f"{session['maximum']}), and above {session['maximum']} it ends: ask the peer, or raise maximum."
            )
            yield failed(says, session["port"], most, len(found), vrf["slug"])


def refused(view: NetworksView) -> Findings:
    """A peer gives no default and no prefix of the fabric that its list refuses; what else it gives in vain, it may.

    The owner's own prefixes come back over another leaf. A switch that reports less than it accepted does not keep what
    it receives, so that nothing is known.
    """
    for vrf, session, name in view.sessions():
        found, unknown = _routes_of(view, vrf, session, name, "received")
        if found is None or {*(view.read.accepted.get((vrf["vrf"], name)) or ())} - {*found}:
            yield unknown
            continue
        allowed = _lets_in(session)
        vain = sorted(outside(found, [*allowed, *view.home.get(vrf["vrf"], ())]))
        met = {prefix: overlapped(prefix, view.blocks) for prefix in vain if prefix not in ANYWHERE}
        leaks = [prefix for prefix in vain if prefix in ANYWHERE or met[prefix]]
        where = f"{vrf['vrf']}: the session '{session['name']}'"
        port = nets.interface(session["port"], session["vlan"])
        if leaks:
            whose = f" ({leaks[0]} overlaps {met[leaks[0]]})" if leaks[0] in met else ""
            says = (
                f"{where} gives {some(leaks)}, which the switch refuses{whose}: ask the operator of the other "
                "end to filter it."
            )
            yield failed(says, port, allowed, leaks[:_KEPT], vrf["slug"])
        elif vain:
            says = f"{where} gives {some(vain)} beside its list, which the switch refuses."
            yield passed(says, port, tenant=vrf["slug"])


def _lets_in(session: Row) -> list[str]:
    return [*session["accept"], *(ANYWHERE if session["accept_default"] else ())]


def announced(view: NetworksView) -> Findings:
    """A peer hears all subnets and links of the tenant to which the VRF has a route, and nothing else."""
    for vrf, session, name in view.sessions():
        found, unknown = _routes_of(view, vrf, session, name, "announced")
        if found is None:
            yield unknown
            continue
        own, where = session["announce"], f"{vrf['vrf']}: the session '{session['name']}'"
        if wrong := sorted(outside(found, own)):
            says = f"{where} announces {some(wrong)}, which is not the tenant's: shut the session and run switches."
            yield failed(says, session["port"], own, wrong, vrf["slug"])
        routes = view.read.routes.get(vrf["vrf"])
        if routes is None:
            yield _silent(view, f"routing table of {vrf['vrf']}", vrf)
            continue
        meant = [prefix for prefix in routes if not host(prefix) and within(prefix, own)]
        if lacking := sorted({*meant} - {*found}):
            says = f"{where} does not announce {some(lacking)}: run switches."
            yield failed(says, session["port"], own, sorted(found), vrf["slug"])


def default(view: NetworksView) -> Findings:
    """A default is in a VRF whose sessions may bring one, on all its leaves, and in no other."""
    for vrf in view.vrfs:
        found, given = view.read.routes.get(vrf["vrf"]), vrf["vrf"] in view.defaults
        if found is None:
            yield _silent(view, f"routing table of {vrf['vrf']}", vrf)
            continue
        there = [prefix for prefix in ANYWHERE if prefix in found]
        if there and not given:
            says = (
                f"{vrf['vrf']} of {view.device} has a default route, and no peer of it may give one: find out at "
                "once where it comes from, and run switches."
            )
            yield failed(says, found=there, tenant=vrf["slug"])
        if given and not there:
            says = (
                f"{vrf['vrf']} of {view.device} has no default route, which a peer of it is to give: check the "
                "sessions of its border leaves."
            )
            yield failed(says, expected="a default route", tenant=vrf["slug"])


# Bonds of two leaves


def segments(view: NetworksView) -> Findings:
    """Each segment is there, on its bond, up, and shared by the partner."""
    known = view.read.segments
    for bond, name in view.segments():
        if known is None:
            yield _silent(view, "Ethernet segments")
            return
        yield from _segment(view, bond, name, known.get(name))


def _segment(view: NetworksView, bond: str, name: str, body: Doc | None) -> Findings:
    if body is None:
        yield failed(f"{bond}: {view.device} has no segment {name}: run switches.", bond, name)
        return
    if (at := body.get("local-interface")) != bond:
        yield failed(f"{bond}: the segment {name} is on {at}: run switches.", bond, bond, at)
    flags = below(body, "flags")
    if missing := [flag for flag in FLAGS if flags.get(flag) not in SET]:
        says = f"{bond}: its segment is not {', '.join(missing)}: check the bond and the host behind it."
        yield failed(says, bond, list(FLAGS), missing)
    others = sorted(below(body, "remote-vtep"))
    if view.partner and others != [view.partner]:
        heard = f"shared with {', '.join(others)}" if others else "shared with nobody"
        says = (
            f"{bond}: its segment is {heard}, expected {view.row['partner']} ({view.partner}): check that leaf, "
            "its bond and EVPN between the two."
        )
        yield failed(says, bond, [view.partner], others)


def pair(first: NetworksView, second: NetworksView | None) -> list[Result]:
    """Compare the segments of both leaves of a pair, as results of the first; without the second nothing is known."""
    name = first.row.get("partner")
    if second is None or first.read.segments is None or second.read.segments is None:
        why = f"{first.device} and {name} were not both read: their segments were not compared."
        return first.subject.results("network.pair", [not_run(why)])
    return first.subject.results("network.pair", list(_pair(first, second)) or [passed()])


def _pair(first: NetworksView, second: NetworksView) -> Findings:
    one, two = dict(_by_esi(first)), dict(_by_esi(second))
    for name in sorted(one.keys() | two.keys()):
        if one.get(name) != two.get(name):
            says = (
                f"The segment {name} is {one.get(name) or 'no bond'} on {first.device} and "
                f"{two.get(name) or 'no bond'} on {second.device}: run switches for both."
            )
            yield failed(says, one.get(name) or two.get(name), found=[one.get(name), two.get(name)])
    for bond, name in first.segments():
        bodies = [below(t.cast("Doc", view.read.segments or {}), name) for view in (first, second)]
        roles = [_forwarding(body) for body in bodies]
        if sorted(roles) != [FORWARDS, WAITS]:
            said = f"{roles[0] or 'unknown'} on {first.device} and {roles[1] or 'unknown'} on {second.device}"
            says = f"{bond}: one leaf must forward its segment, and it is {said}: check EVPN between the two."
            yield failed(says, bond, [FORWARDS, WAITS], roles)


def _by_esi(view: NetworksView) -> Iterator[tuple[str, str]]:
    for name, body in (view.read.segments or {}).items():
        if below(body, "flags").get("local") in SET:
            yield name, str(body.get("local-interface") or "")


def _forwarding(body: Mapping[str, t.Any]) -> str:
    """Return the role of a leaf for broadcast of a segment; "" where it does not report one."""
    flags = below(t.cast("Doc", body), "flags")
    said = [flag for flag in (FORWARDS, WAITS) if flags.get(flag) in SET]
    return said[0] if len(said) == 1 else ""


# VLANs


def vlans(view: NetworksView) -> Findings:
    """Each VLAN has its L2VNI, its L3VNI and an interface that is up."""
    for vrf in view.vrfs:
        yield from _vni(view, vrf, vrf["l3vni"])
        for segment in vrf["segments"]:
            yield from _vni(view, vrf, segment["l2vni"])
            yield from _interface(view, vrf, segment)


def _vni(view: NetworksView, vrf: Row, vni: int) -> Findings:
    if view.read.vnis is None:
        yield _silent(view, "VNIs", vrf)
    elif str(vni) not in view.read.vnis:
        says = f"{vrf['vrf']}: {view.device} has no VNI {vni}: run switches."
        yield failed(says, expected=vni, tenant=vrf["slug"])


def _interface(view: NetworksView, vrf: Row, segment: Row) -> Findings:
    """One without a port that is up is down, as the kernel has it."""
    name = f"vlan{segment['vlan']}"
    if view.read.interfaces is None:
        yield _silent(view, "state of its interfaces", vrf)
        return
    state = state_of(below(view.read.interfaces, name))
    if not state:
        yield _silent(view, f"state of {name}", vrf)
    elif state != "up" and any(port["up"] for port in segment["ports"]):
        says = f"{vrf['vrf']}: {name} of {view.device} is {state}: check the bonds of the VLAN, or run switches."
        yield failed(says, name, "up", state, vrf["slug"])


def relays(view: NetworksView) -> Findings:
    """The relay of each VRF has the planned servers. NVUE says what it has, and not whether it runs."""
    planned = {
        vrf["vrf"]: (vrf, {server for segment in vrf["segments"] for server in segment["relay"]})
        for vrf in view.vrfs
    }
    for name, (vrf, servers) in planned.items():
        if not servers:
            continue
        if view.read.relays is None:
            yield _silent(view, "DHCP relay", vrf)
            return
        found = set(view.read.relays.get(name, ()))
        if found != servers:
            has = f"the servers {some(sorted(found))}" if found else "no server"
            says = (
                f"{name}: its DHCP relay on {view.device} has {has}, expected {some(sorted(servers))}: run "
                "switches."
            )
            yield failed(says, None, sorted(servers), sorted(found), vrf["slug"])


# From one tenant to another


def transit(view: NetworksView) -> Findings:
    """No VRF of a tenant holds a prefix of another owner, but what it is declared to reach."""
    for vrf in view.vrfs:
        found = view.read.routes.get(vrf["vrf"])
        if found is None:
            yield _silent(view, f"routing table of {vrf['vrf']}", vrf)
            continue
        if vrf["kind"] == "service":
            continue
        leaked = [leak["vrf"] for leak in vrf["leaks"]]
        known = {vrf["vrf"], *leaked, *view.reaches.get(vrf["vrf"], ())}
        for other, prefixes in sorted(view.owned.items()):
            wrong = [] if other in known else [p for p in sorted(found) if within(p, prefixes)]
            if wrong:
                says = (
                    f"{vrf['vrf']} of {view.device} has {some(wrong)}, which is of {other}: find out at once "
                    "which VRF leaks it, and run switches."
                )
                yield failed(says, None, [], wrong, vrf["slug"])


def _silent(view: NetworksView, what: str, vrf: Row | None = None) -> Finding:
    says = f"{view.device} reports no {what}: nothing is known of it."
    return not_run(says, tenant=vrf["slug"] if vrf else None)


CHECKS: dict[str, Check[NetworksView]] = {
    "network.session": sessions,
    "network.accepted": accepted,
    "network.refused": refused,
    "network.announced": announced,
    "network.default": default,
    "network.segment": segments,
    "network.vlan": vlans,
    "network.relay": relays,
    "network.transit": transit,
}
