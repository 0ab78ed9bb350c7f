# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a switch may be drained, by what is known of those that do its work, and whether it is."""

from __future__ import annotations

import types

import pytest
import yaml
from ansible import context

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import switch_job
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.leaf import (
    Applied,
    LeafError,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

LEAF = "leaf-p1-su001-r1"
ONE, TWO = "spine-p1-s01", "spine-p1-s02"
DRAINED = {"router": {"bgp": {"graceful-shutdown": "enabled"}}}
UNIT = {"maintenance": {"unit": {"all-protocols": {"mode": "enabled"}}}}


class Switches:
    """Switches by name: their documents, sessions, or an error; `asked` is who was read, look by look."""

    def __init__(self, **found):
        self.found, self.asked = found, []

    def each(self, names, work):
        self.asked.append(list(names))
        return {name: work(self._one(name)) for name in names}

    def _one(self, name):
        document, sessions = self.found.get(name.replace("-", "_"), ({}, {("default", "swp1")}))

        def applied():
            if isinstance(document, Exception):
                raise document
            return Applied("5.16.1", document)

        return types.SimpleNamespace(name=name, applied=applied, sessions=lambda: sessions)


@pytest.fixture
def lacking(tmp_path, monkeypatch):
    """A function that returns why a switch may not be drained, and who was read for that."""
    monkeypatch.setattr(context, "CLIARGS", {"forks": 2})

    def _lacking(found, name=ONE, drained=(ONE,), example="lab", hosts=None, **changes):
        text = (INVENTORIES / example / "model" / "fabric.yml").read_text()
        path = tmp_path / f"{example}-{len(changes)}.yml"
        path.write_text(yaml.safe_dump({**yaml.safe_load(text), **changes}))
        fabric, switches = Fabric.load(str(path)), Switches(**found)
        listed = hosts or [fabric.name(switch) for switch in fabric.switches()]
        others = switch_job.Others(fabric, switches, listed, drained)
        return others.lacking(fabric.known(name)), switches.asked

    return _lacking


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ((DRAINED, {1}), f"{TWO} is drained by router/bgp/graceful-shutdown"),
        ((UNIT, {1}), f"{TWO} is drained by maintenance/unit/all-protocols"),
        (({}, set()), f"{TWO} has no BGP session that is Established"),
        ((LeafError(f"{TWO}: it does not answer."), {1}), f"{TWO}: it does not answer"),
    ],
)
def test_one_that_is_not_in_service_takes_nothing_over(lacking, found, why):
    said, _asked = lacking({TWO.replace("-", "_"): found})
    assert said == (
        f"{ONE}: no switch in service takes over its traffic ({why}): bring one back, or allow the loss with "
        "-e spx_allow_interrupting=true."
    )


def test_one_in_service_is_enough(lacking):
    assert lacking({}) == ("", [[TWO]])


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
    said, asked = lacking({}, name=LEAF)
    assert asked == []
    assert said == (
        f"{LEAF}: no other plane reaches the rails of its nodes: allow the loss with "
        "-e spx_allow_interrupting=true."
    )


def test_no_more_are_read_than_it_takes(lacking):
    """As many as forks at a time, until one is in service; many reasons are counted."""
    name, example = "spine-p1-s05", "b300-4096"
    said, asked = lacking({}, name=name, drained=[name], example=example)
    assert (said, len(asked), len(asked[0])) == ("", 1, 2)
    dead = {f"spine_p1_s0{n}": ({}, set()) for n in range(1, 4)}
    said, asked = lacking(dead, name=name, drained=[name], example=example)
    assert (said, [len(look) for look in asked]) == ("", [2, 2])
    every = {f"spine_p1_s{n:02}": ({}, set()) for n in range(1, 99)}
    said, asked = lacking(every, name=name, drained=[name], example=example)
    count = sum(map(len, asked))
    assert f"; {count - 3} more): bring one back" in said


def test_the_plan_has_the_steps_and_what_the_loss_disturbs(monkeypatch, capsys):
    fabric = Fabric.load(str(INVENTORIES / "lab" / "model" / "fabric.yml"))
    said = []
    monkeypatch.setattr(switch_job.Display, "display", lambda _self, line: said.append(line))
    switch_job.show(fabric, "enter", [ONE], 20)
    switch_job.show(fabric, "leave", [ONE], 20)
    switch_job.show(fabric, "replace", [LEAF], 20)
    assert said[:3] == [
        f"  enter {ONE}: ask the neighbours to prefer every other way; wait until no port between "
        "switches sees more than 20 packets a second",
        "  without it: 1 spine of plane 1 (at most drainable: traffic moves to others)",
        f"  leave {ONE}: let the neighbours use it again; check its release, sessions, EVPN and links",
    ]
    assert said[-1] == (
        "  without it: 1 leaf of plane 1 (at most interrupting: the rails of their hosts stop)"
    )


class Counting:
    """Stands for a switch whose ports see some packets between two readings."""

    def __init__(self, **rates):
        self.rates, self.looks = rates, 0
        self.port = types.SimpleNamespace(close=lambda: None)

    def get(self, _path, _params, shape):
        self.looks += 1
        counts = {port: {"in-pkts": str(rate * self.looks)} for port, rate in self.rates.items()}
        return shape({p: {"link": {"stats": {**row, "out-pkts": 0}}} for p, row in counts.items()})


@pytest.fixture
def drained():
    """What is wanted of a spine in maintenance, and its ports towards switches."""
    fabric = Fabric.load(str(INVENTORIES / "lab" / "model" / "fabric.yml"))
    wanted = switch_job.maintenance(fabric, ONE, enter=True)
    return wanted, [row["port"] for row in wanted.ctx.fabric_ports if row["present"]]


def test_a_switch_without_traffic_is_quiet(drained):
    wanted, ports = drained
    assert set(switch_job.quiet(Counting(**dict.fromkeys(ports, 0)), wanted, 0.01, 20)) == {"rates"}
    loud = switch_job.quiet(Counting(**dict.fromkeys(ports, 0), eth0=10**6), wanted, 0.01, 20)
    assert set(loud) == {"rates"}


def test_traffic_that_stays_fails(drained):
    wanted, ports = drained
    found = switch_job.quiet(Counting(**dict.fromkeys(ports, 10**6)), wanted, 0.01, 20)
    assert found["failed"]


def test_a_port_that_reports_no_packets_shows_nothing(drained):
    wanted, ports = drained
    with pytest.raises(FabricError) as caught:
        switch_job.quiet(Counting(**dict.fromkeys(ports[1:], 0)), wanted, 0.01, 20)
    assert str(caught.value).startswith(f"{ONE}: {ports[0]} report no packets, so that nothing")


@pytest.mark.parametrize("rates", [{"swp1": 20.0}, {"swp1": 0.0, "swp2": 3.5}])
def test_what_is_allowed_is_no_traffic(rates):
    assert switch_job.too_much(rates, 20) == {}


def test_traffic_that_stays_is_named_worst_first():
    rates = {"swp1": 21.0, "swp2": 5000.4, "swp3": 1.0, "swp4": 30.0, "swp5": 40.0}
    assert switch_job.too_much(rates, 20) == {
        "failed": True,
        "msg": "Traffic still passes: swp2 5000, swp5 40, swp4 30 and 1 more packets a second, allowed "
        "are 20; do not begin to work, find out who sends it.",
    }
