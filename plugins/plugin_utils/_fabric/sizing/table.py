# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Designs as a table that fits on a screen, with what to type next."""

from __future__ import annotations

import dataclasses
import itertools
import textwrap
import typing as t

from ..catalog.roles import ROLES
from ..plan.addressing import space

if t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .facts import Facts
    from .request import Request

LABEL, COLUMN = 20, 27
"""Characters of the first column and of each design: three of them make 101."""
WIDE = 100
"""Characters of a line of text."""
LATER = (
    "later: as the capacity has it; cables and addresses are those of this size from the first day."
)
"""Reason of the second figure of a cell."""
INIT = "spectrum_x.fabric.init"
"""The playbook that writes a design."""


def lines(found: Sequence[Facts]) -> list[str]:
    """The table, then the reason to choose each design."""
    made = _row("design", [str(number) for number, _facts in enumerate(found, 1)])
    made.append("-" * (LABEL + COLUMN * len(found)))
    for label, cell in ROWS.items():
        cells = [cell(one) for one in found]
        if any(cells):
            made += _row(label, cells)
    made.append("")
    for number, one in enumerate(found, 1):
        more = f" {_full(one)}" if one["raised_refused"] else ""
        text = f"{number}: {one['reason']}.{more}"
        made += textwrap.wrap(text, WIDE, subsequent_indent="   ", break_on_hyphens=False)
    if any(first < last for first, last in (one["gpus"] for one in found)):
        made.append(LATER)
    return made


def following(ask: Request) -> str:
    """The command that writes one of the designs as a project, with what was asked."""
    asked = {
        f.name: getattr(ask, f.name)
        for f in dataclasses.fields(ask)
        if f.name != "name" and getattr(ask, f.name) != f.default
    }
    words = " ".join(f"-e spx_{name}={value}" for name, value in asked.items())
    return f"Write one: ansible-playbook {INIT} {words} -e spx_design=1 -e spx_name=mine -e spx_dest=../mine"


def _row(label: str, cells: Sequence[str]) -> list[str]:
    """The lines of a row: a long cell takes several, and one that all designs share takes the whole width."""
    width = COLUMN
    if len(set(cells)) == 1:
        cells, width = cells[:1], COLUMN * len(cells)
    parts = [textwrap.wrap(cell, width - 2, break_on_hyphens=False) for cell in cells]
    made = []
    for n, texts in enumerate(itertools.zip_longest(*parts, fillvalue="")):
        first = label if n == 0 else ""
        made.append((f"{first:{LABEL}}" + "".join(f"{text:{width}}" for text in texts)).rstrip())
    return made


def _pair(first: int, last: int) -> str:
    """`32`, or `16, later 32` where the rest comes later."""
    return f"{first:,}" if first == last else f"{first:,}, later {last:,}"


def _many(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _tiers(one: Facts) -> str:
    mode = f" ({one['plane_mode']})" if one["planes"] > 1 else ""
    return f"{one['tiers']} tiers, {_many(one['planes'], 'plane')}{mode}"


def _size(one: Facts) -> str:
    pods = f"{one['pods']} pods of " if one["tiers"] == 3 else ""
    return f"{pods}{_many(one['sus_per_pod'], 'SU')} of {_many(one['slots_per_su'], 'slot')}"


def _rails(one: Facts) -> str:
    return f"{one['rails_per_leaf']} of {one['rails']}"


def _planned(one: Facts) -> str:
    """GPUs of a node as `plan` counts them, where nodes have more or fewer GPUs than rails."""
    return f"{one['plan_gpus']:,}, one a rail" if one["plan_gpus"] != one["gpus"][1] else ""


def _total(one: Facts) -> str:
    pairs = one["switches"].values()
    return _pair(sum(first for first, _last in pairs), sum(last for _first, last in pairs))


def _of(role: str) -> Callable[[Facts], str]:
    def cell(one: Facts) -> str:
        return _pair(*one["switches"][role]) if role in one["switches"] else ""

    return cell


def _spare(one: Facts) -> str:
    return ", ".join(f"{ROLES[role].plural} {spare}" for role, spare in one["spare_cages"].items())


def _ratio(one: Facts) -> str:
    worst = max(one["oversubscription"].values())
    return "none (1:1)" if worst <= 1 else f"{worst:.2f}:1"


def _growth(one: Facts) -> str:
    if not one["more_gpus"]:
        return "none"
    sus = f"{_many(one['more_sus'], 'SU')}, " if one["more_sus"] else ""
    return f"{sus}{_many(one['more_gpus'], 'GPU')}"


def _raised(one: Facts) -> str:
    if one["raised_refused"]:
        return f"{one['raised_by']}: not possible"
    return f"{one['raised_by']}: {', '.join(one['raised_moves']) or 'nothing'}"


def _full(one: Facts) -> str:
    """Reason that the capacity cannot be raised."""
    return f"It is full: {one['raised_refused']}"


def _addresses(one: Facts) -> str:
    return space.words(one["prefixes"])


ROWS: dict[str, Callable[[Facts], str]] = {
    "GPUs": lambda one: _pair(*one["gpus"]),
    "nodes": lambda one: _pair(*one["nodes"]),
    "  in the plan": _planned,
    "switch, NIC": lambda one: f"{one['model']}, {one['nic']}",
    "speeds": lambda one: f"hosts {one['host_speed']}, fabric {one['fabric_speed']}",
    "release": lambda one: f"RA {one['ra']}, Cumulus {one['cumulus']}",
    "tiers, planes": _tiers,
    "size": _size,
    "rails on a leaf": _rails,
    "switches": _total,
    "  leaves": _of("leaf"),
    "  spines": _of("spine"),
    "  super-spines": _of("super_spine"),
    "cables to hosts": lambda one: _pair(*one["cables"]["hosts"]),
    "  between switches": lambda one: _pair(*one["cables"]["switches"]),
    "free cages of one": _spare,
    "oversubscription": _ratio,
    "growth, none moved": _growth,
    "beyond that, moves": _raised,
    "or start with": lambda one: one["start_smaller"],
    "address profile": lambda one: one["profile"],
    "  others that fit": lambda one: ", ".join(one["other_profiles"]),
    "  takes": _addresses,
    "NIC parameters": lambda one: "not public" if one["nics_not_public"] else "",
    "above a limit": lambda one: "; ".join(one["over_limits"]),
}
