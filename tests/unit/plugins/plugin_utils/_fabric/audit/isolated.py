# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves with the documents that the roles render, and what the audit says of them."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import (
    isolation,
    isolation_leaf,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
)

from ..tenants import evpn

LEAF, RAIL_2, FAR = "leaf-p1-su001-r1", "leaf-p1-su001-r2", "leaf-p1-su002-r1"
NODE = "worker-su01-rack01-h01"


TEXT = (
    "tenants:\n"
    "  - {id: 21, slug: acme, nodes: ['*/h01']}\n"
    "  - {id: 22, slug: globex, nodes: ['*/h02']}\n"
)

MOVE = TEXT + "moving: {su01/h01: {from: %s, to: %s, step: %s}}"


def rendered(fabric, registry):
    """Return what every leaf should run."""
    leaves = [leaf for leaf in fabric.switches() if leaf.role == "leaf"]
    return {
        fabric.name(leaf): compose.document(fabric, leaf, ["tenants"], tenants=registry)
        for leaf in leaves
    }


def edges_of(fabric, registry, documents):
    """Return (importing VRF, the other) of all that the graph does not let pass."""
    rows = [row for row in isolation.graph(fabric, registry, documents) if row["state"] == "fail"]
    assert {row["id"] for row in rows} <= {"tenant.route_targets"}
    return [(row["sentence"].split()[0], row["found"]) for row in rows]


def top_of_rack():
    """Return a small fabric whose leaves have all rails of some nodes."""
    return build(
        wiring={"mode": "top-of-rack"}, rails=2, capacity={"sus_per_pod": 1, "slots_per_su": 4}
    )


def of_leaf(fabric, registry, document, leaf=LEAF, *, check="tenant."):
    """Return the failures of one leaf's static checks."""
    view = isolation_leaf.LeafView(fabric, registry, fabric.device(leaf), document)
    rows = [row for row in isolation_leaf.static(view) if row["id"].startswith(check)]
    return [row for row in rows if row["state"] == "fail"]


def failures(fabric, registry, documents):
    """Return the failed results of the static audit over all leaves."""
    results = list(isolation.graph(fabric, registry, documents))
    for name, document in documents.items():
        view = isolation_leaf.LeafView(fabric, registry, fabric.device(name), document)
        results += isolation_leaf.static(view)
        plane = in_plane(fabric, documents, fabric.device(name).plane)
        tables = {vrf: evpn.table(plane, name, vrf) for vrf in document["vrf"]}
        results += isolation.live(view, tables)
    return [row for row in results if row["state"] == "fail"]


def in_plane(fabric, documents, plane):
    """Return the documents of one plane: planes share no cable, so no route either."""
    return {n: body for n, body in documents.items() if fabric.device(n).plane == plane}
