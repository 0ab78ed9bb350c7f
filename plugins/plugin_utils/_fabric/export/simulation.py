# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Topologies for real images: Cumulus VX under containerlab, and a simulation of NVIDIA Air.

    name: lab
    topology:
      nodes:
        leaf-p1-su001-r1: {kind: nvidia_cumulusvx, port-count: 4, breakouts: [{port: 1..4, channels: 2}]}
        worker-su01-rack01-h01: {kind: linux}
      links:
      - endpoints: [worker-su01-rack01-h01:rail1p1, leaf-p1-su001-r1:swp1s0]

Ports keep the plan's names in containerlab, whose kind nvidia_cumulusvx knows breakouts. In Air a server numbers its
ports eth1, eth2 and so on in the plan's order, and `air-ports.csv` says which is which.

The converged fabric is there with the ports of nodes, unless some pods are chosen: it belongs to none. A cable to an
array or to the outside has no node at its other end, so it is left out; comments of the topology, and
`air-outside.csv`, list what was.

Sources: github.com/srl-labs/containerlab, docs/manual/kinds/nvidia_cumulusvx.md, nodes/nvidia_cumulusvx/ports.go and
schemas/clab.schema.json; github.com/srl-labs/vrnetlab, nvidia/cumulus-vx; docs.nvidia.com/dsx-air, API reference,
simulations/import; github.com/CumulusNetworks/docs, content/nvidia-air-v2/Custom-Topology.md.
"""

from __future__ import annotations

import ipaddress
import itertools
import json
import pathlib
import typing as t

from ..description._third_party import yaml
from ..plan.topology.cabling import Node, Switch
from ..plan.topology.oob import ACCESS
from ..report.report import csv_lines
from . import rows

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..plan.fabric import Fabric

MOST_DEVICES = 64
"""Devices of a containerlab topology: one machine starts all of them."""
SWITCH_GIB = 4
"""Memory of a Cumulus VX, GiB. Source: github.com/srl-labs/vrnetlab, nvidia/cumulus-vx/README.md."""
MOST_INTERFACES = 999
"""Base ports and breakout lanes of a node. Source: containerlab, nodes/nvidia_cumulusvx/ports.go, maxInterfaceIndex."""
NETWORK = ipaddress.ip_network("198.18.0.0/24")
"""Network of management: no profile has addresses of RFC 2544, and containerlab's own default lies in NVIDIA's rail
1."""
SWITCH_IMAGE = "vrnetlab/nvidia_cumulus-vx"
"""Name of the image that vrnetlab builds; the tag is the release."""
HOST_IMAGE = "ghcr.io/hellt/network-multitool"
_AIR_SWITCH = {"cpu": 2, "memory": 4096, "storage": 20}
_AIR_HOST = {"cpu": 2, "memory": 2048, "storage": 10, "os": "generic/ubuntu2404"}
PORT_COLUMNS = "device,port,interface"
OUTSIDE_COLUMNS = "device,port,outside"
_COPIED = (".csv", ".yaml", ".yml")
_HOSTS = (
    "plugin: spectrum_x.fabric.fabric\ndescription: model/fabric.yml\nmanagement: management.json\n"
)
_HEAD = """# Fabric {name}. Switches with Cumulus VX: {switches}, about {memory} GiB of memory. Nodes: {nodes}.
#   SPX_SWITCH_IMAGE={image}:{release} SPX_HOST_IMAGE={host} containerlab deploy -t {name}.clab.yml
"""


def refusal(fabric: Fabric) -> str | None:
    """Reason that a fabric cannot become a containerlab topology; None when it can."""
    if (
        sum(1 for _device in itertools.islice(rows.all_devices(fabric), MOST_DEVICES + 1))
        > MOST_DEVICES
    ):
        return (
            f"the fabric has more than the {MOST_DEVICES} devices that one machine starts (a switch needs "
            f"{SWITCH_GIB} GiB of memory): name a few nodes, as -e spx_nodes=su01/h01,su01/h02."
        )
    for switch in fabric.switches():
        count, breakouts = _layout(fabric, switch)
        lanes = sum((last - first + 1) * channels for first, last, channels in breakouts)
        if count + lanes > MOST_INTERFACES:
            return (
                f"{fabric.name(switch)} has {count} cages and {lanes} ports of breakouts, and the kind "
                f"nvidia_cumulusvx has {MOST_INTERFACES} interfaces: leave this export out."
            )
    return None


def _layout(fabric: Fabric, switch: Switch) -> tuple[int, list[tuple[int, int, int]]]:
    """Cages of a switch, and (first cage, last cage, channels) of those that are broken out."""
    parts = (part for block in fabric.blocks(switch).values() for part in block.parts)
    blocks = [part for part in parts if part.count]
    ends = [(block.first, block.first + block.cages - 1, block.breakout) for block in blocks]
    count = max(last for _first, last, _channels in ends)
    return count, sorted(end for end in ends if end[2] > 1)


def containerlab(fabric: Fabric, pods: rows.Pods) -> Iterator[tuple[str, Iterator[str]]]:
    """(path, chunks): the topology, and a project whose playbooks reach its nodes."""
    name = fabric.description.name
    addresses = _management(fabric, pods)
    yield f"containerlab/{name}.clab.yml", _topology(fabric, pods, addresses)
    yield "containerlab/management.json", iter([json.dumps(addresses, indent=1) + "\n"])
    yield "containerlab/hosts.fabric.yml", iter([_HOSTS])
    yield (
        "containerlab/model/fabric.yml",
        iter([yaml.safe_dump(fabric.source.data, sort_keys=False)]),
    )
    model = pathlib.Path(fabric.beside("."))
    for path in sorted(model.iterdir()) if model.is_dir() else ():
        if path.suffix in _COPIED and path != model / pathlib.Path(fabric.source.path).name:
            yield f"containerlab/model/{path.name}", iter([path.read_text(encoding="utf-8")])


def _management(fabric: Fabric, pods: rows.Pods) -> dict[str, str]:
    """The management address of each device by name; the first of the network is its gateway."""
    devices = rows.all_devices(fabric, pods)
    return {fabric.name(device): str(NETWORK[n]) for n, device in enumerate(devices, start=2)}


def _topology(fabric: Fabric, pods: rows.Pods, addresses: dict[str, str]) -> Iterator[str]:
    d = fabric.description
    devices = list(rows.all_devices(fabric, pods))
    switches = sum(isinstance(device, Switch) for device in devices)
    images = {"image": SWITCH_IMAGE, "release": d.release.cumulus, "host": HOST_IMAGE}
    counts = {"switches": switches, "nodes": len(devices) - switches}
    yield _HEAD.format(name=d.name, memory=switches * SWITCH_GIB, **counts, **images)
    yield from (
        f"# Left out: {x.a.device}:{x.a.port} to {x.b.device}\n" for x in _outside(fabric, pods)
    )
    links = ([f"{x.a.device}:{x.a.port}", f"{x.b.device}:{x.b.port}"] for x in _links(fabric, pods))
    kinds = {
        "nvidia_cumulusvx": {"image": f"${{SPX_SWITCH_IMAGE:={SWITCH_IMAGE}:{d.release.cumulus}}}"},
        "linux": {"image": f"${{SPX_HOST_IMAGE:={HOST_IMAGE}}}"},
    }
    document = {
        "name": d.name,
        "mgmt": {"network": f"spx-{d.name}", "ipv4-subnet": str(NETWORK)},
        "topology": {
            "kinds": kinds,
            "nodes": {fabric.name(x): _node(fabric, x, addresses, pods=pods) for x in devices},
            "links": [{"endpoints": ends} for ends in links],
        },
    }
    yield yaml.safe_dump(document, sort_keys=False)


def _links(fabric: Fabric, pods: rows.Pods) -> Iterator[rows.Link]:
    """The cables between two devices; with pods those of the east-west fabric."""
    if pods is not None:
        return rows.links(fabric, pods)
    return (link for link in rows.all_links(fabric) if link.b.port and link.kind != ACCESS)


def _outside(fabric: Fabric, pods: rows.Pods) -> Iterator[rows.Link]:
    """The cables to what is outside of the fabric, which has no port that is known."""
    found = (link for link in rows.all_links(fabric, pods) if link.kind != ACCESS)
    return (link for link in found if not link.b.port)


def _node(
    fabric: Fabric, device: Node | Switch, addresses: dict[str, str], *, pods: rows.Pods
) -> dict[str, object]:
    own = {"mgmt-ipv4": addresses[fabric.name(device)]}
    if isinstance(device, Node):
        commands = _commands(fabric, device)
        commands += _of_networks(fabric, device) if pods is None else []
        return {"kind": "linux", "group": "node", **own, "exec": commands}
    made: dict[str, object] = {"kind": "nvidia_cumulusvx", "group": device.role, **own}
    count, breakouts = _layout(fabric, device)
    if not breakouts:  # the kind takes a number of ports only with a breakout
        return made
    ports = [{"port": f"{first}..{last}", "channels": n} for first, last, n in breakouts]
    return {**made, "port-count": count, "breakouts": ports}


def _commands(fabric: Fabric, node: Node) -> list[str]:
    """Commands that give a node's container its addresses: hwplb has one address on several cables."""
    made, known = [], set()
    for port in fabric.slice(node)["ports"]:
        name = port["port"]
        made.append(f"ip link set dev {name} mtu {port['mtu']} up")
        if port["address"] in known:
            continue
        made.append(f"ip address add {port['address']}/{port['length']} dev {name}")
        routes = [prefix for prefix in port["routes"] if prefix not in known]
        made += [f"ip route add {prefix} via {port['gateway']} dev {name}" for prefix in routes]
        known.update([port["address"], *routes])
    return made


