# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a run: everything that its reports are made of, as one file that lasts.

    record = results.complete(fabric, {"run": "20261125T031000Z", "levels": ["pairs"], ...})
    results.write("report", record)              report/performance/20261125T031000Z.json
    results.read("report/performance/20261125T031000Z.json")
    results.newest("report", "lab")              the last run of that fabric, or None

A record has the places of its nodes and the ends of suspected cables in it, so that it can be drawn years
later, without the plan. A file is written as a whole or not at all. What is read is checked key by key.
"""

from __future__ import annotations

import collections
import json
import pathlib
import typing as t

from .....module_utils import _json
from .... import _reports
from ...description import load, yaml_source
from ...description.errors import FabricError, unreadable
from ...export.handover.cables import Cables
from ...plan.topology.cabling import Node
from ..plan.records import FAIL, NOT_RUN, PASS, STATES
from . import schema
from .schema import End, Place, RunRecord, SkippedLevel, Summary, Where

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Device
    from ..plan.records import Suspect, Test

FOLDER = "performance"
STATE_FILE = "state.json"
"""State that a resumed run reads; it is no record."""
INCOMPLETE = "incomplete"


def complete(fabric: Fabric, run: Mapping[str, t.Any]) -> RunRecord:
    """The record of a run: the keys given, with places, the ends of suspected cables, and the summary.

    `run` has run, levels, began, ended, by, nodes, nccl_plugin, tests, suspects, not_run, disturbances and
    counters; `began` and `ended` are times such as 2026-11-25T03:10:00+00:00. Lists without anything may be left out.
    """
    lists: dict[str, t.Any] = {"suspects": [], "not_run": [], "disturbances": [], "counters": {}}
    made = {"nccl_plugin": "", "by": "", **lists, **run}
    nodes = [fabric.known(name) for name in made["nodes"]]
    found = {
        **made,
        "schema": schema.SCHEMA,
        "fabric": fabric.description.name,
        "places": {fabric.name(node): _place(fabric, node) for node in nodes},
        "where": where(fabric, made["suspects"]),
        "summary": summary(made["tests"], made["not_run"]),
    }
    return t.cast("RunRecord", found)


def _place(fabric: Fabric, device: Device) -> Place:
    if not isinstance(device, Node):
        raise FabricError.of(f"nodes: {fabric.name(device)} is a switch: name nodes only.")
    return {"pod": device.pod, "su": device.su, "slot": device.slot}


# Verdict


def summary(tests: Sequence[Test], not_run: Sequence[SkippedLevel]) -> Summary:
    """Counts by state, of all tests and level by level, and the result.

    The result is `pass` only where something passed, nothing failed and everything ran; `incomplete` where
    nothing failed and something did not run, or nothing was measured.
    """
    counts = collections.Counter(test["state"] for test in tests)
    levels: dict[str, collections.Counter[str]] = {}
    for test in tests:
        levels.setdefault(test["level"], collections.Counter())[test["state"]] += 1
    whole = counts[PASS] and not counts[NOT_RUN] and not not_run
    result = FAIL if counts[FAIL] else PASS if whole else INCOMPLETE
    return {
        "result": result,
        "counts": _counts(counts),
        "levels": {level: _counts(found) for level, found in levels.items()},
    }


def _counts(found: Mapping[str, int]) -> dict[str, int]:
    return {state: found.get(state, 0) for state in STATES}


# The ends of what is suspected


def where(fabric: Fabric, suspects: Sequence[Suspect]) -> dict[str, Where]:
    """By the place of a suspect: the label of the cable, empty where it is none, and its ends or the device."""
    cables = Cables(fabric)
    return {one["place"]: _where(cables, one) for one in suspects}


def _where(cables: Cables, suspect: Suspect) -> Where:
    named = list(_named(cables.fabric, suspect["place"]))
    if not named:
        return {"label": "", "ends": []}
    device, port = named[0]
    peer = cables.fabric.peer(device, port) if port else None
    if peer is None:
        return {"label": "", "ends": [_end(cables, device, "")]}
    labels = (cable.id for cable, plug in cables.at(device) if port in plug.ports)
    ends = [_end(cables, device, port), _end(cables, *peer)]
    return {"label": next(labels, ""), "ends": ends}


def _named(fabric: Fabric, place: str) -> Iterator[tuple[Device, str]]:
    """The devices and ports in a text such as `a:rail1p1`, or `a rail1p1 <-> b swp1`; ports first."""
    found: list[tuple[Device, str]] = []
    for word in place.replace(":", " ").replace(",", " ").split():
        device = fabric.device(word)
        if device is not None:
            found.append((device, ""))
        elif found and fabric.port(found[-1][0], word) is not None:
            found[-1] = (found[-1][0], word)
    return iter(sorted(found, key=lambda one: not one[1]))


def _end(cables: Cables, device: Device, port: str) -> End:
    spot = cables.floor.spot(device)
    return {
        "device": cables.fabric.name(device),
        "port": port,
        "rack": spot.rack,
        "unit": spot.unit or None,
    }


# Files


def path_of(report: str, run: str) -> str:
    """`<report>/performance/<run>.json`."""
    return str(pathlib.Path(report).expanduser() / FOLDER / f"{run}.json")


def text(record: RunRecord) -> str:
    """The file of a record, a line for each test: the same record makes the same bytes."""
    parts = (f" {json.dumps(key)}: {_value(record[key])}" for key in sorted(record))  # type: ignore[literal-required]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _value(value: t.Any) -> str:
    if not isinstance(value, list) or not value:
        return json.dumps(value, sort_keys=True)
    lines = (f"  {json.dumps(one, sort_keys=True)}" for one in value)
    return "[\n" + ",\n".join(lines) + "\n ]"


def check(record: RunRecord) -> None:
    """FabricError where a record breaks the schema, or contradicts itself."""
    _checked(record, f"{record['run']}.json")


def write(report: str, record: RunRecord) -> str:
    """Write a record as a whole, or FabricError and nothing is written; returns the path."""
    path = path_of(report, record["run"])
    _checked(record, path)
    return _reports.put(path, text(record), FabricError.of)


def read(path: str) -> RunRecord:
    """The record in a file; FabricError with a sentence for each breach, with file and key."""
    try:
        data = _json.parse(pathlib.Path(path).read_bytes(), decoder=_DECODER)
    except (OSError, ValueError) as exc:
        raise FabricError.of(
            f"{path} is not the record of a run ({unreadable(exc)}): name one that playbook performance wrote, or "
            "remove it."
        ) from exc
    return _checked(data, path)


def _refuse(word: str) -> t.NoReturn:
    raise _json.NoJsonError(f"{word} is not a number")


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def _checked(data: t.Any, path: str) -> RunRecord:
    """The data of a file as a record."""
    name = pathlib.Path(path).name
    found = data.get("schema") if isinstance(data, dict) else None
    if isinstance(found, int) and found > schema.SCHEMA:
        raise FabricError.of(
            f"{name}, schema: {found} is newer than {schema.SCHEMA}, the newest that this release reads: update the "
            "collection."
        )
    load.typed(schema.model(), yaml_source.Source(path, data, {}))
    record = t.cast("RunRecord", data)
    _agrees(record, name)
    return record


def _agrees(record: RunRecord, name: str) -> None:
    """FabricError where the parts of a record contradict each other."""
    if record["summary"] != summary(record["tests"], record["not_run"]):
        raise FabricError.of(
            f"{name}, summary: it does not follow from the tests of the record: run the playbook again, and do not "
            "edit records."
        )
    lost = [node for node in record["nodes"] if node not in record["places"]]
    if lost:
        raise FabricError.of(
            f"{name}, places: {lost[0]} of nodes is missing: run the playbook again, and do not edit records."
        )


def newest(report: str, fabric: str, *, before: str = "") -> RunRecord | None:
    """The last record of a fabric in a report, or the last one before a run; None where there is none.

    Names of runs sort by time. The acceptance of a node has a folder of its own, and is not among them.
    """
    folder = pathlib.Path(report).expanduser() / FOLDER
    names = sorted(path.stem for path in folder.glob("*.json") if path.name != STATE_FILE)
    for run in reversed(names):
        if before and run >= before:
            continue
        record = read(path_of(report, run))
        if record["fabric"] == fabric:
            return record
    return None
