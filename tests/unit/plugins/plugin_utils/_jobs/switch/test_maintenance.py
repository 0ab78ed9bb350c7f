# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drain of a switch: its permission, by the state of its stand-ins, and its proof."""

from __future__ import annotations

import types

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.leaf import (
    AppliedConfiguration,
    LeafError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.switch import maintenance
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

LEAF = "leaf-p1-su001-r1"
ONE, TWO = "spine-p1-s01", "spine-p1-s02"
DRAINED = {"router": {"bgp": {"graceful-shutdown": "enabled"}}}
UNIT = {"maintenance": {"unit": {"all-protocols": {"mode": "enabled"}}}}


def test_a_serial_of_another_place_is_no_new_switch(tmp_path):
    """It would be taken from where it works; the serial of its own place, or an unknown one, is new."""
    text = (INVENTORIES / "lab" / "model" / "fabric.yml").read_text()
    (tmp_path / "devices.csv").write_text(f"place,serial\n{LEAF},SN1\n{ONE},SN2\n")
    source = tmp_path / "fabric.yml"
    source.write_text(yaml.safe_dump({**yaml.safe_load(text), "devices": "devices.csv"}))
    plan = Fabric.load(str(source))
    for serial in ("SN1", "sn1", "SN9"):
        maintenance.must_be_new(plan, LEAF, serial)
    with pytest.raises(FabricError, match=f"^spx_serial: sn2 is {ONE} in devices.csv, not a new"):
        maintenance.must_be_new(plan, LEAF, "sn2")


class Switches:
    """Switches of a fabric: all that is planned is up, but for what is said of a switch by its name.

    That is its document, the ports whose sessions or carriers are down, or an error; `asked` is who was read, look by
    look.
    """

    def __init__(self, fabric, found):
        self.fabric, self.found, self.asked = fabric, found, []

    def each(self, names, work):
        self.asked.append(list(names))
        return {name: work(self._one(name)) for name in names}

    def _one(self, name):
        document, down = self.found.get(name, ({}, ()))
        ctx = maintenance.compose.context(self.fabric, name)

        def applied():
            if isinstance(document, Exception):
                raise document
            return AppliedConfiguration("5.16.1", document)

        def up(rows):
            return {row["port"] for row in rows if row["present"] and not _down(row, down)}

        return types.SimpleNamespace(
            name=name,
            applied=applied,
            sessions=lambda: {("default", port) for port in up(ctx.fabric_ports)},
            carriers=lambda: up(ctx.host_ports),
        )


def _down(row, down):
    """Check whether a port, all towards a device, or all of them are down."""
    return down == "all" or row["port"] in down or row["peer"]["device"] in down


@pytest.fixture
def lacking(tmp_path):
    """A function that returns why switches may not be drained, and who was read for that."""

    def _lacking(found, drained=(ONE,), example="lab", hosts=None, window=False, **changes):
        text = (INVENTORIES / example / "model" / "fabric.yml").read_text()
        path = tmp_path / f"{example}-{len(changes)}.yml"
        path.write_text(yaml.safe_dump({**yaml.safe_load(text), **changes}))
        fabric = Fabric.load(str(path))
        switches = Switches(fabric, found)
        listed = hosts or [fabric.name(switch) for switch in fabric.switches()]
        try:
            maintenance.RemainingSwitches(
                fabric, switches, listed, drained, forks=2
            ).must_take_over({}.get if window else lambda _name: "No window is open")
        except FabricError as exc:
            return str(exc), switches.asked[1:]
        return "", switches.asked[1:]

    return _lacking


LEAVES = "leaf-p1-su001-r1, leaf-p1-su001-r2, leaf-p1-su002-r1 and 1 more"


@pytest.mark.parametrize(
    ("found", "why", "to"),
    [
        ((DRAINED, ()), f"{TWO} is drained by router/bgp/graceful-shutdown", LEAVES),
        ((UNIT, ()), f"{TWO} is drained by maintenance/unit/all-protocols", LEAVES),
        (({}, "all"), f"{TWO} has no BGP session that is Established", LEAVES),
        ((LeafError(f"{TWO}: it does not answer."), ()), f"{TWO}: it does not answer", LEAVES),
        (({}, [LEAF]), f"{TWO} does not reach them", LEAF),
    ],
)
def test_one_that_does_not_reach_them_takes_nothing_over(lacking, found, why, to):
    said, _asked = lacking({TWO: found})
    assert said == (
        f"{ONE}: no switch in service takes over its traffic to {to} ({why}): bring one back. "
        "No window is open."
    )


def test_one_that_reaches_all_is_enough(lacking):
    assert lacking({}) == ("", [[TWO]])
    gone = {ONE: ({}, [LEAF]), TWO: ({}, [LEAF])}
    assert lacking(gone) == ("", [[TWO]]), "a leaf that it does not reach itself loses nothing"
    assert lacking({ONE: ({}, "all"), TWO: ({}, "all")}) == ("", [])


def test_what_cannot_be_read_is_not_asked(lacking):
    """Out of service by the description, drained by the same run, or not in the inventory."""
    said, asked = lacking({}, drained=(ONE, TWO))
    assert (f"{TWO} is drained in this run" in said, asked) == (True, [])
    rest = [{"device": TWO, "since": "2026-01-01", "reason": "dead"}]
    said, asked = lacking({}, out_of_service=rest)
    assert (f"{TWO} is out of service" in said, asked) == (True, [])
    said, asked = lacking({}, hosts=[ONE])
    assert (f"{TWO} is not in the inventory" in said, asked) == (True, [[]])


def test_a_leaf_of_the_only_plane(lacking):
    said, asked = lacking({}, drained=[LEAF])
    assert asked == []
    assert said == (f"{LEAF}: no other plane reaches the rails of its nodes. No window is open.")
    assert lacking({}, drained=[LEAF], window=True) == ("", [])


def test_a_leaf_of_another_plane_must_reach_the_same_nodes(lacking):
    other, node = "leaf-p2-su001-r1", "worker-su01-rack01-h01"
    assert lacking({}, drained=[LEAF], example="lab-2plane") == ("", [[other]])
    said, _asked = lacking({other: ({}, [node])}, drained=[LEAF], example="lab-2plane")
    assert f"takes over its traffic to {node} ({other} does not reach them)" in said
    spines = ["spine-p2-s01", "spine-p2-s02"]
    said, _asked = lacking({other: ({}, spines)}, drained=[LEAF], example="lab-2plane")
    assert f"{other} has no BGP session that is Established" in said


def test_a_super_spine_must_reach_the_same_pods(lacking):
    """A pod whose other spine is gone has one group of super-spines left."""
    name, others = "superspine-p1-g01-s01", {"example": "lab-3tier"}
    fabric = Fabric.load(str(INVENTORIES / "lab-3tier" / "model" / "fabric.yml"))
    names = [fabric.name(switch) for switch in fabric.switches() if switch.role == "super_spine"]
    name = names[0]
    assert lacking({}, drained=[name], **others)[0] == ""
    lost = {one: ({}, [d for d in _spines(fabric) if "pod02" in d]) for one in names[1:]}
    said, _asked = lacking(lost, drained=[name], **others)
    assert "takes over its traffic to pod 2 (" in said


def _spines(fabric):
    return [fabric.name(switch) for switch in fabric.switches() if switch.role == "spine"]


def test_no_more_are_read_than_it_takes(lacking):
    """As many as forks at a time, until all are reached; many reasons are counted."""
    name, example = "spine-p1-s05", "b300-4096"
    said, asked = lacking({}, drained=[name], example=example)
    assert (said, len(asked), len(asked[0])) == ("", 1, 2)
    dead = {f"spine-p1-s0{n}": ({}, "all") for n in range(1, 4)}
    said, asked = lacking(dead, drained=[name], example=example)
    assert (said, [len(look) for look in asked]) == ("", [2, 2])
    every = {f"spine-p1-s{n:02}": ({}, "all") for n in range(1, 99) if n != 5}
    said, asked = lacking(every, drained=[name], example=example)
    count = sum(map(len, asked))
    assert f"; {count - 3} more): bring one back" in said


def test_the_plan_has_the_steps_and_what_the_loss_disturbs():
    fabric = Fabric.load(str(INVENTORIES / "lab" / "model" / "fabric.yml"))
    said = [
        *maintenance.lines(fabric, "enter", [ONE], 20),
        *maintenance.lines(fabric, "leave", [ONE], 20),
        *maintenance.lines(fabric, "replace", [LEAF], 20),
    ]
    assert said[:3] == [
        f"enter {ONE}: ask the neighbours to prefer any other path; wait until none of its ports "
        "sees more than 20 packets a second",
        "without it: 1 spine of plane 1 (at most drainable: traffic moves to others)",
        f"leave {ONE}: let the neighbours use it again; check that it is not drained, and its release, sessions, "
        "EVPN and links",
    ]
    assert said[-1] == (
        "without it: 1 leaf of plane 1 (at most interrupting: the rails of their hosts stop)"
    )


class Counting:
    """Stands for a switch whose ports see some packets in and out between two readings."""

    def __init__(self, document, rates):
        self.document, self.rates, self.looks = document, rates, 0

    def applied(self):
        return AppliedConfiguration("5.16.1", self.document)

    def packets(self):
        self.looks += 1
        return {
            port: tuple(100 + rate * self.looks for rate in both)
            for port, both in self.rates.items()
        }


@pytest.fixture
def wanted():
    """Wish of a leaf in maintenance."""
    fabric = Fabric.load(str(INVENTORIES / "lab" / "model" / "fabric.yml"))
    return maintenance.maintenance(fabric, LEAF, enter=True)


def proven(wanted, document=None, **rates):
    ports = [row["port"] for row in wanted.ctx.ports if row["present"]]
    switch = Counting(
        DRAINED if document is None else document, dict.fromkeys(ports, (0, 0)) | rates
    )
    return maintenance.prove(switch, wanted, enter=True, seconds=0.01, most=20)


def test_a_switch_without_traffic_is_quiet(wanted):
    assert set(proven(wanted)) == {"rates"}
    assert set(proven(wanted, eth0=(10**6, 0))) == {"rates"}


def test_traffic_between_its_own_hosts_is_traffic(wanted):
    port = wanted.ctx.host_ports[0]["port"]
    assert proven(wanted, **{port: (10**6, 0)})["failed"]


@pytest.mark.parametrize("rate", [(), (-5, 0), (10**6, -(10**6))])
def test_a_port_without_counters_that_can_be_compared_shows_nothing(wanted, rate):
    """None, or such as were reset: both directions may make up for each other."""
    port = wanted.ctx.fabric_ports[0]["port"]
    with pytest.raises(FabricError) as caught:
        proven(wanted, **{port: rate})
    assert str(caught.value).startswith(f"{LEAF}: {port} report no packets, or fewer than before")


def test_what_is_not_drained_is_said(wanted):
    with pytest.raises(FabricError) as caught:
        proven(wanted, {})
    assert str(caught.value).startswith(f"{LEAF}: it is not drained, as router/bgp/graceful-")
    with pytest.raises(FabricError) as caught:
        maintenance.prove(Counting(UNIT, {}), wanted, enter=False)
    assert "it is still drained by maintenance/unit/all-protocols: unset that" in str(caught.value)
    assert maintenance.prove(Counting({}, {}), wanted, enter=False) == {}


def test_nobody_drains_what_nobody_manages(wanted, tmp_path):
    maintenance.must_manage(wanted)
    text = yaml.safe_load((INVENTORIES / "lab" / "model" / "fabric.yml").read_text())
    path = tmp_path / "fabric.yml"
    path.write_text(yaml.safe_dump({**text, "manage": ["switch_roce"]}))
    with pytest.raises(FabricError) as caught:
        maintenance.must_manage(maintenance.maintenance(Fabric.load(str(path)), LEAF, enter=True))
    assert str(caught.value).startswith("manage of the description does not list switch_underlay")


@pytest.mark.parametrize("rates", [{"swp1": 20.0}, {"swp1": 0.0, "swp2": 3.5}])
def test_what_is_allowed_is_no_traffic(rates):
    assert maintenance.too_much(rates, 20) == {}


def test_traffic_that_stays_is_named_worst_first():
    rates = {"swp1": 21.0, "swp2": 5000.4, "swp3": 1.0, "swp4": 30.0, "swp5": 40.0}
    assert maintenance.too_much(rates, 20) == {
        "failed": True,
        "msg": "Traffic still passes: swp2 5000, swp5 40, swp4 30 and 1 more packets a second, allowed "
        "are 20; do not start work; find out who sends it.",
    }