def _of_networks(fabric: Fabric, node: Node) -> list[str]:
    """Commands for the other networks of a node: a bond, whose addresses are its tenant's, or routed ports."""
    made, bonds = [], set()
    for port in fabric.slice(node).get("networks", []):
        name, bond = port["port"], port.get("bond")
        if not bond:
            made.append(f"ip link set dev {name} mtu {port['mtu']} up")
            made.append(f"ip address add {port['address']}/{port['length']} dev {name}")
            continue
        if bond not in bonds:
            bonds.add(bond)
            made.append(f"ip link add dev {bond} mtu {port['mtu']} up type bond mode 802.3ad")
        made += [f"ip link set dev {name} down", f"ip link set dev {name} master {bond}"]
    return made


def air(fabric: Fabric, pods: rows.Pods) -> Iterator[tuple[str, Iterator[str]]]:
    """(path, chunks): a topology that NVIDIA Air imports with images, and the ports of its servers."""
    yield "air.json", _air(fabric, pods)
    yield "air-ports.csv", csv_lines(PORT_COLUMNS, _renamed(fabric, pods))
    if fabric.description.networks and pods is None:
        found = ((x.a.device, x.a.port, x.b.device) for x in _outside(fabric, pods))
        yield "air-outside.csv", csv_lines(OUTSIDE_COLUMNS, found)


