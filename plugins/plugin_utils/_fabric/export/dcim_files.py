# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Import files of a DCIM, of the same things that a push writes.

A system is a list of tables in the order of import: `netbox.py`, `nautobot.py`. Files are numbered in that
order, and a table that does not fit into one is several files:

    netbox/17-devices.csv, netbox/18-interfaces.csv, netbox/18-interfaces-2.csv

Files of VLANs are there where the fabric has other networks; the others keep their numbers.
"""

from __future__ import annotations

import functools
import re
import typing as t

from ..report.report import csv_lines
from ..tenants.registry import Registry
from .dcim.context import Context
from .dcim.mark import mark, tail
from .dcim.part import WHOLE, Part
from .dcim.plan_things import of_kind
from .dcim.things import FIELD, TAG, UNTAGGED, Ref, Thing, Value

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..plan.fabric import Fabric
    from . import rows

MOST_BYTES = 2_000_000
"""Limit of a file. A form of NetBox takes 2.5 MB (Django, DATA_UPLOAD_MAX_MEMORY_SIZE), with two bytes a line more."""

Cell = t.Callable[["Cells", Thing], object]
"""Function that returns the cell of a column for a thing."""


_WITH_NETWORKS = ("vlan_group", "vlan")
"""Kinds of which a fabric without other networks has nothing."""


class Table(t.NamedTuple):
    """A file of one kind: its columns, and of which things there is a row, in rounds.

    Of things for which `once` says the same words, only the first has a row. It says nothing of most, as all that it
    says is kept in memory.
    """

    file: str
    kind: str
    columns: t.Mapping[str, Cell]
    rounds: t.Sequence[t.Callable[[Thing], bool]] = (lambda _thing: True,)
    once: t.Callable[[Thing], str] = lambda _thing: ""


class Cells:
    """Source of the cells."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.device = functools.lru_cache(maxsize=1024)(self._device)

    def _device(self, place: str) -> str:
        fabric = self.context.fabric
        found = fabric.names.device(place)
        return fabric.name(found) if found is not None else place

    @functools.cached_property
    def _vlans(self) -> dict[str, tuple[int, str]]:
        """Number and group of each VLAN by key."""
        return {
            thing.key: (t.cast(int, thing.values["vid"]), self.name(thing.values["vlan_group"]))
            for thing in of_kind("vlan", self.context)
        }

    def vlan(self, value: Value) -> tuple[int, str] | None:
        """Number and group of a VLAN; None where there is none."""
        return self._vlans[value.key] if isinstance(value, Ref) else None

    def name(self, value: Value) -> str:
        """The name of what a value refers to; of an interface its own, without the device."""
        if not isinstance(value, Ref):
            return ""
        if value.kind == "interface":
            return tail(value.key).partition("/")[2]
        return self.device(tail(value.key)) if value.kind == "device" else _plain(value)

    def device_of(self, interface: Value) -> str:
        """The name of the device of an interface."""
        return self.device(tail(t.cast(Ref, interface).key).partition("/")[0])

    def inside(self, thing: Thing) -> bool:
        """Check whether both ends of a cable are in the part that is written."""
        ends = thing.values.get("ends", ())
        part, fabric = self.context.part, self.context.fabric
        return all(part.holds(fabric, end.key) for end in t.cast("tuple[Ref, ...]", ends))


def _plain(ref: Ref) -> str:
    return tail(ref.key) or ref.key


def of(field: str) -> Cell:
    """A field as text; nothing where it is not known."""
    return lambda _cells, thing: text(thing.values.get(field))


def text(value: Value) -> object:
    """A value as a cell: `true`, `9216`, empty for what is not known."""
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else value


def named(field: str) -> Cell:
    """The name of what a field refers to."""
    return lambda cells, thing: cells.name(thing.values.get(field))


def listed(field: str) -> Cell:
    """The names of what a field refers to, with commas."""

    def cell(cells: Cells, thing: Thing) -> str:
        return ",".join(map(cells.name, t.cast("tuple[Value, ...]", thing.values[field])))

    return cell


def vlans(*fields: str) -> t.Callable[[Cells, Thing], list[tuple[int, str]]]:
    """Number and group of each VLAN that some fields of a thing have."""

    def found(cells: Cells, thing: Thing) -> list[tuple[int, str]]:
        made: list[tuple[int, str]] = []
        for field in fields:
            value = thing.values.get(field)
            refs = value if isinstance(value, tuple) and not isinstance(value, Ref) else (value,)
            made += [vlan for ref in refs if (vlan := cells.vlan(ref))]
        return sorted(made)

    return found


