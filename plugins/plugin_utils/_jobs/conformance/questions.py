# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operational answers that this collection reads of a switch, and whether one has their shape. Private.

Each question is put as the product puts it, and its answer is read by the product's own reader. `holds` are places
that the product looks at in each row of the answer: a row is a port, a session, or the answer itself.
"""

from __future__ import annotations

import dataclasses
import re
import typing as t
import urllib.parse

from ..._fabric.tenants.moves import gates, tables
from ..._nvue.document import shapes
from ..._nvue.document.paths import parse, to_text, to_url
from ..._nvue.document.tree import get
from ..._nvue.errors import ApiError, NvueError
from ..._nvue.wire import client, operational, sessions
from ..._nvue.wire.states import STATES
from .rows import DIFFERS, NOT_SEEN, Row, RowParts, row

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ....module_utils._json import Doc, Json
    from ..._nvue.document.paths import Path
    from ..._nvue.document.shapes import Shape
    from ..._nvue.wire.api import Api
    from ..._nvue.wire.port import Params

PART = "answer"
_PORT = re.compile(r"swp\d+(s\d+)?")
_MOST_KEYS = 12
_MOST_ROWS = 3


@dataclasses.dataclass(frozen=True)
class Place:
    """Value that a row must have at one of some paths; `words` are the allowed ones, `number` requires a number.

    One that not every release or platform reports is not `needed`: without it the product says that it knows nothing.
    """

    paths: tuple[Path, ...]
    words: frozenset[str] = frozenset()
    number: bool = False
    needed: bool = True

    def named(self) -> str:
        """The place as a person finds it in the answer."""
        return " or ".join(map(to_text, self.paths))

    def wrong(self, body: Doc) -> str | None:
        """Describe the fault of a value at the place, "" for none; None where the row lacks the place."""
        found = next((value for path in self.paths if (value := get(body, path)) is not None), None)
        if found is None:
            return None
        said = list(found) if isinstance(found, dict) else [found]
        if self.words and not any(_word(one) in self.words for one in said):
            return f"{self.named()} is {', '.join(map(str, said)) or 'empty'}"
        if self.number and not str(found).replace(".", "", 1).isdecimal():
            return f"{self.named()} is not a number"
        return ""


@dataclasses.dataclass(frozen=True)
class Question:
    """A request, who reads its answer, and which places of its rows are looked at.

    The answer of one with `detail` may be a summary: it is filled with that of the view of the same name.
    """

    name: str
    path: Path
    read: Shape[object]
    rows: Callable[[Json], Mapping[str, Json]]
    holds: tuple[Place, ...] = ()
    params: Params = dataclasses.field(default_factory=lambda: operational.OPERATIONAL)
    detail: bool = False

    @property
    def request(self) -> str:
        """The request as a person would repeat it."""
        asked = urllib.parse.urlencode(self.params, doseq=True, safe="/*")
        return f"GET {to_url(self.path)}" + (f"?{asked}" if asked else "")


def _place(
    *paths: str, words: frozenset[str] = frozenset(), number: bool = False, needed: bool = True
) -> Place:
    return Place(tuple(map(parse, paths)), words, number, needed)


def _itself(found: Json) -> Doc:
    return {"": found} if found else {}


def _all(found: Json) -> Doc:
    return found if isinstance(found, dict) else {}


def _ports(found: Json) -> Doc:
    return {name: body for name, body in _all(found).items() if _PORT.fullmatch(name)}


def _routes(found: Json) -> Doc:
    rows = tables.routes(found)
    if found and rows is None:
        raise shapes.MisfitError("a mapping of prefixes to routes")
    return rows or {}


def _heard(found: Json) -> Doc:
    ports = (port for port in _ports(found).values() if isinstance(port, dict))
    neighbors = (shapes.below(port, "lldp", "neighbor") for port in ports)
    return {name: body for rows in neighbors for name, body in rows.items()}


def _revisions(found: Json) -> Doc:
    rows = _all(found).items()
    return {name: body for name, body in rows if isinstance(body, dict) and "state" in body}


def _configuration(name: str, rev: str) -> Question:
    params = {"rev": rev, "filled": "false"}
    return Question(name, (), shapes.configuration, _itself, params=params)


def _part(*include: str) -> Params:
    return {**operational.OPERATIONAL, "include": include}


_STATE = frozenset({"up", "down"})
_NEIGHBOR = gates.RESOLVED | {"incomplete", "failed", "none"}
_STATS = (*operational.COUNTERS, "in-errors", "out-errors", "carrier-transitions")


def questions(vrfs: Iterable[str], version: int, release: str) -> list[Question]:
    """All questions to a switch of a release: `vrfs` are those of which routes of IP `version` are read."""
    asked = [
        Question("release", ("system",), operational.about_of, _itself),
        _configuration("running configuration", "applied"),
        _configuration("configuration of the next boot", "startup"),
        Question("hardware", ("platform",), operational.hardware_of, _itself),
        Question(
            "ports",
            ("interface",),
            operational.packets_of,
            _ports,
            (
                _place("link/oper-status", "link/state", words=_STATE),
                *(_place(f"link/stats/{name}", number=True) for name in _STATS),
            ),
            _part(*operational.STATE, *(f"/*/link/stats/{name}" for name in _STATS)),
        ),
        Question(
            "health of ports",
            ("interface",),
            shapes.mappings,
            _ports,
            (
                _place("link/phy/health/effective-ber", needed=False),
                _place("qos/pfc-watchdog", needed=False),
            ),
            _part("/*/link/phy/health/effective-ber", "/*/qos/pfc-watchdog"),
        ),
        Question(
            "LLDP neighbours",
            ("interface",),
            operational.heard,
            _heard,
            (_place("chassis/system-name"), _place("port/name")),
            _part(*operational.NEIGHBOURS),
        ),
        Question("RoCE", ("qos", "roce"), shapes.mapping, _itself, (_place("mode"),)),
        Question(
            "hosts at a port",
            ("interface", "eth0", "neighbor"),
            shapes.mapping,
            _neighbor_rows,
            (_place("state", words=_NEIGHBOR),),
        ),
        Question(
            "revisions",
            ("revision",),
            client.revisions_of,
            _revisions,
            (_place("state", words=frozenset(STATES)),),
            {},
        ),
    ]
    return [*asked, *(one for vrf in vrfs for one in _of_vrf(vrf, version, release))]


def _of_vrf(vrf: str, version: int, release: str) -> Iterator[Question]:
    """Yield the questions about the sessions and routes of a VRF."""
    yield Question(
        f"BGP sessions of VRF {vrf}",
        ("vrf", vrf, "router", "bgp", "neighbor"),
        shapes.mappings,
        _all,
        (
            _place("session-state", "state", words=sessions.STATES),
            _place("address-family", needed=False),
        ),
        detail=True,
    )
    for kind, path in tables.places(version, vrf, release=release).items():
        yield Question(f"{tables.NAMES[kind]} of VRF {vrf}", parse(path), _routes, _routes)


def _neighbor_rows(found: Json) -> Doc:
    """The entries of a neighbor table, whether by family, by address or by both."""
    if not isinstance(found, dict):
        return {}
    if "state" in found:
        return {"": found}
    return {
        f"{key}/{name}": body
        for key, below in found.items()
        for name, body in _neighbor_rows(below).items()
    }


def ask(api: Api, question: Question) -> Row:
    """Put a question and judge its answer."""
    more: RowParts = {"request": question.request}
    try:
        answer = api.get(question.path, question.params, shapes.something)
        detail = _in_detail(api, question) if question.detail else None
    except ApiError as exc:
        verdict = NOT_SEEN if exc.absent else DIFFERS
        said = f"was answered {exc.status}: {api.clean(str(exc))}"
        return row(PART, question.name, [said], verdict, **more)
    except NvueError as exc:
        return row(PART, question.name, [f"has no usable answer: {api.clean(str(exc))}"], **more)
    if not question.detail:
        return judge(question, answer)
    judged = judge(question, _filled(answer, detail or {}))
    known = "absent" if detail is None else "answered"
    return {**judged, "request": f"{question.request} (view={sessions.DETAIL}: {known})"}


def _in_detail(api: Api, question: Question) -> Json:
    """The answer in the view; None where the release has none: whether REST has the view is not published."""
    try:
        params = {**question.params, "view": sessions.DETAIL}
        return api.get(question.path, params, shapes.something)
    except ApiError as exc:
        if exc.absent:
            return None
        raise


def _filled(answer: Json, detail: Json) -> Json:
    """Rows with what their detail adds; an answer in detail of another shape replaces them, and is judged."""
    if not isinstance(answer, dict) or not isinstance(detail, dict):
        return detail if isinstance(answer, dict) else answer
    return {
        name: {**detail[name], **body}
        if isinstance(body, dict) and isinstance(detail.get(name), dict)
        else body
        for name, body in {**detail, **answer}.items()
    }


def judge(question: Question, answer: Json) -> Row:
    """Compare an answer with what the product reads of it; a few of its rows go with the result."""
    more: RowParts = {"request": question.request, "answer": _few(answer)}
    try:
        question.read(answer)
        rows = question.rows(answer)
    except (NvueError, shapes.MisfitError) as exc:
        expected = f"is {_shape(answer)}, expected is {exc}"
        return row(PART, question.name, [expected], **more)
    whole = {} if question.params.get("filled") else answer
    more["answer"] = whole if question.rows is _itself else _few(rows)
    if not rows:
        nothing = "the answer has nothing of the kind"
        return row(PART, question.name, [nothing], NOT_SEEN, **more)
    said = [text for place in question.holds for text in _missed(place, rows)]
    return row(PART, question.name, said, **more)


def _missed(place: Place, rows: Mapping[str, Json]) -> list[str]:
    said = [place.wrong(body) if isinstance(body, dict) else None for body in rows.values()]
    if wrong := sorted({text for text in said if text}):
        return [f"{wrong[0]} in {sum(map(bool, said))} of {len(rows)} rows"]
    if place.needed and all(text is None for text in said):
        keys = sorted({key for body in rows.values() if isinstance(body, dict) for key in body})
        return [
            f"no row has {place.named()}; their keys are {', '.join(keys[:_MOST_KEYS]) or 'none'}"
        ]
    return []


def _few(answer: Json) -> Json:
    """A few rows of an answer, each of another shape."""
    if not isinstance(answer, dict):
        return answer[:_MOST_ROWS] if isinstance(answer, list) else answer
    by_shape: dict[str, tuple[str, Json]] = {}
    for name, body in answer.items():
        by_shape.setdefault(_outline(body), (name, body))
    return dict(list(by_shape.values())[:_MOST_ROWS])


def _outline(body: Json) -> str:
    if not isinstance(body, dict):
        return type(body).__name__
    return "{" + ",".join(f"{key}:{_outline(body[key])}" for key in sorted(body)) + "}"


def _shape(answer: Json) -> str:
    names = {dict: "a mapping", list: "a list", str: "text", type(None): "null", bool: "a boolean"}
    return names.get(type(answer), "a number")


def _word(value: Json) -> str:
    """A state without what FRR adds in brackets."""
    return str(value).partition("(")[0].strip().lower()
