# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Profile `custom`: a bit layout of the site's own, from the description.

custom:
  base: 10.64.0.0/12
  link_length: 31
  fields:
    - {name: rail, width: 3}
    - {name: su, width: 8, max: 199}
    - {name: slot, width: 7}
    - {name: side, width: 1}
"""

from __future__ import annotations

import itertools
import typing as t

from ...description.errors import FabricError
from .codec import Bits, Layout

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ...description.description import CustomProfile, FieldOfProfile

_KEY = "addressing.custom"


def layout(custom: CustomProfile | None) -> Layout:
    """The layout of a description; FabricError lists every field that is wrong."""
    if custom is None:
        raise FabricError.of(
            f"{_KEY}: the key is missing and the profile is custom: add base, fields and link_length."
        )
    sentences = [*_twice(custom), *_fields(custom)]
    if sentences:
        raise FabricError(sentences)
    fields = [_bits(f) for f in custom.fields]
    made = Layout(f"{_KEY}.base", custom.base, fields, link_length=custom.link_length)
    made.name = "custom"
    sentences = list(_boundary(made))
    if sentences:
        raise FabricError(sentences)
    return made


def routes(custom: CustomProfile | None) -> list[str]:
    """Behind which fields a host's routes are cut, the narrowest first.

    Only the leading plane and rail fields separate prefixes that every pod and SU share, and a prefix
    of one port must not cover other planes.
    """
    fields = custom.fields if custom else ()
    names: list[str] = [f.name for f in fields if f.value is None and f.name != "pad"]
    leading = list(itertools.takewhile(lambda name: name in ("plane", "rail"), names))
    if "plane" in names:
        cuts = leading[leading.index("plane") :] if "plane" in leading else []
    else:
        cuts = ["base", *leading]
    return cuts[::-1] or ["base"]


def _bits(field: FieldOfProfile) -> Bits:
    codes = (field.values["host"], field.values["leaf"]) if field.values else None
    value = 0 if field.value is None and field.name == "pad" else field.value
    return Bits(field.name, field.width, -1 if field.max is None else field.max, value, codes)


def _twice(custom: CustomProfile) -> Iterator[str]:
    seen: dict[str, int] = {}
    for number, field in enumerate(custom.fields):
        if field.name != "pad" and field.name in seen:
            yield (
                f"{_KEY}.fields[{number}]: '{field.name}' is already in "
                f"fields[{seen[field.name]}], and no field is split: keep one."
            )
        seen.setdefault(field.name, number)


def _fields(custom: CustomProfile) -> Iterator[str]:
    for number, field in enumerate(custom.fields):
        key = f"{_KEY}.fields[{number}]"
        most = (1 << field.width) - 1
        for name in ("max", "value"):
            stated = getattr(field, name)
            if stated is not None and not 0 <= stated <= most:
                yield f"{key}.{name}: {stated} does not fit {field.width} bits: use 0 to {most}."
        if field.values is None:
            continue
        if field.name != "side":
            yield f"{key}.values: only the field side is coded: remove it."
        elif set(field.values) != {"host", "leaf"}:
            yield f"{key}.values: one side has no code: give host and leaf each its own."
        elif len(set(field.values.values())) < 2:
            yield f"{key}.values: host and leaf have the same code: give each its own."
        elif not all(0 <= code <= most for code in field.values.values()):
            yield f"{key}.values: a code does not fit {field.width} bits: use 0 to {most}."


def _boundary(made: Layout) -> Iterator[str]:
    """A link's prefix must hold its two ends and no other: only the side is behind it."""
    key, behind = f"{_KEY}.link_length", made.bits - made.link_length
    if behind < 0 or made.link_length < made.prefix_length:
        yield (
            f"{key}: /{made.link_length} is not a prefix length of a link inside {made.base}: "
            f"use {made.bits - 1}."
        )
        return
    for at, field in reversed(made.placed):
        wrong = at + field.width > behind if field.name == "side" else at < behind
        if wrong and field.value is None:
            side = next((one.width for one in made.fields if one.name == "side"), 1)
            yield (
                f"{key}: /{made.link_length} does not end before the side alone but at or in "
                f"'{field.name}': use {made.bits - side}, with side as the last field."
            )
            return
