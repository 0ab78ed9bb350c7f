# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A record is read from JSON as it was written, and what has another shape is one sentence with its place."""

from __future__ import annotations

import dataclasses
import json
import typing as t

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs import records


class Place(t.NamedTuple):
    pod: int
    slot: int = 0


class Site(t.TypedDict):
    launcher: str
    words: t.NotRequired[list[str]]


@dataclasses.dataclass(frozen=True)
class Hop:
    from_: str
    up: bool = False


@dataclasses.dataclass(frozen=True)
class Way:
    name: str
    hops: list[Hop]
    site: Site
    seconds: float = 0.0
    by_node: dict[str, Hop | None] = dataclasses.field(default_factory=dict)
    kind: t.Literal["a", "b"] = "a"
    place: Place | None = None
    more: object = None
    mixed: list[str | bool | None] = dataclasses.field(default_factory=list)


WAY = Way(
    "w",
    [Hop("x", True)],
    {"launcher": ""},
    1,
    {"h01": None, "h02": Hop("y")},
    "b",
    Place(1, 2),
    [1, "x"],
    ["x", True, None],
)


def test_what_is_written_is_read_again():
    text = json.dumps(records.plain(WAY))
    assert '"from": "x"' in text
    assert '"place": {"pod": 1, "slot": 2}' in text
    assert records.typed(Way, json.loads(text), "way") == WAY


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": 1}, "way.name: '1' is not allowed: use text"),
        ({"hops": {}}, "way.hops: '{}' is not allowed: use a list"),
        (
            {"hops": [{"from": "x", "up": 1}]},
            r"way.hops\[0\].up: '1' is not allowed: use true or false",
        ),
        ({"hops": [{"up": True}]}, r"way.hops\[0\].from: 'no value' is not allowed"),
        (
            {"hops": [{"from": "x", "down": True}]},
            r"way.hops\[0\].down: 'the key' is not allowed: use from, up",
        ),
        ({"seconds": True}, "way.seconds: 'True' is not allowed: use a number"),
        ({"place": {"slot": 1}}, "way.place.pod: 'no value' is not allowed"),
        ({"place": [1, 2]}, r"way.place: '\[1, 2\]' is not allowed: use a mapping"),
        ({"site": {}}, "way.site.launcher: 'the key' is not allowed"),
        ({"by_node": []}, "way.by_node: .* use a mapping"),
        ({"kind": "c"}, "way.kind: 'c' is not allowed: use 'a', 'b'"),
        ({"hops": [None]}, r"way.hops\[0\]: 'None' is not allowed: use a mapping"),
    ],
)
def test_another_shape_is_one_sentence(change, sentence):
    found = {**json.loads(json.dumps(records.plain(WAY))), **change}
    with pytest.raises(FabricError, match=f"^run store: {sentence}"):
        records.typed(Way, found, "way")
