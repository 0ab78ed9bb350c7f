# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same lab from a description and a list of tenants: the documents, names and cables are the collection's."""

from __future__ import annotations

import pathlib
from typing import Any

from kernel.networks.surroundings import PROVIDER_ASN, TENANTS, Site

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)

Plain = dict[str, Any]

DESCRIPTION = """
name: networks-lab
release: {ra: "2.1", cumulus: 5.16.1}
switches: {model: SN5600, host_speed: 400G, fabric_speed: 400G, usable_ports: 8}
nics: {model: BlueField-3, pci: ["0000:18:00.0", "0000:3b:00.0"]}
rails: 2
tiers: 2
capacity: {sus_per_pod: 1, slots_per_su: 2, nodes_per_rack: 2}
addressing: {profile: nvidia-guide-v4-2tier}
networks:
  switches: {usable_ports: 16}
  front_end: {host_speed: 200G}
  storage:
    host_speed: 200G
    array_speed: 200G
    array_ports: 2
    arrays: [{name: nfs-1, ports: [1], attachment: single}]
  border:
    external_speed: 100G
    external_ports: 2
    links:
      - {name: isp-a, leaf: border-leaf-01-1, port: 1}
      - {name: isp-b, leaf: border-leaf-01-2, port: 1}
management: {ntp: [192.0.2.10], dns: [192.0.2.53]}
manage: [switch_bootstrap, switch_base, switch_underlay, switch_tenants]
"""
"""One node for each tenant, so that the fabric has no more switches than the story needs."""
LINKS = ("isp-a", "isp-b")
ROLES = {
    "spine": "converged_spine",
    "border": "border_leaf",
    "front": "front_end_leaf",
    "store": "storage_leaf",
}
LIMIT = 5


def tenants() -> str:
    """The tenants' file: both have the front end, storage, and a session over each of the provider's links."""
    lines = ["tenants:"]
    for place, (slug, number) in enumerate(TENANTS.items()):
        lines += [f"  - id: {number}", f"    slug: {slug}", f'    nodes: ["*/su01/h0{place + 1}"]']
        lines += ["    networks: [east-west, front-end, storage]", "    external_peers:"]
        for index, link in enumerate(LINKS):
            even = 2 * index + 4 * place
            lines += [
                f"      - {{name: {link}, link: {link}, vlan: {3000 + number}, network: front-end,",
                f"         address: 100.64.0.{even}/31, peer_address: 100.64.0.{even + 1}, asn: {PROVIDER_ASN},",
                "         password: true, bfd: true, ttl_security: 1, prefixes: [203.0.113.0/24],",
                f"         maximum: {LIMIT}}}",
            ]
    return "\n".join(lines) + "\n"


class Planned:
    """The fabric of the description, written to a folder, as the roles read it."""

    def __init__(self, folder: pathlib.Path) -> None:
        model = folder / "model"
        model.mkdir(parents=True, exist_ok=True)
        (model / "fabric.yml").write_text(DESCRIPTION, encoding="utf-8")
        (model / "tenants.yml").write_text(tenants(), encoding="utf-8")
        self._fabric = Fabric.load(str(model / "fabric.yml"))
        self._registry = Registry.load(self._fabric)
        self.secrets = {slug: f"{slug}-and-its-provider" for slug in TENANTS}
        slices = [
            self._fabric.slice(self._fabric.name(switch)) for switch in self._fabric.switches()
        ]
        self.roles = {
            key: [row["name"] for row in slices if row["role"] == role]
            for key, role in ROLES.items()
        }

    def document(self, name: str) -> Plain:
        """What the roles would apply to a switch."""
        passwords = {
            f"{slug}/{link}": secret for slug, secret in self.secrets.items() for link in LINKS
        }
        options = compose.Options(external_passwords=passwords)
        made: Plain = compose.document(self._fabric, name, options=options, tenants=self._registry)
        return made

    @property
    def names(self) -> list[str]:
        """All switches of the converged fabric."""
        return [name for names in self.roles.values() for name in names]

    def cables(self) -> list[list[str]]:
        """What the plan cables of what the story has; a node is called after its tenant."""
        nodes = {node: f"node-{slug}" for slug, node in zip(TENANTS, self._nodes())}
        rows = []
        for role in ("border", "front", "store"):
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
        """The node of each tenant, in their order."""
        ports = self._fabric.slice(self.roles["front"][0])["ports"]
        return [port["node"] for port in ports if port["kind"] == "host"]

    def site(self, applied: dict[str, Plain]) -> Site:
        """The lab around these switches, whose documents their API has applied."""
        return Site(applied, self.roles, self.cables(), self.secrets)
