# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Releases of Cumulus Linux: reading, ordering, ranges."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import NvueError, RefusedError

_NUMBER = re.compile(r"(?<![\d.])(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?(?!\d)")


@dataclass(frozen=True, order=True, slots=True)
class Release:
    """A release such as 5.16.1; a missing last number counts as 0."""

    major: int
    minor: int
    patch: int = 0

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


# The oldest spelling that the dialect tables know.
OLDEST = Release(5, 9)


def parse(text: str) -> Release:
    """Return the release named in a text such as ``Cumulus Linux 5.16.1``."""
    match = _NUMBER.search(text)
    if match is None:
        raise NvueError(f"{text[:60]!r} is not a Cumulus Linux release: use one such as 5.16.1.")
    return Release(int(match[1]), int(match[2]), int(match[3] or 0))


def accepted(release: Release, wanted: str) -> bool:
    """Return whether ``wanted`` names the release; ``5.16`` names every 5.16.x."""
    numbers = [int(number) for number in re.findall(r"\d+", wanted)]
    if len(numbers) < 2:
        raise RefusedError(f"The accepted release {wanted!r} is not like 5.16 or 5.16.1.")
    return [release.major, release.minor, release.patch][: len(numbers)] == numbers[:3]


def within(release: Release, spans: str) -> bool:
    """Return whether a release lies in a span: ``5.14.0-5.16.4, 5.17.0`` (inclusive), ``>=5.15`` or ``*``."""
    return any(_within(release, span.strip()) for span in spans.split(","))


def _within(release: Release, span: str) -> bool:
    if span == "*":
        return True
    if span.startswith(">="):
        return release >= parse(span)
    first, _dash, last = span.partition("-")
    return parse(first) <= release <= parse(last or first)
