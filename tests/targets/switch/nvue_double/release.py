# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cumulus Linux releases: comparing them, and what each one does differently."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Release:
    """A release such as 5.16.1; a missing patch level counts as 0."""

    major: int
    minor: int
    patch: int = 0

    @classmethod
    def parse(cls, text: str) -> Release:
        """Read "5.16" or "5.16.1"; anything else is a ValueError naming the text."""
        match = re.fullmatch(r"(\d+)\.(\d+)(?:\.(\d+))?", text.strip())
        if match is None:
            raise ValueError(f"'{text}' is not a release such as 5.16.1")
        return cls(*(int(part or 0) for part in match.groups()))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"

    def at_least(self, text: str) -> bool:
        """Check whether this release is `text` or later; "5.15" means 5.15.0."""
        return self >= Release.parse(text)

    def up_to(self, text: str) -> bool:
        """Check whether this release is at most `text`; "5.14" includes every 5.14.z."""
        if text.count(".") == 1:
            return (self.major, self.minor) <= tuple(int(part) for part in text.split("."))
        return self <= Release.parse(text)

    def within(self, span: str) -> bool:
        """Check whether a span such as "5.16.1-5.17.0", ">=5.15.0" or "5.18.0" holds this release."""
        if span.startswith(">="):
            return self.at_least(span[2:])
        first, dummy, last = span.partition("-")
        return self.at_least(first) and self.up_to(last or first)

    @property
    def modern(self) -> bool:
        """Check whether the spelling of 5.15 and later applies."""
        return self.at_least("5.15")
