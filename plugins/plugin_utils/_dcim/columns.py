# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading and writing of values in either dialect: the parts that both tables of columns share."""

from __future__ import annotations

import typing as t

from .._fabric.export.dcim.things import Ref

if t.TYPE_CHECKING:
    from ...module_utils._json import Json
    from .._fabric.export.dcim.things import Thing, Value
    from .port import Index


class MissingError(ValueError):
    """A thing refers to another that the DCIM does not have; the message names it."""


def id_in(found: Json) -> str:
    """Return the id of a nested object, as text; empty where there is none."""
    value = found.get("id") if isinstance(found, dict) else None
    return "" if value is None else str(value)


def id_of(thing: Thing, field: str, index: Index) -> str:
    """Return the id of what a field refers to; empty where the DCIM does not have it."""
    value = thing.values.get(field)
    return (index.id_of(value) or "") if isinstance(value, Ref) else ""


def called(kind: str, id_: str, name: str, index: Index) -> Value:
    """Read a reference: what the index knows, else the name, with a word where that might be taken for one of ours.

    All VRFs of the fabric are in the index, and a VRF of somebody else may have the name of one.
    """
    known = index.ref_of(kind, id_)
    return known or (f"{name} of somebody else" if name and kind == "vrf" else name)


def same(value: Value, _index: Index) -> Json:
    """Write a text, a number or a truth as it is."""
    if isinstance(value, (str, int)) or value is None:
        return value
    raise TypeError(f"{value!r} is not a plain value")


def referred(value: Value, index: Index) -> str | None:
    """Return the id of what a reference refers to, None for ``""``; raise ``MissingError`` where it is not there."""
    if value == "" or value is None:
        return None
    if not isinstance(value, Ref):
        raise TypeError(f"{value!r} is not a reference")
    found = index.id_of(value)
    if found is None:
        raise MissingError(f"{value.kind.replace('_', ' ')} {value.key!r} is not in the DCIM")
    return found


def several(value: Value) -> tuple[Value, ...]:
    """Return references of a tuple."""
    if not isinstance(value, tuple) or isinstance(value, Ref):
        raise TypeError(f"{value!r} is not a tuple of references")
    return value


def order(value: Value) -> tuple[str, ...]:
    """Return by what the values of a tuple are sorted: references by kind and key, after texts."""
    return tuple(value) if isinstance(value, Ref) else ("", str(value))
