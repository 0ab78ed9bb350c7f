# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cables between switches as a site has them, where they differ from the computed map.

    lower,lower_port,upper,upper_port
    tor-a1,swp17s0,core-1,swp1s0

Every pair of neighbours has as many cables as the plan says, so any such cabling is the computed one with the ports of
each switch in another order. That order is what is kept here; planes, peers, addresses and ASNs stay the plan's.
"""

from __future__ import annotations

import collections
import typing as t

from ...description import tables
from ...description.errors import FabricError, shown
from .cabling import DOWN, UP, Cabling, Port, Switch

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .cabling import Device

COLUMNS = ("lower", "lower_port", "upper", "upper_port")
FORM = tables.Form("uplinks", COLUMNS, COLUMNS)
MOST_CABLES = 65_536
"""Rows of a table, as of one with host links."""


class Row(t.NamedTuple):
    """A cable: a switch and its port, and those of the tier above."""

    line: int
    lower: str
    lower_port: str
    upper: str
    upper_port: str


Moved = dict[tuple["Device", str], str]
"""By device and the port that the plan computes: the port at the site."""
_Pair = tuple[Switch, Switch]
_Cable = tuple[str, str]


class Fabric(t.Protocol):
    """Methods of a description's devices that are used here."""

    cabling: Cabling

    def device(self, name: str) -> Device | None:
        """The device of a name."""

    def name(self, device: Device) -> str:
        """The name of a device."""

    def present(self, device: Device) -> bool:
        """Check whether it is built."""


def read(path: str) -> list[Row]:
    """The rows of a file; FabricError where it is none."""
    table = tables.read(path, FORM)
    name, rows = table.name, list(table.rows)
    if table.wrong:
        raise FabricError(table.wrong)
    if len(rows) > MOST_CABLES:
        raise FabricError.of(
            f"{name}: {len(rows)} cables are more than the {MOST_CABLES} of a table: build the fabric as computed, and "
            "list exchanged cables in swapped_ports."
        )
    return [Row(line, **cells) for line, cells in rows]


def moved(fabric: Fabric, rows: Iterable[Row], name: str) -> Moved:
    """Return the moves of a file's rows; FabricError with a sentence for each row or pair that is wrong."""
    sentences: list[str] = []
    pairs: dict[_Pair, list[_Cable]] = collections.defaultdict(list)
    seen: dict[tuple[Switch, str], int] = {}
    for row in rows:
        lower, upper = fabric.device(row.lower), fabric.device(row.upper)
        wrong = list(_wrong(fabric, row, lower, upper))
        ends = ((lower, row.lower_port), (upper, row.upper_port))
        for device, port in () if wrong else t.cast("list[tuple[Switch, str]]", ends):
            first = seen.setdefault((device, port), row.line)
            if first != row.line:
                wrong.append(
                    f"{port} of {fabric.name(device)} is already in line {first}: give a port one cable."
                )
        sentences += [f"{name} line {row.line}: {sentence}" for sentence in wrong]
        if not wrong:
            pairs[t.cast("_Pair", (lower, upper))].append((row.lower_port, row.upper_port))
    sentences = sentences or [f"{name}: {sentence}" for sentence in _uneven(fabric, pairs)]
    if sentences:
        raise FabricError(sentences)
    return _filled(fabric.cabling, _placed(fabric.cabling, pairs))


def _wrong(fabric: Fabric, row: Row, lower: Device | None, upper: Device | None) -> Iterator[str]:
    for text, device in ((row.lower, lower), (row.upper, upper)):
        if not isinstance(device, Switch):
            yield f"{shown(text)} is not a switch of the fabric: use its name in the plan or at the site."
    if not isinstance(lower, Switch) or not isinstance(upper, Switch):
        return
    if not _links(fabric.cabling, lower, upper):
        yield (
            f"{row.lower} with {row.upper} above is not a pair of neighbours in the plan: name a leaf and "
            "a spine of its pod and plane, or a spine and a super-spine of its group."
        )
        return
    ends = ((row.lower, lower, UP, row.lower_port), (row.upper, upper, DOWN, row.upper_port))
    for text, device, kind, port in ends:
        names = _names(fabric.cabling, device.role, kind)
        if port not in names:
            way = "up" if kind == UP else "down"
            yield (
                f"{shown(port)} is not a port of {text} that leads {way}: use one of {names[0]} to {names[-1]}."
            )


