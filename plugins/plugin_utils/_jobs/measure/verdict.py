# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on a measurement: rounds are judged, the slow part is looked for, the record is written. Private."""

from __future__ import annotations

import collections
import datetime
import getpass
import os
import typing as t

from ....module_utils import _text
from ... import _reports
from ..._fabric.description.errors import FabricError
from ..._fabric.description.words import count, some
from ..._fabric.measure.judge import baselines, schedule, suspects
from ..._fabric.measure.judge.waivers import Waivers
from ..._fabric.measure.plan import neighbours
from ..._fabric.measure.plan.records import FAIL, NOT_RUN, PASS, WAIVED
from ..._fabric.measure.report import handover, junit, page, results
from ..clock import now, today
from . import counters, state
from .records import PLAN
from .rounds import OVER, finished

if t.TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..._fabric.measure.judge.schedule import StepResult
    from ..._fabric.measure.plan.records import Suspect, Test
    from ..._fabric.measure.report.schema import RunRecord
    from ..._fabric.plan.fabric import Fabric
    from ..run import Result, Run
    from .records import Measurement

MOST_ABSENT = 3
"""Reasons of measurements that were not run that are shown: most are alike."""
MOST_LINES = 10
"""Failed tests and suspects that are shown; the reports have all."""
_WORDS = (("slow", "may be slow"), ("disturbs", "may disturb"))
"""Words for parts and neighbours: certain ones, and possible ones."""


def give(run: Run, *, strict: bool) -> Result:
    """The counts of all tests, and the record; the task fails on a breach."""
    facts = run.store.get(PLAN)
    if not facts.acts:
        return {"changed": False, "msg": "nothing was measured in check mode."}
    plan = run.fabric()
    found = state.kept(facts.file)
    state.same(facts.file, found, plan)
    done = finished(facts.file, found)
    known = baselines.load(plan)
    waivers = Waivers.load(plan, today())
    tests = [
        test
        for name in facts.levels
        for test in schedule.tests(plan, name, done, known, waivers=waivers)
    ]
    risen = counters.risen(plan, found, done)
    slow = [
        *suspects.find(plan, tests, risen),
        *neighbours.find(plan, tests, facts.nodes),
    ]
    row = _record(facts, found, tests, slow) | {"counters": risen}
    record = results.complete(plan, row | {"nccl_plugin": _plugin(done)})
    path = _written(facts.report, record)
    lines = _lines(tests, slow, record, path)
    lines += [] if facts.accept else _best(plan, record, done, known)
    state.remove(facts.file)
    counts = record["summary"]["counts"]
    run.show(lines)
    made: Result = {"changed": False, "counts": counts, "record": path}
    made["failed_checks"] = dict(
        collections.Counter(test["first"] for test in tests if test["state"] == FAIL)
    )
    over = _over(record, done)
    if why := _breach(facts, tests, over=over, strict=strict):
        made |= {"failed": True, "msg": f"{why} The record is {path}."}
    return made


def _record(
    facts: Measurement, found: state.State, tests: list[Test], slow: list[Suspect]
) -> dict[str, object]:
    began = datetime.datetime.fromtimestamp(found["began"], tz=datetime.UTC)
    levels = dict.fromkeys([*facts.levels, *(row["level"] for row in facts.not_run)])
    return {
        "run": facts.run,
        "levels": list(levels),
        "began": began.isoformat(timespec="seconds"),
        "ended": now().isoformat(timespec="seconds"),
        "by": _who(),
        "nodes": facts.nodes,
        "tests": tests,
        "suspects": slow,
        "not_run": [*facts.not_run, *_missing(facts, found, tests)],
        "disturbances": [*facts.disturbs, *sorted(set(found["gone"].values()))],
    }


def _who() -> str:
    """Name of the person who measures, on one line that a baseline may have; a user without a name has a number."""
    try:
        name = os.environ.get("SUDO_USER") or getpass.getuser()
    except (KeyError, OSError):  # the latter since Python 3.13
        name = ""
    return _text.line(name).strip()[: baselines.MOST_CHARACTERS].strip() or f"user {os.getuid()}"


def _plugin(done: Mapping[str, StepResult]) -> str:
    """The network plugin that NCCL named in the collectives of the run; empty where it named none."""
    rows = [one for row in done.values() for one in row.measured]
    named = sorted({str(name) for one in rows if (name := dict(one).get("plugin"))})
    return ", ".join(named)


def _missing(facts: Measurement, found: state.State, tests: Sequence[Test]) -> list[dict[str, str]]:
    """Levels that came to no round, or not to the end of each: one before them failed, or the time was over."""
    rows = found["rounds"].values()
    whole = {row["level"] for row in rows} - {row["level"] for row in rows if not row["done"]}
    return [
        {"level": name, "reason": schedule.blocked(name, tests) or OVER}
        for name in facts.levels
        if name not in whole
    ]


