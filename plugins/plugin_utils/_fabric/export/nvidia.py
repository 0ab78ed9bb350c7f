# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NVIDIA's two public topology formats, as its Kubernetes tooling reads them.

From either, the tooling derives the addresses of the NICs by its own rules. They are exact for the nvidia-guide
profiles within NVIDIA's maxima; other plans are refused. To a reader a by-rail fabric is one of a single plane, whose
NICs have one port each: names, attributes and addresses say no more. A reader knows the format by its structure, so
both are topology.json. They have rails and planes only, and no place for the converged fabric, which is left out.
Source: github.com/NVIDIA/k8s-launch-kit, docs/user/spectrum-x.md (Apache-2.0).
"""

from __future__ import annotations

import json
import typing as t

from ..catalog.data import table
from ..plan.places import rails_of
from ..plan.topology.cabling import HOST, Node, Port, Switch
from . import rows

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..plan.fabric import Fabric

MOST_PLANES = 4


def refusal(fabric: Fabric) -> str | None:
    """Reason that a plan cannot be written for this reader; None when it can."""
    d, c = fabric.description, fabric.clos
    if c.top_of_rack:
        return (
            "wiring top-of-rack has no rail leaves: the formats have rail-optimised fabrics only."
        )
    if d.naming.model_fields_set or any(row.name for row in fabric.rows.values()):
        return (
            "the site's own names do not show the place as these formats need: remove naming, and the "
            "column name of devices."
        )
    if not d.addressing.profile.startswith("nvidia-guide"):
        return (
            f"addressing.profile {d.addressing.profile} is not one of NVIDIA's, so a reader would derive other "
            "addresses: use an nvidia-guide profile, or leave this export out."
        )
    if d.addressing.p2p127 or d.site:
        return "p2p127 or a site other than 0 differs from what a reader assumes: remove it."
    if c.planes > MOST_PLANES and not c.by_rail:
        return f"{c.planes} planes are more than the {MOST_PLANES} that a reader knows: leave this export out."
    gap = _gap(fabric)
    return _by_names_refusal(fabric, gap) if gap else None


def _gap(fabric: Fabric) -> str:
    """The first absent slot with a present one after it in its SU; empty where there is none.

    The reference generator's host index is the order of appearance, which a gap would shift.
    """
    absent: dict[tuple[int, int], int] = {}
    for node in fabric.cabling.nodes():
        group = (node.pod, node.su)
        if not fabric.present(node):
            absent.setdefault(group, node.slot)
        elif group in absent:
            return (
                f"slot {absent[group] + 1} of an SU is absent and slot {node.slot + 1} is not, which only the format "
                "with places in names can carry"
            )
    return ""


def _by_names_refusal(fabric: Fabric, gap: str) -> str | None:
    """Names show a leaf's only rail, and leave out the pod of two tiers that NVIDIA's three-tier layout needs."""
    d = fabric.description
    if d.tiers == 2 and d.addressing.profile == "nvidia-guide-v4-3tier":
        return (
            f"{gap}; there names of a two-tier fabric show no pod, which a reader of the three-tier layout needs: "
            "leave this export out."
        )
    if fabric.clos.rails_per_leaf > 1:
        return (
            f"{gap}; there the name of a leaf shows one rail, and wiring.rails_per_leaf is "
            f"{fabric.clos.rails_per_leaf}: leave this export out."
        )
    return None


def reference_generator(fabric: Fabric, pods: rows.Pods) -> Iterator[str]:
    """The format with `nodes` and `links` lists; links of an SU stand in slot order."""
    yield '{"nodes": [\n'
    yield from _joined(_generator_nodes(fabric, pods))
    yield '\n],\n"links": [\n'
    yield from _joined(_generator_links(fabric, pods))
    yield "\n]}\n"


def generator(fabric: Fabric, pods: rows.Pods) -> list[tuple[str, Iterator[str]]]:
    """The topology, and what a reader must be given with it to derive the plan's addresses."""
    topology = by_names if _gap(fabric) else reference_generator
    return [("topology.json", topology(fabric, pods)), ("l8k.yaml", settings(fabric))]


