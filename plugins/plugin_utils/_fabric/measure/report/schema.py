# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Schema of the record of a run: typed dictionaries, the words for each key, and the JSON Schema of both.

The model that checks a file follows from the typed dictionaries. Their key words follow in WORDS; a key
without words is a mistake that ends the import of this file's model.
"""

from __future__ import annotations

import functools
import json
import re
import types
import typing as t

from ...description._third_party import pydantic
from ...description.base import Strict
from ...description.schema import DRAFT
from ..plan import records
from ..plan.records import Suspect, Test

SCHEMA = 1
SUSPECTS = ("node", "nic", "cable", "leaf", "uplink", "spine", "plane", "tenant")
RESULTS = ("pass", "fail", "incomplete")
_RUN = r"[0-9]{8}T[0-9]{6}Z(-[a-z0-9-]{1,40})?"
_TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(\+00:00|Z)"


class Place(t.TypedDict):
    """Place of a node in the plan when it was measured; zero-based."""

    pod: int
    su: int
    slot: int


class End(t.TypedDict):
    """One end of a cable, or a device as a whole."""

    device: str
    port: str
    rack: str
    unit: float | None


class Where(t.TypedDict):
    """The cable of a suspect with both ends, or the device that is suspected."""

    label: str
    ends: list[End]


class SkippedLevel(t.TypedDict):
    """A level that was asked for and did not run."""

    level: str
    reason: str


class Summary(t.TypedDict):
    """Result of the tests."""

    result: str
    counts: dict[str, int]
    levels: dict[str, dict[str, int]]


class RunRecord(t.TypedDict):
    """The record of one run of playbook performance."""

    schema: int
    run: str
    fabric: str
    levels: list[str]
    began: str
    ended: str
    by: str
    nodes: list[str]
    places: dict[str, Place]
    nccl_plugin: str
    tests: list[Test]
    suspects: list[Suspect]
    where: dict[str, Where]
    not_run: list[SkippedLevel]
    disturbances: list[str]
    counters: dict[str, dict[str, int]]
    summary: Summary


WORDS: dict[str, dict[str, str]] = {
    "RunRecord": {
        "schema": "Version of this format.",
        "run": "Name of the run; names sort by time, as 20261125T031000Z does.",
        "fabric": "Name of the fabric.",
        "levels": "Requested levels, in their order.",
        "began": "Start of the run, in UTC.",
        "ended": "End of the run, in UTC.",
        "by": "Person who ran it.",
        "nodes": "Names of the nodes that took part.",
        "places": "Place of each node in the plan, by its name.",
        "nccl_plugin": "Network plugin of NCCL as its log named it; empty where none did.",
        "tests": "Each judged measurement.",
        "suspects": "Parts that may be slow, the most likely first.",
        "where": "By the place of a suspect: its cable with both ends, or the device.",
        "not_run": "Requested levels that did not run, or not with all nodes.",
        "disturbances": "Disturbances of the fabric during the run, a sentence each.",
        "counters": "Counters of ports that rose during the run, by device:port.",
        "summary": "Summary of the tests; it follows from them.",
    },
    "Place": {
        "pod": "Pod, zero-based.",
        "su": "SU in the pod, zero-based.",
        "slot": "Slot in the SU, zero-based.",
    },
    "End": {
        "device": "Name of the device.",
        "port": "Name of its port; empty where the device as a whole is meant.",
        "rack": "Its rack; empty where it is not known.",
        "unit": "Its unit in the rack; null where it is not known.",
    },
    "Where": {
        "label": "Name of the cable on its label; empty where no cable is meant.",
        "ends": "Both ends, that of the suspect first; one where a device is meant.",
    },
    "SkippedLevel": {"level": "The level.", "reason": "Reason that it did not run, as a sentence."},
    "Summary": {
        "result": "fail where a test failed; pass where all ran and passed; otherwise incomplete.",
        "counts": "Tests by state.",
        "levels": "The same, level by level.",
    },
    "Test": {
        "id": "Unique in a run; the same in each run that measures the same.",
        "level": "Level that the test belongs to.",
        "step": "Part of the level, such as alone-1; empty where a level has one part.",
        "kind": "Quantity that is compared: Gb/s one way or both ways, microseconds, bus bandwidth, percent.",
        "first": "Sender, or the node that started a collective.",
        "second": "Receiver; empty where there is none.",
        "rail": "Rail, zero-based; null where several are loaded.",
        "to_rail": "Rail of the receiver, zero-based; null where it is that of the sender.",
        "plane": "Plane, zero-based; null where several are loaded.",
        "distance": "Smallest part that both ends share; empty where that means nothing.",
        "nodes": "Nodes of a collective.",
        "value": "Measured value; null where there is none.",
        "unit": "Unit of value and limit.",
        "limit": "Limit of the value; null where there is none.",
        "limit_source": "Origin of the limit: published, ours, or a baseline with day and name.",
        "state": "Only fail is a breach; not_run is never shown as passed.",
        "sentence": "Result, for a person.",
        "counters": "Counters of both ends that rose during the test.",
    },
    "Suspect": {
        "kind": "node, nic, cable, leaf, uplink, spine or plane; tenant where one disturbs another.",
        "place": "Device or port by its name; of a cable both ends, of a tenant its name and the leaf.",
        "certain": "false for one of several of which measurement cannot show which is slow.",
        "score": "Strength of the evidence; more is worse.",
        "reasons": "Reasons of the suspicion, a sentence each.",
    },
}
"""Meaning of each key, by the name of its typed dictionary."""


def _pattern(pattern: str, words: str) -> t.Any:
    """A text of a pattern; what breaks it is refused with these words."""

    def matches(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise ValueError(words)
        return value

    shown = pydantic.WithJsonSchema({"type": "string", "pattern": f"^{pattern}$"})
    return t.Annotated[str, pydantic.AfterValidator(matches), shown]


def _one_of(values: tuple[str, ...]) -> t.Any:
    return t.Literal.__getitem__(values)


_UTC = _pattern(_TIME, "a time in UTC such as 2026-11-25T03:10:00+00:00")
_LIMITS: dict[tuple[str, str], t.Any] = {
    ("RunRecord", "schema"): t.Literal[1],
    ("RunRecord", "run"): _pattern(
        _RUN, "a name such as 20261125T031000Z or 20261125T031000Z-pairs"
    ),
    ("RunRecord", "began"): _UTC,
    ("RunRecord", "ended"): _UTC,
    ("Summary", "result"): _one_of(RESULTS),
    ("Test", "state"): _one_of(records.STATES),
    ("Test", "kind"): _one_of(records.KINDS),
    ("Suspect", "kind"): _one_of(SUSPECTS),
}
"""Keys that hold less than their type allows."""


@functools.cache
def model() -> type[Strict]:
    """The model of a record."""
    return _model(RunRecord)


def _model(shape: t.Any) -> type[Strict]:
    """A strict model with the keys of a typed dictionary, and of those that it holds."""
    name, words = shape.__name__, WORDS[shape.__name__]
    fields: dict[str, t.Any] = {}
    for key, hint in t.get_type_hints(shape).items():
        kind = _LIMITS.get((name, key)) or _type(hint)
        # pydantic has a method `schema`.
        fields[f"{key}_"] = (kind, pydantic.Field(alias=key, description=words[key]))
    return pydantic.create_model(name, __base__=Strict, __doc__=shape.__doc__, **fields)


def _type(hint: t.Any) -> t.Any:
    """An annotation in which models are in the places of typed dictionaries."""
    if t.is_typeddict(hint):
        return _model(hint)
    origin, inner = t.get_origin(hint), t.get_args(hint)
    if origin in (list, dict):
        return origin[tuple(map(_type, inner))]
    if origin is types.UnionType:
        return t.Union[tuple(map(_type, inner))]
    return t.Annotated[float, pydantic.Field(allow_inf_nan=False)] if hint is float else hint


def document() -> dict[str, t.Any]:
    """The JSON Schema of a record, as plain data."""
    return {
        "$schema": DRAFT,
        **model().model_json_schema(),
        "title": "A run of playbook performance",
    }


def text() -> str:
    """The schema as the file `docs/schema/performance-run.schema.json` holds it."""
    return json.dumps(document(), indent=2, ensure_ascii=True) + "\n"
