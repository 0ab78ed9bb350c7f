# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Print what changed between two releases for the settings that our roles own: ``make dialects FROM=5.17 TO=5.18``."""

from __future__ import annotations

import json
import re
import sys
from fnmatch import fnmatchcase
from itertools import chain

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document import schema

OWNED = tuple(
    tuple(re.sub(r"\{\w+\}", "*", place).split("/"))
    for name in ("ownership", "ownership_converged", "ownership_oob")
    for place in chain.from_iterable(table(name).values())
)


def is_owned(path: str) -> bool:
    """Return whether a role owns a path of the schema, or a place above or below it."""
    keys = path.split("/")
    return any(
        all(
            fnmatchcase(key, glob) or fnmatchcase(glob, key)
            for key, glob in zip(keys, place, strict=False)
        )
        and len(keys) >= len(place)
        for place in OWNED
    )


def changes(first: str, last: str) -> list[str]:
    """Return a line for each owned path whose kinds differ between two releases, such as 5.17 and 5.18."""
    for release in (first, last):
        if release not in schema.releases():
            raise SystemExit(
                f"{release!r}: allowed: {', '.join(schema.releases())}: choose two of these"
            )
    before, after = (dict(schema.rows(release)) for release in (first, last))
    return [
        f"{path}: {json.dumps(before.get(path, 'absent'))} -> {json.dumps(after.get(path, 'absent'))}"
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path) and is_owned(path)
    ]


if __name__ == "__main__":
    print("\n".join(changes(*sys.argv[1:3])) or "Nothing that our roles own has changed.")
