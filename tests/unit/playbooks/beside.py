# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of leaves of the converged fabric, computed from the documents of all of them.

Knows nothing of the collection: it reads documents as a switch would. Every session is Established but those that
the lab has `down`. Each neighbour outside announces what is in HEARD.
"""

from __future__ import annotations

from typing import Any

from nvue_double import segments, tree

from ..plugins.plugin_utils._fabric.tenants.evpn import at, listed, table
from .leaves import Tables

Plain = dict[str, Any]
HEARD = ("0.0.0.0/0", "::/0", "10.255.0.10/32", "203.0.113.0/24")
"""Prefixes that neighbours outside announce."""


class Beside(Tables):
    """Tables of a leaf of either fabric."""

    def operational(self, path: list[str]) -> Any:
        """Return the value at a place."""
        document = self.lab.documents[self.name]
        if "multihoming" not in at(document, "evpn"):
            return super().operational(path)
        return tree.get(self._said(document), path)

    def _said(self, own: Plain) -> Plain:
        vnis = [
            *at(own, "evpn", "vni"),
            *(vni for v in at(own, "vrf").values() for vni in at(v, "evpn", "vni")),
        ]
        return {
            "interface": {
                name: {"link": {"oper-status": _state(body)}}
                for name, body in at(own, "interface").items()
            },
            "evpn": {"vni": {key: {} for key in vnis}, "multihoming": {"esi": self._segments(own)}},
            "service": {"dhcp-relay": at(own, "service", "dhcp-relay")},
            "vrf": {name: {"router": self._router(own, name)} for name in at(own, "vrf")},
        }

    def _router(self, own: Plain, vrf: str) -> Plain:
        bgp, heard = {}, self._heard(own, vrf)
        routes = table(self.lab.documents, self.name, vrf) | {
            prefix
            for name, other in self.lab.documents.items()
            if vrf in at(other, "vrf")
            for prefix in self._heard(other, vrf)
        }
        routes |= self.lab.leaked.get(vrf, set())
        for word in ("ipv4", "ipv6"):
            rows = {
                p: _path(heard.get(p, "0.0.0.0")) for p in routes if (":" in p) == (word == "ipv6")
            }
            bgp[f"{word}-unicast"] = {"route": rows}
        rib = {word: {"route": bgp[f"{word}-unicast"]["route"]} for word in ("ipv4", "ipv6")}
        peers = at(own, "vrf", vrf, "router", "bgp", "neighbor")
        said = {name: self._neighbor(own, body, name, routes) for name, body in peers.items()}
        return {"bgp": {"neighbor": said, "address-family": bgp}, "rib": rib, "fib": rib}

    def _heard(self, own: Plain, vrf: str) -> dict[str, str]:
        """Return the routes of neighbours outside of a VRF: prefix -> neighbour."""
        peers = at(own, "vrf", vrf, "router", "bgp", "neighbor")
        return {
            prefix: name
            for name, body in peers.items()
            if name not in self.lab.down and vrf != "default"
            for prefix in HEARD
            if _passes(own, body, "inbound", prefix)
        }

    def _neighbor(self, own: Plain, body: Plain, name: str, routes: set[str]) -> Plain:
        families = {
            family: {
                "advertised-routes": {p: {} for p in routes if _passes(own, body, "outbound", p)},
                "received-routes": {p: {} for p in self._given(own, body, name, family)},
            }
            for family in at(body, "address-family")
        }
        state = "idle" if name in self.lab.down else "established"
        return {"state": state, "address-family": families}

    def _given(self, own: Plain, body: Plain, name: str, family: str) -> set[str]:
        """Return the routes of a neighbour, as far as the switch keeps them: accepted ones, and those the lab has
        `given`."""
        if at(body, "address-family", family).get("soft-reconfiguration") not in ("on", "enabled"):
            return set()
        return self.lab.given.get(name, set()) | {
            prefix for prefix in HEARD if _passes(own, body, "inbound", prefix)
        }

    def _segments(self, own: Plain) -> Plain:
        """Those of the document, each shared with the other leaf that has it, of which the first forwards."""
        mine = segments.simulated(own, lambda _name: True, "enabled")
        for other, document in self.lab.documents.items():
            if other == self.name or "multihoming" not in at(document, "evpn"):
                continue
            vtep = at(document, "nve", "vxlan", "source")["address"]
            for esi in (
                mine.keys() & segments.simulated(document, lambda _name: True, "enabled").keys()
            ):
                mine[esi]["remote-vtep"][vtep] = {}
                word = "designated-forward" if self.name < other else "non-designated-forward"
                mine[esi]["flags"][word] = "enabled"
        return mine


def _state(body: Plain) -> str:
    return "down" if "down" in at(body, "link", "state") else "up"


def _path(peer: str) -> Plain:
    return {"path": {"1": {"peer": {"id": peer}}}}


def _passes(own: Plain, body: Plain, way: str, prefix: str) -> bool:
    """Check whether the prefix list of a neighbour lets a prefix in or out."""
    word = "ipv6" if ":" in prefix else "ipv4"
    chosen = at(body, "address-family", f"{word}-unicast", "policy", way).get("prefix-list")
    return listed(own, chosen or "", prefix)
