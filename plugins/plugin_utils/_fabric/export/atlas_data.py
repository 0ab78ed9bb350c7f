# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the atlas computes from: counts, templates, bit layouts, and compact tables of the rest.

    {name, clos, blocks, names, links, pools, ...}   the arithmetic, the same on every page
    {holders: [[count, owner], ...], rows, ...}      who holds the nodes, run by run; a site's rows
    {results: {device: {counts, rows}}, totals}      the last checks

`shard` is null for a single page, "index", or the zero-based pod.
"""

from __future__ import annotations

import dataclasses
import itertools
import string
import typing as t

from ..addressing import codec
from ..addressing.codec import Layout
from ..report import sizes
from ..tenancy.schema import QUARANTINE, REST
from ..topology.cabling import Device, Node, Switch
from ..topology.cages import Block
from . import atlas_results
from .svg import PALETTE

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..fabric import Fabric
    from ..tenancy.registry import Registry
    from .atlas_results import Verdicts

_OWN = ("name", "serial", "management", "management_prefix", "rack", "unit", "loopback", "vtep")
_ROLES = ("leaf", "spine", "super_spine")
_UNBUILT = -1


def pod_file(pod: int) -> str:
    """The page of a zero-based pod, below `atlas/`."""
    return f"pod-{pod + 1:03}.html"


def layout(made: Layout) -> dict[str, t.Any]:
    """A bit layout as plain data; numbers that JavaScript cannot hold do not occur in it."""
    fields = [
        {
            "name": field.name,
            "width": field.width,
            "top": str(field.top),
            "value": field.value,
            "codes": list(field.codes) if field.codes else None,
        }
        for field in made.fields
    ]
    return {"base": made.base, "fields": fields}


def template(text: str) -> list[tuple[str, str | None, int]]:
    """A format string as (literal, field, width) runs."""
    return [
        (literal, field, int(spec or 1))
        for literal, field, spec, _conversion in string.Formatter().parse(text)
    ]


class Content:
    """The data of every page of a fabric's atlas."""

    def __init__(self, fabric: Fabric, registry: Registry, results: Mapping[str, Verdicts]) -> None:
        self.fabric, self.registry, self.results = fabric, registry, results
        self.slugs = list(registry.owners)
        self.codes = [self._code(node) for node in fabric.cabling.nodes()]
        self.arithmetic = self._arithmetic()
        self.pod_of = {name: self._pod(fabric.device(name)) for name in results}

    # Pages

    def whole(self) -> dict[str, t.Any]:
        """Everything on one page."""
        return self._page(None, self.results, rows=self.fabric.rows)

    def index(self) -> dict[str, t.Any]:
        """The page that leads to the pods': results of super-spines, and totals for each pod."""
        pods = range(self.fabric.clos.pods)
        made = self._page("index", self._results(None), rows=self.fabric.rows)
        made["pages"] = [f"atlas/{pod_file(pod)}" for pod in pods]
        parts = [self._results(pod).values() for pod in pods]
        made["pod_totals"] = [atlas_results.total(part) if part else None for part in parts]
        made["totals"] = atlas_results.total(self.results.values())
        return made

    def pod(self, pod: int) -> dict[str, t.Any]:
        """A pod's page."""
        rows = [device for device in self.fabric.rows if self._pod(device) in (pod, None)]
        made = self._page(pod, self._results(pod), rows=rows)
        made["pages"] = [pod_file(other) for other in range(self.fabric.clos.pods)]
        return made

    def _page(
        self, shard: int | str | None, results: Mapping[str, Verdicts], *, rows: Iterable[Device]
    ) -> dict[str, t.Any]:
        c = self.fabric.clos
        per_pod = c.sus * c.slots
        first, last = 0, len(self.codes)
        if isinstance(shard, int):
            first, last = shard * per_pod, (shard + 1) * per_pod
        return {
            **self.arithmetic,
            "shard": shard,
            "first_node": first,
            "holders": [
                [len(list(same)), code] for code, same in itertools.groupby(self.codes[first:last])
            ],
            "moving": dict(self._moving(first, last)),
            "rows": [self._row(device) for device in rows],
            "results": {name: vars(found) for name, found in sorted(results.items())},
            "totals": atlas_results.total(results.values()),
        }

    # Parts

    def _results(self, pod: int | None) -> dict[str, Verdicts]:
        """Those of the devices that a pod's page shows, or that only the whole fabric's does."""
        return {name: self.results[name] for name, at in self.pod_of.items() if at == pod}

    def _code(self, node: Node) -> int:
        if not self.fabric.present(node):
            return _UNBUILT
        return self.slugs.index(self.registry.holding(node).slug)

    def _pod(self, device: Device | None) -> int | None:
        """The pod whose page shows a device; None for the page of the whole fabric."""
        if device is None or (isinstance(device, Switch) and device.role == "super_spine"):
            return None
        return device.pod

    def _moving(self, first: int, last: int) -> Iterator[tuple[str, str]]:
        c = self.fabric.clos
        for node, record in sorted(self.registry.moves.items()):
            number = (node.pod * c.sus + node.su) * c.slots + node.slot
            if first <= number < last:
                yield str(number), f"{record.from_} to {record.to}, step {record.step}"

    def _row(self, device: Device) -> dict[str, t.Any]:
        row = self.fabric.rows[device]
        own = {key: getattr(row, key) for key in _OWN if getattr(row, key)}
        return {"device": _key(device), **own}

    def _arithmetic(self) -> dict[str, t.Any]:
        f = self.fabric
        d, c, addresses = f.description, f.clos, f.addresses
        numbered = d.addressing.inter_switch
        return {
            "schema": 1,
            "name": d.name,
            "site": d.site,
            "facts": self._facts(),
            "palette": list(PALETTE),
            "clos": {k: n for k, n in vars(c).items() if not isinstance(n, Block)},
            "blocks": {
                role: {
                    kind: dataclasses.astuple(one) for kind, one in f.cabling.blocks(role).items()
                }
                for role in _ROLES
            },
            "names": {role: template(text) for role, text in f.names.formats.items()},
            "plane_in_address": addresses.plane_in_address,
            "link": {"version": addresses.version, "length": addresses.link_length},
            "links": layout(addresses.links) if addresses.links else None,
            "table": self._table(),
            "pools": [[name, layout(pool)] for name, pool in addresses.pools.items()],
            "pool_words": addresses.pool_text(),
            "numbered": numbered != "unnumbered",
            "inter_switch_length": 31 if numbered == "numbered-31" else 127,
            "absent": self._absent(),
            "owners": self._owners(),
            "swaps": [
                [_key(t.cast(Device, f.device(swap.device))), *swap.ports]
                for swap in d.swapped_ports
            ],
            "moved": [[_key(device), port, at] for (device, port), at in f.moved.items()],
        }

    def _facts(self) -> str:
        words, planes = sizes(self.fabric), self.fabric.clos.planes
        words += [f"{planes} planes"] if planes > 1 else []
        return " · ".join([*words, f"address profile {self.fabric.description.addressing.profile}"])

    def _table(self) -> list[str] | None:
        """Host and leaf address of every NIC port in turn, where they come from a table; empty where it has none."""
        addresses = self.fabric.addresses
        if not addresses.table:
            return None
        nics = list(self.fabric.cabling.nic_ports())
        return [
            codec.text(address, addresses.version) if address else ""
            for node in self.fabric.cabling.nodes()
            for nic in nics
            for address in addresses.link(node, nic)
        ]

    def _absent(self) -> dict[str, t.Any]:
        f, c = self.fabric, self.fabric.clos
        pods = [pod for pod in range(c.pods) if not f.present(Switch("spine", 0, pod, 0))]
        sus = [
            [pod, su]
            for pod in range(c.pods)
            for su in range(c.sus)
            if pod not in pods and not f.present(Switch("leaf", 0, pod, su * c.leaves_per_su))
        ]
        return {"pods": pods, "sus": sus}

    def _owners(self) -> list[dict[str, t.Any]]:
        """Slugs with the number of their colour: only those that hold nodes take one."""
        held = {self.slugs[code] for code in self.codes if code != _UNBUILT} - {QUARANTINE, REST}
        colours = itertools.count()
        numbers = (next(colours) if slug in held else None for slug in self.slugs)
        return [{"slug": slug, "colour": one} for slug, one in zip(self.slugs, numbers)]


def _key(device: Device) -> list[t.Any]:
    return ["node", *device] if isinstance(device, Node) else list(device)
