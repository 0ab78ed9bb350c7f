# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cables between switches as a site has them."""

from __future__ import annotations

import csv
import random

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import rows
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology import uplinks
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    described,
    example,
)

TWO = {
    "rails": 2,
    "capacity": {"sus_per_pod": 2, "slots_per_su": 4},
    "switches": {"usable_ports": 8},
}
THREE = {
    "rails": 2,
    "tiers": 3,
    "capacity": {"pods": 2, "sus_per_pod": 1, "slots_per_su": 2},
    "switches": {"usable_ports": 4},
}


def load(folder, cables, **changes):
    (folder / "fabric.yml").write_text(yaml.safe_dump(described(uplinks="cables.csv", **changes)))
    with (folder / "cables.csv").open("w", newline="") as handle:
        csv.writer(handle).writerows([uplinks.COLUMNS, *cables])
    return Fabric.load(str(folder / "fabric.yml"))


def planned(folder, role="leaf", **changes):
    """The computed cables up from a role."""
    (folder / "plan.yml").write_text(yaml.safe_dump(described(**changes)))
    fabric = Fabric.load(str(folder / "plan.yml"))
    return [cable(x) for x in rows.links(fabric) if x.kind == role]


def cable(x):
    return (x.a.device, x.a.port, x.b.device, x.b.port)


def shuffled(cables, seed):
    """The ports of every switch in another order; pairs keep their number of cables."""
    pick = random.Random(seed)
    orders = {}
    for low, low_port, high, high_port in cables:
        orders.setdefault(low, []).append(low_port)
        orders.setdefault(high, []).append(high_port)
    moved = {}
    for device, ports in orders.items():
        moved.update({(device, a): b for a, b in zip(ports, pick.sample(ports, len(ports)))})
    made = [(a, moved[a, b], c, moved[c, d]) for a, b, c, d in cables]
    return pick.sample(made, len(made))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("changes, roles", [(TWO, ["leaf"]), (THREE, ["leaf", "spine"])])
def test_any_order_of_ports_is_the_plan_of_the_site(tmp_path, changes, roles, seed):
    fabric = load_shuffled(tmp_path, changes, roles, seed)
    stated = {tuple(row) for row in csv.reader((tmp_path / "cables.csv").open())}
    found = {cable(x) for x in rows.links(fabric) if x.kind in roles}
    assert found == stated - {uplinks.COLUMNS}
    for low, low_port, high, high_port in found:
        assert fabric.peer(fabric.device(low), low_port) == (fabric.device(high), high_port)
        assert fabric.peer(fabric.device(high), high_port) == (fabric.device(low), low_port)
        (place,) = fabric.locate(f"{high}:{high_port}")
        assert (place["peer_device"], place["peer_port"]) == (low, low_port)
    for switch in fabric.switches():
        ports = [port["port"] for port in fabric.slice(switch)["ports"]]
        assert len(set(ports)) == len(ports)


def load_shuffled(folder, changes, roles, seed=0):
    cables = [one for role in roles for one in shuffled(planned(folder, role, **changes), seed)]
    return load(folder, cables, **changes)


def test_documents_follow(tmp_path):
    fabric = load_shuffled(tmp_path, TWO, ["leaf"])
    for low, low_port, high, high_port in [cable(x) for x in rows.links(fabric)]:
        if low.startswith("leaf"):
            document = compose.document(fabric, low)
            assert document["interface"][low_port]["description"] == f"{high} {high_port}"


def test_the_computed_map_moves_nothing(tmp_path):
    assert load(tmp_path, planned(tmp_path, **TWO), **TWO).moved == {}


def test_one_tier_may_be_left_to_the_plan(tmp_path):
    fabric = load_shuffled(tmp_path, THREE, ["leaf"])
    upper = [cable(x) for x in rows.links(fabric) if x.kind == "spine"]
    assert upper == planned(tmp_path, "spine", **THREE)


