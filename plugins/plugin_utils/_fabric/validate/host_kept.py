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
    """Content, owner and mode of what the collection keeps on the host."""
    yield from _kept(view, "host.files", "wrong_files", "The files are as planned.")


def units(view: View) -> Iterator[Result]:
    """Units that run by their own files alone, the watchdog's timer among them."""
    yield from _kept(view, "host.units", "wrong_units", "The units run by their files.")


def _kept(view: View, check_id: str, key: Key, good: str) -> Iterator[Result]:
    """A module that failed says what it refuses, among the files; one that was not asked, nothing."""
    rows = [row for row in view.kept if key in row]
    wrong = [f"{sentence} Run playbook dpus." for row in rows for sentence in row[key]]
    wrong += [sentence for row in view.kept for sentence in row.get(LEFT[key], ())]
    failed = [str(row["msg"]) for row in view.kept if row.get("failed")]
    for sentence in wrong + (failed if key == "wrong_files" else []):
        yield view.subject.failed(check_id, sentence)
    if wrong or (failed and key == "wrong_files"):
        return
    if failed:
        yield view.subject.not_run(check_id, f"The units were not compared: {failed[0]}")
    elif rows:
        yield view.subject.passed(check_id, good)
    else:
        why = "nothing was compared, as manage lists no role that keeps files there."
        yield view.subject.not_run(check_id, f"{view.subject.device}: {why}")


LEFT: dict[Key, t.Literal["left_files", "left"]] = {
    "wrong_files": "left_files",
    "wrong_units": "left",
}
"""What is not ours, so that no playbook takes it away."""
