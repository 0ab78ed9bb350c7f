# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switch models, NIC cards and server platforms of the catalog, and what each of them allows.

A refusal is one sentence, empty where nothing is wrong:

    mode_refusal("BlueField-3", "hwplb")
    "hwplb is not a mode of BlueField-3, which has none and swplb: use one of those, or ConnectX-8 or ConnectX-9."
"""

from __future__ import annotations

import typing as t

from ..description.errors import nearest
from .data import table


class Model(t.TypedDict):
    """A switch model; without `cages` no fabric can be planned with it, for the reason in `unpublished`."""

    asic: str
    since: str
    source: str
    cages: t.NotRequired[int]
    cage_gbps: t.NotRequired[int]
    splits: t.NotRequired[dict[int, list[int]]]
    rj45: t.NotRequired[int]
    oob: t.NotRequired[bool]
    unpublished: t.NotRequired[str]


class Platform(t.TypedDict, total=False):
    """Limits of a server platform, each where a page states one."""

    modes: list[str]
    planes: int
    remark: str


def models() -> dict[str, Model]:
    """Return the switch models by name."""
    return t.cast("dict[str, Model]", table("switches")["models"])


def plannable() -> list[str]:
    """Return the names of the models with which a fabric can be planned."""
    return [name for name, model in models().items() if not {"unpublished", "oob"} & model.keys()]


def model_refusal(name: str) -> str:
    """Return the reason why no fabric can be planned with a model."""
    use = f"use one of {', '.join(plannable())}."
    if name not in models():
        return f"'{name}' is not in the catalog{nearest(name, models())}: {use}"
    oob = "it is for the out-of-band network" if models()[name].get("oob") else ""
    reason = oob or models()[name].get("unpublished")
    return f"no fabric can be planned with the {name}: {reason}: {use}" if reason else ""


def release_refusal(name: str, release: str) -> str:
    """Return the reason why a model cannot run a release, such as 5.16.1, or 5.16 for every 5.16.x."""
    since = models()[name]["since"] if name in models() else "0"
    stated = version(release)
    if stated >= version(since)[: len(stated)]:
        return ""
    return f"{name} runs Cumulus Linux {since} or newer, not {release}: use such a release."


def whole(name: str, gbps: int) -> int | None:
    """Return into how many ports of a speed a cage of a model splits, all of its speed in use."""
    model = models()[name]
    number = model["cage_gbps"] // gbps
    fits = number * gbps == model["cage_gbps"] and gbps in model["splits"].get(number, ())
    return number if fits else None


def most(name: str, gbps: int) -> int | None:
    """Return the most ports of a speed that a cage of a model splits into, even where they use half of it."""
    splits = models()[name]["splits"]
    return max((number for number, speeds in splits.items() if gbps in speeds), default=None)


def speeds(name: str, *, halves: bool = False) -> list[str]:
    """Return the speeds of ports of a model, such as 800G, the fastest first; with halves those of `most` too."""
    every = {speed for part in models()[name]["splits"].values() for speed in part}
    chosen = [speed for speed in every if halves or whole(name, speed)]
    return [f"{speed}G" for speed in sorted(chosen, reverse=True)]


def mode_refusal(card: str, mode: str) -> str:
    """Return the reason why a NIC card cannot meet planes in a mode."""
    cards = t.cast("dict[str, dict[str, list[str]]]", table("switches")["nics"])
    own = cards[card]["modes"] if card in cards else [mode]
    if mode in own:
        return ""
    others = [name for name, row in cards.items() if mode in row["modes"]]
    which = "one plane" if own == ["none"] else "one of those"
    return f"{mode} is not a mode of {card}, which has {' and '.join(own)}: use {which}, or {' or '.join(others)}."


def platform_refusal(name: str, mode: str, planes: int) -> str:
    """Return the reason why the NICs of a server platform cannot be as the description has them."""
    platforms = t.cast("dict[str, Platform]", table("switches")["platforms"])
    if not name:
        return ""
    platform = platforms.get(name.lower())
    if platform is None:
        return (
            f"platform: '{name}' is not a known server platform{nearest(name.lower(), platforms)}: use one of "
            f"{', '.join(platforms)}, or leave it out."
        )
    allowed, needed = platform.get("modes", [mode]), platform.get("planes", planes)
    if mode in allowed and planes == needed:
        return ""
    limits = " or ".join(allowed) + (f" with {needed} planes" if "planes" in platform else "")
    return (
        f"platform: NICs of {name} have the mode {limits}, and the fabric has {mode} with {planes}: correct one "
        "of the two."
    )


def remark_of(release: str) -> str:
    """Return the sentence that NVIDIA says of a release besides its number, with its source; mostly none."""
    for name, row in table("switches")["releases"].items():
        if version(release)[:2] == version(name):
            return f"{row['remark']} ({row['source']})"
    return ""


def version(release: str) -> tuple[int, ...]:
    """`5.16.1` -> (5, 16, 1)."""
    return tuple(int(number) for number in release.split("."))
