# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A DCIM in memory that does what real ones do to a push: refuse, fall silent, answer half, change meanwhile."""

from __future__ import annotations

import dataclasses
import itertools
import pathlib
from collections.abc import Iterator, Sequence

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.port import (
    DcimError,
    Index,
    Scope,
    Update,
    WriteResult,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.mark import (
    mark,
    parted,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    KINDS,
    SHARED,
    UNTAGGED,
    DcimObject,
    Ref,
    Thing,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.job import Job
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)


@dataclasses.dataclass
class Memory:
    """The port over a dictionary. `dies_after` writes it answers no more; `refuses` has keys it does not take.

    `slugs` has objects of other names whose slugs new things of these names would take.
    """

    name: str = "Memory 1.0"
    kinds: tuple[str, ...] = KINDS
    held: dict[tuple[str, str], DcimObject] = dataclasses.field(default_factory=dict)
    refuses: dict[str, str] = dataclasses.field(default_factory=dict)
    slugs: dict[str, DcimObject] = dataclasses.field(default_factory=dict)
    dies_after: int | None = None
    forgets_answers: bool = False
    reads: list[str] = dataclasses.field(default_factory=list)
    writes: int = 0
    _numbers: Iterator[int] = dataclasses.field(default_factory=lambda: itertools.count(1))

    def fit(self, thing: Thing) -> Thing:
        return thing

    def check(self) -> None:
        if self.dies_after == 0:
            raise DcimError("the token is not valid.")

    def close(self) -> None:
        pass

    def read(self, kind: str, scope: Scope, index: Index) -> Iterator[DcimObject]:
        self.reads.append(kind)
        for one in [one for (of, _id), one in self.held.items() if of == kind]:
            on_device = kind in (*UNTAGGED, "primary")
            if on_device and not index.id_of(one.values["device"]):  # type: ignore[arg-type]
                continue
            if one.owned or kind in (*UNTAGGED, *SHARED):
                index.add(kind, one.key, one.id)
            yield self._seen(one, index)

    def _seen(self, found: DcimObject, index: Index) -> DcimObject:
        """An end of a cable is only known by its number where the index does not know it."""
        ends = found.values.get("ends")
        if found.kind != "cable" or not isinstance(ends, tuple):
            return found
        seen = tuple(e if index.id_of(e) else f"dcim.interface {e.key}" for e in ends)  # type: ignore[arg-type,union-attr]
        return found._replace(values={**found.values, "ends": seen})

    def slug_holders(
        self, kind: str, things: Sequence[Thing], index: Index
    ) -> dict[str, DcimObject]:
        return {each.key: self.slugs[each.name] for each in things if each.name in self.slugs}

    def create(self, kind: str, things: Sequence[Thing], index: Index) -> list[WriteResult]:
        done = [self._create(kind, thing, index) for thing in things]
        return done[:-1] if self.forgets_answers else done

    def _create(self, kind: str, thing: Thing, index: Index) -> WriteResult:
        self._spend()
        if why := self.refuses.get(thing.key):
            return WriteResult(thing.key, "", why)
        number = str(next(self._numbers))
        key, digest = parted(mark(thing)) if "/" in thing.key else (thing.key, "")
        self.put(
            DcimObject(
                kind, number, key, thing.name, thing.values, True, ("spectrum-x",), "1", digest
            )
        )
        index.add(kind, thing.key, number)
        return WriteResult(thing.key, number)

    def update(self, kind: str, changes: Sequence[Update], index: Index) -> list[WriteResult]:
        return [self._update(kind, change) for change in changes]

    def _update(self, kind: str, change: Update) -> WriteResult:
        self._spend()
        now = self.held[kind, change.found.id]
        if now.version != change.found.version:
            return WriteResult(
                change.thing.key, now.id, "somebody changed it after it was read; run again."
            )
        ours = {field: pair[0] for field, pair in change.fields.items()}
        digest = parted(mark(change.thing))[1]
        changed = now._replace(values={**now.values, **ours}, digest=digest)
        self.put(
            changed._replace(
                key=change.thing.key, owned=True, tags=("spectrum-x",), version=f"{now.version}+"
            )
        )
        if kind == "device":
            for port in [
                one for (of, _id), one in self.held.items() if of in ("interface", "primary")
            ]:
                if port.values["device"] == Ref("device", change.thing.key) and port.key:
                    self.put(port._replace(owned=True, tags=("spectrum-x",)))
        return WriteResult(change.thing.key, now.id)

    def delete(self, kind: str, found: Sequence[DcimObject], index: Index) -> list[WriteResult]:
        for one in found:
            self._spend()
            assert self.held[kind, one.id].owned
            del self.held[kind, one.id]
        return [WriteResult(one.key, one.id) for one in found]

    def _spend(self) -> None:
        if self.dies_after is not None and self.writes >= self.dies_after:
            raise DcimError("it did not answer in time.")
        self.writes += 1

    def put(self, found: DcimObject) -> None:
        """A thing is there, whoever made it."""
        self.held[found.kind, found.id] = found

    def find(self, kind: str, key: str) -> DcimObject:
        """The one thing with a key."""
        (found,) = [one for (of, _id), one in self.held.items() if of == kind and one.key == key]
        return found

    def edit(self, kind: str, key: str, **values: object) -> None:
        """Somebody changes fields, as a person does in the browser."""
        found = self.find(kind, key)
        self.put(found._replace(values={**found.values, **values}, version=f"{found.version}x"))  # type: ignore[dict-item]

    def count(self, kind: str) -> int:
        """Count the things of a kind."""
        return sum(1 for of, _id in self.held if of == kind)


def fabric(name: str = "lab") -> Fabric:
    """One of the examples."""
    return Fabric.load(str(INVENTORIES / name / "model" / "fabric.yml"))


def of_folder(folder: pathlib.Path) -> Fabric:
    """The fabric of a project's folder."""
    return Fabric.load(str(folder / "model" / "fabric.yml"))


def job(dcim: Memory, made: Fabric | None = None, **options: object) -> Job:
    """A push of a fabric, by default of the lab."""
    made = made or fabric()
    return Job(dcim, made, Registry.load(made), **options)  # type: ignore[arg-type]
