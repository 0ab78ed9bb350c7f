# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of checks: one shape for all, written per device, read by tables and reports.

A check is a function of a view; it yields findings. A table maps ids to checks, and `Subject.judge`
makes results of what they yield. `state` is pass, fail, waived, not_run or not_realised. Only fail is
a breach; not_run and not_realised are counted and never shown as passed.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import fnmatch
import functools
import os
import typing as t

from ....module_utils import _json, _text
from ... import _reports
from ..catalog.data import table, wanted
from ..description import yaml_source
from ..description.errors import FabricError

if t.TYPE_CHECKING:
    from ..plan.fabric import Fabric
    from ..plan.topology.cabling import Device

STATES = ("pass", "fail", "waived", "not_run", "not_realised")
PASS, FAIL, WAIVED, NOT_RUN, NOT_REALISED = STATES
SCHEMA = 1
KEYS = ("check", "device", "port", "until", "reason")
FOLDER = "results"
WAIVERS = "waivers.yml"
"""Beside the description."""
_MOST_NAMED = 5


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
    at: t.NotRequired[str]  # when the check ended, where the result was written to a report


class Finding(t.NamedTuple):
    """Result of a check on one thing; a pass without a sentence has that of the catalogue."""

    sentence: str = ""
    port: str | None = None
    expected: object = None
    found: object = None
    tenant: str | None = None
    state: str = FAIL


failed = functools.partial(Finding, state=FAIL)
passed = functools.partial(Finding, state=PASS)
not_run = functools.partial(Finding, state=NOT_RUN)
not_realised = functools.partial(Finding, state=NOT_REALISED)
Findings = t.Iterator[Finding]
V = t.TypeVar("V")
Check = t.Callable[[V], Findings]
"""A check of a view yields what is wrong, and a pass, which counts where nothing is."""


@dataclasses.dataclass(frozen=True)
class Subject:
    """Subject of results: a device, at a place of the plan; `tenant` holds a node."""

    fabric: str
    place: str
    device: str
    tenant: str | None = None

    @classmethod
    def of(cls, fabric: Fabric, device: Device, tenant: str | None = None) -> Subject:
        """A device of a fabric."""
        place = str(fabric.names.name(device))
        return cls(fabric.description.name, place, fabric.name(device), tenant)

    def judge(
        self, checks: t.Mapping[str, Check[V]], view: V, asked: t.Sequence[str] = ()
    ) -> list[Result]:
        """The results of those checks of a table that are asked for."""
        names = [check for check in checks if wanted(check, asked)]
        return [row for check in names for row in self.results(check, checks[check](view))]

    def results(self, check: str, findings: t.Iterable[Finding]) -> list[Result]:
        """The results of one check. It passes only where it found nothing wrong."""
        found = list(findings)
        wrong = any(row.state in (FAIL, WAIVED) for row in found)
        return [self.result(check, row) for row in found if not (wrong and row.state == PASS)]

    def result(self, check: str, finding: Finding) -> Result:
        """One result of the check of that id; what a device said in it can be printed."""
        sentence = finding.sentence or (says(check) if finding.state == PASS else "")
        made: Result = _text.plain(
            {
                "schema": SCHEMA,
                "id": check,
                "fabric": self.fabric,
                "place": self.place,
                "device": self.device,
                **finding._asdict(),
                "port": finding.port and _text.line(finding.port),
                "tenant": finding.tenant or self.tenant,
                "sentence": _text.line(sentence),
            }
        )
        return made


def young(what: str, uptime: int | None) -> str:
    """Return words for a boot after which ports and LLDP are not judged yet, "" where there was none."""
    wait = int(table("limits_switch")["after-boot"])
    if uptime is None or uptime >= wait:
        return ""
    return f"{what} booted {uptime} s ago: check it again {wait} s after its boot."


def says(check: str) -> str:
    """Return the sentence for a pass of a check, from the catalogue."""
    rows = [table(f"checks_{kind}") for kind in ("switch", "tenants", "host", "networks")]
    return str(next(of_kind[check]["says"] for of_kind in rows if check in of_kind))


