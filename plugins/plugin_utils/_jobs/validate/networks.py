# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One leaf of the front end, storage or border: what is read, compared with the plan. Never writes.

The places are those of the NVUE reference: `evpn/multihoming/esi`, `evpn/vni`, the advertised routes of a neighbour,
and the tables of a VRF. Which prefixes a session brought is read from the BGP table of its VRF, whose paths name
their peer; of an unnumbered peer that is not known.
"""

from __future__ import annotations

import typing as t

from ..._fabric.audit import networks
from ..._fabric.audit.networks_view import NetworksReading, NetworksView, key
from ..._fabric.audit.results import Subject
from ..._fabric.catalog.data import table, wanted
from ..._fabric.plan.topology.cabling import Switch
from ..._fabric.plan.topology.converged import LEAVES
from ..._fabric.tenants.converged import own_prefixes, shared
from ..._fabric.tenants.moves import tables
from ..._fabric.tenants.rules_peers import blocks_of
from ..._fabric.tenants.vrfs import of_leaf
from ..._nvue.document.paths import parse
from ..._nvue.document.shapes import below, mapping, mappings
from ..._nvue.errors import ApiError, UnfitError
from ..._nvue.wire import operational, sessions
from .records import LEAF

if t.TYPE_CHECKING:
    from collections.abc import Mapping

    from ....module_utils._json import Doc
    from ..._fabric.audit.results import Result
    from ..._fabric.plan.fabric import Fabric
    from ..._fabric.plan.slices import ConvergedSlice
    from ..._fabric.tenants.registry import Registry
    from ..._nvue.wire.api import Api
    from .request import Request

_SEGMENTS, _VNIS = ("evpn", "multihoming", "esi"), ("evpn", "vni")
_RELAYS = ("service", "dhcp-relay")


def due(asked: Request, device: Switch) -> bool:
    """Check whether a switch is such a leaf, and one of its checks is requested."""
    checks = asked.options.checks
    known = [name for name in table("checks_networks") if name.startswith("network.")]
    return device.role in LEAVES and any(wanted(name, checks) for name in known)


def judge(
    asked: Request,
    device: Switch,
    api: Api,
    interfaces: Doc,
    *,
    applied: Doc,
    maintenance: bool,
) -> tuple[list[Result], Mapping[str, Doc] | None]:
    """Results of the leaf, and its Ethernet segments for its pair; NvueError as the client raises it.

    `applied` is its configuration in the words of the newest release. In `maintenance` what work on the switch
    disturbs is waived.
    """
    view = plan(asked.fabric, asked.registry, device, NetworksReading())
    try:
        seen = read(api, view.vrfs, interfaces, applied)
    finally:
        api.port.close()
    view = plan(asked.fabric, asked.registry, device, seen)
    return networks.check(view, asked.options.checks, maintenance=maintenance), seen.segments


def plan(fabric: Fabric, registry: Registry, device: Switch, seen: NetworksReading) -> NetworksView:
    """Return the view of a leaf: the plan and the registry, beside the state that was read."""
    row = t.cast("ConvergedSlice", fabric.slice(device))
    partner = row.get("partner", "")
    other = t.cast("ConvergedSlice", fabric.slice(partner)) if partner else None
    there = other is not None and partner not in fabric.resting
    resting = [
        item.port for item in fabric.description.out_of_service if item.device == row["name"]
    ]
    return NetworksView(
        subject=Subject.of(fabric, device),
        row=t.cast("t.Mapping[str, t.Any]", row),
        vrfs=t.cast("list[t.Mapping[str, t.Any]]", of_leaf(fabric, registry, device)),
        read=seen,
        owned={net.vrf: own_prefixes(fabric, registry, net) for net in registry.nets.values()},
        home=_home(fabric, registry),
        blocks=registry.cached(("blocks",), lambda: blocks_of(registry)),
        reaches=_reaches(registry),
        defaults=_defaults(registry),
        resting=[port for port in resting if port],
        partner=other.get("vtep") if there and other is not None else None,
    )


def _home(fabric: Fabric, registry: Registry) -> dict[str, list[str]]:
    """VRF -> the prefixes of its owner on all networks; quarantine and rest have one router, and are one owner."""
    made: dict[str, list[str]] = {}
    by_owner: dict[str, list[str]] = {}
    for net in registry.nets.values():
        made[net.vrf] = by_owner.setdefault(net.owner.slug if net.owner.customer else "", [])
        made[net.vrf] += own_prefixes(fabric, registry, net)
    return made


def _reaches(registry: Registry) -> dict[str, set[str]]:
    """VRF -> the VRFs of the same network that its owner may reach; reaching goes both ways.

    With shared storage each tenant reaches the services there: leaves without arrays have their subnets by EVPN.
    """
    made: dict[str, set[str]] = {}
    services = [slug for slug, owner in registry.owners.items() if owner.kind == "service"]
    by_service = services if shared(registry.fabric) else []
    for (_slug, network), net in registry.nets.items():
        met = by_service if network == "storage" and net.owner.kind == "tenant" else []
        for other in (*net.owner.reaches, *met):
            found = registry.nets.get((other, network))
            if found:
                made.setdefault(net.vrf, set()).add(found.vrf)
                made.setdefault(found.vrf, set()).add(net.vrf)
    return made


def _defaults(registry: Registry) -> set[str]:
    """VRFs to which a peer may give a default, whatever leaf it is on."""
    return {
        registry.nets[tenant.slug, peer.network].vrf
        for tenant in registry.file.tenants
        for peer in tenant.external_peers
        if peer.default and (tenant.slug, peer.network) in registry.nets
    }


# Reading


def read(
    api: Api, vrfs: t.Sequence[t.Mapping[str, t.Any]], interfaces: Doc, applied: Doc
) -> NetworksReading:
    """Read the state of a leaf: three requests, two a VRF, three more for one with sessions, and four for each of
    these."""
    outside = [row for row in vrfs if row["sessions"]]
    neighbors = {row["vrf"]: sessions.peers(api, row["vrf"]) for row in outside}
    vnis = operational.read(api, _VNIS, mappings)
    return NetworksReading(
        interfaces=interfaces or None,
        neighbors=neighbors,
        accepted={at: found for row in outside for at, found in _accepted(api, row)},
        received={
            (row["vrf"], key(session)): _received(api, row, session, applied)
            for row in outside
            for session in row["sessions"]
        },
        announced={
            (row["vrf"], key(session)): _adjacent(api, row, session, "advertised-routes")
            for row in outside
            for session in row["sessions"]
        },
        routes={row["vrf"]: _routes(api, row) for row in vrfs},
        segments=operational.read(api, _SEGMENTS, mappings),
        vnis=None if vnis is None else list(vnis),
        relays=_relays(operational.read(api, _RELAYS, mapping)),
    )


def _routes(api: Api, row: t.Mapping[str, t.Any]) -> set[str] | None:
    """The prefixes of both versions of IP in a VRF; None where the switch reports none of the VRF's own."""
    places = {ip: tables.places(ip, row["vrf"])["rib"] for ip in (4, 6)}
    found = {ip: operational.read(api, parse(place), mapping) for ip, place in places.items()}
    if tables.routes(found[row["version"]]) is None:
        return None
    return {prefix for one in found.values() for prefix in tables.prefixes_in(one)}


