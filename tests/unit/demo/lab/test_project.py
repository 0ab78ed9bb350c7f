# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's hosts have the cards that the plan configures, in every plane mode."""

from __future__ import annotations

import json

import pytest
from lab import cabling, files, project
from lab.state import Lab

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.interfaces import (
    rows,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    BY_RAIL,
    INVENTORIES,
    TWO_PLANES,
    build,
    example,
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


def test_links_to_the_outside_end_at_the_router_whose_interface_has_their_name():
    outside = INVENTORIES / "lab-routed" / "outside"
    made = project.cabling(example("lab-routed"), outside)
    routers = {row["name"]: row["frr"] for row in made["devices"] if row["kind"] == "router"}
    assert routers.keys() == {"isp-a", "isp-b", "nfs-1"}
    far = {tuple(row[2:]): tuple(row[:2]) for row in made["links"] if row[2] in routers}
    assert far["isp-a", "isp-a-globex"] == ("border-leaf-01-1", "swp1s1")
    assert far["nfs-1", "nfs-acme-2"] == ("border-leaf-01-2", "swp1s2")
    assert len(far) == 8
    assert "loose" not in made
    read = cabling.parse(made)
    lab = Lab(name="one", backend="podman", cabling=read, document={})
    laid = {path: text for path, text, _mode in files.contents(lab, read.device("isp-a"))}
    assert laid["etc/frr/frr.conf"] == (outside / "isp-a.conf").read_text()
    assert "isp-a" not in files.inventory(lab)["all"]["hosts"]


def test_what_no_router_has_is_named_and_has_no_cable():
    made = project.cabling(example("lab-converged"))
    assert ["border-leaf-01-1", "swp1s0", "isp-a"] in made["loose"]
    ends = {(row[0], row[1]) for row in made["links"]} | {(row[2], row[3]) for row in made["links"]}
    assert not {(device, port) for device, port, _name in made["loose"]} & ends


def test_hosts_have_the_ports_of_the_other_networks():
    made = project.cabling(example("lab-routed"))
    host = next(row for row in made["devices"] if row["kind"] == "host")
    assert {row["port"]: row["pci"] for row in host["nics"]} == {
        "rail1p1": "0000:18:00.0",
        "front1": "0000:01:00.0",
        "front2": "0000:01:00.1",
        "stor1": "0000:02:00.0",
        "stor2": "0000:02:00.1",
    }
