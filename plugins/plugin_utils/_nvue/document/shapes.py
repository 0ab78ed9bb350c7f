# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes that an answer must have to be data. A question to the switch names its shape.

A shape is a function that returns what it reads out of an answer, or raises ``MisfitError`` with
what was expected. ``Api`` turns that into an error of transport, so that an answer to another
question, or of a web server in between, is never read as "nothing there".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ....module_utils._json import Doc, Json

T = TypeVar("T")
Shape = Callable[[Json], T]


class MisfitError(ValueError):
    """An answer has another shape; the message names the expected one, such as ``a mapping``."""


def mapping(found: Json) -> Doc:
    """A mapping; it may be empty."""
    if not isinstance(found, dict):
        raise MisfitError("a mapping")
    return found


def mappings(found: Json) -> dict[str, Doc]:
    """A mapping of names to mappings, such as interfaces or neighbors."""
    if not isinstance(found, dict) or not all(isinstance(body, dict) for body in found.values()):
        raise MisfitError("a mapping of names to mappings")
    return found


def something(found: Json) -> Json:
    """Anything but nothing, for a place that a person names."""
    if found is None:
        raise MisfitError("a value")
    return found


def difference(found: Json) -> Json:
    """The answer to ``?diff=``: clients show an object, a list, and null where nothing differs."""
    if not isinstance(found, dict | list | None):
        raise MisfitError("a mapping, a list or null")
    return found


def configuration(found: Json) -> Doc:
    """A configuration: a mapping whose lists of named objects are mappings of mappings."""
    doc = mapping(found)
    mappings(below(doc, "interface"))
    for vrf in mappings(below(doc, "vrf")).values():
        for place in ("neighbor", "peer-group"):
            mappings(below(vrf, "router", "bgp", place))
    return doc


def below(body: Doc, *keys: str) -> Doc:
    """Return the mapping at a place below a mapping; empty where the place is not there."""
    for key in keys:
        found = body.get(key)
        if found is None:
            return {}
        if not isinstance(found, dict):
            raise MisfitError(f"a mapping at {key}")
        body = found
    return body
