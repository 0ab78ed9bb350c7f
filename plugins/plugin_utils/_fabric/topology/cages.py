# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cages and the ports they break out into.

A cage of 800G holds one 800G port (`swp1`), two of 400G (`swp1s0`, `swp1s1`) or four of 200G.
"""

from __future__ import annotations

import dataclasses
import functools
import re

_PORT = re.compile(r"swp([1-9][0-9]{0,2})(?:s([0-7]))?")


def gbps(speed: str) -> int:
    """`400G` -> 400."""
    return int(speed[:-1])


@dataclasses.dataclass(frozen=True)
class Block:
    """Consecutive ports of a kind: `count`, `breakout` a cage, from cage `first` (1-based)."""

    first: int
    breakout: int
    count: int

    @property
    def cages(self) -> int:
        """Whole cages that the block occupies."""
        return -(-self.count // self.breakout)

    def name(self, index: int) -> str:
        """The port name of the block's port `index` (0-based)."""
        cage, sub = divmod(index, self.breakout)
        return f"swp{self.first + cage}" if self.breakout == 1 else f"swp{self.first + cage}s{sub}"

    def index(self, cage: int, sub: int | None) -> int | None:
        """The port of the block at a cage and sub-port, None when it is not the block's."""
        if (sub is None) != (self.breakout == 1) or (sub or 0) >= self.breakout:
            return None
        index = (cage - self.first) * self.breakout + (sub or 0)
        return index if 0 <= index < self.count else None


@functools.lru_cache(maxsize=1024)
def parse(port: str) -> tuple[int, int | None] | None:
    """`swp3s1` -> (3, 1), `swp3` -> (3, None), anything else -> None."""
    match = _PORT.fullmatch(port)
    if not match:
        return None
    return int(match[1]), int(match[2]) if match[2] else None
