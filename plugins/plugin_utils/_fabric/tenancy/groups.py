# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inventory groups of tenants: `spx_tenant_acme`, `spx_tenant_rest`."""

from __future__ import annotations

import typing as t

from . import schema
from .registry import Registry

if t.TYPE_CHECKING:
    from ..fabric import Fabric


def of_registry(fabric: Fabric, path: str | None = None) -> dict[str, list[str]]:
    """Node names by group, by the registry: every tenant and service with nodes, and rest.

    Nodes that nobody names are in no group: they are in quarantine, and may be nearly all.
    """
    registry = Registry.load(fabric, path)
    made = {}
    for slug in registry.owners:
        nodes = registry.nodes_of(slug)
        if slug != schema.QUARANTINE and (nodes or registry.owners[slug].kind == "tenant"):
            made[group_name(slug)] = [fabric.name(node) for node in nodes]
    return made


def group_name(slug: str) -> str:
    """`acme-labs` -> `spx_tenant_acme_labs`."""
    return f"spx_tenant_{slug.replace('-', '_')}"
