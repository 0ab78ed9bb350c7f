# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows: times for which somebody has agreed that work disturbs others.

Window.of("2026-12-31 CHG-42", today)     variable spx_window, until the end of a day
is_open(row, now, seconds)                a row of `windows` in the description
"""

from __future__ import annotations

import dataclasses
import datetime
import typing as t

from .errors import FabricError

if t.TYPE_CHECKING:
    from .description import WorkWindow


@dataclasses.dataclass(frozen=True)
class Window:
    """An agreed time for work that disturbs others: its last day, and why it was agreed."""

    until: datetime.date
    reason: str

    @classmethod
    def of(cls, text: str, today: datetime.date) -> Window:
        """The window of `2026-12-31 CHG-42, agreed with acme`; FabricError where it is none, or is over."""
        day, _blank, reason = text.strip().partition(" ")
        try:
            made = cls(datetime.date.fromisoformat(day), reason.strip())
        except ValueError:
            made = None
        if made is None or not made.reason:
            raise FabricError.of(
                f"variable spx_window: '{text}' is not allowed: write its last day and the reason, such as "
                "'2026-12-31 CHG-42, agreed with acme'."
            )
        if made.until < today:
            raise FabricError.of(
                f"variable spx_window: it expired on {made.until}: set a later date, or leave the variable out."
            )
        return made


def is_open(row: WorkWindow, now: datetime.datetime, seconds: float = 0) -> bool:
    """Check whether a window is open, and stays so for some seconds."""
    end = datetime.datetime.fromisoformat(row.until)
    return begin(row) <= now and now + datetime.timedelta(seconds=seconds) <= end


def begin(row: WorkWindow) -> datetime.datetime:
    """Return when a window opens."""
    return datetime.datetime.fromisoformat(row.from_)
