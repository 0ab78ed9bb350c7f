# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Withheld parts of operational answers, and hostile text in them.

REPORTS are the ways a BGP session can be reported: in full, without a state, with a null one, not
at all, or (a whole VRF) with 404 for all neighbours. A rule is (VRF, neighbour) -> way, where `*`
is any; the most particular rule counts.
"""

from __future__ import annotations

from typing import Any

from . import tree
from .sessions import STATE_KEYS

REPORTS = ("full", "no_state", "null_state", "left_out", "not_found")
Rules = dict[tuple[str, str], str]

# Names and texts that people or neighbours have chosen.
_OUTSIDE = {
    "description",
    "hostname",
    "name",
    "post-login",
    "pre-login",
    "serial-number",
    "system-description",
    "system-name",
}
_PLACE = ["router", "bgp", "neighbor"]


def withhold(path: list[str], answer: Any, rules: Rules) -> Any:
    """The answer at `path` without what the rules withhold, or tree.MISSING."""
    if answer is tree.MISSING or path[:1] not in ([], ["vrf"]) or set(rules.values()) == {"full"}:
        return answer
    document = tree.wrap(path, answer)
    vrfs = document.get("vrf", {})
    shown = {vrf: _of_vrf(vrf, body, rules) for vrf, body in vrfs.items()}
    return tree.get({**document, "vrf": shown}, path)


def _of_vrf(vrf: str, body: Any, rules: Rules) -> Any:
    found = tree.get(body, _PLACE)
    if not isinstance(found, dict):
        return body
    router, bgp = body["router"], dict(body["router"]["bgp"])
    if _way(rules, vrf, "*") == "not_found":
        del bgp["neighbor"]
    else:
        bgp["neighbor"] = {
            name: _shown(session, _way(rules, vrf, name))
            for name, session in found.items()
            if _way(rules, vrf, name) != "left_out"
        }
    return {**body, "router": {**router, "bgp": bgp}}


def _shown(session: Any, way: str) -> Any:
    if way not in ("no_state", "null_state") or not isinstance(session, dict):
        return session
    told = next((key for key in STATE_KEYS if key in session), "state")
    kept = {key: value for key, value in session.items() if key != told}
    return {**kept, told: None} if way == "null_state" else kept


def _way(rules: Rules, vrf: str, neighbor: str) -> str:
    for rule in ((vrf, neighbor), (vrf, "*"), ("*", neighbor), ("*", "*")):
        if rule in rules:
            return rules[rule]
    return "full"


def lace(path: list[str], answer: Any, text: str) -> Any:
    """The answer at `path` with `text` appended to whatever comes from outside."""
    if not text or answer is tree.MISSING:
        return answer
    return _laced(tuple(path), answer, text)


def _laced(path: tuple[str, ...], value: Any, text: str) -> Any:
    if isinstance(value, dict):
        heard = text if path[-2:] == ("lldp", "neighbor") else ""
        return {key + heard: _laced((*path, key), inner, text) for key, inner in value.items()}
    if isinstance(value, list):
        return [_laced(path, inner, text) for inner in value]
    return value + text if isinstance(value, str) and path[-1:] and path[-1] in _OUTSIDE else value
