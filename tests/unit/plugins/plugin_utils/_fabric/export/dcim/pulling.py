# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A project in a folder, a DCIM that has its things, and a pull of them."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.pull import (
    Texts,
    pull,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

from .wishes import found, things

TODAY = "2026-11-25"


class Project:
    """The lab in a folder of its own."""

    def __init__(self, folder, *, rows: str = "", tenants: str = "", more: str = "") -> None:
        text = (INVENTORIES / "lab" / "model" / "fabric.yml").read_text(encoding="utf-8")
        self.description = folder / "fabric.yml"
        self.devices, self.tenants = folder / "devices.csv", folder / "tenants.yml"
        if rows:
            self.devices.write_text(rows)
        self.description.write_text(text + ("devices: devices.csv\n" if rows else "") + more)
        if tenants:
            self.tenants.write_text(tenants)
        self.load()

    def load(self) -> None:
        """Read the files again."""
        self.fabric = Fabric.load(str(self.description))
        self.registry = Registry.load(self.fabric)
        self.there = {(x.kind, x.key): found(x) for x in things(self.fabric)}

    def says(self, kind: str, place: str, **values) -> None:
        """Change something in the DCIM."""
        key = kind, f"lab/{place}"
        one = self.there[key]
        self.there[key] = one._replace(values={**one.values, **values})

    def texts(self) -> Texts:
        """The files as they are."""
        files = (self.devices, self.description, self.tenants)
        return Texts(*(path.read_text() if path.exists() else "" for path in files))

    def pull(self, **options):
        """Return the proposals of a pull."""
        there = self.there.values()
        return pull(self.fabric, self.registry, there, self.texts(), today=TODAY, **options)

    def accept(self, pulled) -> None:
        """Commit all of it."""
        for proposal in pulled.proposals:
            (self.description.parent / proposal.file).write_text(proposal.after)
        self.load()
