# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Series that say where a device or port is and who has it, and the targets of a scrape: what rules are joined with.

spx_port_info{device="leaf-p1-su001-r1",interface="swp1s0",far_device="worker-su01-rack01-h01",...} 1
spx_node_info{node="worker-su01-rack01-h01",tenant="acme",rented="no",...} 1
"""

from __future__ import annotations

import json
import os
import typing as t

from .....module_utils import _exposition
from ...catalog import hardware, telemetry
from ...plan.places import pod_of
from ...plan.slices import model_of
from ...plan.topology.cabling import Node
from ...plan.topology.cages import parse
from ...render.host.desired import managed
from .. import rows

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Switch
    from ...tenants.registry import Registry

PORTS, NODES = "spx_ports.prom", "spx_nodes.prom"
TARGETS = "spx_hosts_pod{:03}.json"
EXPORTER_PORT = 9100
"""Port of node_exporter, on hosts as everywhere."""
_EAST_WEST = ("host", "leaf", "spine")


def folder(fabric: Fabric, below: str = "") -> str:
    """Return the folder of what changes with tenants: the one of the description, else one below the plan's."""
    stated = fabric.description.monitoring and fabric.description.monitoring.textfile
    return fabric.beside(os.path.expanduser(stated)) if stated else os.path.join(below, "textfile")


def sends(fabric: Fabric, switch: Switch) -> bool:
    """Check whether a switch is to send metrics: it is in service, and its ASIC can."""
    asic = hardware.models()[model_of(fabric, switch)]["asic"]
    return fabric.name(switch) not in fabric.resting and telemetry.sends(asic)


def ports(fabric: Fabric, pods: rows.Pods) -> Iterator[str]:
    """Yield the series of switches and of both ends of each cable in use."""
    yield _exposition.head("spx_switch_info", "gauge", "A planned switch.")
    for switch in rows.all_devices(fabric, pods):
        if not isinstance(switch, Node) and sends(fabric, switch):
            place = str(fabric.names.name(switch))
            labels = {"device": fabric.name(switch), "role": switch.role, "place": place}
            yield _exposition.line("spx_switch_info", labels, 1)
    yield _exposition.head(
        "spx_port_info", "gauge", "A planned port, and the far end of its cable."
    )
    idle = fabric.outages
    for link in rows.all_links(fabric, pods):
        ends = {(link.a.device, link.a.port), (link.b.device, link.b.port)}
        if not (ends | {(device, None) for device, _port in ends}) & idle:
            yield from _ends(link)


def _ends(link: rows.Link) -> Iterator[str]:
    """Yield the series of both ends; what is outside of the fabric has no port and no series."""
    hosts = link.a.role == "node"
    kinds = ("nic", "host") if hosts else ("up", "down")
    addresses = (link.b_address, link.a_address)
    for own, far, kind, peer in zip((link.a, link.b), (link.b, link.a), kinds, addresses):
        if not own.port:
            continue
        cage = parse(own.port) if kind != "nic" else None
        labels = {
            "device": own.device,
            "interface": own.port,
            "kind": kind,
            "network": "" if link.kind in _EAST_WEST else link.kind,
            "far_device": far.device,
            "far_interface": far.port,
            "node": link.a.device if hosts else "",
            "rail": "" if link.rail is None else link.rail + 1,
            "cage": f"swp{cage[0]}" if cage else "",
            "peer_id": "" if hosts else (peer.partition("/")[0] or own.port),
        }
        yield _exposition.line("spx_port_info", labels, 1)


def nodes(fabric: Fabric, registry: Registry) -> Iterator[str]:
    """Yield the series of all nodes: tenant, rack, and whether playbooks may log in."""
    yield _exposition.head("spx_node_info", "gauge", "A planned node, and who has it.")
    for node in fabric.nodes():
        name = fabric.name(node)
        labels = {
            "node": name,
            "device": name,
            "tenant": registry.holding(node).slug,
            "managed": "yes" if managed(fabric, registry, node) else "no",
            "su": node.su + 1,
            "place": str(fabric.names.name(node)),
        }
        yield _exposition.line("spx_node_info", labels, 1)


def targets(fabric: Fabric, registry: Registry) -> Iterator[tuple[str, str]]:
    """Yield (file name, text) of the hosts to scrape, by pod: nodes to which playbooks may not log in are none."""
    by_pod: dict[int, list[str]] = {pod: [] for pod in range(fabric.clos.pods)}
    for node in fabric.nodes():
        name = fabric.name(node)
        if managed(fabric, registry, node) and name not in fabric.resting:
            by_pod[pod_of(node) or 0].append(name)
    domain = fabric.description.management.domain
    for pod, names in by_pod.items():
        groups = [
            {
                "targets": [
                    f"{name}.{domain}:{EXPORTER_PORT}" if domain else f"{name}:{EXPORTER_PORT}"
                ],
                "labels": {"device": name},
            }
            for name in names
        ]
        yield TARGETS.format(pod + 1), json.dumps(groups, indent=1) + "\n"


def of_tenants(fabric: Fabric, registry: Registry) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the files that a change of the registry rewrites."""
    yield NODES, nodes(fabric, registry)
    for name, text in targets(fabric, registry):
        yield name, iter([text])
