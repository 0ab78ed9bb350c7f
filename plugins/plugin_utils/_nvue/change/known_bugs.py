# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Known bugs of Cumulus Linux, from ``known_bugs.yaml``: for plans, for changes and for upgrades.

[bug.id for bug in of(parse("5.16.1"), "running")]
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ..document.release import Release, within

FILE = Path(__file__).with_name("known_bugs.yaml")
MOMENTS = ("running", "install", "change", "busy", "failure", "no_diff")
NEEDS = ("", "adaptive_routing", "telemetry")
REFUSE, WAIT, WARN = "refuse", "wait", "warn"
UPGRADE = ("", REFUSE, WAIT, WARN)


@dataclass(frozen=True)
class KnownBug:
    """A bug, the switches that have it, and one sentence of what happens and what to do."""

    id: int
    releases: str
    moment: str
    what: str
    remedy: str
    source: str
    fixed: str = ""
    models: tuple[str, ...] = ()
    asics: tuple[str, ...] = ()
    needs: str = ""
    refuse: bool = False
    upgrade: str = ""

    def hits(self, model: str, asic: str) -> bool:
        """Return whether a switch model has the bug."""
        everywhere = not self.models and not self.asics
        return everywhere or model in self.models or asic in self.asics


@functools.cache
def every() -> tuple[KnownBug, ...]:
    """Return all known bugs, as the file lists them."""
    text = FILE.read_text(encoding="utf-8")
    data: dict[str, Any] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return tuple(_bug(data["sources"], row) for row in data["bugs"])


def of(release: Release, moment: str) -> list[KnownBug]:
    """Return the bugs of a release that are reported at a moment."""
    return [bug for bug in every() if bug.moment == moment and within(release, bug.releases)]


def of_upgrade(before: Release, after: Release) -> list[KnownBug]:
    """Return the bugs that an upgrade heeds: those of either release."""
    return [
        bug
        for bug in every()
        if bug.upgrade and any(within(release, bug.releases) for release in (before, after))
    ]


def _bug(sources: dict[str, str], row: dict[str, Any]) -> KnownBug:
    lists = {key: tuple(row.get(key, ())) for key in ("models", "asics")}
    return KnownBug(**{**row, **lists, "source": sources[row["source"]]})
