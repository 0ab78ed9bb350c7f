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
    def parts(self) -> tuple[Block, ...]:
        """The block by breakout: itself."""
        return (self,)

    @property
    def cages(self) -> int:
        """Whole cages that the block occupies."""
        return -(-self.count // self.breakout)

    def breakout_of(self, _index: int) -> int:
        """Into how many ports the cage of a port of the block breaks out."""
        return self.breakout

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


@dataclasses.dataclass(frozen=True)
class MixedBlock(Block):
    """Ports of a kind at two speeds: the last of `count` are those of `behind`, in cages of their own."""

    behind: Block

    @property
    def parts(self) -> tuple[Block, ...]:
        """Return the ports ahead, and those behind."""
        return Block(self.first, self.breakout, self.count - self.behind.count), self.behind

    @property
    def cages(self) -> int:
        """Whole cages of both parts."""
        return sum(part.cages for part in self.parts)

    def breakout_of(self, index: int) -> int:
        """Return the breakout of the part that has the port."""
        part, _within = self._at(index)
        return part.breakout

    def name(self, index: int) -> str:
        """The port name of the block's port `index` (0-based)."""
        part, within = self._at(index)
        return part.name(within)

    def index(self, cage: int, sub: int | None) -> int | None:
        """The port of the block at a cage and sub-port, None when it is not the block's."""
        ahead, behind = self.parts
        found = ahead.index(cage, sub)
        if found is None and (within := behind.index(cage, sub)) is not None:
            return ahead.count + within
        return found

    def _at(self, index: int) -> tuple[Block, int]:
        """The part that has a port, and its number there."""
        ahead, behind = self.parts
        return (ahead, index) if index < ahead.count else (behind, index - ahead.count)


def joined(ahead: Block, behind: Block) -> MixedBlock:
    """A block and one behind it as one."""
    return MixedBlock(ahead.first, ahead.breakout, ahead.count + behind.count, behind)


@functools.lru_cache(maxsize=1024)
def parse(port: str) -> tuple[int, int | None] | None:
    """`swp3s1` -> (3, 1), `swp3` -> (3, None), anything else -> None."""
    match = _PORT.fullmatch(port)
    if not match:
        return None
    return int(match[1]), int(match[2]) if match[2] else None
