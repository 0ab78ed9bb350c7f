# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rolling by rack: which hosts go together, so that a batch never spans two racks."""

from __future__ import annotations

import typing as t

from ..model.errors import FabricError

if t.TYPE_CHECKING:
    from collections.abc import Mapping


def by_rack(racks: Mapping[str, t.Sequence[int]], most: int = 1) -> list[list[str]]:
    """Batches of at most `most` hosts, rack after rack: {host: [pod, su, rack]} -> [[host]].

    FabricError when `most` is below 1.
    """
    if int(most) < 1:
        raise FabricError.of(
            f"spx_max_unavailable: {most} is not allowed: use the number of hosts that may be "
            "down at once, 1 or more."
        )
    grouped: dict[tuple[int, ...], list[str]] = {}
    for host, rack in racks.items():
        grouped.setdefault(tuple(rack), []).append(host)
    return [
        names[start : start + int(most)]
        for _rack, found in sorted(grouped.items())
        for names in [sorted(found)]
        for start in range(0, len(names), int(most))
    ]