def some(words: t.Sequence[str]) -> str:
    """The first of some words, and how many more there are."""
    more = len(words) - _MOST_NAMED
    return ", ".join(words[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


# Waivers


@dataclasses.dataclass(frozen=True)
class Waiver:
    """A breach that is accepted until a day, with the reason."""

    check: str
    until: datetime.date
    reason: str
    device: str = "*"
    port: str = "*"

    def covers(self, row: Result) -> bool:
        """Check whether the waiver is for a result."""
        return self.names(row["id"], row["device"], row["port"] or "")

    def names(self, check: str, device: str, port: str) -> bool:
        """Check whether its globs match the three; `port` is empty for a result about no port."""
        values = (check, device, port)
        return all(map(fnmatch.fnmatchcase, values, (self.check, self.device, self.port)))


def waivers(path: str) -> list[Waiver]:
    """The waivers of a file; none when it does not exist, FabricError when a row is wrong."""
    if not os.path.exists(path):
        return []
    name, data = os.path.basename(path), yaml_source.read(path).data
    rows = data.get("waivers", []) if isinstance(data, dict) else data
    if not isinstance(rows, list):
        raise FabricError.of(f"{name}: waivers is not a list: write rows of {', '.join(KEYS)}.")
    return [_waiver(row, f"{name}, waivers[{number}]") for number, row in enumerate(rows)]


def _waiver(row: object, where: str) -> Waiver:
    found = row if isinstance(row, dict) else {}
    texts = {key: str(value) for key, value in found.items() if value}
    if not {"check", "until", "reason"} <= set(texts) or not set(found) <= set(KEYS):
        raise FabricError.of(
            f"{where}: check, until and reason are needed: write the keys {', '.join(KEYS)}."
        )
    day = texts.pop("until")
    try:
        return Waiver(**texts, until=datetime.date.fromisoformat(day))
    except ValueError as exc:
        raise FabricError.of(
            f"{where}.until: '{day}' is not a day: write one such as 2026-12-31."
        ) from exc


def waive(
    rows: t.Iterable[Result], known: t.Sequence[Waiver], today: datetime.date
) -> list[Result]:
    """Failures that a waiver covers become waived; one that has expired fails and says so."""
    return [_waived(row, known, today) for row in rows]


def _waived(row: Result, known: t.Sequence[Waiver], today: datetime.date) -> Result:
    covering = [waiver for waiver in known if row["state"] == FAIL and waiver.covers(row)]
    state, note = answered(covering, today)
    return {**row, "state": state, "sentence": row["sentence"] + note} if covering else row


def answered(covering: t.Sequence[Waiver], today: datetime.date) -> tuple[str, str]:
    """The state of a failure that waivers cover, and what its sentence says of them."""
    for waiver in covering:
        if waiver.until >= today:
            return WAIVED, f" Waived until {waiver.until}: {waiver.reason}."
    return FAIL, f" The waiver of {covering[0].until} has expired." if covering else ""


def waived(row: Result, why: str) -> Result:
    """A failure that is waived."""
    return {**row, "state": WAIVED, "sentence": f"{row['sentence']} {why}"}


# Files


def write(report: str, device: str, rows: t.Iterable[Result]) -> str:
    """Write `<report>/results/<device>.json`, replacing what was there; returns the path."""
    path = os.path.join(report, FOLDER, f"{device}.json")
    return _reports.put_json(path, sorted(rows, key=order), FabricError.of)


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
        with open(path, "rb") as handle:
            found = _json.parse(handle.read())
    except (OSError, ValueError) as exc:
        raise FabricError.of(
            f"report: {path} is not a file of results ({exc}): remove it."
        ) from exc
    rows = found if isinstance(found, list) else [found]
    known = [r for r in rows if isinstance(r, dict) and r.get("schema") == SCHEMA]
    if [row for row in known if row.get("state") in STATES] != rows:
        raise FabricError.of(
            f"report: {path} holds results that this release does not know: remove it."
        )
    # Who wrote the file is not known: an earlier release, or a hand.
    made: list[Result] = _text.plain(rows)
    return made


def empty(report: str) -> int:
    """Remove the results of earlier runs; returns how many files went."""
    paths = _files(report)
    for path in paths:
        with contextlib.suppress(FileNotFoundError):  # another run empties it too
            os.remove(path)
    return len(paths)
