# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of the registry that keep its comments and its order.

    text = edit(fabric, text, [Place("acme", ("su02/h03",)), Move("worker-su01-rack01-h02", None)])

The new text is checked as a whole before it is handed back, so an edit that would break the model
is refused. `files.py` does it to a file.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import typing as t

from ..description import yaml_edit, yaml_source
from ..description._third_party import ruamel
from ..description.errors import FabricError
from ..description.load import typed
from ..plan.topology.cabling import Node
from . import nodes as node_text
from . import schema
from .moves import move
from .registry import FILE, Registry

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ..plan.fabric import Fabric

HEAD = "# Tenants of the fabric beside this file. Nodes that nobody names sit in quarantine.\n"


class Change(t.Protocol):
    """An edit of the registry."""

    def apply(self, fabric: Fabric, data: t.Any) -> None:
        """Change the data of the file."""


@dataclasses.dataclass(frozen=True)
class SetTenant:
    """A tenant exists with these fields; `id` is chosen when a new one has none."""

    slug: str
    fields: dict[str, t.Any] = dataclasses.field(default_factory=dict)

    def apply(self, _fabric: Fabric, data: t.Any) -> None:
        """Add or change the row."""
        row = _tenant(data, self.slug)
        fields = dict(self.fields)
        if row is None:
            row = _map({"id": fields.pop("id", None) or _free_id(data), "slug": self.slug})
            _sequence(data, "tenants").append(row)
        for name, value in fields.items():
            if value is None:
                row.pop(name, None)
            elif row.get(name) != value:
                row[name] = value


@dataclasses.dataclass(frozen=True)
class DropTenant:
    """A tenant without nodes is gone; its id is remembered under `retired`."""

    slug: str

    def apply(self, _fabric: Fabric, data: t.Any) -> None:
        """Move the row to `retired`."""
        row = _tenant(data, self.slug)
        if row is None:
            return
        if row.get("nodes"):
            raise FabricError.of(
                f"{self.slug} still has {', '.join(str(text) for text in row['nodes'])}: take its nodes back with "
                "tenant_offboard, which ends it too, or remove them first."
            )
        rows = data["tenants"]
        del rows[next(number for number, other in enumerate(rows) if other is row)]
        kept = ("id", "slug", *(key for key in schema.Takeover.model_fields if row.get(key)))
        gone = _map({key: row[key] for key in kept}, flow=True)
        _sequence(data, "retired").append(gone)


@dataclasses.dataclass(frozen=True)
class Place:
    """Nodes are listed under one owner and in no other list; `quarantine` takes them from all lists.

    With `take` false they may come from rest and from nowhere else: another owner's node is then
    claimed twice, and the edit refused.
    """

    slug: str
    nodes: tuple[str, ...]
    acceptance: str | None = None
    take: bool = True

    def apply(self, fabric: Fabric, data: t.Any) -> None:
        """Move nodes between lists; lists that hold none of them stay as they are."""
        moved = [node for text in self.nodes for node in node_text.expand(fabric, text)]
        group = None
        for row, slug in _lists(data):
            same = slug != schema.REST or row.get("acceptance") == self.acceptance
            if slug == self.slug and same and group is None:
                group = row
            elif self.take or slug == schema.REST:
                _take(fabric, row, set(moved))
        if self.slug != schema.QUARANTINE:
            group = self._new_list(data) if group is None else group
            held = {n for s in group.get("nodes") or () for n in node_text.expand(fabric, str(s))}
            names = _sequence(group, "nodes")
            for text in node_text.compress(fabric, [node for node in moved if node not in held]):
                names.append(text)
        _prune(data)

    def _new_list(self, data: t.Any) -> t.Any:
        if self.slug != schema.REST:
            raise FabricError.of(
                f"'{self.slug}' is not a tenant of the registry: add it first (state present)."
            )
        row = _map({"nodes": ruamel().comments.CommentedSeq()})
        if self.acceptance:
            row["acceptance"] = self.acceptance
        _sequence(data, "rest").append(row)
        return row


