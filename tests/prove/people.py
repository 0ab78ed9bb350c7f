# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who shall reach whom, from the registry; and the packets that show it.

The expectation is written here anew from the words of the design (one VRF a tenant, quarantine
isolates even its own), not taken from the code that renders VRFs.
"""

from __future__ import annotations

import itertools
import pathlib
import time
import typing as t

import yaml

if t.TYPE_CHECKING:
    from lab.world import World

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model import places
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.topology.cabling import Node

PATH_MTU = 9166
HEADERS = 28  # IPv4 and ICMP


def tenants(world: World) -> dict[str, list[Node]]:
    """Slug -> nodes, read from the registry file itself."""
    data = yaml.safe_load((world.project / "model" / "tenants.yml").read_text()) or {}
    c = world.fabric.clos
    found = {}
    for row in data.get("tenants", []):
        nodes = [
            Node(*place)
            for text in row.get("nodes", [])
            for place in _expand(world, text, (c.pods, c.sus, c.slots))
        ]
        found[row["slug"]] = [node for node in nodes if world.fabric.present(node)]
    return found


def _expand(world: World, text: str, limits: tuple[int, int, int]) -> t.Iterable[tuple[int, ...]]:
    device = world.fabric.device(text)
    return [tuple(device)] if isinstance(device, Node) else places.expand(text, limits=limits)


def owner_of(world: World) -> dict[Node, str]:
    """Every built node -> its tenant, or quarantine."""
    owners = {node: "quarantine" for node in world.fabric.nodes()}
    for slug, nodes in tenants(world).items():
        owners.update(dict.fromkeys(nodes, slug))
    return owners


def flows(world: World, *, size: int = 56, df: bool = False) -> list[dict[str, t.Any]]:
    """A probe for every ordered pair of nodes on every port, with what is to be expected."""
    owners = owner_of(world)
    made = []
    for one, two in itertools.permutations(owners, 2):
        reach = owners[one] == owners[two] != "quarantine"
        for mine, theirs in zip(world.ports(one), world.ports(two)):
            made.append(
                {
                    "id": f"{world.fabric.name(one)} {mine['port']} to {world.fabric.name(two)}",
                    "from": world.fabric.name(one),
                    "source": mine["address"],
                    "to": theirs["address"],
                    "size": size,
                    "df": df,
                    "expect": "reached" if reach else "silent",
                }
            )
    return made


def wrong(results: list[dict[str, t.Any]]) -> list[str]:
    """The probes that went otherwise than expected, as text."""
    return [f"{row['id']}: {row['state']}, expected {row['expect']}" for row in results if not row["ok"]]


def settle(world: World, probes: list[dict[str, t.Any]], *, seconds: float = 30) -> float:
    """Wait until all probes go as expected; returns how long that took, fails after ``seconds``."""
    begun = time.monotonic()
    while True:
        failed = wrong(world.ping(probes, tries=2, timeout=0.5))
        if not failed:
            return time.monotonic() - begun
        assert time.monotonic() - begun < seconds, f"after {seconds} s: {failed[:6]}"
        time.sleep(0.5)


def changed(output: str) -> int:
    """The sum of changed= over a play recap."""
    rows = [line for line in output.splitlines() if "changed=" in line and "unreachable=" in line]
    assert rows, output[-2000:]
    return sum(int(line.split("changed=")[1].split()[0]) for line in rows)


def write_tenants(project: pathlib.Path, text: str) -> None:
    """Replace the registry of a project."""
    (project / "model" / "tenants.yml").write_text(text)
