# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rolling by rack: which hosts go together, so that no rack is torn apart without need."""

from __future__ import annotations

import typing as t

from ..model.errors import FabricError

if t.TYPE_CHECKING:
    from collections.abc import Mapping


def by_rack(racks: Mapping[str, t.Sequence[int]], most: int = 1) -> list[list[str]]:
    """Batches of at most `most` hosts, rack after rack: {host: [pod, su, rack]} -> [[host]].

    Whole racks share a batch where they fit; a rack that is larger is divided and shares with
    none. FabricError when `most` is below 1.
    """
    if int(most) < 1:
        raise FabricError.of(
            f"spx_max_unavailable: {most} is not allowed: use the number of hosts that may be "
            "down at once, 1 or more."
        )
    batches: list[list[str]] = []
    room = 0
    for names in _racks(racks):
        if batches and len(names) <= room:
            batches[-1] += names
        else:
            batches += [names[n : n + int(most)] for n in range(0, len(names), int(most))]
            room = int(most) if len(names) <= int(most) else 0
        room -= min(room, len(names))
    return batches


def _racks(racks: Mapping[str, t.Sequence[int]]) -> list[list[str]]:
    grouped: dict[tuple[int, ...], list[str]] = {}
    for host, rack in racks.items():
        grouped.setdefault(tuple(rack), []).append(host)
    return [sorted(names) for _rack, names in sorted(grouped.items())]
