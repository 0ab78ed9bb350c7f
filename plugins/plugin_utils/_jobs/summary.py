# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Output of the callback `summary`: progress while a run lasts, and the final state of the devices.

    progress = Progress(clock)
    progress.play("Switches", devices=48, batch=12, tasks=9)
    progress.task("Apply it")
    progress.result()
    progress.line()      "+12 s  Switches: task 1 of about 9, 1 of 48 devices, ..."

Nothing here knows Ansible: names, counts and plain data in, text out.
"""

from __future__ import annotations

import collections
import dataclasses
import re
import typing as t

from ...module_utils import _text
from .._fabric.catalog.roles import ROLES

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

STATES = (
    *("changed", "unchanged", "skipped"),
    *("different", "refused", "failed", "untrusted", "unreachable"),
)
ALWAYS = ("changed", "unchanged", "failed", "unreachable")
"""States that have a column even where no device is in them."""
MOST_NAMES, FEW_NAMES = 5, 3
"""Devices that are named with their places, and those of more that are named at all."""
MOST_WARNINGS = 20
SLOW = 2.0
"""Seconds after which a device is named as awaited."""
_PREFIX = re.compile(
    r"^(?:Task failed: |Action failed: |Module failed: |Finalization of task args for '[^']*' failed: "
    r"|Error while resolving value for '[^']*': |The (?:lookup|filter|test) plugin '[^']*' failed: )+"
)
_EXIT_CODE = "spectrum_x.fabric.exit_code"
_DONE = "everything requested is done"
_CHECKED = "nothing was written, and nothing would be refused"
REFUSED = {True: "a run that writes would be refused", False: "changes were refused"}
"""Words for refusals, in check mode and without it."""
MEANING = {
    2: "a task failed, or a check found a breach",
    4: "devices did not answer",
    8: "certificates were not trusted",
}
"""Meaning of each bit of the exit code."""


def duration(seconds: float) -> str:
    """`72.4` -> `1 min 12 s`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def plural(count: int, word: str) -> str:
    """`1 device`, `2 devices`."""
    return f"{count} {word}{'' if count == 1 else 's'}"


