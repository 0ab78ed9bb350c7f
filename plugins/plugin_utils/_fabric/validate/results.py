# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of checks: one shape for all, written per device, read by tables and reports.

    {schema: 1, id, fabric, place, tenant, device, port, expected, found, state, sentence}

`state` is pass, fail, waived, not_run or not_realised. Only fail is a breach; not_run and
not_realised are counted and never shown as passed.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import fnmatch
import json
import os
import typing as t

from ....module_utils import _text
from ... import _reports
from ..model import yaml_source
from ..model.errors import FabricError

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..fabric import Fabric
    from ..topology.cabling import Device

SCHEMA = 1
PASS, FAIL, WAIVED, NOT_RUN, NOT_REALISED = STATES = (
    "pass",
    "fail",
    "waived",
    "not_run",
    "not_realised",
)
KEYS = ("check", "device", "port", "until", "reason")
FOLDER = "results"


class Fields(t.TypedDict, total=False):
    """What a result says beside its sentence."""

    port: str | None
    tenant: str | None
    expected: object
    found: object


class Result(t.TypedDict):
    """One result of a check."""

    schema: int
    id: str
    fabric: str
    place: str
    tenant: str | None
    device: str
    port: str | None
    expected: object
    found: object
    state: str
    sentence: str


@dataclasses.dataclass(frozen=True)
class Subject:
    """What results are about: a device, at a place of the plan; `tenant` holds a node."""

    fabric: str
    place: str
    device: str
    tenant: str | None = None

    @classmethod
    def of(cls, fabric: Fabric, device: Device, tenant: str | None = None) -> Subject:
        """A device of a fabric."""
        place = str(fabric.names.name(device))
        return cls(fabric.description.name, place, fabric.name(device), tenant)

    def result(self, check: str, state: str, sentence: str, **more: t.Unpack[Fields]) -> Result:
        """One result of the check of that id; what a device said in it can be printed."""
        made: Result = _text.plain(
            {
                "schema": SCHEMA,
                "id": check,
                "fabric": self.fabric,
                "place": self.place,
                "tenant": self.tenant,
                "device": self.device,
                **dict.fromkeys(("port", "expected", "found")),
                **more,
                "state": state,
                "sentence": _text.line(sentence),
            }
        )
        return made

    def passed(self, check: str, sentence: str, **more: t.Unpack[Fields]) -> Result:
        """A check that passed."""
        return self.result(check, PASS, sentence, **more)

    def failed(self, check: str, sentence: str, **more: t.Unpack[Fields]) -> Result:
        """A breach."""
        return self.result(check, FAIL, sentence, **more)

    def not_run(self, check: str, reason: str, **more: t.Unpack[Fields]) -> Result:
        """A check that could not be made."""
        return self.result(check, NOT_RUN, reason, **more)

    def judged(
        self, check: str, wrong: Iterable[Result], good: str, **more: t.Unpack[Fields]
    ) -> list[Result]:
        """What is wrong, or one result that says what is right."""
        return list(wrong) or [self.passed(check, good, **more)]


def wanted(check: str, asked: Sequence[str]) -> bool:
    """Whether a check is asked for: by its id, a glob, or the first words of its id."""
    return not asked or any(
        fnmatch.fnmatchcase(check, glob) or check.startswith(f"{glob}.") for glob in asked
    )


# Waivers


@dataclasses.dataclass(frozen=True)
class Waiver:
    """A breach that is accepted until a day, with the reason."""

    check: str
    device: str
    port: str | None
    until: datetime.date
    reason: str

    def covers(self, result: Result) -> bool:
        """Whether the waiver is for a result."""
        pairs = ((result["id"], self.check), (result["device"], self.device))
        on_port = self.port is None or fnmatch.fnmatchcase(result["port"] or "", self.port)
        return on_port and all(fnmatch.fnmatchcase(value, glob) for value, glob in pairs)


def waivers(path: str) -> list[Waiver]:
    """The waivers of a file; none when it does not exist, FabricError when a row is wrong."""
    if not os.path.exists(path):
        return []
    data = yaml_source.read(path).data
    rows = data.get("waivers", []) if isinstance(data, dict) else data
    if not isinstance(rows, list):
        raise FabricError.of(
            f"{os.path.basename(path)}: waivers is no list: write rows of {', '.join(KEYS)}."
        )
    return [_waiver(row, f"{os.path.basename(path)}, waivers[{n}]") for n, row in enumerate(rows)]


def _waiver(row: object, where: str) -> Waiver:
    needed = {"check", "until", "reason"}
    if not isinstance(row, dict) or not needed <= set(row) <= set(KEYS):
        raise FabricError.of(
            f"{where}: check, until and reason are needed: write the keys {', '.join(KEYS)}."
        )
    try:
        until = datetime.date.fromisoformat(str(row["until"]))
    except ValueError as exc:
        raise FabricError.of(
            f"{where}.until: '{row['until']}' is no day: write one such as 2026-12-31."
        ) from exc
    port = row.get("port")
    return Waiver(
        str(row["check"]),
        str(row.get("device", "*")),
        port and str(port),
        until,
        str(row["reason"]),
    )


def waive(results: Iterable[Result], known: Sequence[Waiver], today: datetime.date) -> list[Result]:
    """Failures that a waiver covers become waived; one that has expired fails and says so."""
    return [_waived(row, known, today) if row["state"] == FAIL else row for row in results]


def _waived(row: Result, known: Sequence[Waiver], today: datetime.date) -> Result:
    covering = [waiver for waiver in known if waiver.covers(row)]
    valid = [waiver for waiver in covering if waiver.until >= today]
    if valid:
        note = f" Waived until {valid[0].until}: {valid[0].reason}."
        return {**row, "state": WAIVED, "sentence": row["sentence"] + note}
    if covering:
        note = f" The waiver of {covering[0].until} has expired."
        return {**row, "sentence": row["sentence"] + note}
    return row


# Files


def write(report: str, device: str, results: Sequence[Result]) -> str:
    """Write `<report>/results/<device>.json`, replacing what was there; returns the path."""
    path = os.path.join(report, FOLDER, f"{device}.json")
    return _reports.put_json(path, sorted(results, key=order), FabricError.of)


def order(row: Result) -> tuple[str, ...]:
    """Results sort by device, check and port."""
    return str(row["device"]), str(row["id"]), str(row["port"] or "")


def read(report: str) -> list[Result]:
    """Every result below a report's folder, in order."""
    return sorted((row for path in _files(report) for row in _file(path)), key=order)


def _files(report: str) -> list[str]:
    folder = os.path.join(os.path.expanduser(report), FOLDER)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [os.path.join(folder, name) for name in names if name.endswith(".json")]


def _file(path: str) -> list[Result]:
    try:
        with open(path, encoding="utf-8") as handle:
            rows = json.load(handle)
    except (OSError, ValueError) as exc:
        raise FabricError.of(f"report: {path} is no file of results ({exc}): remove it.") from exc
    for row in rows if isinstance(rows, list) else [rows]:
        if (
            not isinstance(row, dict)
            or row.get("schema") != SCHEMA
            or row.get("state") not in STATES
        ):
            raise FabricError.of(
                f"report: {path} holds results that this release does not know: remove it."
            )
    # Who wrote the file is not known: an earlier release, or a hand.
    found: list[Result] = _text.plain(rows if isinstance(rows, list) else [rows])
    return found


def empty(report: str) -> int:
    """Remove the results of earlier runs; returns how many files went."""
    paths = _files(report)
    for path in paths:
        with contextlib.suppress(FileNotFoundError):  # another run empties it too
            os.remove(path)
    return len(paths)