def settings(fabric: Fabric) -> Iterator[str]:
    """The part of the reader's own configuration that follows from the plan.

    Source of the keys: github.com/NVIDIA/k8s-launch-kit, its configuration, profile.spectrumX.
    """
    d, planes = fabric.description, 1 if fabric.clos.by_rail else fabric.clos.planes
    version = fabric.addresses.version
    three = d.tiers == 3 if version == 6 else d.addressing.profile.endswith("3tier")
    yield "# For NVIDIA's k8s-launch-kit, which derives the addresses of the NICs from topology.json.\n"
    if fabric.description.networks:
        yield "# Front end, storage and border are not in it: its formats have the east-west fabric alone.\n"
    yield "profile:\n  spectrumX:\n    topologyFile: topology.json\n"
    yield f"    topologyType: {3 if three else 2}-tier\n    ipVersion: ipv{version}\n"
    yield f"    multiplaneMode: {d.planes.balancing if planes > 1 else 'none'}\n"
    yield f"    numberOfPlanes: {planes}\n"
    if version == 4:
        usual = table("profiles")["profiles"][d.addressing.profile]["first_octet"]
        yield f"    hostFirstOctet: {d.addressing.first_octet or usual}\n"


def _generator_nodes(fabric: Fabric, pods: rows.Pods) -> Iterator[dict[str, str]]:
    for device in rows.devices(fabric, pods):
        role = "host" if isinstance(device, Node) else device.role.replace("_", "-")
        kind = "default" if isinstance(device, Node) else "cumulus"
        yield {"name": fabric.name(device), "role": role, "type": kind}


def _generator_links(fabric: Fabric, pods: rows.Pods) -> Iterator[list[dict[str, object]]]:
    c = fabric.clos
    for node in fabric.nodes(pods=pods):
        place = {"pod": node.pod, "su": node.su}
        for nic in fabric.cabling.nic_ports():
            plane = 0 if c.by_rail else nic.plane
            leaf, index = fabric.cabling.leaf_of(node, nic)
            port = fabric.port_name(leaf, Port(HOST, index))
            rails = rails_of(fabric, leaf.plane, leaf.index % c.leaves_per_su)
            up = {"role": "leaf", "plane": plane, **place, "rail_group": rails}
            down = {"role": "host", "rail": nic.rail, **place}
            own = f"eth_p{plane}_r{nic.rail}"
            yield [
                {"node": fabric.name(leaf), "interface": port, "attributes": up},
                {"node": fabric.name(node), "interface": own, "attributes": down},
            ]


def by_names(fabric: Fabric, pods: rows.Pods) -> Iterator[str]:
    """The format whose names carry the place, so empty slots are fine."""
    name = fabric.description.name
    yield f'{{"format": "JSON", "name": {json.dumps(name)}, "ztp": null, "content": {{"nodes": {{\n'
    made = ({fabric.name(d): _named_node(fabric, d)} for d in rows.devices(fabric, pods))
    yield from _joined(made, bare=True)
    yield '\n}, "links": [\n'
    yield from _joined(_named_links(fabric, pods))
    yield "\n]}}\n"


def _named_node(fabric: Fabric, device: Node | Switch) -> dict[str, object]:
    d = fabric.description
    if isinstance(device, Switch):
        return {"model": d.switches.model, "emulation_type": "SWITCH_ETHERNET", "network_pci": {}}
    ports = 1 if fabric.clos.by_rail else fabric.clos.planes
    model = fabric.stated(device).nics.model.lower().replace("-", "")  # bluefield3, connectx8, ...
    nic = {"model": model, "emulation_type": "NIC_ETHERNET", "number_of_ports": ports}
    pci = {f"rail{rail + 1}": nic for rail in range(fabric.clos.rails)}
    return {"model": "host", "emulation_type": "HOST", "network_pci": pci}


def _named_links(fabric: Fabric, pods: rows.Pods) -> Iterator[list[dict[str, str]]]:
    for link in rows.links(fabric, pods):
        low = {"node": link.a.device, "interface": link.a.port}
        if link.kind == "host":
            low["network_pci"] = f"rail{(link.rail or 0) + 1}"
        yield [low, {"node": link.b.device, "interface": link.b.port}]


def _joined(items: Iterator[object], *, bare: bool = False) -> Iterator[str]:
    """Items of a list, one a line; `bare` those of one object, without their own braces."""
    comma = ""
    for item in items:
        text = json.dumps(item)
        yield comma + (text[1:-1] if bare else text)
        comma = ",\n"