class Progress:
    """Progress of a run. A unit of work is one task on one device.

    The number of tasks of a play is what it states, until a batch has shown how many there are.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self.began = clock, clock()
        self._name = ""
        self._task = ""
        self._devices = self._batch = self._before = 0
        self._tasks = self._seen = self._units = self._here = 0
        self._grows = False
        self._started: dict[str, float] = {}
        self._play_began = self.began

    def play(self, name: str, *, devices: int, batch: int, tasks: int) -> None:
        """A play begins, or its next batch: `devices` in all batches, `tasks` as far as known."""
        if name == self._name and self._before + self._batch < self._devices:
            self._before += self._batch
            self._tasks, self._grows = max(self._tasks, self._seen), False
        else:
            self._before, self._units, self._grows = 0, 0, False
            self._tasks = tasks
            self._play_began = self._clock()
        self._name, self._devices, self._batch = name, devices, batch
        self._seen = self._here = 0
        self._started.clear()
        self._task = ""

    def task(self, name: str) -> None:
        """A task begins."""
        self._task, self._here = name, 0
        self._seen += 1
        if self._seen > self._tasks:
            self._tasks, self._grows = self._seen, True

    def start(self, device: str) -> None:
        """A device begins with the task."""
        self._started[device] = self._clock()

    def awaited(self) -> str:
        """`waits for leaf-01 (12 s), leaf-02 (3 s)`, those that began first; nothing where all are quick."""
        now = self._clock()
        # A copy, as another thread may ask while the run goes on.
        slow = sorted((began, name) for name, began in self._started.copy().items())
        slow = [(began, name) for began, name in slow if now - began >= SLOW]
        if not slow:
            return ""
        names = ", ".join(f"{name} ({duration(now - began)})" for began, name in slow[:FEW_NAMES])
        more = len(slow) - FEW_NAMES
        return f"waits for {names}" + (f" and {more} more" if more > 0 else "")

    def result(self, device: str = "") -> None:
        """A device is done with the task."""
        self._started.pop(device, None)
        self._units += 1
        self._here += 1

    def left(self) -> float | None:
        """Seconds until the play is done, by its rate so far; None while that is unknown, as it is
        while roles that a task includes add tasks nobody has counted."""
        rate = self.rate()
        if not rate or self._grows:
            return None
        return max(0.0, self._devices * self._tasks - self._units) / rate

    def rate(self) -> float:
        """Units of work a second in this play."""
        spent = self._clock() - self._play_began
        return self._units / spent if spent > 0 else 0.0

    def line(self) -> str:
        """One line for a person."""
        of = "" if self._grows else f" of about {self._tasks}"
        parts = [f"task {self._seen}{of} ({self._task or 'beginning'})"]
        done = min(self._before + self._here, self._devices)
        parts.append(f"{done} of {plural(self._devices, 'device')}")
        parts += filter(None, [self.awaited()])
        if self._units:
            parts.append(f"{self.rate():.1f} results a second")
        left = self.left()
        if left is not None:
            parts.append(f"about {duration(left)} left")
        elapsed = duration(self._clock() - self.began)
        return f"+{elapsed}  {self._name}: {', '.join(parts)}"


# Reasons


def reason(result: Mapping[str, t.Any]) -> str:
    """The sentences of a failed result, without what surrounds them; one a line."""
    rows = result.get("results")
    found = [row for row in (rows if isinstance(rows, list) else ()) if isinstance(row, dict)]
    if items := [row for row in found if row.get("failed") or row.get("unreachable")]:
        return "\n".join(dict.fromkeys(reason(row) for row in items))
    if result.get("censored"):
        return "The result is hidden (no_log)."
    text = "\n".join(_text.lines(str(result.get("msg") or "No reason was given.").strip()))
    text = _PREFIX.sub("", text)
    detail = str(result.get("stderr") or result.get("module_stderr") or "").strip()
    if detail and "rc" in result:
        text = f"{text}: {_text.line(detail.splitlines()[-1])}"
    return text


@dataclasses.dataclass(frozen=True, order=True)
class Message:
    """Message of a task about a device (or the controller): a failure, a refusal or a warning."""

    name: str
    task: str
    sentence: str


# Places


def group_of(spx: Mapping[str, t.Any], *, pods: bool) -> tuple[tuple[int, ...], str]:
    """The row that a device counts in: (order, words). `pods`: whether the words name the pod."""
    role = spx.get("role", "node")
    plane, pod, su = (int(spx.get(key) or 0) for key in ("plane", "pod", "su"))
    in_pod = f"pod {pod + 1}, " if pods else ""
    if role == "node":
        return (1, 0, pod, su, 0), f"nodes, {in_pod}SU {su + 1}"
    if role == "leaf":
        return (0, plane, pod, su, 0), f"plane {plane + 1}, {in_pod}SU {su + 1}, leaves"
    if role == "spine":
        return (0, plane, pod, 1 << 20, 0), f"plane {plane + 1}, {in_pod}spines"
    if role == "super_spine":
        return (0, plane, 1 << 20, 0, 0), f"plane {plane + 1}, {ROLES[role].plural}"
    record = ROLES[role]
    return (0, 1 << 20, record.tier, list(ROLES).index(role), 0), record.plural


def where(spx: Mapping[str, t.Any]) -> str:
    """`plane 1, pod 2, SU 3`: the place of a device, with what it has of these."""
    words = (("plane", "plane"), ("pod", "pod"), ("su", "SU"), ("pair", "pair"))
    return ", ".join(
        f"{word} {spx[key] + 1}" for key, word in words if isinstance(spx.get(key), int)
    )


Devices = t.Mapping[str, "tuple[t.Mapping[str, t.Any], str]"]


def table(devices: Devices, *, most: int) -> list[str]:
    """Rows of counts by plane and SU. Rows beyond `most` are folded, uneventful ones first."""
    pods = any(spx.get("pod") for spx, _state in devices.values())
    rows: dict[tuple[tuple[int, ...], str], collections.Counter[str]] = {}
    for spx, state in devices.values():
        rows.setdefault(group_of(spx, pods=pods), collections.Counter())[state] += 1
    named = [(words, counts) for (_order, words), counts in sorted(rows.items())]
    kept = _kept(named, most)
    folded = [row for row in named if row[0] not in kept]
    shown = [row for row in named if row[0] in kept]
    if folded:
        rest = sum((counts for _words, counts in folded), collections.Counter())
        shown.append((f"{plural(len(folded), 'other group')}", rest))
    return _lines(shown)


def _kept(rows: Sequence[tuple[str, collections.Counter[str]]], most: int) -> set[str]:
    """The rows to show, eventful ones first."""

    def weight(row: tuple[str, collections.Counter[str]]) -> int:
        counts = row[1]
        if any(counts[state] for state in STATES[3:]):
            return -2
        return -1 if counts["changed"] else 0

    return {words for words, _counts in sorted(rows, key=weight)[:most]}


def _lines(rows: Sequence[tuple[str, collections.Counter[str]]]) -> list[str]:
    width = max((len(words) for words, _counts in rows), default=0)
    states = [
        state
        for state in STATES
        if state in ALWAYS or any(counts[state] for _words, counts in rows)
    ]
    head = f"  {'':{width}}  devices" + "".join(f"  {state:>11}" for state in states)
    made = [head] if rows else []
    for words, counts in rows:
        cells = "".join(f"  {counts[state] or '-':>11}" for state in states)
        made.append(f"  {words:{width}}  {sum(counts.values()):>7}{cells}")
    return made


def reasons(
    said: Iterable[Message], places: Mapping[str, str], most: int | None = None
) -> list[str]:
    """Format messages of tasks: devices with the same sentence are one entry, `most` sentences at most."""
    same = alike(said)
    made: list[str] = []
    for group in same[:most]:
        made += _group(group, places)
    if most is not None and len(same) > most:
        made.append(f"  and {len(same) - most} more; the default output of Ansible shows all")
    return made


def alike(said: Iterable[Message]) -> list[list[Message]]:
    """Group messages of tasks by sentence."""
    same: dict[tuple[str, str], list[Message]] = {}
    for one in said:
        same.setdefault((one.task, shared(one)), []).append(one)
    return list(same.values())


def _own(said: Message) -> str:
    """A sentence without the name of its device in front, which is printed already."""
    return said.sentence.removeprefix(f"{said.name}: ")


def shared(said: Message) -> str:
    """A sentence with dots in place of its device, as all devices have it."""
    return re.sub(rf"(?<![\w.-]){re.escape(said.name)}(?![\w-])", "...", _own(said))


def foretold(said: Iterable[Message]) -> list[str]:
    """Format warnings about devices before they are changed, grouped as `reasons`, at most `MOST_WARNINGS` of them."""
    same = alike(said)
    made = [line for group in same[:MOST_WARNINGS] for line in _told(group, {})]
    if len(same) > MOST_WARNINGS:
        made.append(f"and {len(same) - MOST_WARNINGS} more: a run with --check shows all of them")
    return made


def _group(group: Sequence[Message], places: Mapping[str, str]) -> list[str]:
    first, *rest = _told(group, places)
    task = f"[task: {group[0].task}]"
    if not rest:
        return [f"  {first} {task}"]
    return [f"  {first}", *(f"    {line}" for line in (*rest, task))]


def _told(group: Sequence[Message], places: Mapping[str, str]) -> list[str]:
    """The devices and what all of them said, line by line."""
    if len(group) > MOST_NAMES:
        few = ", ".join(one.name for one in group[:FEW_NAMES])
        listed = f"{len(group)} devices: {few} and {len(group) - FEW_NAMES} more"
    else:
        where = ((one.name, places.get(one.name)) for one in group)
        listed = ", ".join(f"{name} ({place})" if place else name for name, place in where)
    sentence = _own(group[0]) if len(group) == 1 else shared(group[0])
    first, *rest = sentence.splitlines() or [""]
    return [f"{listed}: {first}", *rest]


def headline(
    names: Iterable[str],
    states: Sequence[str],
    seconds: float,
    *,
    check: bool,
    more: Sequence[str] = (),
) -> str:
    """`SUMMARY lab: 10 devices in 12 s: 4 changed, 6 unchanged; 2 warnings`."""
    counts = collections.Counter(states)
    words = {"refused": "would be refused", "changed": "would change"} if check else {}
    words["different"] = "differ and were not changed"
    listed = [f"{counts[state]} {words.get(state, state)}" for state in STATES if counts[state]]
    rest = f"; {', '.join(more)}" if more else ""
    if not states:
        return f"SUMMARY: ran on the controller alone, in {duration(seconds)}{rest}"
    what = f"SUMMARY {', '.join(sorted(names)) or 'of the run'}: "
    return (
        f"{what}{plural(len(states), 'device')} in {duration(seconds)}: {', '.join(listed)}{rest}"
    )


def ending(own: Sequence[int], code: int, why: Sequence[str], *, check: bool, exact: bool) -> str:
    """Describe the exit code and its meaning.

    `own` is what Ansible itself may end with, `code` what says all; `exact` makes it the exit code.
    """
    number = str(code) if exact else " or ".join(map(str, own))
    but = "" if code or not why else ", but there are open points"
    listed = ", and ".join(why) or (_CHECKED if check else _DONE)
    hint = "" if exact or [code] == list(own) else f" ({code} with the callback {_EXIT_CODE})"
    return f"ends with {number}{but}: {listed}{hint}"
