# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bill of materials adds up to the cables, links, switches and cards."""

from __future__ import annotations

import collections

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import rows
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover import (
    bill,
    labels,
    lists,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover.cables import (
    Cables,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
    core_lab,
    example,
)

from .reading import brownfield, table

MADE = {
    "brownfield": brownfield,
    "lab": lambda: Cables(example("lab")),
    "all networks": lambda: Cables(example("lab-converged")),
    "core": lambda: Cables(core_lab()),
    "two planes": lambda: Cables(example("lab-2plane")),
    "fibre": lambda: Cables(build(cabling={"host": "multimode", "fabric": "single-mode"})),
    "meshed fibre": lambda: Cables(
        build(
            tiers=3,
            capacity={"pods": 2, "sus_per_pod": 1, "slots_per_su": 2},
            switches={"usable_ports": 4},
            rails=2,
            cabling={"fabric": "multimode"},
        )
    ),
    "four legs of fibre": lambda: Cables(
        build(
            capacity={"sus_per_pod": 2, "slots_per_su": 8},
            switches={"host_speed": "200G", "fabric_speed": "200G", "usable_ports": 32},
            cabling={"host": "multimode", "fabric": "multimode"},
        )
    ),
}


@pytest.fixture(params=MADE)
def cables(request):
    return MADE[request.param]()


def test_cards_are_counted_by_the_model_of_their_node():
    nics = {"model": "BlueField-3", "places": [{"place": "su02", "model": "ConnectX-7"}]}
    found = {
        row.part: row.amount for row in bill.items(Cables(build(nics=nics))) if row.what == "NIC"
    }
    assert found == {"BlueField-3": 3 * 64 * 8, "ConnectX-7": 64 * 8}


def test_cables_are_those_of_the_list(cables):
    listed = collections.Counter(
        (row["Part"], row["Kind"], row["Length to order (m)"])
        for row in table("".join(lists.cables_csv(cables, None)))
    )
    found = {
        (item.part, item.where, labels.metres(item.length)): item.amount
        for item in bill.items(cables)
        if item.what == "Cable"
    }
    assert found == listed


def test_devices_are_those_of_the_plan(cables):
    d, found = cables.fabric.description, collections.Counter()
    for item in bill.items(cables):
        found[item.what] += item.amount
    nodes = sum(1 for _node in cables.fabric.nodes())
    assert found["Node"] == nodes
    assert found["NIC"] == nodes * d.rails
    assert found["Switch"] == sum(1 for _switch in cables.fabric.switches())


def test_a_twin_port_plug_carries_two_ports(cables):
    """Each end of each link is in a plug: a cage of a switch holds one for all of its ports."""
    cages, nics = set(), set()
    for x in rows.all_links(cables.fabric):
        for end in (x.a, x.b):
            if end.role == "node":
                nics.add((end.device, end.port[: 5 if cables._shared else None]))
            elif end.port:
                cages.add((end.device, end.port.partition("s")[0] + end.port[3:].partition("s")[0]))
    copper = {bill.CAGE: set(), bill.NIC: set()}
    for cable in cables.all():
        if cable.medium in ("dac", "acc"):
            for plug in cable.plugs:
                copper[bill.CAGE if plug.cage else bill.NIC].add(
                    (plug.device, plug.cage or plug.ports)
                )
    found = collections.Counter()
    for item in bill.items(cables):
        if item.what in ("Transceiver", "Plug to be chosen"):
            found[item.where] += item.amount
    assert found[bill.CAGE] == len(cages) - len(copper[bill.CAGE])
    assert found[bill.NIC] == len(nics) - len(copper[bill.NIC])


def test_a_fabric_of_fibre_in_figures():
    """2,048 NICs at 400G: half as many twin-port plugs at the leaves, and one single-port plug each."""
    found = {(i.what, i.part, i.where): i.amount for i in bill.items(MADE["fibre"]())}
    assert found["Transceiver", "twin-port OSFP 800G, 2xSR4, multimode", bill.CAGE] == 1024
    assert found["Transceiver", "QSFP112 400G, multimode", bill.NIC] == 2048
    assert found["Transceiver", "twin-port OSFP 800G, 2xDR4, single-mode", bill.CAGE] == 2048
    assert found["Cable", "MPO-12/APC multimode fibre", "host link"] == 2048
    assert found["Cable", "MPO-12/APC single-mode fibre", "leaf to spine"] == 2048


def test_the_table_is_the_same():
    cables = brownfield()
    found = table("".join(bill.bill_csv(bill.items(cables))))
    assert [int(row["Count"]) for row in found] == [item.amount for item in bill.items(cables)]
