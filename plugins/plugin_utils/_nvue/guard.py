# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a wish may not change, because of what the switch holds now.

A guard travels with a wish. It is asked for every plan that is made of the wish.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ...module_utils._json import Doc


@dataclass(frozen=True)
class Held:
    """What stays (globs), and why; ``drift`` are the sentences that somebody must act upon."""

    keep: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    drift: tuple[str, ...] = ()


class Guard(Protocol):
    """The rules of one switch."""

    def hold(self, before: Doc, wish: Doc) -> Held:
        """Return what stays as it is, given the applied and the wished document."""

    def forbid(self, before: Doc, after: Doc) -> tuple[str, ...]:
        """Return a sentence for each reason to refuse the change."""