def _accepted(
    api: Api, row: t.Mapping[str, t.Any]
) -> t.Iterator[tuple[tuple[str, str], set[str] | None]]:
    """Return the routes of each session of a VRF, by the peers that the paths of the BGP table name."""
    by_peer: dict[str, set[str]] | None = {}
    for ip in (4, 6):
        place = parse(tables.places(ip, row["vrf"])["bgp"])
        found = tables.routes(operational.read(api, place, mapping))
        if found is None:
            by_peer = None if ip == row["version"] else by_peer
            continue
        for prefix, body in found.items():
            peers = _peers(body)
            if not peers or by_peer is None:
                by_peer = None
                break
            for peer in peers:
                by_peer.setdefault(peer, set()).add(prefix)
    for session in row["sessions"]:
        numbered = by_peer is not None and session["peer_address"]
        yield (
            (row["vrf"], key(session)),
            (by_peer or {}).get(session["peer_address"], set()) if numbered else None,
        )


def _peers(body: object) -> list[str]:
    """The peers of the paths of a route; [] where a path names none."""
    paths = below(body, "path") if isinstance(body, dict) else {}
    named = [
        str(below(path, "peer").get("id") or "")
        for path in paths.values()
        if isinstance(path, dict)
    ]
    return named if named and all(named) else []


def _received(
    api: Api, row: t.Mapping[str, t.Any], session: t.Mapping[str, t.Any], applied: Doc
) -> set[str] | None:
    """Return the routes of a peer; None where the switch does not keep refused ones, or answers in another way."""
    place = ("vrf", row["vrf"], "router", "bgp", "neighbor", key(session), "address-family")
    family = below(applied, *place, f"ipv{row['version']}-unicast")
    if family.get("soft-reconfiguration") != "enabled":
        return None
    try:
        return _adjacent(api, row, session, "received-routes")
    except (ApiError, UnfitError):
        return None


def _adjacent(
    api: Api, row: t.Mapping[str, t.Any], session: t.Mapping[str, t.Any], kind: str
) -> set[str] | None:
    """Routes of both versions of IP; None where the switch reports nothing of the VRF's own."""
    made: set[str] = set()
    for ip in (4, 6):
        place = ("vrf", row["vrf"], "router", "bgp", "neighbor", key(session), "address-family")
        found = operational.read(api, (*place, f"ipv{ip}-unicast", kind), mapping)
        if tables.routes(found) is None:
            if ip == row["version"]:
                return None
            continue
        made |= tables.prefixes_in(found)
    return made


def _relays(found: Doc | None) -> dict[str, list[str]] | None:
    """VRF -> the servers of its relay: of server groups since Cumulus Linux 5.14, before of the VRF itself."""
    if found is None:
        return None
    made: dict[str, list[str]] = {}
    for vrf, body in found.items():
        bodies = [body, *below(body, "server-group").values()] if isinstance(body, dict) else []
        made[vrf] = [
            name for one in bodies if isinstance(one, dict) for name in below(one, "server")
        ]
    return made


# Pairs


def pairs(asked: Request) -> list[Result]:
    """Compare what both leaves of each pair said of their segments."""
    fabric = asked.fabric
    made: list[Result] = []
    for device in fabric.switches():
        if device.role not in LEAVES or device.index or not _meant(asked, device):
            continue
        views = [_seen(asked, member) for member in (device, device._replace(index=1))]
        if not {view.device for view in views} & {*fabric.resting} and any(
            next(view.segments(), None) for view in views
        ):
            made += networks.pair(views[0], views[1])
    return made


def _meant(asked: Request, device: Switch) -> bool:
    name = asked.fabric.name(device)
    return asked.means(name) and name in (asked.options.leaves or ())


def _seen(asked: Request, device: Switch) -> NetworksView:
    facts = asked.run.store.get(LEAF, of=asked.fabric.name(device))
    return plan(
        asked.fabric,
        asked.registry,
        device,
        NetworksReading(segments=t.cast("Mapping[str, Doc] | None", facts.segments)),
    )
