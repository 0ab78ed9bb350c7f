# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenarios become models of links that the stand-ins take, for the small lab and for 2,048 GPUs."""

from __future__ import annotations

import json
import pathlib

import pytest
from lab import seeding
from lab.errors import LabError
from nicsim.links import Flow, Links

from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

SCENARIOS = pathlib.Path(__file__).resolve().parents[4] / "demo" / "scenarios"
FILES = sorted(SCENARIOS.glob("*/*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_scenario_names_places_of_its_plan(path):
    links = Links(seeding.model(example(path.parent.name), seeding.scenario(path)))
    assert len(links.ports) == {"lab": 12, "h200-2048": 2048}[path.parent.name]
    assert (path.stem in ("healthy", "good_neighbour")) == (links.faults == [])


def test_both_fabrics_have_the_same_scenarios():
    names = {
        folder.name: {file.stem for file in folder.iterdir()} for folder in SCENARIOS.iterdir()
    }
    assert names["lab"] == names["h200-2048"]
    assert {"healthy", "slow_cable", "slow_nic", "noisy_neighbour"} <= names["lab"]


def test_ports_leaves_and_uplinks_are_those_of_the_plan():
    made = seeding.model(example("lab"), {"faults": []}, {"worker-su01-rack01-h01": "198.18.0.16"})
    assert made["ports"]["172.16.0.0"] == {
        "node": "worker-su01-rack01-h01",
        "port": "rail1p1",
        "leaf": "leaf-p1-su001-r1",
        "gbps": 400,
    }
    uplinks = made["uplinks"]["leaf-p1-su001-r1"]
    assert uplinks["swp3s0"] == {"spine": "spine-p1-s01", "gbps": 400}
    assert sum(row["gbps"] for row in uplinks.values()) == 1600
    assert Links(made).node("198.18.0.16") == "worker-su01-rack01-h01"


def test_a_slow_cable_slows_its_port_and_no_other():
    made = seeding.model(example("lab"), seeding.scenario(SCENARIOS / "lab" / "slow_cable.json"))
    addresses = {(row["node"], row["port"]): address for address, row in made["ports"].items()}
    links = Links(made)

    def rate(node, port):
        flow = Flow(addresses[node, port], addresses["worker-su02-rack02-h03", port], 400)
        return links.rates([flow], gbps=400)[0]

    assert rate("worker-su01-rack01-h02", "rail2p1") == 240
    assert (
        rate("worker-su01-rack01-h02", "rail1p1")
        == rate("worker-su01-rack01-h01", "rail2p1")
        == 400
    )


@pytest.mark.parametrize(
    "text, said",
    [
        ("{", "is no scenario"),
        ('{"schema": 2, "faults": []}', "schema is not allowed"),
        ('{"schema": 1, "fault": []}', "fault is not allowed"),
    ],
)
def test_a_file_that_is_no_scenario_is_refused(tmp_path, text, said):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(LabError, match=said):
        seeding.scenario(path)


def test_a_fault_at_a_place_that_the_plan_does_not_have_is_refused():
    fault = {"kind": "slow-nic", "node": "worker-su09-rack01-h01", "gbps": 1}
    with pytest.raises(LabError, match="the plan has no node worker-su09-rack01-h01"):
        seeding.model(example("lab"), {"faults": [fault]})


def test_the_command_prints_the_model(capsys, monkeypatch):
    inventory = SCENARIOS.parents[1] / "inventories" / "lab"
    scenario = SCENARIOS / "lab" / "slow_nic.json"
    monkeypatch.setattr("sys.argv", ["seeding", str(inventory), str(scenario)])
    seeding.main()
    assert json.loads(capsys.readouterr().out)["faults"][0]["kind"] == "slow-nic"
