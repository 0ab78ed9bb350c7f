# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: summary
type: stdout
short_description: Progress with the time left, and one summary by plane and SU
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Replaces the scroll of tasks. While a run lasts, a line says which task of which play is at work, how many devices
    are done, at which rate, and about how long it will still take. On a terminal the line is rewritten in place; in a
    log of a CI system a new one appears every few seconds, without any control characters.
  - While nothing else happens the line comes all the same, and names the devices that are waited for, and for how long.
    In a log it comes ever less often then, up to once in twelve intervals.
  - A failure is one line at once - the device, its place and the sentence. Further devices that fail alike, and what
    is refused, are listed at the end.
  - At the end one table says for each plane and SU how many devices were changed, unchanged, failed or unreachable,
    then why those failed. A device with failed checks counts as failed. Where a certificate was not trusted, a
    change is refused, or a device differs from the plan and was not changed, the table has a column of its own for it.
  - Refusals of this run, or of a run that writes, and warnings are listed below it - one line for each sentence,
    with the devices.
  - The last line says what the exit code means, and how many tasks changed anything, those on the controller
    included; C(changed=0) is a run that had nothing to do. A run that was refused, or would be, or that failed a
    check, never ends as done. Nor does one that met no host, or that only planned, as C(manage) of the description
    does not list what would write.
  - Places come from the host variable C(spx) that P(spectrum_x.fabric.fabric#inventory) sets; hosts without it count
    as the controller's.
  - With C(-v) and more, each changed task is a line of its own. Differences are shown with C(--diff).
options:
  interval:
    description: Seconds between two lines of progress where the output is no terminal.
    type: float
    default: 5
    env:
      - name: SPX_SUMMARY_INTERVAL
    ini:
      - section: spx_summary
        key: interval
  rows:
    description: Most rows of the table at the end; those in which nothing happened are folded first.
    type: int
    default: 40
    env:
      - name: SPX_SUMMARY_ROWS
    ini:
      - section: spx_summary
        key: rows
requirements:
  - Set as stdout callback, C(stdout_callback = spectrum_x.fabric.summary) in the section C(defaults) of
    C(ansible.cfg), or E(ANSIBLE_STDOUT_CALLBACK=spectrum_x.fabric.summary).
"""

EXAMPLES = r"""
# ansible.cfg
# [defaults]
# stdout_callback = spectrum_x.fabric.summary
# callbacks_enabled = spectrum_x.fabric.exit_code
#
# [spx_summary]
# interval = 10
"""

import sys
import time
import typing as t

from ansible import constants, context
from ansible.plugins.callback import CallbackBase

from ..module_utils import _text
from ..plugin_utils._edge.faults import watched
from ..plugin_utils._edge.outcome import Outcome, believed, devices, own_codes
from ..plugin_utils._edge.ticker import Ticker
from ..plugin_utils._jobs import summary

_TERMINAL_INTERVAL = 0.2
_SHORTEST = 1.0
"""Seconds between two lines that come although nothing happens, at least."""
_LONGER = 12
"""Intervals, at most, between two lines in a log while nothing happens: each time it is twice as many."""
_CLEAR = "\r\x1b[K"
_EXIT_CODE = "spectrum_x.fabric.exit_code"


@watched
class CallbackModule(CallbackBase):
    """Hears the run's events; the words are those of `_jobs.summary`."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "spectrum_x.fabric.summary"

    def __init__(self) -> None:
        super().__init__()
        self._progress = summary.Progress(time.monotonic)
        self._terminal = sys.stdout.isatty()
        self._interval, self._rows = 5.0, 40
        self._last = time.monotonic()
        self._quiet = 0
        self._drawn = False
        self._ticker: Ticker | None = None
        self._header = ""
        self._places: dict[str, dict[str, t.Any]] = {}
        self._told: set[tuple[str, str]] = set()
        self._last_is_failure = False
        self._unmet = False
        self._check = bool(context.CLIARGS.get("check"))
        self._outcome = Outcome(check=self._check)
        self._outcome.sought = bool(context.CLIARGS.get("start_at_task"))

    def set_options(
        self, task_keys: t.Any = None, var_options: t.Any = None, direct: t.Any = None
    ) -> None:
        """Take the configuration over."""
        super().set_options(task_keys=task_keys, var_options=var_options, direct=direct)
        self._interval = _TERMINAL_INTERVAL if self._terminal else self.get_option("interval")
        self._rows = self.get_option("rows")

    # Output

    def _say(self, text: str, colour: str | None = None) -> None:
        """Show a text; only its first line begins at the left, as lines of the run do."""
        self._last_is_failure = False
        with self._display._lock:
            if self._drawn:
                sys.stdout.write(_CLEAR)
                self._drawn = False
            first, *rest = _text.lines(text)
            self._display.display(
                "\n".join([first, *(f"    {line}" for line in rest)]), color=colour
            )

    def _tick(self) -> None:
        longer = 1 if self._terminal else min(2**self._quiet, _LONGER)
        if time.monotonic() - self._last >= self._interval * longer:
            self._draw()

    def _draw(self) -> None:
        with self._display._lock:
            self._last = time.monotonic()
            self._quiet += 1
            line = _text.line(self._progress.line())
            if not self._terminal:
                self._display.display(line)
                return
            sys.stdout.write(_CLEAR + line[: self._display.columns - 1])
            sys.stdout.flush()
            self._drawn = True

    def _watch(self) -> None:
        """Go on with lines of progress while nothing happens."""
        seconds = max(_SHORTEST, self._interval)
        self._ticker = Ticker(self._tick, lock=self._display._lock, seconds=seconds)

    # Plays and tasks

    def v2_playbook_on_play_start(self, play: t.Any) -> None:
        """A play, or its next batch."""
        if self._ticker is None:
            self._watch()
        found = play.get_variable_manager().get_vars(play=play)
        everyone = found.get("ansible_play_hosts_all", ())
        batch = found.get("ansible_play_batch", ())
        tasks = sum(_count(block) for block in play.compile())
        name, hosts = play.get_name().strip(), max(1, len(everyone))
        self._progress.play(name, devices=hosts, batch=len(batch) or 1, tasks=tasks)
        share = f"{len(batch)} of " if 0 < len(batch) < len(everyone) else ""
        self._header = f"PLAY {name}: {share}{summary.plural(hosts, 'host')}"

    def v2_playbook_on_no_hosts_matched(self) -> None:
        """A play without hosts has nothing to do; the end says so where no other play had."""
        self._header = ""
        self._unmet = True

    def v2_playbook_on_no_hosts_remaining(self) -> None:
        """A play that lost its last host."""
        self._say("  no host is left in this play", constants.COLOR_ERROR)

    def v2_playbook_on_task_start(self, task: t.Any, is_conditional: bool) -> None:
        """A task; the first of a play says which play that is."""
        self._outcome.sought = False
        if self._header:
            self._say(self._header)
            self._header = ""
        self._progress.task(task.get_name().strip())
        self._tick()

    def v2_playbook_on_handler_task_start(self, task: t.Any) -> None:
        """A handler."""
        self.v2_playbook_on_task_start(task, False)

    def v2_runner_on_start(self, host: t.Any, task: t.Any) -> None:
        """A device begins with a task."""
        self._progress.start(str(host.get_name()))

    # Results

    def v2_runner_on_ok(self, result: t.Any) -> None:
        """Done."""
        self._heard(result)
        if result.result.get("_ansible_verbose_always") or self._display.verbosity > 2:
            self._show(result)
        elif result.result.get("changed") and self._display.verbosity:
            self._say(
                f"  changed: {result.host.get_name()}: {result.task_name}", constants.COLOR_CHANGED
            )

    def v2_runner_on_skipped(self, result: t.Any) -> None:
        """Not needed."""
        self._heard(result)

    def v2_runner_on_failed(self, result: t.Any, ignore_errors: bool = False) -> None:
        """Failed: a line at once, and a reason for the summary."""
        self._heard(result)
        if ignore_errors:
            self._outcome.passed_over += 1
        else:
            self._failed(result, "FAILED")

    def v2_runner_on_unreachable(self, result: t.Any) -> None:
        """No answer."""
        self._heard(result)
        self._failed(result, "UNREACHABLE")

    def v2_on_file_diff(self, result: t.Any) -> None:
        """Differences, where asked for."""
        rows = result.result.get("results") if result.task.loop else [result.result]
        for row in rows or ():
            told = row.get("diff") and row.get("changed")
            diff = self._get_diff(_text.plain(row["diff"])) if told else None
            if diff:
                self._say(f"  {result.host.get_name()}:\n{diff.rstrip()}")

    def _heard(self, result: t.Any) -> None:
        name = _whose(result)
        if name not in self._places:
            own = result.host.get_vars() if name == result.host.get_name() else {}
            self._places[name] = own.get("spx") or {}
        found = believed(result.task, result.result)
        for device, row in devices(found).items():
            self._places.setdefault(device, row.get("spx") or {})
        self._quiet = 0
        self._outcome.heard(name, result.task_name, found)
        self._progress.result(str(result.host.get_name()))
        self._tick()

    def _show(self, result: t.Any) -> None:
        """Show the message of a task, such as that of ansible.builtin.debug."""
        found = result.result
        told = found.get("msg")
        if told is None:
            told = self._dump_results(found, indent=2)
        for line in told if isinstance(told, list) else [told]:
            self._say(f"  {line}")

    def _failed(self, result: t.Any, word: str) -> None:
        name, host = _whose(result), result.host.get_name()
        found = believed(result.task, result.result)
        said = self._outcome.failed(name, host, result.task_name, found)
        key = (result.task_name, summary.shared(said))
        if key in self._told or not self._outcome.beyond_refusals(name):
            return
        self._told.add(key)
        place = summary.where(self._places[name])
        told = f"{name} ({place})" if place else name
        self._say(f"{word} {told}: {said.sentence}", constants.COLOR_ERROR)
        self._last_is_failure = True

    # The end

    def v2_playbook_on_stats(self, stats: t.Any) -> None:
        """The summary."""
        if self._ticker is not None:
            self._ticker.stop()
        outcome = self._outcome
        devices = {
            name: (place, outcome.state(stats, name))
            for name, place in sorted(self._places.items())
            if place and (name in stats.processed or name in outcome.devices)
        }
        outcome.nobody = self._unmet and not devices
        names = {str(place.get("fabric", "")) for place, _state in devices.values()} - {""}
        states = [state for _place, state in devices.values()]
        seconds = time.monotonic() - self._progress.began
        failed = outcome.final(stats)
        # A sentence that was the last one said is not repeated.
        failed = [] if self._last_is_failure and len(failed) == 1 else failed
        self._say("")
        self._say(
            summary.headline(
                names, states, seconds, check=self._check, more=outcome.counts(stats, devices)
            )
        )
        for line in summary.table(devices, most=self._rows):
            self._say(line)
        self._reasons(failed)
        exact = _EXIT_CODE in constants.CALLBACKS_ENABLED
        ending = summary.ending(
            own_codes(stats),
            outcome.code(stats),
            outcome.why(stats),
            check=self._check,
            exact=exact,
        )
        self._say(f"{ending}, changed={sum(stats.changed.values())}")

    def _reasons(self, failed: list[summary.Message]) -> None:
        """Show failures, refusals and warnings."""
        places = {name: summary.where(place) for name, place in self._places.items()}
        red, yellow = constants.COLOR_ERROR, constants.COLOR_WARN
        refused = "would be refused:" if self._check else "refused:"
        for title, said, most, colour in (
            ("", failed, None, red),
            (refused, self._outcome.refusals(), None, red),
            ("warnings:", self._outcome.warnings(), summary.MOST_WARNINGS, yellow),
        ):
            for line in (
                *([title] if title and said else ()),
                *summary.reasons(said, places, most),
            ):
                self._say(line, colour)


def _whose(result: t.Any) -> str:
    """Name the host of a result; a task that the controller runs once for all hosts belongs to localhost."""
    task = result.task
    once = task.run_once and task.delegate_to == "localhost"
    return "localhost" if once else str(result.host.get_name())


def _count(block: t.Any) -> int:
    """Tasks of a block that will run if nothing fails."""
    return sum(
        _count(part) if hasattr(part, "block") else int(part.action not in constants._ACTION_META)
        for part in (*block.block, *block.always)
    )
