# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What our field holds: whose a thing is, and a digest of what the last push wrote.

lab/leaf-p1-su001-r1#3f2a90c1
"""

from __future__ import annotations

import hashlib
import json
import typing as t

if t.TYPE_CHECKING:
    from collections.abc import Mapping

    from .._fabric.dcim.things import Thing, Value


def mark(thing: Thing) -> str:
    """Return what our field holds for a thing: ``<key>#<digest>``."""
    return f"{thing.key}#{digest(thing.values)}"


def digest(values: Mapping[str, Value]) -> str:
    """Return eight hexadecimal digits for the fields that are known; equal fields, equal digits."""
    known = {name: value for name, value in values.items() if value is not None}
    text = json.dumps(known, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def parted(text: str) -> tuple[str, str]:
    """Return key and digest out of our field; both are empty where it holds something else."""
    key, sign, written = text.rpartition("#")
    return (key, written) if sign and "/" in key else ("", "")