@dataclasses.dataclass(frozen=True)
class Take:
    """Nodes leave one owner's list, if they are there."""

    slug: str
    nodes: tuple[str, ...]

    def apply(self, fabric: Fabric, data: t.Any) -> None:
        """Take the nodes out of the owner's lists."""
        moved = {node for text in self.nodes for node in node_text.expand(fabric, text)}
        for row, slug in _lists(data):
            if slug == self.slug:
                _take(fabric, row, moved)
        _prune(data)


@dataclasses.dataclass(frozen=True)
class Run:
    """Run that edits: its name in records, and a check whether another run still lasts."""

    name: str
    at_work: Callable[[str], bool]


@dataclasses.dataclass(frozen=True)
class Move:
    """A node's moving record; None removes it.

    `at` is the step by which the file must record the node as moving, empty where it must not; None
    asks for nothing. With `run` the record is that run's from now on, which takes it over from `of`
    (empty where no run had it) or has it already. Both show a run that another one has gone on meanwhile.
    """

    node: str
    record: dict[str, t.Any] | None
    at: str | None = None
    of: str = ""
    run: Run | None = None

    def apply(self, fabric: Fabric, data: t.Any) -> None:
        """Set the record, unless the file's own one forbids it."""
        rows = (data.get("moving") or {}).items()
        found = next((row for name, row in rows if _is(fabric, str(name), self.node)), None)
        _record(fabric, data, "moving", self.node, noted(found, self).record)


@dataclasses.dataclass(frozen=True)
class RecordHealth:
    """Record of a node that nobody rents; None forgets it."""

    node: str
    record: dict[str, t.Any] | None

    def apply(self, fabric: Fabric, data: t.Any) -> None:
        """Set the record."""
        _record(fabric, data, "health", self.node, self.record)


def edit(fabric: Fabric, text: str, changes: Sequence[Change], *, path: str = FILE) -> str:
    """The text with the changes; FabricError lists all that the changes would break.

    A text with other types than the schema's is refused, as every reader refuses it.
    """
    typed(schema.TenantsFile, yaml_source.parse(text, path=path))
    yaml, data = yaml_edit.read(text, path)
    if data is None:
        data = yaml.load("tenants: []\n")
        data["tenants"].fa.set_block_style()
        text = text or HEAD
        head = text if text.lstrip().startswith("#") else HEAD
    else:
        head = ""
    lists = any(isinstance(change, (SetTenant, DropTenant, Place, Take)) for change in changes)
    before, held = yaml_edit.dumped(yaml, data), _customers(fabric, data) if lists else {}
    for change in changes:
        change.apply(fabric, data)
    _remember(
        fabric, data, held, {change.node for change in changes if isinstance(change, RecordHealth)}
    )
    after = yaml_edit.dumped(yaml, data)
    if after == before:
        return text
    made = head + after
    Registry.parse(fabric, made, path=path)
    return made


def _customers(fabric: Fabric, data: t.Any) -> dict[str, str]:
    """The customer of each node that has one, by the node's name."""
    made: dict[str, str] = {}
    for row, slug in _lists(data):
        for text in (row.get("nodes") or ()) if slug != schema.REST else ():
            with contextlib.suppress(FabricError):  # the whole is judged at the end
                found = node_text.expand(fabric, str(text))
                made.update((fabric.name(node), str(slug)) for node in found)
    return made


def _remember(fabric: Fabric, data: t.Any, held: dict[str, str], known: set[str]) -> None:
    """A node that leaves a customer without a move keeps its name under `health`, and so is not wiped."""
    holds, moving = _customers(fabric, data) if held else {}, data.get("moving") or {}
    for name, slug in held.items():
        away = holds.get(name) != slug and name not in known
        if away and not any(_is(fabric, str(text), name) for text in moving):
            _record(fabric, data, "health", name, {"had": slug})


def _sequence(data: t.Any, key: str) -> t.Any:
    if data.get(key) is None:
        data[key] = ruamel().comments.CommentedSeq()
    return data[key]


def _map(row: Mapping[str, t.Any], *, flow: bool = False) -> t.Any:
    """A mapping of the file; with `flow` in braces."""
    made = ruamel().comments.CommentedMap(row)
    if flow:
        made.fa.set_flow_style()
    return made


def _tenant(data: t.Any, slug: str) -> t.Any:
    return next((row for row in data.get("tenants") or () if row.get("slug") == slug), None)