def _interfaces(fabric: Fabric, pods: rows.Pods) -> dict[str, str]:
    """`rail1p1` -> `eth1`: eth0 is the management port. Ports on the converged fabric follow."""
    ports = fabric.node_ports() if pods is None else fabric.cabling.nic_ports()
    node = next(fabric.cabling.nodes())
    nics = [fabric.port_name(node, port) for port in ports]
    return {name: f"eth{number}" for number, name in enumerate(nics, start=1)}


def _renamed(fabric: Fabric, pods: rows.Pods) -> Iterator[tuple[str, str, str]]:
    names = _interfaces(fabric, pods)
    for node in fabric.nodes(pods=pods):
        for port, interface in names.items():
            yield fabric.name(node), port, interface


def _air(fabric: Fabric, pods: rows.Pods) -> Iterator[str]:
    d, names = fabric.description, _interfaces(fabric, pods)
    switch = {"os": f"cumulus-vx-{d.release.cumulus}", **_AIR_SWITCH}
    yield f'{{"format": "JSON", "name": {json.dumps(d.name)}, "content": {{"nodes": {{\n'
    yield from _joined(
        f"{json.dumps(fabric.name(x))}: {json.dumps(_AIR_HOST if isinstance(x, Node) else switch)}"
        for x in rows.all_devices(fabric, pods)
    )
    yield '\n}, "links": [\n'
    yield from _joined(
        json.dumps(
            [
                {
                    "node": x.a.device,
                    "interface": names[x.a.port] if x.a.role == "node" else x.a.port,
                },
                {"node": x.b.device, "interface": x.b.port},
            ]
        )
        for x in _links(fabric, pods)
    )
    yield "\n]}}\n"


def _joined(items: Iterator[str]) -> Iterator[str]:
    comma = ""
    for item in items:
        yield comma + item
        comma = ",\n"