def _written(report: str, record: RunRecord) -> str:
    """Write the record and what is made of it; the path of the record."""
    path = results.write(report, record)
    stem = path.removesuffix(".json")
    before = results.newest(report, record["fabric"], before=record["run"])
    _reports.put(f"{stem}.xml", junit.junit(record), FabricError.of)
    _reports.put(f"{stem}.html", page.page(record, before), FabricError.of)
    _reports.put(f"{stem}-handover.html", handover.handover(record), FabricError.of)
    return path


def _best(
    plan: Fabric, record: RunRecord, done: Mapping[str, StepResult], known: baselines.Baselines
) -> list[str]:
    """Keep the best figures that the site has seen; what is said of it, nothing where no figure is better."""
    made = baselines.better(
        known,
        record["tests"],
        asked=[one for row in done.values() for one in row.asked],
        measurements=[one for row in done.values() for one in row.measured],
        date=record["ended"][:10],
        by=record["by"],
        run=record["run"],
    )
    if made == known:
        return []
    path = baselines.write(plan.beside(baselines.FILE), made)
    new = [figure for figure, row in made.items() if known.get(figure) != row]
    return [
        f"  {count(new, 'figure')} better than any before: kept in {path}, which belongs in git"
    ]


def _lines(
    tests: Sequence[Test], slow: Sequence[Suspect], record: RunRecord, path: str
) -> list[str]:
    """Summarise the run in a few lines."""
    lines = []
    for level, counts in record["summary"]["levels"].items():
        said = [f"{number} {state.replace('_', ' ')}" for state, number in counts.items() if number]
        lines.append(f"  {level}: {', '.join(said)}")
    lines += [f"  {row['level']}: not run: {row['reason']}" for row in record["not_run"]]
    failed = [test["sentence"] for test in tests if test["state"] == FAIL]
    lines += [f"  {text}" for text in some(failed, MOST_LINES)]
    absent = {_why(test): test["sentence"] for test in tests if test["state"] == NOT_RUN}
    lines += [f"  not run: {text}" for text in some(list(absent.values()), MOST_ABSENT)]
    for one in slow[:MOST_LINES]:
        word = _WORDS[one["kind"] == neighbours.TENANT][not one["certain"]]
        lines.append(f"  {word}: {one['kind']} {one['place']}: {' '.join(one['reasons'])}")
    return [*lines, f"  reports: {path}, beside it .xml, .html and -handover.html"]


def _why(test: Test) -> str:
    """The reason in the sentence of a test, without its place: those that many tests have are shown once."""
    return test["sentence"].partition(": ")[2]


def _over(record: RunRecord, done: Mapping[str, StepResult]) -> bool:
    """Check whether something was not measured because the time of the run was over."""
    rows = [one["sentence"] for row in done.values() for one in row.measured]
    return OVER in [*rows, *(row["reason"] for row in record["not_run"])]


def _breach(facts: Measurement, tests: Sequence[Test], *, over: bool, strict: bool) -> str:
    """Reason that the run fails, empty where it does not."""
    if facts.accept:
        return _unaccepted(facts.accept, tests)
    states = collections.Counter(test["state"] for test in tests)
    if states[FAIL]:
        failed = [test for test in tests if test["state"] == FAIL]
        return f"{count(failed, 'test')} of {len(tests)} failed."
    if not states[PASS] + states[WAIVED]:
        return "Nothing was measured, so nothing is proven; the reasons are above."
    if over:
        return "The time of the run was over before everything was measured: run it again, or name fewer nodes."
    if strict and states[NOT_RUN]:
        return f"{states[NOT_RUN]} of {len(tests)} tests were not run."
    return ""


def _unaccepted(node: str, tests: Sequence[Test]) -> str:
    """Reason that a node is not accepted: no partner has passed each test with it.

    One good partner shows that the node and its cables are well; another one's failure may be that one's own.
    """
    by_partner: dict[str, list[Test]] = {}
    for test in tests:
        if node in (test["first"], test["second"]):
            other = test["second"] if test["first"] == node else test["first"]
            by_partner.setdefault(other, []).append(test)
    good = (PASS, WAIVED)
    if any(rows and all(row["state"] in good for row in rows) for rows in by_partner.values()):
        return ""
    bad = [
        row["sentence"] for rows in by_partner.values() for row in rows if row["state"] not in good
    ]
    return " ".join(some(bad, 3)) or f"{node} was not measured with any partner."