def _free_id(data: t.Any) -> int:
    """The id after the highest; last of all a gap, which a row deleted by hand may have left."""
    rows = [*(data.get("tenants") or ()), *(data.get("retired") or ())]
    used: set[int] = {row["id"] for row in rows}
    every = range(schema.FIRST_TENANT_ID, schema.LAST_ID + 1)
    following = max(used, default=0) + 1
    for number in itertools.chain(every[max(following - every.start, 0) :], every):
        if number not in used:
            return number
    raise FabricError.of(
        f"id: {schema.FIRST_TENANT_ID} to {schema.LAST_ID} have all been given: begin a registry of "
        "another fabric."
    )


def _lists(data: t.Any) -> Iterator[tuple[t.Any, str]]:
    for key in ("services", "tenants"):
        for row in data.get(key) or ():
            yield row, row.get("slug")
    for row in data.get("rest") or ():
        yield row, schema.REST


def _take(fabric: Fabric, row: t.Any, moved: set[Node]) -> None:
    """Take nodes out of a list: a range that holds some of them is written again."""
    texts = row.get("nodes")
    for number in range(len(texts or ()) - 1, -1, -1):
        found = node_text.expand(fabric, str(texts[number]))
        left = [node for node in found if node not in moved]
        if len(left) == len(found):
            continue
        rest = node_text.compress(fabric, left)
        if not rest:
            del texts[number]
            continue
        texts[number] = rest[0]
        for offset, text in enumerate(rest[1:], start=1):
            texts.insert(number + offset, text)


def _prune(data: t.Any) -> None:
    """No empty entries of rest stay behind."""
    rows: t.Any = data.get("rest") or []
    for number in range(len(rows) - 1, -1, -1):
        if not rows[number].get("nodes"):
            del rows[number]
    if "rest" in data and not data["rest"]:
        del data["rest"]


def _record(
    fabric: Fabric, data: t.Any, key: str, node: str, record: dict[str, t.Any] | None
) -> None:
    """Set a node's record in a section of the file, or remove it; other spellings of the node go."""
    section = data.get(key) or {}
    for name in [n for n in section if _is(fabric, str(n), node)]:
        if record is None or name != node:
            del section[name]
    if record is not None and section.get(node) != record:
        if data.get(key) is None:
            data[key] = _map({})
        data[key][node] = _map(record, flow=True)
    if key in data and not data[key]:
        del data[key]


def noted(found: Mapping[str, t.Any] | None, change: Move) -> Move:
    """A change of the file's record of a node, with its run; FabricError where that record forbids it.

    It does where it goes elsewhere, or where another run has taken it over.
    """
    old, key = found or {}, f"moving.{change.node}"
    at = old.get("step", "")
    if change.at is not None and at != change.at:
        here = f"is at step {at} there" if at else "is not recorded there"
        left = f"at {change.at}" if change.at else "unrecorded"
        raise FabricError.of(
            f"{key}: its move {here}, and this run left it {left}: another run has taken it over: let that one finish, "
            "and run again if the node is not where it must be."
        )
    if change.run is not None:
        _still_of(old.get("run") or "", change, change.run)
        if change.record is not None:
            change = dataclasses.replace(change, record={**change.record, "run": change.run.name})
    to = (change.record or {}).get("to")
    if old and change.record is not None and to not in (old["to"], old["from"]):
        raise FabricError.of(
            f"{key}: {change.node} is already moving from {old['from']} to {old['to']} (step {old['step']}), and {to} "
            "is elsewhere: let that move finish, or remove its record first."
        )
    return change


def _still_of(theirs: str, change: Move, run: Run) -> None:
    if theirs in ("", run.name):
        return
    if theirs != change.of:
        raise FabricError.of(
            f"moving.{change.node}: the run {theirs} has taken over its move: let that one finish, and run again if "
            "the node is not where it must be."
        )
    if run.at_work(theirs):
        raise FabricError.of(move.at_work(change.node, theirs))


def _is(fabric: Fabric, text: str, name: str) -> bool:
    """Check whether a key names the node, in whichever way."""
    if text == name:
        return True
    try:
        return [fabric.name(node) for node in node_text.expand(fabric, text)] == [name]
    except FabricError:
        return False
