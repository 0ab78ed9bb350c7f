# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Outcome of a run's tasks: failures, refusals, failed checks, warnings, an exit code.

Both callbacks hear every result; what they conclude is the same. Of a result count:

    would_refuse    sentences: a run that writes would refuse this
    untrusted       with `failed`: the certificate of the device was not trusted
    failed_checks   by device: how many checks found a breach
    warnings        sentences
    foretold        warnings, each with its device in front, that the task showed before anything is changed
    devices         by device: {state, spx} of those that one task of the controller spoke to; `state` is a word of
                    the summary, `spx` the device's place

These keys count in results of actions of this collection alone, which run on the controller: another module, and any
module that runs on a device, returns what it likes. Nothing here knows Ansible but the shape of a task, of a result and
of `stats`.
"""

from __future__ import annotations

import collections
import typing as t
from collections.abc import Mapping
from pathlib import Path

from ...module_utils import _text
from .._jobs import summary

if t.TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from .._jobs.summary import Message

FAILED, UNREACHABLE, UNTRUSTED = 2, 4, 8
_ACTIONS = Path(__file__).resolve().parents[2] / "action"
OWN = {f"spectrum_x.fabric.{path.stem}" for path in _ACTIONS.glob("*.py")}
"""Tasks whose results are believed."""
_OWN_KEYS = frozenset(
    {"would_refuse", "untrusted", "failed_checks", "devices", "due", "only_planned", "foretold"}
)
_WORSE = ("unchanged", "changed", "failed", "untrusted", "unreachable")
_UNLISTED = "manage of the description lists no role that writes there"
_NO_TASK = "no task of the run has the name of --start-at-task, so none was run"
_NOBODY = "no host matched: check the limit and the inventory"
_ANNOUNCED = "Would be refused: "
"""Beginning of a warning that repeats a sentence of `would_refuse` for readers without a summary."""


def believed(task: object, result: Mapping[str, object]) -> Mapping[str, object]:
    """Return a result with what counts in it: of a task that is not ours, nothing that only an action of ours says."""
    if OWN & {str(getattr(task, "resolved_action", "")), str(getattr(task, "action", ""))}:
        return result
    rows = result.get("results")
    cut = {key: value for key, value in result.items() if key not in _OWN_KEYS}
    if isinstance(rows, list):
        cut["results"] = [believed(task, row) for row in rows if isinstance(row, Mapping)]
    return cut


class Stats(t.Protocol):
    """The statistics of a run, as Ansible counts them: hosts with the number of their tasks."""

    @property
    def failures(self) -> Mapping[str, int]:
        """Return failed tasks."""

    @property
    def dark(self) -> Mapping[str, int]:
        """Return tasks for which a host did not answer."""

    @property
    def changed(self) -> Mapping[str, int]:
        """Return tasks that changed something."""


class Outcome:
    """Collects while a run lasts; answers at its end. `check`: whether the run only checks."""

    def __init__(self, *, check: bool = False) -> None:
        self.check = check
        self.failures: dict[str, Message] = {}
        self.failed_checks: collections.Counter[str] = collections.Counter()
        self.passed_over = 0
        self._refusals: dict[tuple[str, str], Message] = {}
        self._refused: set[str] = set()
        self._only_planned: set[str] = set()
        self._due: set[str] = set()
        """Devices that differ from the plan, by the last task that compared them."""
        self.nobody = False
        """Set where a play had no host, and no device was touched."""
        self.sought = False
        """Set where the run is to begin at a named task, and none was begun yet."""
        self._warnings: dict[tuple[str, str], Message] = {}
        self._foretold: set[tuple[str, str]] = set()
        """Warnings that the run showed before it changed anything."""
        self._untrusted: dict[str, bool] = {}
        self._host_of: dict[str, str] = {}
        self.devices: dict[str, str] = {}
        self._passed_over: dict[str, bool] = {}
        """Hosts by whether every task passed them over."""

    # Results

    def heard(self, name: str, task: str, result: Mapping[str, object]) -> None:
        """A result of a task on a host, whether it failed or not."""
        over = bool(result.get("skipped")) and self._passed_over.get(name, True)
        self._passed_over[name] = over
        for row in _rows(result):
            if row.get("only_planned") is True:
                self._only_planned.add(name)
            if "due" in row:
                (self._due.add if row["due"] is True else self._due.discard)(name)
            for who, sentence in _said(row, "would_refuse", name, devices(row)):
                self._refusals[who, sentence] = summary.Message(who, task, sentence)
                self._refused.add(who)
            checks = row.get("failed_checks")
            for device, count in checks.items() if isinstance(checks, Mapping) else ():
                self.failed_checks[str(device)] += count if isinstance(count, int) else 1
            for text in _texts(row, "foretold"):
                device, _colon, sentence = text.partition(": ")
                self._foretold.add((device, sentence))
            for device, found in devices(row).items():
                self._met(device, str(found["state"]))
        known = {device for row in _rows(result) for device in devices(row)}
        for who, sentence in _said(result, "warnings", name, known):
            if (who, sentence.removeprefix(_ANNOUNCED)) not in self._refusals:
                self._warnings[who, sentence] = summary.Message(who, task, sentence)

    def _met(self, device: str, state: str) -> None:
        """Note a task's state of a device; the worst of a run counts."""
        before = self.devices.get(device, "unchanged")
        self.devices[device] = max(before, state, key=_WORSE.index)

    def failed(self, name: str, host: str, task: str, result: Mapping[str, object]) -> Message:
        """A failure that is held against `name`, counted by Ansible for `host`."""
        said = summary.Message(name, task, summary.reason(result))
        self.failures[name] = said
        self._host_of[name] = host
        self._untrusted[host] = any(row.get("untrusted") for row in _rows(result))
        return said

    # The end

    def state(self, stats: Stats, name: str) -> str:
        """Return the state of a device, in one word."""
        if stats.dark.get(name) or self.devices.get(name) == "unreachable":
            return "unreachable"
        if name in self.failures and stats.failures.get(name):
            if self._untrusted[name]:
                return "untrusted"
            return "failed" if self.beyond_refusals(name) else "refused"
        if self.failed_checks[name]:
            return "failed"
        if self.devices.get(name) in ("failed", "untrusted"):
            return self.devices[name]
        if name in self._refused:
            return "refused"
        changed = stats.changed.get(name) or self.devices.get(name) == "changed"
        if changed:
            return "changed"
        if name in self._due:
            return "different"
        over = self._passed_over.get(name) and name not in self.devices
        return "skipped" if over else "unchanged"

    def beyond_refusals(self, name: str) -> bool:
        """Check whether a failure is more than the refusals of the run, on this device or as a sum."""
        refused = {text for device, text in self._refusals if name in (device, "localhost")}
        return not refused.issuperset(self.failures[name].sentence.splitlines())

    def code(self, stats: Stats) -> int:
        """The exit code for all that happened."""
        code = FAILED if self._refusals or self.sought else 0
        for host in _counted(stats.failures):
            code |= UNTRUSTED if self._untrusted.get(host) else FAILED
        code |= UNTRUSTED if "untrusted" in self.devices.values() else 0
        code |= UNREACHABLE if "unreachable" in self.devices.values() else 0
        return code | (UNREACHABLE if _counted(stats.dark) else 0)

    def why(self, stats: Stats) -> list[str]:
        """Explain the exit code; with 0, list open points for which no task failed."""
        code = self.code(stats)
        if not code:
            return self.open(stats)
        if self.sought:
            return [_NO_TASK]
        words = [text for bit, text in summary.MEANING.items() if code & bit]
        if not self._refusals:
            return words
        failed = any(not self._untrusted[self._host_of[said.name]] for said in self.final(stats))
        return [summary.REFUSED[self.check], *(words if failed else words[1:])]

    def final(self, stats: Stats) -> list[Message]:
        """The failures that ended a device's part in the run; neither ignored nor rescued ones."""
        return [
            said
            for name, said in sorted(self.failures.items())
            if (stats.failures.get(host := self._host_of[name]) or stats.dark.get(host))
            and self.beyond_refusals(name)
        ]

    def refusals(self) -> list[Message]:
        """List the refusals of a run that would write."""
        return sorted(self._refusals.values())

    def warnings(self) -> list[Message]:
        """Warnings, without those that are the reason of a failure too, and those that were foretold."""
        lines = {(s.name, line) for s in self.failures.values() for line in s.sentence.splitlines()}
        lines |= self._foretold
        return sorted(said for key, said in self._warnings.items() if key not in lines)

    def counts(self, stats: Stats, listed: Collection[str]) -> list[str]:
        """For the headline: failures beside those of devices, failed checks, and sentences to read, each once.

        `listed` are the devices that the headline counts.
        """
        failed = () if self.failed_checks else self.final(stats)
        beside = [one for one in failed if one.name not in listed]
        counts = (
            (len(summary.alike(beside)), "failure", " of the run"),
            (sum(self.failed_checks.values()), "check", " failed"),
            (len(summary.alike(self.refusals())), "refusal", " to come" if self.check else ""),
            (len(summary.alike(self.warnings())), "warning", ""),
        )
        return [f"{summary.plural(count, word)}{what}" for count, word, what in counts if count]

    def open(self, stats: Stats) -> list[str]:
        """List open points that Ansible does not count as failures."""
        ended = {*_counted(stats.failures), *_counted(stats.dark)}
        rescued = sum(host not in ended for host in self._host_of.values())
        counts = (
            (sum(self.failed_checks.values()), "check", "failed"),
            (self.passed_over + rescued, "failure", "ignored or rescued"),
            (len(self._only_planned), "host", f"only planned: {_UNLISTED}"),
        )
        found = [f"{summary.plural(count, word)} {what}" for count, word, what in counts if count]
        return [*found, *([_NOBODY] if self.nobody else ())]


