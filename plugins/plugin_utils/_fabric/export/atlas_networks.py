# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of the converged fabric in the atlas: its switches with their VRFs, ports and tenants.

    [{name, role, at: [pair, member] | [index], built, loopback, vtep, management, partner, rack, unit, serial,
      vrfs: [[vrf, network, L3VNI, VLAN, tenant], ...],
      ports: [[port, kind, speed, built, peer, its port, address, its address, bond, [tenant, ...]], ...]}, ...]

The page computes the east-west fabric; these switches are few, and are listed. The page of a pod has those that its
nodes meet, with the ports to these nodes and nothing else: the rest is on the page of the whole fabric.
"""

from __future__ import annotations

import typing as t

from ..catalog.roles import ROLES
from ..plan.slices import of_converged
from ..plan.topology.cabling import HOST
from ..tenants import tenant_addresses
from ..tenants.attachments import leaves_met
from ..tenants.schema import OTHERS
from ..tenants.vrfs import of_leaf

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..plan.fabric import Fabric
    from ..plan.slices import ConvergedPort
    from ..plan.topology.cabling import Switch
    from ..tenants.registry import Registry
    from ..tenants.vrfs import Vrf


def switches(fabric: Fabric, registry: Registry) -> list[dict[str, t.Any]] | None:
    """Every built switch of the converged fabric; None where there is none."""
    if fabric.description.networks is None:
        return None
    return [_switch(fabric, registry, one) for one in fabric.in_no_pod()]


def of_pod(fabric: Fabric, registry: Registry, pod: int) -> list[dict[str, t.Any]] | None:
    """The leaves that the nodes of a pod meet, with the ports to them; None where there are no other networks."""
    if fabric.description.networks is None:
        return None
    nodes = list(fabric.nodes(pods=[pod]))
    met = leaves_met(fabric, nodes, OTHERS)
    names = {fabric.name(node) for node in nodes}
    made = []
    for one in sorted(met):
        whole = _switch(fabric, registry, one)
        ports = [row for row in whole["ports"] if row[1] == HOST and row[4] in names]
        made.append({key: whole[key] for key in ("name", "role", "at")} | {"ports": ports})
    return made


def addresses(fabric: Fabric, registry: Registry) -> dict[str, t.Any] | None:
    """The subnets of tenants and their sessions with addresses, as `locate` has them."""
    if fabric.description.networks is None:
        return None
    vips = {net.subnet: list(net.vips) for net in registry.nets.values()}
    return {
        "subnets": [
            {**place, "own": own, "vips": vips[place["prefix"]]}
            for place, own in tenant_addresses.subnets(fabric, registry)
        ],
        "sessions": list(tenant_addresses.sessions(fabric, registry)),
        "arrays": tenant_addresses.array_ports(fabric),
    }


def _switch(fabric: Fabric, registry: Registry, switch: Switch) -> dict[str, t.Any]:
    rows = of_leaf(fabric, registry, switch) if ROLES[switch.role].vtep else []
    data, tenants = of_converged(fabric, switch), _tenants(rows)
    stated: t.Mapping[str, t.Any] = data
    known = {
        "loopback": data["loopback"],
        "vtep": stated.get("vtep"),
        "management": data["management"].partition("/")[0],
        "partner": stated.get("partner"),
        "rack": stated.get("site_rack"),
        "unit": stated.get("site_unit"),
        "serial": stated.get("serial"),
    }
    return {
        "name": data["name"],
        "role": switch.role,
        "at": [switch.pod, switch.index] if ROLES[switch.role].pairs else [switch.index],
        **{key: value for key, value in known.items() if value},
        "vrfs": [_vrf(row) for row in rows],
        "ports": [_port(row, tenants) for row in data["ports"]],
    }


def _vrf(row: Vrf) -> list[t.Any]:
    vlans = [segment["vlan"] for segment in row["segments"]]
    return [row["vrf"], row["network"], row["l3vni"], ", ".join(map(str, vlans)), row["slug"]]


def _tenants(rows: list[Vrf]) -> dict[str, list[str]]:
    """Map bonds and ports to their tenants; an array's may have VLANs of several, or one link their sessions."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        for name in _ports(row):
            found.setdefault(name, {})[row["slug"]] = None
    return {name: list(slugs) for name, slugs in found.items()}


def _ports(row: Vrf) -> Iterator[str]:
    yield from (port["bond"] for segment in row["segments"] for port in segment["ports"])
    yield from (routed["port"] for routed in row["routed"])
    yield from (session["port"] for session in row["sessions"])


def _port(row: ConvergedPort, tenants: t.Mapping[str, list[str]]) -> list[t.Any]:
    peer, bond = row["peer"], row.get("bond", "")
    own = [row["port"], row["kind"], row["speed"], row["present"], peer["device"], peer["port"]]
    ends = [row.get("address", ""), row.get("peer_address", ""), bond]
    return [*own, *ends, tenants.get(bond or row["port"], [])]
