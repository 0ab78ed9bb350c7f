# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NetBox's bulk-import files: devices, interfaces, cables, ip-addresses, prefixes, vrfs, ...

The columns are those of NetBox's own import forms (docs.netbox.dev, CSV import of each model).
Sites, racks, roles and device types that the rows name must exist in NetBox first.
"""

from __future__ import annotations

import typing as t

from ..places import identity, rack_name
from ..report import csv_lines, pools
from ..slices import of_device
from ..tenancy import vrfs
from ..tenancy.registry import Registry
from ..topology.cabling import Node
from . import rows

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..fabric import Fabric

COLUMNS = {
    "devices": "name,role,manufacturer,device_type,serial,site,rack,status,cf_spx_place",
    "interfaces": "device,name,type,enabled,mtu,mgmt_only",
    "cables": "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,status",
    "ip-addresses": "address,status,role,device,interface,is_primary",
    "prefixes": "prefix,status,is_pool,description",
    "vrfs": "name,rd,enforce_unique,import_targets,export_targets,description",
    "route-targets": "name,description",
    "asns": "asn,rir,description",
}
_TYPE = {
    "100G": "100gbase-x-qsfp28",
    "200G": "200gbase-x-qsfp56",
    "400G": "400gbase-x-osfp",
    "800G": "800gbase-x-osfp",
}
_ROLE = {"node": "gpu-node", "leaf": "leaf", "spine": "spine", "super_spine": "super-spine"}

Row = t.Sequence[t.Any]


def files(fabric: Fabric, pods: rows.Pods) -> Iterator[tuple[str, Iterator[str]]]:
    """(path, chunks) for each file."""
    owners = list(_owners(fabric))
    tables: dict[str, Iterator[Row]] = {
        "devices": _devices(fabric, pods),
        "interfaces": _interfaces(fabric, pods),
        "cables": _cables(fabric, pods),
        "ip-addresses": _addresses(fabric, pods),
        "prefixes": _prefixes(fabric),
        "vrfs": _vrfs(owners),
        "route-targets": _targets(owners),
        "asns": _asns(fabric, pods),
    }
    for name, table in tables.items():
        yield f"netbox/{name}.csv", csv_lines(COLUMNS[name], table)


def _devices(fabric: Fabric, pods: rows.Pods) -> Iterator[Row]:
    site = f"site-{fabric.description.site}"
    for device in rows.devices(fabric, pods):
        spx = identity(fabric, device)
        model, rack = ("NVIDIA", fabric.description.switches.model), ""
        if isinstance(device, Node):
            model, rack = ("Generic", "GPU node"), rack_name(fabric, device)
        own = (spx["name"], _ROLE[spx["role"]], *model, spx.get("serial", ""))
        yield (*own, site, spx.get("site_rack", rack), "active", fabric.names.name(device))


def _interfaces(fabric: Fabric, pods: rows.Pods) -> Iterator[Row]:
    speeds = fabric.description.switches
    for device in rows.devices(fabric, pods):
        data = of_device(fabric, device)
        name = data["name"]
        if data["role"] != "node":
            yield (name, "lo", "virtual", "true", "", "false")
        yield (name, "mgmt" if data["role"] == "node" else "eth0", "1000base-t", "true", "", "true")
        for port in data["ports"]:
            host = data["role"] == "node" or port.get("kind") == "host"
            kind = _TYPE[speeds.host_speed if host else speeds.fabric_speed]
            mtu = data["mtu"]["host" if host else "fabric"]
            yield (name, port["port"], kind, "true", mtu, "false")


def _cables(fabric: Fabric, pods: rows.Pods) -> Iterator[Row]:
    for x in rows.links(fabric, pods):
        low, high = ((end.device, "dcim.interface", end.port) for end in (x.a, x.b))
        yield (*low, *high, "connected")


def _addresses(fabric: Fabric, pods: rows.Pods) -> Iterator[Row]:
    """Primary addresses last: in NetBox a row with is_primary false takes the device's away."""
    for primary in (False, True):
        for x in rows.addresses(fabric, pods):
            if (x.kind == "management") is not primary:
                continue
            role = {"loopback": "loopback", "vtep": "vip"}.get(x.kind, "")
            address = f"{x.address}/{x.length}"
            yield (address, "active", role, x.device, x.port, str(primary).lower())


def _prefixes(fabric: Fabric) -> Iterator[Row]:
    for name, prefix in pools(fabric).items():
        yield (prefix, "container", "false", f"{fabric.description.name} {name}")


class _Vrf(t.NamedTuple):
    """A VRF as a whole: what any of its leaves imports and exports."""

    name: str
    imports: list[str]
    exports: list[str]
    description: str


def _owners(fabric: Fabric) -> Iterator[_Vrf]:
    """The VRFs of the tenant registry beside the description, and those of the house, by id."""
    registry, rails = Registry.load(fabric), range(fabric.clos.rails)
    for owner in sorted(registry.owners.values(), key=lambda owner: owner.id):
        imports = sorted({*owner.imported(rails), *vrfs.leaks(registry, owner)})
        number = f", L3VNI {owner.l3vni}" if owner.l3vni else ""
        words = f"{fabric.description.name} {owner.kind} {owner.slug}{number}"
        yield _Vrf(owner.vrf, imports, sorted(owner.exported(rails)), words)


def _vrfs(owners: Iterable[_Vrf]) -> Iterator[Row]:
    """Without a route distinguisher: each leaf has its own, its loopback and the tenant's id."""
    for vrf in owners:
        targets = ",".join(vrf.imports), ",".join(vrf.exports)
        yield (vrf.name, "", "false", *targets, vrf.description)


def _targets(owners: Iterable[_Vrf]) -> Iterator[Row]:
    for target in sorted({target for vrf in owners for target in (*vrf.imports, *vrf.exports)}):
        yield (target, "")


def _asns(fabric: Fabric, pods: rows.Pods) -> Iterator[Row]:
    seen: set[int] = set()
    for switch in fabric.switches(pods=pods):
        asn = fabric.addresses.asn(switch)
        if asn not in seen:
            seen.add(asn)
            yield asn, "RFC 6996", fabric.name(switch) if switch.role == "leaf" else switch.role
