# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EVPN multihoming and L2 VNIs of a document, as FRR contexts.

A switch holds the bonds of its segments down for `startup-delay` (180 s) after a start; here they are up at
once, as a lab that waited for it would prove nothing more.
"""

from __future__ import annotations

from .document import Doc, at, on
from .policy import Contexts


def top(doc: Doc) -> list[str]:
    """Lines of the whole switch."""
    mh = at(doc, "evpn", "multihoming")
    if not on(mh.get("state")):
        return []
    words = {"mac-holdtime": "mac-holdtime", "neighbor-holdtime": "neigh-holdtime"}
    timed = [f"evpn mh {word} {mh[key]}" for key, word in words.items() if key in mh]
    return ["evpn mh startup-delay 0", *timed]


def interfaces(doc: Doc) -> Contexts:
    """The segment of each bond, and the uplinks that are tracked."""
    shared = at(doc, "evpn", "multihoming")
    if not on(shared.get("state")):
        return {}
    found = {}
    for name, body in at(doc, "interface").items():
        mh = at(body, "evpn", "multihoming")
        lines = _segment(mh.get("segment", {}), at(shared, "segment"))
        lines += ["evpn mh uplink"] if on(mh.get("uplink")) else []
        if lines:
            found[(f"interface {name}",)] = lines
    return found


def _segment(own: Doc, shared: Doc) -> list[str]:
    if not own or own.get("state") == "disabled":
        return []
    rank = own.get("df-preference", shared.get("df-preference"))
    lines = [] if rank is None else [f"evpn mh es-df-pref {rank}"]
    if "identifier" in own:
        return [*lines, f"evpn mh es-id {own['identifier']}"]
    if "local-id" not in own:
        return []
    mac = str(own.get("mac-address", shared.get("mac-address"))).lower()
    return [*lines, f"evpn mh es-id {own['local-id']}", f"evpn mh es-sys-mac {mac}"]


def vnis(doc: Doc, head: tuple[str, ...]) -> Contexts:
    """Route distinguishers and targets of L2 VNIs, below the EVPN family of the default instance."""
    found = {}
    for vni, body in at(doc, "evpn", "vni").items():
        lines = [f"rd {body['rd']}"] if "rd" in body else []
        for way in ("import", "export"):
            targets = {**at(body, "route-target", "both"), **at(body, "route-target", way)}
            lines += [f"route-target {way} {target}" for target in targets if target != "auto"]
        if lines:
            found[(*head, f"vni {vni}")] = lines
    return found


def family(doc: Doc) -> list[str]:
    """Lines of the EVPN family: type-1 routes per VNI that are not to be sent or heard."""
    routes = at(doc, "evpn", "multihoming", "ead-evi-route")
    return [f"disable-ead-evi-{way}" for way in ("rx", "tx") if routes.get(way) == "disabled"]
