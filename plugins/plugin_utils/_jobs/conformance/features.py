# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Features of a planned document that a switch would refuse, tried one by one in a draft. Private.

Each is judged by NVIDIA's schema of the release that the switch runs, and sent in one piece; at the end the draft is
read back. Places are named by their pattern, such as `interface/*/link/breakout`: rows leave the site.
"""

from __future__ import annotations

import dataclasses
import functools
import typing as t

from ..._nvue.change import plan as planning
from ..._nvue.change.plan import Wish
from ..._nvue.document import dialect, schema
from ..._nvue.document.paths import to_text
from ..._nvue.document.ranges import expand
from ..._nvue.document.release import accepted, parse
from ..._nvue.document.tree import get, leaves, merge
from ..._nvue.errors import RefusedError
from .rows import NOT_ASKED, Row, row

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ....module_utils._json import Doc
    from ..._nvue.document.release import Release
    from .draft import Draft

PART = "plan"
NO_PLAN = "no description of this run names the switch"
NO_KEY = "no key is named"
_AROUND = "'\"`,.:;()[]{}/"
"""Characters around a key in a sentence of a switch."""
_MOST_WORDS = 160


@dataclasses.dataclass(frozen=True)
class Features:
    """The planned document of each feature in the neutral spelling, and the releases that the description accepts."""

    documents: Mapping[str, Doc]
    releases: tuple[str, ...] = ()

    def whole(self) -> Doc:
        """Every feature in one document, without ranges."""
        return functools.reduce(merge, map(expand, self.documents.values()), {})


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Rows for the file, and lines for a person: the first one says which features are refused."""

    rows: list[Row]
    lines: list[str]


def absent() -> Verdict:
    """The verdict where no document is planned."""
    return Verdict([row(PART, "planned document", [NO_PLAN], NOT_ASKED)], [])


def judge(draft: Draft, release: Release, features: Features) -> Verdict:
    """Try every feature in a draft that holds what the switch runs."""
    held = draft.read()
    refused: dict[str, str] = {}
    details: list[str] = []
    doubts: dict[str, None] = {}
    for name, config in features.documents.items():
        try:
            plan = planning.make(held, Wish(config), release)
            unknown = dialect.judge(dialect.spell(expand(config), release), release)
        except RefusedError as exc:
            refused[name] = _pattern(str(exc).partition(": ")[0].split("/"), _newest())
            details.append(f"{name}: {exc}")
            continue
        doubts.update(dict.fromkeys(unknown))
        if words := draft.offer(plan):
            refused[name] = _key(words, plan.bodies()[1], schema.of(release) or _newest())
            details.append(f"{name}: {words[:_MOST_WORDS]}")
        else:
            held = dialect.spell(plan.after, release)
    draft.must_be_a_draft()
    ignored = _ignored(draft, dialect.from_release(expand(held), release), features)
    rows = [_release(release, features), _schema(release)]
    for name in features.documents:
        wrong = [f"refuses {refused[name]}"] if name in refused else []
        wrong += [f"ignores {place}" for place in ignored.get(name, ())]
        rows.append(row(PART, name, wrong))
    if strange := ignored.get(""):
        rows.append(row(PART, "read back", [f"changes {place} unasked" for place in strange]))
    sentence = _sentence(len(features.documents), refused, ignored)
    return Verdict(rows, [sentence, *rows[0]["found"], *details, *doubts])


def _release(release: Release, features: Features) -> Row:
    planned = features.releases
    if not planned or any(accepted(release, one) for one in planned):
        return row(PART, "release")
    return row(PART, "release", [f"runs {release}, expected {' or '.join(planned)}"])


def _schema(release: Release) -> Row:
    if schema.of(release):
        return row(PART, "NVIDIA's schema")
    return row(PART, "NVIDIA's schema", [f"{release} is accepted, but not judged"], NOT_ASKED)


def _ignored(draft: Draft, expected: Doc, features: Features) -> dict[str, list[str]]:
    """The places that read back otherwise than sent, by feature; those of no feature have no name."""
    documents = {name: expand(config) for name, config in features.documents.items()}
    places: dict[str, dict[str, None]] = {}
    for change in draft.differences(expected):
        owners = (name for name, body in documents.items() if get(body, change.path) is not None)
        places.setdefault(next(owners, ""), {})[_pattern(change.path, _newest())] = None
    return {name: list(patterns) for name, patterns in places.items()}


def _sentence(count: int, refused: Mapping[str, str], ignored: Mapping[str, list[str]]) -> str:
    """Name the features that the switch would not take as they are, in one sentence."""
    lost = {name: places[0] for name, places in ignored.items() if name}
    verbs = {"refuse": refused, "ignore a part of": lost}
    parts = [
        f"would {verb} {', '.join(f'{name} ({key})' for name, key in names.items())}"
        for verb, names in verbs.items()
        if names
    ]
    parts += [f"would change {place} unasked" for place in ignored.get("", ())[:1]]
    if parts:
        return f"this switch {' and '.join(parts)}, of {count} features of its planned document."
    return f"this switch takes each of the {count} features of its planned document."


def _key(words: str, sent: Doc, known: schema.Schema) -> str:
    """The pattern of the place that a refusal names: the whole of it, else a key that is at one place only."""
    tokens = {word.strip(_AROUND).replace(".", "/") for word in words.split()}
    places = {path[:length] for path, _value in leaves(sent) for length in range(1, len(path) + 1)}
    named = [path for path in places if "/".join(path).replace(".", "/") in tokens]
    if named:
        longest = sorted(named, key=len)[-1]
        return _pattern(longest, known)
    quoted = set(words.split("'")[1::2])
    patterns = {_pattern(path, known) for path in places if path[-1] in quoted}
    return patterns.pop() if len(patterns) == 1 else NO_KEY


def _pattern(path: Iterable[str], known: schema.Schema) -> str:
    """The place of the schema at which a path is: keys that a site chooses are `*`."""
    node: schema.Node | None = known.root
    keys: list[str] = []
    for key in path:
        fixed = node is not None and (key in node.members or schema.EACH not in node.members)
        keys.append(key if fixed else schema.EACH)
        node = node.below(key) if node else None
    return to_text(keys)


@functools.cache
def _newest() -> schema.Schema:
    """The newest schema, which is in the neutral spelling."""
    return t.cast("schema.Schema", schema.of(parse(schema.releases()[-1])))
