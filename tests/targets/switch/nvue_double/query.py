# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GET parameters applied to an answer: include, omit, view, filter, filled, expand."""

from __future__ import annotations

from typing import Any

from multidict import MultiMapping

from . import tree
from .release import Release
from .replies import Problem

KNOWN = {
    "rev",
    "diff",
    "include",
    "omit",
    "view",
    "filter",
    "filter_",
    "filled",
    "expand",
}
VIEWS = {
    "interface": (
        "acl-statistics",
        "bond-members",
        "brief",
        "carrier-stats",
        "counters",
        "description",
        "lldp",
        "lldp-detail",
        "mac",
        "qos-roce-counters",
        "qos-roce-status",
        "qos-roce-status-pool-map",
        "small",
        "status",
    ),
    "vrf": ("evpn", "brief"),
    "neighbor": ("detail",),
}
INTRODUCED = {("neighbor", "detail"): "5.12"}
"""Releases of views that are younger than the double's oldest release."""


def check(query: MultiMapping[str], path: list[str], release: Release) -> None:
    """Refuse parameters that do not exist or do not go together."""
    unknown = sorted(set(query) - KNOWN)
    if unknown:
        raise Problem(400, f"Unknown query parameter {', '.join(unknown)}")
    if "expand" in query and not release.modern:
        raise Problem(400, f"Unknown query parameter expand on release {release}")
    if "view" in query:
        place = path[-1] if path else ""
        views = [
            view
            for view in VIEWS.get(place, ())
            if release.at_least(INTRODUCED.get((place, view), "5.0"))
        ]
        if query["view"] not in views:
            allowed = ", ".join(views) or "none"
            raise Problem(400, f"Invalid view '{query['view']}', valid views: {allowed}")
        if "include" in query or "omit" in query:
            raise Problem(400, "view cannot be combined with include or omit")


def partial(query: MultiMapping[str]) -> bool:
    """Whether a read of a collection asks for less than all of each member."""
    deep = [text for text in query.getall("include", []) if len(_pattern(text)) > 1]
    return bool(deep) or "omit" in query or "view" in query


def shape(query: MultiMapping[str], answer: Any) -> Any:
    """The answer after filter, include and omit; an empty selection is an empty object."""
    for text in [*query.getall("filter", []), *query.getall("filter_", [])]:
        answer = _filtered(answer, text)
    if "view" in query and query["view"].startswith("lldp"):
        answer = tree.pointer_match(answer, ["*", "lldp"])
    includes = [_pattern(text) for text in query.getall("include", [])]
    if includes:
        kept: Any = {}
        for pattern in includes:
            part = tree.pointer_match(answer, pattern)
            kept = tree.overlay(kept, part) if part is not tree.MISSING else kept
        answer = kept
    for text in query.getall("omit", []):
        answer = tree.pointer_drop(answer, _pattern(text))
    return {} if answer is tree.MISSING else answer


def _pattern(text: str) -> list[str]:
    if not text.startswith("/"):
        raise Problem(400, f"'{text}' is not a JSON pointer, it must begin with /")
    return [part.replace("~1", "/").replace("~0", "~") for part in text[1:].split("/")]


def _filtered(answer: Any, text: str) -> Any:
    name, equals, wanted = text.partition("=")
    if not equals or not isinstance(answer, dict):
        raise Problem(400, f"Invalid filter '{text}'")
    path = name.split(".")
    return {
        key: value
        for key, value in answer.items()
        if isinstance(value, dict) and str(tree.get(value, path)) == wanted
    }
