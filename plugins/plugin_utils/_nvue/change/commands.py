# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes as the commands that a person would type, in the spelling of the switch's release.

    {"path": "interface/swp1/link/mtu", "set": 9216, "before": 1500}    nv set interface swp1-4 link mtu 9216
    {"path": "router/policy/route-map/OLD", "set": None}                nv unset router policy route-map OLD

The rows are data of a report; `lines` joins the ports that get the same, in the order in which people count.
"""

from __future__ import annotations

import functools
import itertools
import json
import shlex
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ....module_utils import _json
from ....module_utils._json import Doc, Json
from ..document.paths import Globs, Path, parse, to_text
from ..document.secrets import mask, mask_change
from ..document.shapes import mapping
from ..document.tree import Change, leaves

FEATURES = (
    ("system/aaa", "Accounts"),
    ("system", "System"),
    ("service", "Services"),
    ("acl", "Access lists"),
    ("qos", "QoS and RoCE"),
    ("interface/*/link", "Links and breakouts"),
    ("interface/*/qos", "QoS of interfaces"),
    ("interface/*/*/address", "Addresses"),
    ("interface", "Interfaces"),
    ("bridge", "Bridge and VLANs"),
    ("nve", "VXLAN"),
    ("evpn", "EVPN"),
    ("router/policy", "Route policies"),
    ("router/adaptive-routing", "Adaptive routing"),
    ("router", "Routing"),
    ("vrf/*/router", "BGP"),
    ("vrf", "VRFs"),
)
"""Headings, in their order; the first that covers a place is its heading."""
_GLOBS = tuple((Globs([glob]), title) for glob, title in FEATURES)
_NAMED = ("system", "router")
"""Keys whose second key is a word of NVUE, and no name of a site."""


class Line(NamedTuple):
    """A command with the place that it changes; `was` is the value before, where there was one."""

    command: str
    place: str
    was: str


def rows(unsets: Doc, sets: Doc, changes: Iterable[Change]) -> list[Doc]:
    """Return the bodies that are sent as masked rows, with what was there before."""
    was = {change.path: change.before for change in map(mask_change, changes)}
    made: list[Doc] = []
    for path, value in (*leaves(mapping(mask(unsets))), *leaves(mapping(mask(sets)))):
        row: Doc = {"path": to_text(path), "set": value}
        made.append(row if was.get(path) is None else {**row, "before": was[path]})
    return made


def by_feature(found: Iterable[Doc]) -> dict[str, list[Line]]:
    """Return the lines of each heading."""
    parts: dict[str, list[Doc]] = {}
    for row in found:
        parts.setdefault(_heading(*_kind(parse(str(row["path"])))), []).append(row)
    return {title: lines(part) for title, part in parts.items()}


def order(title: str) -> tuple[int, str]:
    """Return a key for the order of headings; those without a row come last."""
    titles = [known for _glob, known in FEATURES]
    return (titles.index(title) if title in titles else len(titles), title)


def _kind(path: Path) -> Path:
    """Return the keys that decide on the heading, without names of a site."""
    second = path[1:2] if path[0] in _NAMED else ("*",)
    return (path[0], *second, *path[2:4])


@functools.cache
def _heading(*path: str) -> str:
    return next((title for globs, title in _GLOBS if globs.covers(path)), path[0])


def lines(found: Iterable[Doc]) -> list[Line]:
    """Return the commands: what goes before what comes, ports that get the same joined, numbers as people count."""
    ports: dict[tuple[Path, str, str], list[str]] = {}
    for row in found:
        path = parse(str(row["path"]))
        value, before = (json.dumps(row.get(key)) for key in ("set", "before"))
        is_port = path[0] == "interface"
        place = ("interface", "", *path[2:]) if is_port else path
        ports.setdefault((place, value, before), []).append(path[1] if is_port else "")
    made = [
        (_json.parse(value), (place[0], names, *place[2:]) if names else place, _json.parse(before))
        for (place, value, before), found_at in ports.items()
        for names in [",".join(folded(found_at)) if found_at[0] else ""]
    ]
    made.sort(key=lambda one: (one[0] is not None, [natural(key) for key in one[1]]))
    return [
        Line(command(path, value), to_text(path), "" if before is None else _word(before))
        for value, path, before in made
    ]


def command(path: Path, value: Json) -> str:
    """Return a command; a value that no command can hold comes as JSON behind a `#`."""
    words = " ".join(shlex.quote(key) for key in path)
    if value is None:
        return f"nv unset {words}"
    if value == {}:
        return f"nv set {words}"
    if isinstance(value, dict | list) or "\n" in str(value):
        return f"# by nv config patch: {words} = {json.dumps(value)}"
    return f"nv set {words} {shlex.quote(str(value))}"


def _word(value: Json) -> str:
    return json.dumps(value) if isinstance(value, dict | list) else str(value)


def natural(text: str) -> list[tuple[bool, int, str]]:
    """Return a key by which 20 comes before 100."""
    return [(not part[0].isdecimal(), _number(part), part) for part in _parts(text)]


def _number(part: str) -> int:
    return int(part[:18]) if part[0].isdecimal() else 0


def _parts(text: str) -> list[str]:
    """`swp1s0` -> swp, 1, s, 0."""
    return ["".join(part) for _digits, part in itertools.groupby(text, str.isdecimal)]


def folded(names: Iterable[str]) -> list[str]:
    """Return interfaces as NVUE writes ranges: `swp1-4`, `swp1-32s0-1`; other names stay."""
    ordered = sorted(set(names), key=natural)
    found = [tuple(_parts(name)) for name in ordered]
    for place in (-1, 1):  # the last number, then the cage
        found = list(_ranges(found, place))
    return ["".join(parts) for parts in found]


def _ranges(names: list[tuple[str, ...]], place: int) -> Iterator[tuple[str, ...]]:
    """Join names that differ in one number, where the numbers follow each other."""
    alike: dict[tuple[Path, Path], list[int]] = {}
    for name in names:
        at = place % len(name) if len(name) > 1 else 0
        number = name[at]
        if name[0] != "swp" or not number.isdecimal() or str(int(number)) != number:
            alike[name, ()] = []
        else:
            alike.setdefault((name[:at], name[at + 1 :]), []).append(int(number))
    for (head, tail), numbers in alike.items():
        if not numbers:
            yield head
        for _step, run in itertools.groupby(enumerate(numbers), key=lambda one: one[1] - one[0]):
            members = [number for _index, number in run]
            last = f"-{members[-1]}" if len(members) > 1 else ""
            yield (*head, f"{members[0]}{last}", *tail)
