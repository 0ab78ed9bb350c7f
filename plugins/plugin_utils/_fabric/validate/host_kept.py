# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Do the files and units that the collection keeps on a host say and do what they should?

The module that writes them compares them, in check mode.
"""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from .host_view import View
    from .results import Result

Key = t.Literal["wrong_files", "wrong_units"]


def files(view: View) -> Iterator[Result]:
    """Content, owner and mode of what the collection keeps, and what could not be compared at all."""
    wrong = [*_wrong(view, "wrong_files"), *view.left, *_errors(view)]
    yield from _kept(view, "host.files", wrong, "wrong_files", "The files are as planned.")


def units(view: View) -> Iterator[Result]:
    """Units that run by their own files alone, the watchdog's timer among them."""
    # What is left is not ours, so that no playbook takes it away.
    wrong = [
        *_wrong(view, "wrong_units"),
        *(text for row in view.kept for text in row.get("left", ())),
    ]
    errors = _errors(view)
    if errors and not wrong:
        yield view.subject.not_run("host.units", f"The units were not compared: {errors[0]}")
        return
    yield from _kept(view, "host.units", wrong, "wrong_units", "The units run by their files.")


def _wrong(view: View, key: Key) -> list[str]:
    return [f"{text} Run playbook dpus." for row in view.kept for text in row.get(key, ())]


def _errors(view: View) -> list[str]:
    return [row["error"] for row in view.kept if row.get("error")]


def _kept(view: View, check_id: str, wrong: list[str], key: Key, good: str) -> Iterator[Result]:
    if wrong or any(key in row for row in view.kept):
        failed = [view.subject.failed(check_id, sentence) for sentence in wrong]
        yield from view.subject.judged(check_id, failed, good)
    else:
        why = "nothing was compared, as manage lists no role that keeps files there."
        yield view.subject.not_run(check_id, f"{view.subject.device}: {why}")
