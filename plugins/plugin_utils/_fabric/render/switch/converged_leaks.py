# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaking between the storage VRFs of tenants and the service VRF, as hub and spokes on one leaf.

    hub      imports the prefixes of its spokes and tags what it takes
    spoke    takes the prefixes of the hub that carry no tag, and tags them too

So no spoke reaches another one: the hub's routes of other spokes carry the tag, and are no prefix of the hub.
The hub sends nothing on to EVPN that it took. A spoke sends the prefixes of the hub, as its nodes may be on leaves
without arrays, where nothing leaks. From Cumulus Linux 5.19 on skip-evpn-imported takes the place of these maps.
Sources: NVIDIA's rendered core switch (EXIT with INBAND and OOB); Cumulus Linux 5.19, VRF and Inter-subnet
Routing: symmetric EVPN only, no overlapping addresses, one ASN, extended communities are not copied.
"""

from __future__ import annotations

import ipaddress
import typing as t

from ...._nvue.document.release import Release
from ...description.errors import FabricError
from . import converged
from .converged_external import local_prefixes, own_list

if t.TYPE_CHECKING:
    from collections.abc import Iterable

    from .....module_utils._json import Doc
    from ...tenants.vrfs import Vrf
    from .context import Context

LEAKED = f"{converged.LIST}-leaked"
TAG = 11
"""The community of leaked routes, after the administrator of route targets; 11:11 in NVIDIA's file."""
SINCE = Release(5, 14)
"""Before it a VRF imports from one other, and a hub has several (New and Changed NVUE Commands)."""
SKIP_SINCE = Release(5, 19)


def skips(ctx: Context) -> bool:
    """Check whether every accepted release can leave out of EVPN the routes that came from EVPN."""
    return ctx.everywhere_since(SKIP_SINCE)


def route_import(row: Vrf) -> Doc:
    """Return the imports of a VRF from others of the same leaf."""
    return {
        "from-vrf": {
            "state": "enabled",
            "list": {leak["vrf"]: {} for leak in row["leaks"]},
            "route-map": _map(row),
        }
    }


def _map(row: Vrf) -> str:
    return f"{converged.LIST}-{row['vrf']}-leak"


def export_map(row: Vrf) -> str:
    """The route-map that keeps what the hub took out of EVPN, and of what a spoke took all but the hub's prefixes."""
    return f"{converged.LIST}-{row['vrf']}-kept"


def policy(ctx: Context, rows: Iterable[Vrf]) -> Doc:
    """Maps and lists of all VRFs that leak; nothing where none does."""
    leaking = [row for row in rows if row["leaks"]]
    if not leaking:
        return {}
    _check(ctx, leaking, {row["vrf"]: row for row in rows})
    tag = _tag(leaking[0])
    lists: Doc = {}
    maps: Doc = {}
    for row in leaking:
        taken = [prefix for leak in row["leaks"] for prefix in leak["prefixes"]]
        lists[_map(row)] = own_list(row["version"], taken)
        maps[_map(row)] = _import_map(row, tag)
        if not skips(ctx):
            maps[export_map(row)] = _export_map(row)
    once: Doc = {"action": "permit", "community": {tag: {}}}
    known: Doc = {LEAKED: {"rule": {"10": once}}}
    return {"prefix-list": lists, "route-map": maps, "community-list": known}


def _tag(row: Vrf) -> str:
    return f"{row['exports'][0].partition(':')[0]}:{TAG}"


def _import_map(row: Vrf, tag: str) -> Doc:
    return {
        "rule": {
            "10": {"action": {"deny": {}}, "match": {"community-list": LEAKED}},
            "20": {
                "action": {"permit": {}},
                "match": {"type": f"ipv{row['version']}", "ip-prefix-list": _map(row)},
                "set": {"community": {tag: {}}},
            },
            "65000": {"action": {"deny": {}}},
        }
    }


def _export_map(row: Vrf) -> Doc:
    rules: Doc = {
        "10": {"action": {"deny": {}}, "match": {"community-list": LEAKED}},
        "20": {"action": {"permit": {}}},
    }
    if row["kind"] != "service":
        rules["5"] = {
            "action": {"permit": {}},
            "match": {"type": f"ipv{row['version']}", "ip-prefix-list": _map(row)},
        }
    return {"rule": rules}


def _check(ctx: Context, leaking: list[Vrf], known: dict[str, Vrf]) -> None:
    name = ctx.slice["name"]
    if not ctx.everywhere_since(SINCE):
        raise FabricError.of(
            f"{name}: shared storage leaks routes between several VRFs, which Cumulus Linux supports from "
            f"{SINCE} on: raise release.cumulus, or set networks.storage.mode to per-tenant."
        )
    for row in leaking:
        for leak in row["leaks"]:
            _check_pair(name, row, known.get(leak["vrf"]), leak["vrf"])


def _check_pair(name: str, row: Vrf, other: Vrf | None, vrf: str) -> None:
    if other is None:
        raise FabricError.of(
            f"{name}: the VRF {row['vrf']} takes routes of {vrf}, which is not on this leaf: this is a fault of the "
            "plan, please report it."
        )
    for own in map(ipaddress.ip_network, local_prefixes(row)):
        for prefix in map(ipaddress.ip_network, local_prefixes(other)):
            if own.version == prefix.version and own.overlaps(prefix):
                raise FabricError.of(
                    f"{name}: {own} of the VRF {row['vrf']} overlaps {prefix} of {vrf}, and routes of overlapping "
                    "prefixes cannot be leaked: state other subnets."
                )
