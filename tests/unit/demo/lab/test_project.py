# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's hosts have the cards that the plan configures, in every plane mode."""

from __future__ import annotations

import json

import pytest
from lab import project

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.host.interfaces import rows
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.topology.cabling import Node
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    BY_RAIL,
    TWO_PLANES,
    build,
)

PCI = [f"0000:{bus:02x}:00.0" for bus in range(0x18, 0x20)]


@pytest.mark.parametrize(
    "planes",
    [{}, TWO_PLANES, {**TWO_PLANES, "count": 4}, {**TWO_PLANES, "balancing": "hwplb"}, BY_RAIL],
)
def test_cards_are_those_of_the_plan(planes):
    fabric = build(
        nics={"model": "ConnectX-8", "pci": PCI},
        planes=planes,
        capacity={"sus_per_pod": 1, "slots_per_su": 2},
    )
    node = Node(0, 0, 1)
    cards = {row["name"]: row.get("nics") for row in project.cabling(fabric)["devices"]}
    planned = rows(fabric, fabric.slice(node), table_base=1000)
    assert cards[fabric.name(node)] == [{"port": row["name"], "pci": row["pci"]} for row in planned]


def test_cards_without_an_address_in_the_description_get_a_slot_for_each_rail():
    fabric = build(rails=2, capacity={"sus_per_pod": 1, "slots_per_su": 2})
    (nics, _other) = [row["nics"] for row in project.cabling(fabric)["devices"] if "nics" in row]
    assert [row["pci"] for row in nics] == ["0000:18:00.0", "0000:20:00.0"]


@pytest.mark.parametrize("model", ["BlueField-3", "ConnectX-8"])
def test_hosts_have_the_cards_that_the_description_names(model):
    """A double of another model has other settings: it would never be as planned."""
    fabric = build(
        nics={"model": model, "pci": PCI}, capacity={"sus_per_pod": 1, "slots_per_su": 2}
    )
    hosts = [row for row in project.cabling(fabric)["devices"] if row["kind"] == "host"]
    (profile,) = {row["profile"] for row in hosts}
    card = json.loads((project.HOSTS.parent / "nicsim" / "cards" / f"{profile}.json").read_text())
    assert model.replace("-", "").lower() in card["card"]["type"].lower()
