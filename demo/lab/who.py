# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints who reaches whom in a lab, by real packets: a row and a column for each node.

python -m lab.who NAME
"""

from __future__ import annotations

import sys
import typing as t

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from lab.world import World


def main(name: str) -> int:
    """The table; 2 when a packet crosses tenants or fails inside one."""
    world = World(name)
    registry = Registry.load(world.fabric)
    nodes = sorted(world.fabric.nodes(), key=lambda node: (registry.holding(node).slug, node))
    holders = {node: registry.holding(node).slug for node in nodes}
    pairs = [(one, two) for one in nodes for two in nodes if one != two]
    rows = world.ping([_probe(world, one, two) for one, two in pairs])
    reached = {pair: row["state"] == "reached" for pair, row in zip(pairs, rows)}
    print("  rail 1, every node to every other: # reached, . silent\n")
    for one in nodes:
        cells = ["-" if one == two else ("#" if reached[one, two] else ".") for two in nodes]
        print(f"  {holders[one]:>12}  {world.fabric.name(one):26} {' '.join(cells)}")
    wrong = [p for p in pairs if reached[p] != (holders[p[0]] == holders[p[1]] != "quarantine")]
    print(
        f"\n  {'As the registry says.' if not wrong else f'{len(wrong)} pairs are not as the registry says.'}"
    )
    return 2 if wrong else 0


def _probe(world: World, one: t.Any, two: t.Any) -> dict[str, t.Any]:
    mine, theirs = world.ports(one)[0], world.ports(two)[0]
    return {"from": world.fabric.name(one), "source": mine["address"], "to": theirs["address"]}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
