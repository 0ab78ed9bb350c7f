# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""In which order switches are changed: a first one of each role, then plane by plane.

Planes are independent, so what goes wrong stays in one. Within a plane the tiers follow each other,
and of a tier only a share is changed at a time.
"""

from __future__ import annotations

import itertools
import typing as t

from ..topology.cabling import Switch

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..fabric import Fabric

TIERS = ("super_spine", "spine", "leaf")


def batches(fabric: Fabric, names: Iterable[str], *, share: int = 25) -> dict[str, t.Any]:
    """`{first, rest, sizes, resting}`: names, and how many of `rest` each batch takes.

    `share` is the percentage of a tier of a plane that is changed at a time. `resting` are the
    switches out of service, which are left out; names of other devices are too.
    """
    out = {row.device for row in fabric.description.out_of_service if not row.port}
    found = sorted(((_key(d), n) for n, d in _switches(fabric, names)), key=lambda pair: pair[0])
    resting = [name for _key_, name in found if name in out]
    working = [(key, name) for key, name in found if name not in out]
    first = _first(working)
    rest = [(key, name) for key, name in working if name not in first]
    sizes: list[int] = []
    for _place, rows in itertools.groupby(rest, key=lambda pair: pair[0][:2]):
        sizes += _chunks(len(list(rows)), share)
    return {
        "first": first,
        "rest": [name for _key_, name in rest],
        "sizes": sizes,
        "resting": resting,
    }


def _switches(fabric: Fabric, names: Iterable[str]) -> Iterator[tuple[str, Switch]]:
    for name in names:
        device = fabric.device(name)
        if isinstance(device, Switch):
            yield name, device


def _key(device: Switch) -> tuple[int, int, int, int]:
    return device.plane, TIERS.index(device.role), device.pod, device.index


def _first(rows: list[tuple[tuple[int, int, int, int], str]]) -> list[str]:
    """The first of each role."""
    seen: dict[int, str] = {}
    for key, name in rows:
        seen.setdefault(key[1], name)
    return [seen[tier] for tier in sorted(seen)]


def _chunks(count: int, share: int) -> list[int]:
    size = max(1, -(-count * share // 100))
    full, rest = divmod(count, size)
    return [size] * full + ([rest] if rest else [])
