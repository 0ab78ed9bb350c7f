# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Address profiles that a description could use, and the reasons against the others."""

from __future__ import annotations

import typing as t

from ...catalog.data import table
from ...description.errors import FabricError
from ...description.load import load
from ..topology import rules
from . import pools, profiles, space

if t.TYPE_CHECKING:
    from ...description.description import Description
    from ..topology.clos import Clos


class Suggestions(t.TypedDict):
    """Every computed profile with the reasons against it, and what those without a reason take, in words."""

    suggestions: dict[str, list[str]]
    takes: dict[str, str]


def of_file(path: str) -> Suggestions:
    """Suggest profiles for a description that need not have one, or one that fits."""
    description, source = load(path, profile="octet-v4")
    clos = rules.counted(description, source)
    found = suggest(description, clos)
    fit = [name for name, reasons in found.items() if not reasons]
    return {
        "suggestions": found,
        "takes": {name: space.words(_taken(_with(description, name), clos)) for name in fit},
    }


def _taken(d: Description, clos: Clos) -> list[str]:
    links = profiles.link_layout(d, clos)
    blocks = {name: block.base for name, block in pools.build(d, clos, links).items()}
    return space.taken(blocks | ({"host links": links.base} if links else {}))


def suggest(d: Description, clos: Clos) -> dict[str, list[str]]:
    """Every computed profile with the reasons against it; those without a reason fit.

    A profile fits when its host links and its infrastructure blocks hold the capacity.
    """
    found: dict[str, list[str]] = {}
    for name in profiles.names():
        if name in ("custom", "table"):
            continue
        other, found[name] = _with(d, name), []
        try:
            pools.build(other, clos, profiles.link_layout(other, clos))
        except FabricError as exc:
            found[name] = [reason.removeprefix("addressing.profile: ") for reason in exc.sentences]
    return found


def _with(d: Description, profile: str) -> Description:
    """The description under another profile, without the keys that only the old one knows."""
    rows = table("profiles")["profiles"]
    own = {
        "profile": profile,
        "base": d.addressing.base if profile == d.addressing.profile else None,
        "first_octet": d.addressing.first_octet if "first_octet" in rows[profile] else None,
    }
    return d.model_copy(update={"addressing": d.addressing.model_copy(update=own)})
