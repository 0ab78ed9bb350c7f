# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Units of systemd: what they are, and the commands to what they should be.

Check mode and the run itself plan by what is read before anything is written, so that both say the
same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .._nic.check import each, fields_of, flag, mapping
from .._nic.tools import Host

KEYS = ("Id", "LoadState", "UnitFileState", "ActiveState", "NeedDaemonReload")
RELOAD = ("systemctl", "daemon-reload")


@dataclass(frozen=True)
class Unit:
    """State of a unit, as systemd reports it."""

    name: str = ""
    load: str = ""
    enabled: str = ""
    active: str = ""
    stale: bool = False

    @property
    def runs(self) -> bool:
        """Is it active, or about to be?"""
        return self.active in ("active", "activating", "reloading")


@dataclass(frozen=True)
class Order:
    """A command, and the sentence on what it puts right."""

    argv: tuple[str, ...]
    sentence: str


def parse_units(said: str) -> list[Unit]:
    """The blocks of `systemctl show`, in order."""
    blocks = (
        dict(line.partition("=")[::2] for line in block.splitlines())
        for block in said.split("\n\n")
        if block.strip()
    )
    rows = ([row.get(key, "") for key in KEYS] for row in blocks)
    return [Unit(name, load, on, active, late == "yes") for name, load, on, active, late in rows]


def unit_states(
    host: Host, names: Sequence[str], patterns: Sequence[str] = ()
) -> tuple[dict[str, Unit], list[Unit]]:
    """(name -> unit, units of the patterns that are loaded), in one call."""
    if not names and not patterns:
        return {}, []
    show = ("systemctl", "show", "--property", ",".join(KEYS))
    found = parse_units(host.ask(*show, *names, *patterns).out)
    return dict(zip(names, found)), found[len(names) :]


def pattern_of(name: str) -> str:
    """`spx-cc@*.service` of `spx-cc@.service`; systemctl shows no template."""
    return name.replace("@.", "@*.")


def rows_from(data: object) -> dict[str, Mapping[str, object]]:
    """The option `units` of the module; NicError with one sentence."""
    known = ("enabled", "running", "restart_for")
    return {
        str(name): fields_of(row, f"units.{name}", known)
        for name, row in mapping(data or {}, "units").items()
    }


def orders(
    rows: Mapping[str, Mapping[str, object]], found: Mapping[str, Unit], changed: Collection[str]
) -> Iterator[Order]:
    """Orders that bring the units to their rows; `changed` are the files that are written."""
    for name, row in rows.items():
        yield from _orders(name, row, found.get(name, Unit()), changed)


def _orders(
    name: str, row: Mapping[str, object], found: Unit, changed: Collection[str]
) -> Iterator[Order]:
    if row.get("enabled") is not None:
        wanted = flag(row["enabled"], f"units.{name}.enabled")
        if wanted != (found.enabled == "enabled") and (wanted or found.load != "not-found"):
            word = "enable" if wanted else "disable"
            said = found.enabled or found.load or "unknown"
            yield Order(("systemctl", word, name), f"{name}: it is {said}, expected {word}d.")
    if row.get("running") is not None:
        wanted = flag(row["running"], f"units.{name}.running")
        if wanted and found.runs and set(each(row.get("restart_for"))) & set(changed):
            sentence = f"{name}: it runs with the former text of its file."
            yield Order(("systemctl", "restart", name), sentence)
        elif wanted != found.runs:
            word, state = ("start", "active") if wanted else ("stop", "inactive")
            said = found.active or "unknown"
            yield Order(("systemctl", word, name), f"{name}: it is {said}, expected {state}.")


def stale(units: Iterable[Unit]) -> list[str]:
    """A sentence for each unit that systemd knows by another text than that of its files."""
    return [
        f"{unit.name}: systemd runs it with another text than that of its files."
        for unit in units
        if unit.stale
    ]