def test_leaves_that_are_not_built_need_no_row(tmp_path):
    """Their cables get the ports that are left, until they have rows."""
    cables = [one for one in shuffled(planned(tmp_path, **TWO), 1) if "su001" in one[0]]
    fabric = load(tmp_path, cables, **TWO, absent=["su02"])
    assert {cable(x) for x in rows.links(fabric) if x.kind == "leaf"} == set(cables)
    for spine in ("spine-p1-s01", "spine-p1-s02"):
        ports = [port["port"] for port in fabric.slice(spine)["ports"]]
        assert len(set(ports)) == len(ports) == 8


def test_names_of_the_site_are_names(tmp_path):
    (tmp_path / "devices.csv").write_text("place,name\nspine-p1-s01,core-1\n")
    cables = [
        [word.replace("spine-p1-s01", "core-1") for word in one] for one in planned(tmp_path, **TWO)
    ]
    assert load(tmp_path, cables, **TWO, devices="devices.csv").moved == {}


def test_swaps_are_for_ports_of_hosts_then(tmp_path):
    swap = [{"device": "leaf-p1-su001-r1", "ports": ["swp1s0", "swp1s1"]}]
    fabric = load(tmp_path, planned(tmp_path, **TWO), **TWO, swapped_ports=swap)
    assert fabric.slice("leaf-p1-su001-r1")["ports"][0]["slot"] == 1
    swap[0]["ports"] = ["swp3s0", "swp3s1"]
    with pytest.raises(FabricError, match="lead to a switch, and uplinks says where"):
        load(tmp_path, planned(tmp_path, **TWO), **TWO, swapped_ports=swap)


def change(at, column, value):
    def work(cables):
        cables[at] = (*cables[at][:column], value, *cables[at][column + 1 :])
        return cables

    return work


WRONG = [
    (change(0, 0, "leaf-p1-su009-r1"), "line 2: 'leaf-p1-su009-r1' is not a switch of the fabric"),
    (change(0, 0, "su01/h01"), "'su01/h01' is not a switch of the fabric"),
    (change(0, 2, "leaf-p1-su001-r2"), "is not a pair of neighbours in the plan"),
    (change(0, 1, "swp1s0"), "'swp1s0' is not a port of leaf-p1-su001-r1 that leads up"),
    (change(0, 3, "swp9s0"), "'swp9s0' is not a port of spine-p1-s01 that leads down"),
    (change(0, 3, "swp1s1"), "line 3: swp1s1 of spine-p1-s01 is already in line 2"),
    (
        lambda cables: cables[1:],
        "without a row: 1, the first is from leaf-p1-su001-r1 to spine-p1-s01",
    ),
    (lambda cables: [], "it has no row"),
    (
        lambda cables: [
            (a, b, "spine-p1-s01", f"swp{n // 2 + 1}s{n % 2}")
            for n, (a, b, _c, _d) in enumerate(cables[:8])
        ],
        "4 cables from leaf-p1-su001-r1 to spine-p1-s01 are not the 2 of the plan",
    ),
]


@pytest.mark.parametrize("work, text", WRONG)
def test_what_is_wrong_is_said_with_its_line(tmp_path, work, text):
    with pytest.raises(FabricError) as caught:
        load(tmp_path, work(planned(tmp_path, **TWO)), **TWO)
    assert text in str(caught.value)
    assert str(caught.value).startswith("cables.csv")


def test_files_that_are_no_table(tmp_path, monkeypatch):
    with pytest.raises(FabricError, match="cannot be read"):
        uplinks.read(str(tmp_path / "gone.csv"))
    (tmp_path / "other.csv").write_text("a,b\n")
    with pytest.raises(FabricError, match="no column 'lower' or 'lower_port' or 'upper'"):
        uplinks.read(str(tmp_path / "other.csv"))
    monkeypatch.setattr(uplinks, "MOST_CABLES", 15)
    with pytest.raises(FabricError, match="16 cables are more than the 15"):
        load(tmp_path, planned(tmp_path, **TWO), **TWO)


def test_a_change_of_the_table_is_another_fabric(tmp_path):
    """Files beside the description are watched."""
    cables = planned(tmp_path, **TWO)
    first = load(tmp_path, cables, **TWO)
    assert str(tmp_path / "cables.csv") in first.files()
    assert example("lab").moved == {}