def vids(field: str, *, none: str = "") -> Cell:
    """The numbers of VLANs, with commas."""
    of_thing = vlans(field)
    return lambda cells, thing: ",".join(str(vid) for vid, _group in of_thing(cells, thing)) or none


def fixed(word: str) -> Cell:
    """The same word in every row."""
    return lambda _cells, _thing: word


def chosen(field: str, words: t.Mapping[object, str]) -> Cell:
    """The word of a system for a field's value; the value itself where it has none of its own."""

    def cell(_cells: Cells, thing: Thing) -> object:
        value = thing.values.get(field)
        return words.get(value, text(value))

    return cell


def slug(_cells: Cells, thing: Thing) -> str:
    """The name in lower case, with hyphens."""
    return re.sub(r"[^a-z0-9_]+", "-", thing.name.lower()).strip("-")


def end(number: int, what: str) -> Cell:
    """The device or the port of an end of a cable, or of an interface of an address."""

    def cell(cells: Cells, thing: Thing) -> str:
        field = "ends" if thing.kind == "cable" else "interfaces"
        refs = t.cast("tuple[Ref, ...]", thing.values[field])
        if number >= len(refs):
            return ""
        return cells.device_of(refs[number]) if what == "device" else cells.name(refs[number])

    return cell


def others(cells: Cells, thing: Thing) -> str:
    """The interfaces that carry an address beside the first one."""
    more = t.cast("tuple[Ref, ...]", thing.values["interfaces"])[1:]
    words = ", ".join(f"{cells.device_of(ref)} {cells.name(ref)}" for ref in more)
    return f"also on {words}" if words else ""


def owned(kind: str = "", **lacking: Value) -> dict[str, Cell]:
    """The tag, where things of a kind have one of their own, and the field that make a thing ours.

    `lacking` are the fields that a file cannot have, as they then are in the DCIM. The digest is of these: a push
    takes another value for one that somebody changed.
    """

    def written(_cells: Cells, thing: Thing) -> str:
        values = {
            field: None if value is None else lacking.get(field, value)
            for field, value in thing.values.items()
        }
        return mark(thing._replace(values=values))

    tags = {} if kind in UNTAGGED else {"tags": fixed(TAG)}
    return {**tags, f"cf_{FIELD}": written}


def files(
    fabric: Fabric, pods: rows.Pods, folder: str, tables: Sequence[Table]
) -> Iterator[tuple[str, Iterable[str]]]:
    """(path, chunks) of each file of a system."""
    part = WHOLE if pods is None else Part(pods=tuple(pods), top=False)
    cells = Cells(Context(fabric, Registry.load(fabric), part))
    for number, table in enumerate(tables, start=1):
        if table.kind in _WITH_NETWORKS and not fabric.description.networks:
            continue
        first = f"{folder}/{number:02}-{table.file}"
        for count, lines in enumerate(_split(cells, table), start=1):
            yield (f"{first}.csv" if count == 1 else f"{first}-{count}.csv"), lines


def _split(cells: Cells, table: Table) -> Iterator[list[str]]:
    """The lines of each file of a table; the first file is there also without rows."""
    head, *_none = csv_lines(",".join(table.columns), [])
    lines, size = [head], len(head)
    for line in csv_lines("", _rows(cells, table)):
        if line == "\n":
            continue
        if size + len(line.encode()) > MOST_BYTES:
            yield lines
            lines, size = [head], len(head)
        lines.append(line)
        size += len(line.encode())
    yield lines


def _rows(cells: Cells, table: Table) -> Iterator[list[object]]:
    seen: set[str] = set()
    for wanted in table.rounds:
        for thing in of_kind(table.kind, cells.context):
            words = table.once(thing)
            if wanted(thing) and cells.inside(thing) and words not in seen:
                seen |= {words} - {""}
                yield [cell(cells, thing) for cell in table.columns.values()]


def begins(tables: Sequence[Table]) -> re.Pattern[bytes]:
    """Return the first lines of a system's files; files of an earlier version have other columns beside our field."""
    heads = sorted({",".join(table.columns) for table in tables})
    exact = (re.escape(f"{head}\n") for head in heads)
    return re.compile("|".join((*exact, rf"(.*,)?cf_{FIELD}(,.*)?\n")).encode())
