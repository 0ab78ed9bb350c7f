# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Topology for schedulers: of the whole fabric, and of each tenant with its own nodes only.

    schedulers/topology.conf         Slurm, plugin topology/tree
    schedulers/topology.yaml         Slurm that knows this file ignores topology.conf
    schedulers/labels.yaml           Kubernetes: kubectl apply --server-side -f labels.yaml
    schedulers/nccl.conf             variables of NCCL that follow from the fabric
    schedulers/tenants/acme/...      the same of one tenant

Each node hangs on one leaf in these trees. Here that is its SU, whose nodes meet in the same leaves on every rail, or
with leaves at the top of racks the nodes of one leaf. Above it is the pod, where there are several, and the fabric.

Sources: man topology.conf(5) and topology.yaml(5) of Slurm; docs of github.com/NVIDIA/topograph for the labels.
"""

from __future__ import annotations

import itertools
import re
import typing as t

from ..description._third_party import yaml
from ..render.host import nccl
from ..tenants.registry import Registry

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..plan.fabric import Fabric
    from ..plan.topology.cabling import Node
    from . import rows

BEGINS = re.compile(rb"# Export schedulers of ")
LABEL = "network.topology.nvidia.com"


def files(fabric: Fabric, _pods: rows.Pods) -> Iterator[tuple[str, Iterable[str]]]:
    """(path, chunks) of each file; always of the whole fabric."""
    yield from _of("schedulers", fabric, list(fabric.nodes()))
    registry = Registry.load(fabric)
    for tenant in registry.file.tenants:
        if nodes := [node for node in registry.nodes_of(tenant.slug) if fabric.present(node)]:
            yield from _of(f"schedulers/tenants/{tenant.slug}", fabric, nodes)


def _of(folder: str, fabric: Fabric, nodes: list[Node]) -> Iterator[tuple[str, Iterable[str]]]:
    """Write the files of some nodes."""
    head = (
        f"# Export schedulers of {fabric.description.name}. Playbook plan writes this file again.\n"
    )
    tree = _tree(fabric, nodes)
    labels = (_labels(fabric, node) for node in nodes)
    variables = nccl.facts(fabric, {})["env"]
    yield f"{folder}/topology.conf", itertools.chain([head], map(_conf, tree))
    yield f"{folder}/topology.yaml", [head, _yaml(fabric, tree)]
    yield f"{folder}/labels.yaml", itertools.chain([head], labels)
    yield f"{folder}/nccl.conf", [head, *(f"{key}={variables[key]}\n" for key in sorted(variables))]


class Branch(t.NamedTuple):
    """A switch of the tree, with what is below it."""

    name: str
    of_nodes: bool
    below: list[str]


def _tree(fabric: Fabric, nodes: list[Node]) -> list[Branch]:
    """SUs, pods where there are several tiers of them, and the fabric at the top."""
    sus: dict[str, list[str]] = {}
    pods: dict[str, list[str]] = {}
    for node in nodes:
        su, pod = _place(fabric, node)
        if su not in sus:
            pods.setdefault(pod, []).append(su)
        sus.setdefault(su, []).append(fabric.name(node))
    leaves = [Branch(su, True, below) for su, below in sus.items()]
    if set(pods) == {fabric.description.name}:
        return [*leaves, Branch(fabric.description.name, False, list(sus))]
    middle = [Branch(pod, False, below) for pod, below in pods.items()]
    return [*leaves, *middle, Branch(fabric.description.name, False, list(pods))]


def _place(fabric: Fabric, node: Node) -> tuple[str, str]:
    """Return the names of a node's leaves and pod; the fabric is the only pod of two tiers."""
    su, c = f"su{node.su + 1:02}", fabric.clos
    if c.top_of_rack:
        su += f"-leaf{node.slot // c.nodes_per_leaf + 1:02}"
    if c.tiers == 2:
        return su, fabric.description.name
    pod = f"pod{node.pod + 1:02}"
    return f"{pod}-{su}", pod


def hostlist(names: Iterable[str]) -> str:
    """Names as Slurm writes them: `h[01-03,07]` for those that differ in the last number."""
    stems: dict[tuple[str, bool], list[str]] = {}
    for name in names:
        stem = name.rstrip("0123456789")
        stems.setdefault((stem, stem == name), []).append(name[len(stem) :])
    return ",".join(f"{stem}{_numbers(ends)}" for (stem, _whole), ends in stems.items())


def _numbers(ends: list[str]) -> str:
    """`[01-03,07]`; one alone is without brackets."""
    if len(ends) == 1:
        return ends[0]
    found = []
    order = enumerate(sorted(ends, key=lambda end: (len(end), end)))
    for _key, run in itertools.groupby(order, key=lambda one: (len(one[1]), int(one[1]) - one[0])):
        members = [end for _at, end in run]
        found.append(members[0] if len(members) == 1 else f"{members[0]}-{members[-1]}")
    return f"[{','.join(found)}]"


def _conf(branch: Branch) -> str:
    kind = "Nodes" if branch.of_nodes else "Switches"
    return f"SwitchName={branch.name} {kind}={hostlist(branch.below)}\n"


def _yaml(fabric: Fabric, tree: list[Branch]) -> str:
    switches = [
        {"switch": one.name, "nodes" if one.of_nodes else "children": hostlist(one.below)}
        for one in tree
    ]
    made = {
        "topology": fabric.description.name,
        "cluster_default": True,
        "tree": {"switches": switches},
    }
    return str(yaml.safe_dump([made], sort_keys=False, width=10_000))


def _labels(fabric: Fabric, node: Node) -> str:
    """A Node with the labels that NVIDIA's topograph gives, in the order of the tree."""
    su, pod = _place(fabric, node)
    levels = {"leaf": su, "spine": pod}
    if fabric.clos.tiers > 2:
        levels["core"] = fabric.description.name
    labels = "".join(f"    {LABEL}/{level}: {value}\n" for level, value in levels.items())
    return f"---\napiVersion: v1\nkind: Node\nmetadata:\n  name: {fabric.name(node)}\n  labels:\n{labels}"