def _names(cabling: Cabling, role: str, kind: str) -> list[str]:
    block = cabling.of_role(role).get(kind)
    return [block.name(index) for index in range(block.count)] if block else []


def _links(cabling: Cabling, lower: Switch, upper: Switch) -> list[_Cable]:
    """The cables that the plan computes between two switches; none where they are no neighbours."""
    up, down = cabling.of_role(lower.role).get(UP), cabling.of_role(upper.role).get(DOWN)
    made = []
    for index in range(up.count if up and down else 0):
        peer, port = t.cast("tuple[Switch, Port]", cabling.peer(lower, Port(UP, index)))
        if peer == upper and up and down:
            made.append((up.name(index), down.name(port.index)))
    return made


def _uneven(fabric: Fabric, pairs: Mapping[_Pair, list[_Cable]]) -> Iterator[str]:
    """A table is complete for the tiers that it has, and as wide as the plan."""
    roles = {lower.role for lower, _upper in pairs}
    if not roles:
        yield "it has no row: write both ends of every cable, or leave uplinks out."
    missing, first = 0, ""
    for lower in fabric.cabling.switches():
        if lower.role not in roles:
            continue
        planned = collections.Counter(
            t.cast("tuple[Switch, Port]", fabric.cabling.peer(lower, port))[0]
            for port in fabric.cabling.ports(lower)
            if port.kind == UP
        )
        for upper, count in planned.items():
            stated = len(pairs.get((lower, upper), ()))
            names = f"{fabric.name(lower)} to {fabric.name(upper)}"
            if stated > count:
                yield f"{stated} cables from {names} are not the {count} of the plan: correct the rows."
            elif stated < count and fabric.present(lower) and fabric.present(upper):
                missing, first = missing + count - stated, first or names
    if missing:
        yield (
            f"cables between built switches without a row: {missing}, the first is from {first}: write both ends of "
            "every cable of a tier."
        )


def _placed(cabling: Cabling, pairs: Mapping[_Pair, list[_Cable]]) -> Moved:
    """Each stated cable takes the link of the plan that it is, else the next one of its pair."""
    made: Moved = {}
    for (lower, upper), stated in pairs.items():
        planned = _links(cabling, lower, upper)
        free = [cable for cable in planned if cable not in stated]
        others = [cable for cable in stated if cable not in planned]
        same = [(cable, cable) for cable in planned if cable in stated]
        for (low, high), (low_at, high_at) in [*same, *zip(free, others)]:
            made[lower, low], made[upper, high] = low_at, high_at
    return made


def _filled(cabling: Cabling, placed: Moved) -> Moved:
    """Ports of cables that are not built yet share what is left; then only what differs is kept."""
    touched = {(t.cast("Switch", device), _kind(cabling, device, port)) for device, port in placed}
    made = dict(placed)
    for device, kind in touched:
        names = _names(cabling, device.role, kind)
        taken = {placed[device, port] for port in names if (device, port) in placed}
        waiting = [port for port in names if (device, port) not in placed]
        free = [port for port in names if port not in taken]
        stay = set(waiting) & set(free)
        made.update({(device, port): port for port in stay})
        left = ([p for p in waiting if p not in stay], [p for p in free if p not in stay])
        made.update({(device, port): at for port, at in zip(*left)})
    return {key: at for key, at in made.items() if key[1] != at}


def _kind(cabling: Cabling, device: Device, port: str) -> str:
    return UP if port in _names(cabling, t.cast("Switch", device).role, UP) else DOWN
