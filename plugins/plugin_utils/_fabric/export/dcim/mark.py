# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mark in our field: the key of a thing, and a digest of the last push.

    lab/leaf-p1-su001-r1#3f2a90c1

The digest is of the fields that the plan owns, so that what people may change does not change it.
"""

from __future__ import annotations

import hashlib
import json
import typing as t

from .owners import owner
from .things import SHARED, Ref

if t.TYPE_CHECKING:
    from collections.abc import Mapping

    from .things import Thing, Value


def mark(thing: Thing) -> str:
    """Return the value of our field for a thing: `<key>#<digest>`."""
    return f"{thing.key}#{digest(thing.kind, thing.values)}"


def digest(kind: str, values: Mapping[str, Value]) -> str:
    """Eight hexadecimal digits of the fields that are known and that the plan owns."""
    known = {
        field: token(value)
        for field, value in values.items()
        if value is not None and owner(kind, field) == "plan"
    }
    text = json.dumps(known, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def parted(text: str) -> tuple[str, str]:
    """Key and digest out of our field; both are empty where it holds something else."""
    key, sign, written = text.rpartition("#")
    return (key, written) if sign and "/" in key else ("", "")


def token(value: Value) -> str:
    """A value as text that is equal for equal values, however a DCIM has them: a reference is its name."""
    if value is None:
        return ""
    if isinstance(value, Ref):
        return value.key if value.kind in SHARED else tail(value.key)
    if isinstance(value, tuple):
        return json.dumps(sorted(token(each) for each in value)) if value else ""
    return str(value)


def tail(key: str) -> str:
    """A key without its fabric."""
    return key.partition("/")[2]
