# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Data of the atlas: counts, templates, bit layouts, and compact tables of the rest.

    {name, clos, blocks, names, links, pools, ...}   the arithmetic, the same on every page
    {holders: [[count, owner], ...], rows, ...}      who holds the nodes, run by run; a site's rows
    {results: {device: {state, rows, ...}}, causes}  the last checks, with what did not pass by cause
    {performance: {words, suspects, devices, ...}}   the last run that measured the fabric, or null
    {networks: [{name, role, ports, ...}, ...]}      the switches of the converged fabric, of a pod's nodes, or null
    {tenant_addresses: {subnets, sessions, arrays}}  subnets of tenants and their sessions outside, or no key

`shard` is null for a single page, "index", or the zero-based pod.
"""

from __future__ import annotations

import dataclasses
import itertools
import string
import typing as t

from ..._pages.svg import PALETTE
from ..plan.addressing import codec
from ..plan.addressing.addresses import link_index
from ..plan.addressing.codec import Bits, Layout
from ..plan.places import pod_of
from ..plan.topology.cabling import Device, Node, Switch
from ..plan.topology.cages import Block
from ..plan.topology.converged_cabling import plane_of
from ..report.report import sizes
from ..tenants import attachments
from ..tenants.nets import as_data
from ..tenants.routes import leaks
from ..tenants.schema import QUARANTINE, REST
from . import atlas_networks, atlas_results

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..plan.fabric import Fabric
    from ..tenants.owners import Owner
    from ..tenants.registry import Registry
    from .atlas_results import Verdicts

_OWN = (
    "name",
    "serial",
    "mac",
    "management",
    "management_prefix",
    "rack",
    "unit",
    "loopback",
    "vtep",
)
_ROLES = ("leaf", "spine", "super_spine")
_UNBUILT = -1


def pod_file(pod: int) -> str:
    """The page of a zero-based pod, below `atlas/`."""
    return f"pod-{pod + 1:03}.html"


def layout(made: Layout) -> dict[str, t.Any]:
    """A bit layout as plain data; numbers that JavaScript cannot hold do not occur in it."""
    return {"base": made.base, "fields": [_field(field) for field in made.fields]}


def _field(field: Bits) -> dict[str, t.Any]:
    made: dict[str, t.Any] = {"name": field.name, "width": field.width}
    if field.value is not None:
        return {**made, "value": field.value}
    codes = {"codes": list(field.codes)} if field.codes else {}
    return {**made, "top": str(field.top), **codes}


def template(text: str) -> list[tuple[str, str | None, int]]:
    """A format string as (literal, field, width) runs."""
    return [
        (literal, field, int(spec or 1))
        for literal, field, spec, _conversion in string.Formatter().parse(text)
    ]


class Content:
    """The data of every page of a fabric's atlas."""

    def __init__(
        self,
        fabric: Fabric,
        registry: Registry,
        results: Mapping[str, Verdicts],
        performance: Mapping[str, t.Any] | None = None,
    ) -> None:
        self.fabric, self.registry, self.results = fabric, registry, results
        self.performance = performance
        self.slugs = list(registry.owners)
        self.codes = [self._code(node) for node in fabric.cabling.nodes()]
        self.arithmetic = self._arithmetic()
        found = {name: fabric.device(name) for name in results}
        self.pod_of = {name: self._pod(device) for name, device in found.items()}
        self.known = {name for name, device in found.items() if device}
        self.stated = [device for device in fabric.rows if _drawn(device)]

    # Pages

    def whole(self) -> dict[str, t.Any]:
        """Everything on one page."""
        return self._page(None, self.results, rows=self.stated)

    def index(self) -> dict[str, t.Any]:
        """The page that leads to the pods': results of super-spines, and totals for each pod."""
        made = self._page("index", self.results, rows=self.stated, shown=self._results(None))
        found = {pod: self._results(pod) for pod in range(self.fabric.clos.pods)}
        made["pod_devices"] = {pod: self._devices(part) for pod, part in found.items() if part}
        return made

    def pod(self, pod: int) -> dict[str, t.Any]:
        """A pod's page."""
        rows = [device for device in self.stated if self._pod(device) in (pod, None)]
        return self._page(pod, self._results(pod), rows=rows)

    def _page(
        self,
        shard: int | str | None,
        results: Mapping[str, Verdicts],
        *,
        rows: Iterable[Device],
        shown: Iterable[str] | None = None,
    ) -> dict[str, t.Any]:
        """A page of some results; `shown` are the devices whose own results it lists, all by default."""
        c = self.fabric.clos
        per_pod = c.sus * c.slots
        causes = atlas_results.Causes(results)
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
            "results": causes.of(results if shown is None else shown),
            "causes": causes.table,
            "totals": atlas_results.total(results.values()),
            "devices": self._devices(results),
            "checked": atlas_results.checked(results.values()),
            "performance": self._performance(shard),
            "networks": self._networks(shard),
            **self._tenant_addresses(shard),
        }

    # Parts

    def _networks(self, shard: int | str | None) -> list[dict[str, t.Any]] | None:
        """The switches of the converged fabric; on the page of a pod those that its nodes meet."""
        if isinstance(shard, int):
            return atlas_networks.of_pod(self.fabric, self.registry, shard)
        return atlas_networks.switches(self.fabric, self.registry)

    def _tenant_addresses(self, shard: int | str | None) -> dict[str, t.Any]:
        """Return the tenants' addresses, on the page of a whole fabric with other networks."""
        if isinstance(shard, int) or self.fabric.description.networks is None:
            return {}
        return {"tenant_addresses": atlas_networks.addresses(self.fabric, self.registry)}

    def _results(self, pod: int | None) -> dict[str, Verdicts]:
        """Return the results of the devices that a pod's page shows, or that only the whole fabric's page shows."""
        return {name: self.results[name] for name, at in self.pod_of.items() if at == pod}

    def _performance(self, shard: int | str | None) -> dict[str, t.Any] | None:
        """The last run that measured the fabric, with the devices of a page; the index lists none."""
        if self.performance is None:
            return None
        devices = self.performance["devices"].items()
        own = {name: rows for name, rows in devices if self._shows(shard, name)}
        return {**self.performance, "devices": own}

    def _shows(self, shard: int | str | None, name: str) -> bool:
        return shard is None or self._pod(self.fabric.device(name)) == shard

    def _devices(self, results: Mapping[str, Verdicts]) -> list[int]:
        """Count the devices of the fabric in each state."""
        return atlas_results.devices(one for name, one in results.items() if name in self.known)

    def _code(self, node: Node) -> int:
        if not self.fabric.present(node):
            return _UNBUILT
        return self.slugs.index(self.registry.holding(node).slug)

    def _pod(self, device: Device | None) -> int | None:
        """The pod whose page shows a device; None for the page of the whole fabric."""
        return None if device is None else pod_of(device)

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
        return {
            "name": d.name,
            "site": d.site,
            "facts": self._facts(),
            "palette": list(PALETTE),
            "clos": {k: n for k, n in vars(c).items() if not isinstance(n, Block)},
            "blocks": {
                role: {
                    kind: dataclasses.astuple(one) for kind, one in f.cabling.of_role(role).items()
                }
                for role in _ROLES
            },
            "names": {role: template(text) for role, text in f.names.formats.items()},
            "plane_in_address": addresses.plane_in_address,
            "link": {"version": addresses.version, "length": addresses.link_length},
            "links": layout(addresses.links) if addresses.links else None,
            "table": self._table(),
            "pools": [[name, layout(pool)] for name, pool in addresses.pools.items()],
            "numbered": d.addressing.inter_switch != "unnumbered",
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
        """Owners with the number of their colour: only those that hold nodes take one."""
        held = {self.slugs[code] for code in self.codes if code != _UNBUILT} - {QUARANTINE, REST}
        colours = itertools.count()
        numbers = (next(colours) if slug in held else None for slug in self.slugs)
        return [
            {"slug": slug, "colour": one, **self._vrf(self.registry.owners[slug])}
            for slug, one in zip(self.slugs, numbers)
        ]

    def _vrf(self, owner: Owner) -> dict[str, t.Any]:
        """Describe a tenant's VRF in its own view, network by network."""
        nets: list[dict[str, t.Any]] = [
            {
                "network": "east-west",
                "l3vni": owner.l3vni,
                "exports": owner.exports,
                "imports": sorted({*owner.imports, *leaks(self.registry, owner)}),
            }
        ]
        if owner.kind == "tenant":
            every = as_data(self.registry.tenant(owner.slug), owner, self.fabric.description)
            nets += [self._beyond(owner, net) for net in every if net["network"] != "east-west"]
        return {"kind": owner.kind, "vrf": owner.vrf, "rd": owner.rd_id, "networks": nets}

    def _beyond(self, owner: Owner, net: dict[str, t.Any]) -> dict[str, t.Any]:
        """A network of the converged fabric: the owner's subnets there, and which links of a node are its addresses."""
        network = net["network"]
        found = self.registry.nets.get((owner.slug, network))
        subnets = [found.subnet] if found and found.subnet else []
        ports = range(attachments.routed_ports(self.fabric, network))
        return net | {"subnets": subnets, "links": [link_index(network, port) for port in ports]}


def _key(device: Device) -> list[t.Any]:
    return ["node", *device] if isinstance(device, Node) else list(device)


def _drawn(device: Device) -> bool:
    """Return whether the page computes a device, which is in a plane or a pod; it gets the others as data."""
    return isinstance(device, Node) or plane_of(device) is not None
