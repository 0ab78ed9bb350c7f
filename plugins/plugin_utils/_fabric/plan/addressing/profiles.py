# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Choice of the layout for a description's profile, and a check of its capacity."""

from __future__ import annotations

import typing as t

from ...catalog.data import table
from ...description.errors import FabricError, nearest
from . import custom
from .codec import Bits, Layout

if t.TYPE_CHECKING:
    from collections.abc import Mapping

    from ...description.description import Description
    from ..topology.clos import Clos

UNIT_BITS = 10
"""Bits of an address that number the SUs of all pods."""


def bits_for(count: int) -> int:
    """Bits that number `count` things: 0 for one, 3 for eight."""
    return (count - 1).bit_length()


def names() -> list[str]:
    """The profiles on offer."""
    return list(table("profiles")["profiles"])


def needs(clos: Clos, d: Description) -> dict[str, int]:
    """Count the values of each coordinate in the addresses of the capacity."""
    return {
        "plane": d.planes.count if carries_plane(d) else 1,
        "rail": clos.rails,
        "pod": clos.pods,
        "su": clos.sus,
        "slot": clos.slots,
        "side": 2,
        "site": d.site + 1,
    }


def carries_plane(d: Description) -> bool:
    """Check whether the plane is part of an address: only where NIC software balances split planes."""
    return d.planes.mode == "split" and d.planes.count > 1 and d.planes.balancing != "hwplb"


def link_layout(d: Description, clos: Clos) -> Layout:
    """The layout of host links; FabricError with the reasons when the profile does not fit."""
    profile = d.addressing.profile
    if profile not in names():
        raise FabricError.of(
            f"addressing.profile: '{profile}' is not a profile{nearest(profile, names())}: "
            f"use one of {', '.join(names())}."
        )
    try:
        layout = _layout(d, clos, profile)
    except FabricError as exc:
        key = "base" if d.addressing.base else "profile"
        raise FabricError(
            [s if s.startswith("addressing.") else f"addressing.{key}: {s}" for s in exc.sentences]
        ) from exc
    reasons = misfits(layout, d, clos, profile)
    if reasons:
        raise FabricError([f"addressing.profile: {reason}" for reason in reasons])
    return layout


def misfits(layout: Layout, d: Description, clos: Clos, profile: str) -> list[str]:
    """List the reasons that a layout does not hold the capacity; empty when it does."""
    found = []
    tiers = table("profiles")["profiles"][profile]["tiers"]
    if clos.tiers not in tiers:
        return [
            f"{profile} is for {' or '.join(map(str, tiers))} tiers, and tiers is {clos.tiers}: "
            "use octet-v4 or nvidia-guide-v6, or the profile of that number of tiers."
        ]
    for name, count in needs(clos, d).items():
        if count > layout.top(name) + 1 and not (name == "site" and not layout.carries("site")):
            why = f"{profile} has no {name} field and {count} {name}s need one"
            if layout.carries(name):
                why = layout.overflow(name, count - 1)
            found.append(f"{why}: {_remedy(profile)}.")
    return found


def _remedy(profile: str) -> str:
    if profile == "custom":
        return "widen the field"
    others = [n for n in ("octet-v4", "nvidia-guide-v6", "dense-v4") if n != profile]
    return f"use {others[0]} or {others[1]}"


def _layout(d: Description, clos: Clos, profile: str) -> Layout:
    if profile == "custom":
        return custom.layout(d.addressing.custom)
    entry = table("profiles")["profiles"][profile]
    chosen = _chosen(d)
    widths = {(name, "capacity"): bits_for(count) for name, count in needs(clos, d).items()}
    fields = bits(chosen["fields"], widths | unit_widths(clos, UNIT_BITS))
    link_length = chosen["link_length"]
    if d.addressing.p2p127 and link_length == 64:
        link_length = 127
        fields = [*fields[:-1], Bits("side", 64, codes=(0, 1))]
    base = _base(d, profile, entry, chosen["base"])
    return Layout(profile, base, fields, link_length=link_length)


def host_routes(d: Description) -> list[str]:
    """Behind which fields the routes of a host are cut."""
    if d.addressing.profile == "custom":
        return custom.routes(d.addressing.custom)
    return list(_chosen(d)["routes"])


def _chosen(d: Description) -> dict[str, t.Any]:
    """The layout of a profile that the planes call for."""
    split = d.planes.mode == "split" and d.planes.count > 1
    applies = {
        "always": True,
        "single": not split,
        "planes": split,
        "up-to-4-planes": not (split and d.planes.count == 8),
        "8-planes": split and d.planes.count == 8,
    }
    layouts = table("profiles")["profiles"][d.addressing.profile]["layouts"]
    return next(layout for layout in layouts if applies[layout["when"]])


def unit_widths(clos: Clos, unit_bits: int) -> dict[tuple[str, str], int]:
    """Split the bits of a unit: the pod gets those of the final pods, the SU the rest."""
    pod = min(bits_for(clos.pods), unit_bits)
    return {("pod", "unit-pod"): pod, ("su", "unit-su"): unit_bits - pod}


def bits(fields: list[t.Any], widths: Mapping[tuple[str, str], int]) -> list[Bits]:
    """Field rows of the data file as `Bits`, symbolic widths resolved, empty fields left out."""
    made = []
    for name, width, *rest in fields:
        options = rest[0] if rest else {}
        number = width if isinstance(width, int) else widths[name, width]
        codes = options.get("values")
        both = (codes["host"], codes["leaf"]) if codes else None
        if number:
            made.append(Bits(name, number, options.get("max", -1), options.get("value"), both))
    return made


def _base(d: Description, profile: str, entry: dict[str, t.Any], base: str) -> str:
    if d.addressing.first_octet is not None:
        if "first_octet" not in entry:
            raise FabricError.of(
                f"addressing.first_octet: {d.addressing.first_octet} has no meaning for {profile}: "
                "remove it, or use one of NVIDIA's IPv4 profiles."
            )
        return f"{d.addressing.first_octet}.{base.split('.', 1)[1]}"
    if d.addressing.base is not None:
        if profile != "dense-v4":
            raise FabricError.of(
                f"addressing.base: '{d.addressing.base}' has no meaning for {profile}: "
                "remove it, or use dense-v4 or custom."
            )
        return d.addressing.base
    return base
