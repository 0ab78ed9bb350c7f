# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches that are unlike the reference, by name: data/profiles.yml as options and faults."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from .faults import Faults

_JOINED = ("lacking", "deaf")


@dataclass(frozen=True)
class Profile:
    """Options, and faults that strike until they are cleared."""

    options: dict[str, Any] = field(default_factory=dict)
    faults: tuple[dict[str, Any], ...] = ()

    def __add__(self, other: Profile) -> Profile:
        """Both: the places of lacking and deaf together, of any other option what `other` says."""
        both = {**self.options, **other.options}
        for name in _JOINED:
            if name in both:
                both[name] = (*self.options.get(name, ()), *other.options.get(name, ()))
        return Profile(both, (*self.faults, *other.faults))

    def order(self, faults: Faults) -> None:
        """Order the faults of the profile."""
        for fault in self.faults:
            faults.order(**{"count": None, **fault})


def of_names(names: str | Iterable[str]) -> Profile:
    """The profile of a name, or of several together; an unknown name is a ValueError."""
    profile = Profile()
    for name in [names] if isinstance(names, str) else names:
        if name not in every():
            raise ValueError(f"no profile '{name}'; there are {', '.join(sorted(every()))}")
        profile += copy.deepcopy(every()[name])
    return profile


@functools.cache
def every() -> dict[str, Profile]:
    """Every profile by its name."""
    text = (Path(__file__).parent / "data" / "profiles.yml").read_text("utf-8")
    data = yaml.safe_load(text)
    named = {
        name: Profile(row.get("options", {}), tuple(row.get("faults", ())))
        for name, row in data["profiles"].items()
    }
    for feature, places in data["features"].items():
        named[f"refuses_{feature}"] = Profile({"lacking": tuple(places)})
        named[f"deaf_{feature}"] = Profile({"deaf": tuple(places)})
    return named
