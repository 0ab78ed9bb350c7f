# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tenants of one leaf, compared with the registry, or of all leaves together."""

from __future__ import annotations

import typing as t

from ..._fabric.tenancy import tables
from ..._fabric.topology.cabling import Switch
from ..._fabric.validate import isolation, isolation_leaf
from ..._nvue import dialect, operational, ranges
from ..._nvue.connect import open_api
from ..._nvue.errors import NvueError, TransportError, UntrustedError
from ..._nvue.paths import parse
from ..._nvue.shapes import mapping
from ..wrappers import ended
from .question import Plain, Question

if t.TYPE_CHECKING:
    from ..._fabric.fabric import Fabric
    from ..._nvue.api import Api

ALL = "tenants"


def validate(asked: Question) -> Plain:
    """Results of a leaf and what it runs, as `document`; with option `leaves` of all that were read."""
    if asked.args["leaves"] is not None:
        found = isolation.graph(asked.fabric, asked.registry, _documents(asked))
        return asked.answer(ALL, asked.due(found))
    name = asked.device
    leaf = asked.fabric.known(name)
    if not isinstance(leaf, Switch) or leaf.role != "leaf":
        return {"skipped": True, "msg": f"{name} is no leaf."}
    file = f"{name}.{ALL}"
    try:
        api = open_api(asked.args, asked.stated, asked.template)
        view, routes = _read(api, asked, leaf)
    except (TransportError, UntrustedError) as exc:
        return ended(exc)
    except NvueError as exc:
        # A row, not a failed task: the results of all other devices are still to be summed up.
        return asked.answer(file, [isolation.unread(asked.fabric, name, str(exc))])
    rows = asked.due([*isolation_leaf.static(view), *isolation.live(view, routes)])
    return {**asked.answer(file, rows), "document": isolation.for_graph(view)}


def _documents(asked: Question) -> dict[str, Plain]:
    """What some hosts' results have as `document`, by host; hosts without one were not read, or are no leaves."""
    hosts, variable = asked.stated["hostvars"], asked.args["checked"]
    rows = {name: dict(hosts[name].get(variable) or {}) for name in asked.args["leaves"]}
    return {name: row["document"] for name, row in rows.items() if "document" in row}


def _read(api: Api, asked: Question, leaf: Switch) -> tuple[isolation_leaf.LeafView, Plain]:
    """The leaf's configuration in neutral spelling, and the routing table of each VRF it should have."""
    try:
        release = operational.about(api).release
        applied = dialect.from_release(ranges.expand(operational.applied(api)), release)
        view = isolation_leaf.LeafView(asked.fabric, asked.registry, leaf, applied)
        routes = {row["vrf"]: _table(api, asked.fabric, row["vrf"]) for row in view.vrfs}
    finally:
        api.port.close()
    return view, routes


def _table(api: Api, fabric: Fabric, vrf: str) -> set[str] | None:
    """The prefixes of a VRF's routing table; None where the switch reports none."""
    found = operational.read(api, parse(tables.places(fabric, vrf)["rib"]), mapping)
    return None if tables.routes(found) is None else tables.prefixes_in(found)
