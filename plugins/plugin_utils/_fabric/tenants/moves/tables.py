# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The route tables of a VRF on a leaf, and what they say of a node that moves.

    bgp     what BGP has of it
    rib     what the routing daemons chose
    fib     what the kernel forwards by; on releases that can be asked for it

A node has left a VRF when no route to its links is in any of them on any leaf: neither their own
prefixes, nor a part of one, nor one around it. It has arrived when the last two have the routes that
it causes there. A leaf that has the VRF and does not report a required table has shown nothing; nor
has one whose RIB or FIB is empty, as a VRF device ends in a route of the kernel's.
"""

from __future__ import annotations

import dataclasses
import functools
import ipaddress
import typing as t

from ...catalog.data import table
from ...catalog.hardware import version

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

NAMES = {"bgp": "BGP table", "rib": "routing table", "fib": "forwarding table"}


@dataclasses.dataclass(frozen=True)
class VrfTables:
    """Report of one leaf about a VRF: data by table that was read, None where there is none.

    `required` are the tables that a switch with the leaf's configuration must report.
    """

    tables: Mapping[str, t.Any]
    required: frozenset[str] = frozenset()

    def prefixes(self, kind: str) -> set[str]:
        """The prefixes in one of the tables."""
        return prefixes_in(self.tables.get(kind))


def places(ip: int, vrf: str, *, release: str = "") -> dict[str, str]:
    """Return the paths of a VRF's tables, of IP 4 or 6; without a release the FIB is left out."""
    family = f"ipv{ip}"
    made = {
        "rib": f"vrf/{vrf}/router/rib/{family}",
        "bgp": f"vrf/{vrf}/router/bgp/address-family/{family}-unicast/route",
    }
    return made | ({"fib": f"vrf/{vrf}/router/fib/{family}"} if reports_fib(release) else {})


def reports_fib(release: str) -> bool:
    """Check whether a switch of a release reports its FIB."""
    return bool(release) and version(release) >= version(table("tenancy")["fib"]["since"])


def reported(
    asked: Mapping[str, str], read: Mapping[str, t.Any], document: t.Any, vrf: str
) -> VrfTables:
    """Return the tables read at `places`, and those that the leaf's applied configuration requires.

    A VRF that is not configured requires none, and one without BGP no BGP table.
    """
    found = {kind: read.get(path) for kind, path in asked.items()}
    tables = {kind: routes(table) for kind, table in found.items()}
    body = ((document or {}).get("vrf") or {}).get(vrf)
    if body is None:
        return VrfTables(tables)
    bgp = ((body.get("router") or {}).get("bgp") or {}).get("state") == "enabled"
    return VrfTables(tables, frozenset(kind for kind in tables if kind != "bgp" or bgp))


def routes(data: object) -> dict[str, t.Any] | None:
    """The rows of a route table of NVUE by prefix, at the top or under `route`; None where it is no route table."""
    rows = data.get("route", data) if isinstance(data, dict) else None
    return rows if isinstance(rows, dict) and all(map(_is_prefix, rows)) else None


def _is_prefix(text: object) -> bool:
    try:
        return isinstance(text, str) and "/" in text and bool(_span(text))
    except (TypeError, ValueError):
        return False


def prefixes_in(data: object) -> set[str]:
    """The prefixes of a route table, each in its one spelling; nothing where the VRF is not there.

    A VRF device ends in a default route of the kernel's that leads nowhere, so that nothing falls through to the
    underlay (kernel documentation, vrf.rst). It is no route of anybody's.
    """
    rows = routes(data) or {}
    return {
        _span(prefix).text for prefix, route in rows.items() if not _leads_nowhere(prefix, route)
    }


def _leads_nowhere(prefix: str, route: object) -> bool:
    """FRR shows it in the RIB with distance 255; the FIB has `unreachable` for its next hop."""
    if _span(prefix).length or not isinstance(route, dict):
        return False
    entries = route.get("route-entry")
    if not isinstance(entries, dict):
        return "unreachable" in [*route, *(v for v in route.values() if isinstance(v, str))]
    return bool(entries) and all(
        entry.get("protocol") == "kernel" and entry.get("distance") == 255
        for entry in entries.values()
    )


class _Span(t.NamedTuple):
    """A prefix in its one spelling and as numbers: its family, its length, and its first and last address."""

    text: str
    version: int
    length: int
    first: int
    last: int


@functools.lru_cache(maxsize=65536)
def _span(prefix: str) -> _Span:
    """A prefix in any spelling; ValueError for what is none."""
    network = ipaddress.ip_network(prefix, strict=False)
    first, last = int(network.network_address), int(network.broadcast_address)
    return _Span(str(network), network.version, network.prefixlen, first, last)


def leading_to(links: Iterable[str], prefixes: Iterable[str]) -> set[str]:
    """Select the prefixes that lead to a link, or to a part of it.

    A default route is none of them: it leads to every address without another route.
    """
    spans = [_span(link) for link in links]
    return {prefix for prefix in prefixes if _meets(_span(prefix), spans)}


def _meets(one: _Span, spans: Iterable[_Span]) -> bool:
    return one.length > 0 and any(
        one.first <= span.last and span.first <= one.last and one.version == span.version
        for span in spans
    )


def not_withdrawn(
    node: str,
    vrf: str,
    links: Iterable[str],
    leaf: str,
    one: VrfTables,
    *,
    allowed: Iterable[str] = (),
) -> list[str]:
    """Routes to the node's links in the old VRF of a leaf, and required tables that are not reported.

    `allowed` are those that the VRF has of others, such as what is leaked to it.
    """
    made, links, fine = [], list(links), {_span(prefix).text for prefix in allowed}
    for kind, name in NAMES.items():
        rows = one.tables.get(kind)
        if kind in one.required and (rows is None or (not rows and kind != "bgp")):
            made.append(
                f"{node} stays in quarantine: {leaf} has {vrf} and reports {'no' if rows is None else 'an empty'} "
                f"{name} of it: make it answer, and run tenant_move again."
            )
        if held := sorted(leading_to(links, one.prefixes(kind) - fine)):
            made.append(
                f"{node} stays in quarantine: {leaf} still holds {', '.join(held)} in the {name} "
                f"of {vrf}: wait, or find out why it is not withdrawn, and run tenant_move again."
            )
    return made


def not_arrived(
    node: str, vrf: str, wanted: Iterable[str], leaf: str, one: VrfTables
) -> Iterator[str]:
    """Routes of the node that a leaf of the new VRF lacks, in the first table that lacks any."""
    kind, lacking = lacks(one, wanted)
    if lacking:
        yield (
            f"{node} is not reachable from {leaf}: its routes {', '.join(lacking)} are not in the {NAMES[kind]} of "
            f"{vrf}: wait, or look at the sessions of the leaf, and run tenant_move again."
        )


def lacks(one: VrfTables, wanted: Iterable[str]) -> tuple[str, list[str]]:
    """The first of RIB and FIB, where it was asked for, that lacks some prefixes, and which."""
    sought = list(wanted)
    for kind in ("rib", "fib"):
        found = one.prefixes(kind)
        lacking = [prefix for prefix in sought if _span(prefix).text not in found]
        if kind in one.tables and lacking:
            return kind, lacking
    return "rib", []
