# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The registry of tenants: a checked file, and who holds which node.

    registry = Registry.load(fabric)                   tenants.yml beside the description
    registry.holding(node)                             Holding(slug="acme", up=True, ...)
    registry.with_move(node, {"from": "acme", "to": "rest", "step": "shut"})

A fabric without the file has no tenants: every node is in quarantine.
"""

from __future__ import annotations

import os
import typing as t
from pathlib import Path

from ..description import yaml_source
from ..description._third_party import require
from ..description.errors import FabricError
from ..description.load import typed
from . import rules, schema
from .holdings import Holdings

if t.TYPE_CHECKING:
    from ..plan.fabric import Fabric

FILE = "tenants.yml"

_Stamp = tuple[Path, t.Optional[int], t.Optional[int]]
_CACHE: dict[_Stamp, tuple[Fabric, Registry]] = {}


class Registry(Holdings):
    """A checked registry over one fabric."""

    def __init__(self, fabric: Fabric, source: yaml_source.Source) -> None:
        require()
        file, doubted, refused = _file(source)
        super().__init__(fabric, source, file)
        breaches = [*self.found, *rules.breaches(self)]
        if doubted:  # what follows from a value that is left out would mislead
            breaches = [b for b in breaches if len(b.key) > 1 and b.key[:2] not in doubted]
        if refused or breaches:
            raise FabricError([*refused, *map(source.sentence, breaches)])

    @classmethod
    def load(cls, fabric: Fabric, path: str | None = None) -> Registry:
        """The registry of a file; parsed once per process while file and fabric stay the same."""
        where = Path(path or fabric.beside(FILE)).absolute()
        if path is None and not os.path.lexists(where):  # a link to nothing is not no file
            return cls.empty(fabric)
        status = where.stat() if where.exists() else None
        stamp = (where, status and status.st_mtime_ns, status and status.st_size)
        kept = _CACHE.get(stamp)
        if kept is None or kept[0] is not fabric:
            kept = _CACHE[stamp] = (fabric, cls(fabric, yaml_source.read(str(where))))
        return kept[1]

    @classmethod
    def parse(cls, fabric: Fabric, text: str, *, path: str = FILE) -> Registry:
        """The registry of a text."""
        return cls(fabric, yaml_source.parse(text, path=path))

    @classmethod
    def empty(cls, fabric: Fabric) -> Registry:
        """A registry without tenants."""
        return cls(fabric, yaml_source.Source(FILE, {}, {}))


def _file(source: yaml_source.Source) -> tuple[schema.TenantsFile, set[schema.Row], list[str]]:
    """The typed file; where the schema refuses values, without them, with their rows and sentences."""
    try:
        return typed(schema.TenantsFile, source), set(), []
    except FabricError as exc:
        found = schema.judgeable(source.data) if isinstance(source.data, dict) else None
        if found is None:
            raise
        return (*found, exc.sentences)
