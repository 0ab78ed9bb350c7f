# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves in memory, for jobs of tenants: what they hold are documents, and what they report follows from these."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
    compose,
    tenants_part,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.leaf import (
    AppliedConfiguration,
    Clock,
    LeafError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.plan import Wish, make
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import (
    Release,
)

from . import evpn


class Leaf:
    """One leaf of a world: `documents` by name; `tables` overrides what a path reports."""

    def __init__(self, world, name):
        self.world, self.name = world, name

    def applied(self):
        return AppliedConfiguration(self.world.release, self.world.documents.get(self.name, {}))

    def bring(self, registry, job):
        ctx = compose.context(self.world.fabric, self.name, tenants=registry)
        part = tenants_part.part(ctx, job)
        wish = Wish(part["config"], "replaced", owns=tuple(part["owns"]), guard=part["guard"])
        plan = make(self.world.documents[self.name], wish, Release(5, 16, 1))
        if plan.forbidden:
            raise LeafError(" ".join(plan.forbidden))
        self.world.brought(self.name, plan.after)

    def read(self, paths):
        return {path: self._one(path) for path in paths}

    def _one(self, path):
        if path in self.world.tables:
            return self.world.tables[path]
        kind, name, *_rest = path.split("/")
        if kind != "vrf":
            return None
        documents = self.world.documents
        if name not in documents.get(self.name, {}).get("vrf", {}):
            return None
        return {"route": {prefix: {} for prefix in evpn.table(documents, self.name, name)}}

    def ping(self, vrf, address):
        self.world.pings.append((self.name, vrf, address))


class Leaves:
    """The leaves of a world, one after the other."""

    def __init__(self, world):
        self.world = world

    def each(self, names, work):
        made, said = {}, []
        for name in names:
            try:
                made[name] = work(Leaf(self.world, name))
            except LeafError as exc:
                said.append(str(exc))
        if said:
            raise FabricError(said)
        return made


class Memory:
    """A fabric whose leaves hold documents."""

    def __init__(self, fabric, documents, release="5.16.1"):
        self.fabric, self.documents, self.release = fabric, dict(documents), release
        self.tables, self.pings = {}, []

    def brought(self, name, document):
        """A leaf has applied a document."""
        self.documents[name] = document


class Book:
    """The records of a registry in memory, which a world keeps under `registry`."""

    def __init__(self, world):
        self.world = world

    def note(self, records, at):
        self.world.noted(records)


def clock():
    """Time that passes only while somebody sleeps."""
    now = [0.0]
    return Clock(lambda: now[0], lambda seconds: now.__setitem__(0, now[0] + seconds))