def own_codes(stats: Stats) -> list[int]:
    """Return the codes with which Ansible itself may end: where both apply, either is possible."""
    pairs = ((FAILED, stats.failures), (UNREACHABLE, stats.dark))
    return [code for code, counts in pairs if _counted(counts)] or [0]


def _counted(counts: Mapping[str, int]) -> list[str]:
    return [host for host, count in counts.items() if count]


def _rows(result: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    yield result
    rows = result.get("results")
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict):
            yield row


def devices(row: Mapping[str, object]) -> dict[str, Mapping[str, object]]:
    """Return the devices in the result of a task of ours; other modules return something else of that name."""
    found = row.get("devices")
    rows = found.items() if isinstance(found, Mapping) else ()
    return {
        str(name): about
        for name, about in rows
        if isinstance(about, Mapping) and about.get("state") in _WORSE
    }


def _said(
    row: Mapping[str, object], key: str, name: str, known: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Sentences with the device that each is about: one of `known` in front of it, else `name`."""
    for text in _texts(row, key):
        who, _colon, rest = text.partition(": ")
        yield (who, rest) if who in known else (name, text)


def _texts(row: Mapping[str, object], key: str) -> list[str]:
    found = row.get(key) or []
    texts = found if isinstance(found, (list, tuple)) else [found]
    return [_text.line(text) for text in texts]
