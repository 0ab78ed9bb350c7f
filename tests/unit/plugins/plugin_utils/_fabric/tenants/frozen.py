# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that follows from a registry of tenants, as hashes: over the examples and random registries.

    outcomes(fabric, seed) -> {area: text}        of one registry, to be compared with an eye
    digest(fabric, seeds) -> {area: hash}         of many, as `frozen.json` keeps them

A change of structure changes none of them.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import hashlib
import itertools
import json
import random
import types
import typing as t

import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import (
    isolation,
    isolation_leaf,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.converged import (
    LEAVES,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host import networks
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
    compose,
    tenants_part,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    attachments,
    handover,
    tenant_addresses,
    vrfs,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves import (
    entry,
    jobs,
    move_plan,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.leaf import (
    Job,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.observed_ports import (
    seen,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

from ..fabrics import EXAMPLES, core_lab, example
from .converged_lab import laboratory

FABRICS: dict[str, t.Callable[[], t.Any]] = {
    **{name: functools.partial(example, name) for name in EXAMPLES},
    **{
        name: functools.partial(example, name)
        for name in ("lab-2plane", "lab-converged", "lab-routed", "b300-1024-converged")
    },
    "core": core_lab,
    "tagged": lambda: laboratory(storage={"node_ports": 0, "pci": []}),
    "routed": lambda: laboratory(
        front_end={"attachment": "routed"}, storage={"attachment": "routed"}
    ),
    "six": lambda: laboratory(six=True),
    "shared": lambda: laboratory(storage={"mode": "shared"}),
    "front-end": lambda: laboratory(storage=None),
}
SMALL = ("lab", "lab-2plane", "lab-converged", "core", "tagged", "routed")
MOST_NODES, MOST_LEAVES = 8, 8
SLUGS = ("acme", "globex", "initech")
STEPS = ("drain", "shut", "quarantine", "withdraw", "open", "rest", "join", "verify")


# Random registries


def nodes_of(fabric: t.Any) -> list[Node]:
    """Some built nodes, from the begin and the end of the fabric."""
    every = list(itertools.islice(fabric.nodes(), MOST_NODES - 2))
    last = list(range(fabric.clos.pods))[-1:]
    return [*every, *[n for n in itertools.islice(fabric.nodes(pods=last), 3) if n not in every]]


def text(fabric: t.Any, rng: random.Random) -> str:
    """A registry; most are right, and some break a rule."""
    names = [fabric.name(node) for node in nodes_of(fabric)]
    rng.shuffle(names)
    owners = [*SLUGS, *SLUGS, "rest-a", "rest-b", "service", None]
    held: dict[t.Any, list[str]] = {}
    for name in names:
        held.setdefault(rng.choice(owners), []).append(name)
    made: dict[str, t.Any] = {
        "tenants": [_tenant(fabric, rng, n, slug, held) for n, slug in enumerate(SLUGS)],
        "rest": [
            {"nodes": held[f"rest-{name}"], **({"acceptance": name} if name == "a" else {})}
            for name in "ab"
            if f"rest-{name}" in held
        ],
        "services": _services(rng, held),
        "moving": _moving(rng, held),
        "health": {name: {"had": "acme"} for name in names if rng.random() < 0.1},
        "leaking": rng.random() < 0.2,
    }
    if rng.random() < 0.4:
        made["retired"] = [{"id": 40, "slug": "hooli"}]
    if rng.random() < 0.1:
        made["vrfs_per_leaf"] = rng.choice([2, 3, 400])
    if rng.random() < 0.2 and fabric.description.networks:
        made["provisioning_peers"] = [{"name": "boot", "link": "isp-b", "asn": 64900}]
    return yaml.safe_dump(made)


def _tenant(
    fabric: t.Any, rng: random.Random, number: int, slug: str, held: dict[t.Any, list[str]]
) -> dict[str, t.Any]:
    others = [name for name in ("front-end", "storage") if rng.random() < 0.7]
    row: dict[str, t.Any] = {
        "id": 21 + number,
        "slug": slug,
        "nodes": held.get(slug, []),
        "networks": ["east-west", *others],
        "routes": rng.choice(["exact", "exact", "rail", "leaf"]),
        "host_access": rng.choice(["managed", "none"]),
    }
    if rng.random() < 0.15:
        row["vrf"] = f"cust-{number}"
    if rng.random() < 0.1:
        row["l3vni"] = rng.choice([4100021, 5550000 + number])
    if rng.random() < 0.1:
        row["front_end"] = {"vlan": rng.choice([21, 300, 3999])}
    if rng.random() < 0.1:
        row["storage"] = {"subnet": "10.99.0.0/24", "vips": ["10.99.0.9"]}
    if rng.random() < 0.2:
        row["shared"] = [rng.choice(["storage", "shared", "globex"])]
    if rng.random() < 0.1:
        row["quotas"] = {"nodes": 1}
    if others and fabric.description.networks and rng.random() < 0.6:
        row["external_peers"] = [_peer(rng, number, others)]
    return row


def _peer(rng: random.Random, number: int, others: list[str]) -> dict[str, t.Any]:
    made = {
        "name": "isp",
        "link": rng.choice(["isp-a", "isp-b", "isp-b", "isp-a", "isp-x"]),
        "network": rng.choice(others),
        "asn": 64700,
        "bfd": rng.random() < 0.5,
        "prefixes": rng.choice([[], ["192.168.0.0/16"]]),
    }
    if rng.random() < 0.7:
        made |= {
            "address": f"198.51.100.{2 * number}/31",
            "peer_address": f"198.51.100.{2 * number + 1}",
        }
    if rng.random() < 0.1:
        made["tagged"] = False
    return made


def _services(rng: random.Random, held: dict[t.Any, list[str]]) -> list[dict[str, t.Any]]:
    nodes = held.get("service", [])
    if not nodes and rng.random() < 0.7:
        return []
    networks = rng.choice([["east-west"], ["east-west", "storage"], ["east-west", "front-end"]])
    return [{"id": rng.choice([4, 7]), "slug": "disks", "nodes": nodes, "networks": networks}]


def _moving(rng: random.Random, held: dict[t.Any, list[str]]) -> dict[str, t.Any]:
    made = {}
    for slug in SLUGS:
        for name in held.get(slug, []):
            if rng.random() < 0.2:
                to = rng.choice([*(s for s in SLUGS if s != slug), "rest", "quarantine"])
                made[name] = {"from": slug, "to": to, "step": rng.choice(STEPS)}
                if rng.random() < 0.5:
                    made[name]["clean"] = {"on": "2026-01-01", "by": "bmc", "run": "r"}
    return made


@functools.lru_cache(maxsize=64)
def _valid(fabric: t.Any, seed: int) -> t.Any:
    """The first registry from a seed on that keeps the rules."""
    for number in itertools.count():
        try:
            return Registry.parse(fabric, text(fabric, random.Random(seed * 1000 + number)))
        except FabricError:
            continue
    return None


# What follows from one


def outcomes(fabric: t.Any, seed: int) -> dict[str, str]:
    """What follows from one registry, by area, as text."""
    made = {"rules": _rules(fabric, seed)}
    registry, before = _valid(fabric, seed), _valid(fabric, seed + 100_000)
    rng = random.Random(seed)
    leaves = _leaves(fabric)
    documents = {
        leaf: _disturbed(compose.document(fabric, leaf, ["tenants"], tenants=before), rng)
        for leaf in leaves
    }
    areas: dict[str, t.Callable[[], t.Any]] = {
        "vrfs": lambda: {
            leaf: vrfs.of_leaf(
                fabric, registry, fabric.known(leaf), with_routes=leaf.startswith("leaf")
            )
            for leaf in leaves
        },
        "documents": lambda: {
            leaf: compose.document(fabric, leaf, ["tenants"], tenants=registry) for leaf in leaves
        },
        "guards": lambda: _guards(fabric, registry, documents, rng),
        "seen": lambda: [
            seen(registry, documents, attachments.of_node(fabric, node))
            for node in nodes_of(fabric)
        ],
        "jobs": lambda: _jobs(fabric, registry),
        "moves": lambda: _moves(fabric, registry, documents),
        "entering": lambda: _entering(fabric, registry, documents),
        "audit": lambda: _audit(fabric, registry, documents),
        "places": lambda: _places(fabric, registry),
        "handover": lambda: [handover.handover(fabric, registry, slug) for slug in SLUGS],
    }
    return made | {area: _text(_tried(work)) for area, work in areas.items()}


def _text(value: t.Any) -> str:
    return json.dumps(_plain(value), sort_keys=True, default=repr)


def _plain(value: t.Any) -> t.Any:
    """Data as JSON has it; records by their fields, sets in order."""
    if isinstance(value, Node):
        return repr(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _plain(
            {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        )
    if isinstance(value, dict):
        return {str(key): _plain(below) for key, below in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(map(_plain, value), key=repr)
    if isinstance(value, (list, tuple, types.GeneratorType)):
        return [_plain(below) for below in value]
    return value


def _tried(work: t.Callable[[], t.Any]) -> t.Any:
    try:
        return work()
    except FabricError as exc:
        return exc.sentences


def _rules(fabric: t.Any, seed: int) -> str:
    try:
        Registry.parse(fabric, text(fabric, random.Random(seed)))
    except FabricError as exc:
        return "\n".join(exc.sentences)
    return "kept"


def _leaves(fabric: t.Any) -> list[str]:
    """Some leaves of nodes, all of one pair of each role of the other networks."""
    nodes = nodes_of(fabric)
    made = [
        name
        for node in (nodes[0], nodes[-1])
        for name in attachments.leaves_of(fabric, [node])[:MOST_LEAVES]
    ]
    switches = fabric.converged.switches() if fabric.converged else ()
    made += [fabric.name(one) for one in switches if one.role in LEAVES and not one.pod]
    return list(dict.fromkeys(made))


def _disturbed(document: t.Any, rng: random.Random) -> t.Any:
    """A document in which somebody shut a port, put one elsewhere, and left a VRF."""
    made = copy.deepcopy(document)
    for _name, body in sorted(made.get("interface", {}).items()):
        number = rng.random()
        if number < 0.1 and "link" in body:
            body["link"]["state"] = {rng.choice(["up", "down"]): {}}
        elif number < 0.25 and "vrf" in body:
            body["vrf"] = rng.choice(["t77-umbrella", "t40-hooli", "t22-globex", "default"])
        elif number < 0.4 and "access" in body.get("bridge", {}).get("domain", {}).get(
            "br_default", {}
        ):
            body["bridge"]["domain"]["br_default"]["access"] = rng.choice([11, 22, 77])
    if rng.random() < 0.5:
        made.setdefault("vrf", {})[rng.choice(["t77-umbrella", "s77-umbrella", "s40-hooli"])] = {}
    return made


def _guards(fabric: t.Any, registry: t.Any, documents: t.Any, rng: random.Random) -> t.Any:
    made = []
    nodes = nodes_of(fabric)
    for leaf, before in documents.items():
        some = [node for node in nodes if rng.random() < 0.5]
        only = {node: ["t1-quarantine", "t2-rest", "t21-acme"] for node in some[:2]}
        for job in (
            Job(),
            Job(ending=["t23-initech"]),
            Job(nodes=some, tenants=["acme"]),
            Job(nodes=some, leaving=some[:3], ending=["t22-globex"], only=only),
        ):
            made.append(_tried(functools.partial(_guard, fabric, registry, leaf, before, job)))
    return made


def _guard(fabric: t.Any, registry: t.Any, leaf: str, before: t.Any, job: Job) -> t.Any:
    part = tenants_part.part(compose.context(fabric, leaf, tenants=registry), job)
    guard, wish = part["guard"], part["config"]
    held = guard.hold(before, wish)
    return [
        [part[key] for key in ("config", "owns", "role", "managed", "considered")],
        [held.keep, held.notes, held.drift],
        list(guard.forbid(before, wish)),
    ]


def _jobs(fabric: t.Any, registry: t.Any) -> t.Any:
    nodes, made = nodes_of(fabric), []
    for slug in SLUGS:
        for work in (
            lambda slug=slug: jobs.onboarding(registry, slug),
            lambda slug=slug: jobs.onboarding(registry, slug, extra=nodes[:2]),
            lambda slug=slug: jobs.resizing(registry, slug, nodes[:3]),
            lambda slug=slug: jobs.offboarding(registry, slug),
        ):
            made.append(_tried(work))
    return made


def _moves(fabric: t.Any, registry: t.Any, documents: t.Any) -> t.Any:
    made = []
    for node in nodes_of(fabric)[:4]:
        for to in ("globex", "rest", "quarantine"):
            order = move_plan.Order(to=to, applied=documents, hooks=["wipe"], written=True)
            made.append(_tried(lambda o=order, n=node: move_plan.plan(fabric, registry, [n], o)))
    return made


def _entering(fabric: t.Any, registry: t.Any, documents: t.Any) -> t.Any:
    nodes, made = nodes_of(fabric), []
    for slug in SLUGS:
        made.append(_tried(lambda s=slug: entry.may_enter(registry, s, nodes[:3], documents) or []))
        for leaf, document in documents.items():
            switch = fabric.known(leaf)
            at = (registry, slug, switch, nodes[:2], document)
            made.append(entry.strangers(*at))
            if switch.role == "leaf":
                made.append(entry.waiting(registry, nodes[:2], {leaf: document}))
                made.append(entry.left(registry, *at[2:]))
    return made


def _audit(fabric: t.Any, registry: t.Any, documents: t.Any) -> t.Any:
    made: list[t.Any] = []
    east_west = {}
    for leaf, document in documents.items():
        switch = fabric.known(leaf)
        if switch.role == "leaf":
            view = isolation_leaf.LeafView(fabric, registry, switch, document)
            made += isolation_leaf.static(view)
            tables = {name: ["10.9.9.0/24"] for name in document["vrf"]}
            made += isolation.live(view, tables)
            east_west[leaf] = document
    return [*made, *isolation.graph(fabric, registry, east_west)]


def _places(fabric: t.Any, registry: t.Any) -> t.Any:
    if not fabric.converged:
        return []
    names = {port.network for port in fabric.converged.node_ports()}
    return [
        list(tenant_addresses.subnets(fabric, registry)),
        list(tenant_addresses.sessions(fabric, registry)),
        [
            tenant_addresses.net_at(fabric, registry, node, network)
            for node in nodes_of(fabric)
            for network in sorted(names)
        ],
        [
            networks.planned(fabric, registry, node, fabric.slice(node), table_base=100)
            for node in nodes_of(fabric)
        ],
    ]


# Many


def digest(fabric: t.Any, seeds: t.Iterable[int]) -> dict[str, str]:
    """The hashes of what follows from registries, by area."""
    made: dict[str, t.Any] = {}
    for seed in seeds:
        for area, said in outcomes(fabric, seed).items():
            made.setdefault(area, hashlib.sha256()).update(said.encode())
    return {area: found.hexdigest()[:16] for area, found in made.items()}
