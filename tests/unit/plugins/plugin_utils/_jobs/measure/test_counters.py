# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counters before and after a measurement, of switches and of NICs."""

from __future__ import annotations

import json

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import run as edge_run
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.leaf import (
    LeafError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.measure import (
    counters as port_counters,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

from .running import record_of

H01 = "worker-su01-rack01-h01"
LEAVES = ["leaf-p1-su001-r1", "leaf-p1-su001-r2"]


class Switches:
    """Switches that report errors at their first port, but for those in `silent`."""

    def __init__(self, errors, silent=(), absent=False):
        self.errors, self.silent, self.absent = errors, silent, absent

    def __call__(self, _plan, _task, _stated):
        return self

    def each(self, names, work):
        if self.absent:
            raise FabricError.of("inventory: no switch is in it.")
        return {name: work(Switch(name, self)) for name in names}


class Switch:
    def __init__(self, name, all_):
        self.name, self._all = name, all_

    def interfaces(self, include):
        if self.name in self._all.silent:
            raise LeafError(f"{self.name}: no connection.")
        if "/*/link/stats/in-errors" not in include:
            return {"swp1s0": {"link": {"phy": {"health": {"symbol-errors": 0}}}}, "eth0": {}}
        return {"swp1s0": {"link": {"stats": {"in-errors": str(self._all.errors)}}}, "eth0": {}}


def counters(run):
    return json.loads((run.folder / "report" / "performance" / "state.json").read_text())[
        "counters"
    ]


def test_a_leaf_is_read_with_the_spines_above_it():
    found = port_counters.switches(example("lab"), [H01])
    assert found == [*LEAVES, "spine-p1-s01", "spine-p1-s02"]


def test_what_rose_between_the_first_and_the_last_look_is_kept(run, monkeypatch):
    run.plan("rails", nodes=["su01"])
    for errors in (5, 12):
        monkeypatch.setattr(edge_run, "leaves", Switches(errors))
        assert "warnings" not in run.do("counters")
    found = counters(run)
    assert found["before"]["leaf-p1-su001-r1:swp1s0"] == {"in-errors": 5, "symbol-errors": 0}
    assert found["after"]["leaf-p1-su001-r1:swp1s0"] == {"in-errors": 12, "symbol-errors": 0}
    run.measure()
    made = record_of(run.do("sum"))
    assert made["counters"]["leaf-p1-su001-r1:swp1s0"]["in-errors"] == 7


def test_switches_that_do_not_answer_are_a_warning(run, monkeypatch):
    run.plan("rails", nodes=["su01"])
    monkeypatch.setattr(edge_run, "leaves", Switches(5, silent=LEAVES[:1]))
    (said,) = run.do("counters")["warnings"]
    assert said.endswith("leaf-p1-su001-r1: no connection.")
    assert list(counters(run)["before"]) == [
        f"{name}:swp1s0" for name in (LEAVES[1], "spine-p1-s01", "spine-p1-s02")
    ]
    monkeypatch.setattr(edge_run, "leaves", Switches(5, absent=True))
    assert "no switch is in it" in run.do("counters")["warnings"][0]


def test_counters_of_a_nic_are_added_up_over_the_pairs_that_it_was_in(run):
    run.errors = {(H01, "rail1p1"): {"rx_symbol_err_phy": 2}}
    run.plan("rails", nodes=["su01/[01-02]"])
    run.measure()
    made = record_of(run.do("sum"))
    assert made["counters"][f"{H01}:rail1p1"]["rx_symbol_err_phy"] == 4
