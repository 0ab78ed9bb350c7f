# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The last run as the atlas shows it: the result, what is suspected, and the ports at which measurements failed.

{run, ended, state, words,
 suspects: [[title, [[device, port], ...], [reason, ...]], ...], left_out,
 devices: {device: [[port, failed, tests, worst words], ...]}}
"""

from __future__ import annotations

import typing as t

from ...plan.topology.cabling import NicPort
from ..plan.records import FAIL, NOT_RUN, PASS, ends
from . import figures

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...plan.fabric import Fabric
    from ..plan.records import Suspect, Test
    from .schema import RunRecord

MOST_SUSPECTS = 50
_STATES = {FAIL: "failed", PASS: "passed"}
End = tuple[str, int, int]
"""A node with a rail and a plane."""


def of(fabric: Fabric, record: RunRecord) -> dict[str, t.Any]:
    """The overlay of a record; devices that the plan no longer has are left out."""
    found = record["suspects"]
    return {
        "run": record["run"],
        "ended": record["ended"],
        "state": _STATES.get(record["summary"]["result"], "partly"),
        "words": figures.verdict(record),
        "suspects": [_suspect(record, one) for one in found[:MOST_SUSPECTS]],
        "left_out": max(0, len(found) - MOST_SUSPECTS),
        "devices": _devices(fabric, record["tests"]),
    }


def _suspect(record: RunRecord, suspect: Suspect) -> list[t.Any]:
    ends = record["where"].get(suspect["place"], {"ends": []})["ends"]
    sure = "" if suspect["certain"] else " (one of several)"
    places = [[end["device"], end["port"]] for end in ends]
    return [f"{suspect['kind']} {suspect['place']}{sure}", places, suspect["reasons"]]


def _devices(fabric: Fabric, tests: Iterable[Test]) -> dict[str, list[list[t.Any]]]:
    """By node: the NIC ports at which something failed, the node with most of it first."""
    groups: dict[End, list[Test]] = {}
    for test in tests:
        for end in _ends(test):
            groups.setdefault(end, []).append(test)
    made: dict[str, list[list[t.Any]]] = {}
    for (name, rail, plane), own in sorted(groups.items()):
        device, failed = fabric.device(name), [one for one in own if one["state"] == FAIL]
        if failed and device is not None:
            port = fabric.port_name(device, NicPort(rail, plane))
            ran = sum(one["state"] != NOT_RUN for one in own)
            made.setdefault(name, []).append([port, len(failed), ran, _worst(failed)])
    most = sorted(made.items(), key=lambda row: -sum(failed for _port, failed, *_more in row[1]))
    return dict(most)


def _ends(test: Test) -> Iterator[End]:
    for name, rail, plane in ends(test):
        if name and rail is not None:
            yield name, rail, plane or 0


def _worst(failed: Iterable[Test]) -> str:
    """The sentence of the failed test that is furthest from its limit."""
    return max(failed, key=_beyond)["sentence"]


def _beyond(test: Test) -> float:
    """Distance of a test from its limit; a test without a measurement is furthest."""
    value, limit = test["value"], test["limit"]
    if not value or not limit:
        return float("inf")
    less = figures.less_is_better(test["level"], test["kind"], test["step"])
    return value / limit if less else limit / value
