# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A description and a list of tenants; the documents, names and cables are those that the collection makes of them."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable
from typing import Any

import yaml
from kernel.networks.life import MOVES
from kernel.networks.surroundings import PROVIDER_ASN, TENANTS, Site

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

Plain = dict[str, Any]

EXAMPLE = pathlib.Path(__file__).resolve().parents[3] / "inventories" / "lab-converged" / "model"
NODES = {"acme": "h01", "globex": "h02", MOVES: "h03"}
"""The place of the node of each tenant, and of one that moves from the first to the second."""
LINKS = ("isp-a", "isp-b")
ARRAY = {"name": "nfs-1", "ports": [1], "attachment": "single"}
SECRETS = {slug: f"{slug}-and-its-provider" for slug in TENANTS}
ROLES = {
    "spine": "converged_spine",
    "border": "border_leaf",
    "front": "front_end_leaf",
    "store": "storage_leaf",
}
LIMIT = 5


def description() -> str:
    """The example with as few nodes, ports and arrays as the story needs: a guest computes each of them."""
    made = yaml.safe_load((EXAMPLE / "fabric.yml").read_text(encoding="utf-8"))
    made["capacity"] = {"sus_per_pod": 1, "slots_per_su": len(NODES), "nodes_per_rack": len(NODES)}
    made["absent"] = []
    made["networks"]["storage"] |= {"array_ports": 2, "arrays": [ARRAY]}
    made["networks"]["border"]["external_ports"] = 2
    return yaml.safe_dump(made, sort_keys=False)


def tenants(slugs: Iterable[str] = tuple(TENANTS)) -> str:
    """The tenants' file: each has the front end, storage, and a session over each of the provider's links.

    Quarantine and rest have a neighbour that leads to the provisioning servers.
    """
    rows = [_tenant(slug) for slug in slugs]
    images = {"name": "images", "link": LINKS[0], "asn": PROVIDER_ASN}
    return yaml.safe_dump({"tenants": rows, "provisioning_peers": [images]}, sort_keys=False)


def _tenant(slug: str) -> Plain:
    number, first = TENANTS[slug], slug == min(TENANTS)
    nodes = [NODES[slug], *([NODES[MOVES]] if first else [])]
    return {
        "id": number,
        "slug": slug,
        "nodes": [f"*/*/{place}" for place in nodes],
        "networks": ["east-west", "front-end", "storage"],
        "external_peers": sessions(slug),
    }


def sessions(slug: str) -> list[Plain]:
    """A tenant's session over each of the provider's links."""
    return [_peer(slug, index) for index in range(len(LINKS))]


def _peer(slug: str, index: int) -> Plain:
    number, even = TENANTS[slug], 2 * index + 4 * list(TENANTS).index(slug)
    return {
        "name": LINKS[index],
        "link": LINKS[index],
        "vlan": 3000 + number,
        "address": f"100.64.0.{even}/31",
        "peer_address": f"100.64.0.{even + 1}",
        "asn": PROVIDER_ASN,
        "password": True,
        "bfd": True,
        "ttl_security": 1,
        "prefixes": ["203.0.113.0/24"],
        "maximum": LIMIT,
    }


def passwords() -> dict[str, str]:
    """Of the sessions to the provider, as the roles read them from the vault."""
    return {f"{slug}/{link}": secret for slug, secret in SECRETS.items() for link in LINKS}


class Planned:
    """The fabric of a description and its tenants, written to a folder, as the roles read it."""

    def __init__(
        self, folder: pathlib.Path, text: str, registry: str, roles: dict[str, str]
    ) -> None:
        model = folder / "model"
        model.mkdir(parents=True, exist_ok=True)
        (model / "fabric.yml").write_text(text, encoding="utf-8")
        (model / "tenants.yml").write_text(registry, encoding="utf-8")
        self._fabric = Fabric.load(str(model / "fabric.yml"))
        self._registry = Registry.load(self._fabric)
        slices = [
            self._fabric.slice(self._fabric.name(switch)) for switch in self._fabric.switches()
        ]
        self.roles = {
            key: [row["name"] for row in slices if row["role"] == role]
            for key, role in roles.items()
        }
        self.nodes = dict(zip(NODES, self._nodes()))

    def document(self, name: str) -> Plain:
        """Document that the roles would apply to a switch."""
        options = compose.Options(external_passwords=passwords())
        made: Plain = compose.document(self._fabric, name, options=options, tenants=self._registry)
        return made

    @property
    def names(self) -> list[str]:
        """All switches of the converged fabric."""
        return [name for names in self.roles.values() for name in names]

    def cables(self) -> list[list[str]]:
        """Cables of the plan in the story; a node has the name of its tenant."""
        nodes = {name: f"node-{place}" for place, name in self.nodes.items()}
        rows = []
        for role in (key for key in self.roles if key != "spine"):
            for member, name in enumerate(self.roles[role], 1):
                for port in self._fabric.slice(name)["ports"]:
                    peer, end = port["peer"], [name, port["port"]]
                    if port["kind"] == "up":
                        rows.append([*end, peer["device"], peer["port"]])
                    elif port["kind"] == "host" and peer["device"] in nodes:
                        rows.append([nodes[peer["device"]], peer["port"], *end])
                    elif port["kind"] == "array":
                        rows.append(["array", f"a{member}", *end])
                    elif port["kind"] == "external":
                        rows.append(["provider", f"p{member}", *end])
        return rows

    def _nodes(self) -> list[str]:
        """The nodes in the order of their places."""
        first = self.roles.get("front", self.roles.get("core", []))[0]
        return [
            port["node"] for port in self._fabric.slice(first)["ports"] if port["kind"] == "host"
        ]

    def ends(self, place: str) -> list[tuple[str, str]]:
        """The switch ports of a node, on the rails and on the other networks."""
        row = self._fabric.slice(self.nodes[place])
        return [
            (port["peer"]["device"], port["peer"]["port"])
            for port in (*row["ports"], *row["networks"])
        ]

    def site(self, applied: dict[str, Plain]) -> Site:
        """The lab around these switches, whose documents their API has applied; a core has the parts of all leaves."""
        core = self.roles.get("core")
        leaves = dict.fromkeys(("border", "front", "store"), core) if core else {}
        return Site(applied, {**leaves, **self.roles}, self.cables(), SECRETS)
