# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of links: who shares what, and what each fault takes away."""

from __future__ import annotations

import json
import pathlib

import pytest
from nicsim import flows
from nicsim.links import BadModel, Flow, Links, load

from .fabric import model

HERE, BESIDE, AWAY, FAR = "172.16.0.0", "172.16.0.1", "172.16.0.2", "172.16.0.3"


def rates(sent, *faults):
    return [round(rate) for rate in Links(model(*faults)).rates(sent, gbps=400)]


def flow(one, other, wish=400):
    return Flow(one, other, wish)


def test_flows_that_share_nothing_have_the_whole_link():
    assert rates([flow(HERE, AWAY), flow(BESIDE, FAR)]) == [400, 400]


def test_a_receiver_is_shared_fairly_and_what_one_leaves_goes_to_the_others():
    assert rates([flow(HERE, FAR), flow(BESIDE, FAR), flow(AWAY, FAR, 100)]) == [150, 150, 100]


def test_both_directions_of_a_port_are_apart():
    assert rates([flow(HERE, AWAY), flow(AWAY, HERE)]) == [400, 400]


def test_uplinks_are_shared_by_whoever_leaves_the_leaf():
    lost = {"kind": "lost-uplinks", "leaf": "leaf0r1", "share": 0.75}
    assert rates([flow(HERE, AWAY), flow(BESIDE, FAR)], lost) == [100, 100]
    assert rates([flow(HERE, BESIDE)], lost) == [400]


@pytest.mark.parametrize(
    "fault, rate",
    [
        ({"kind": "slow-nic", "node": "n0", "gbps": 180}, 180),
        ({"kind": "slow-nic", "node": "n0", "port": "rail2p1", "gbps": 180}, 400),
        ({"kind": "bad-optic", "node": "n2", "port": "rail1p1", "share": 0.5}, 200),
        ({"kind": "slow-leaf", "leaf": "leaf1r1", "share": 0.75}, 300),
        ({"kind": "slow-leaf", "leaf": "leaf1r2", "share": 0.75}, 400),
        ({"kind": "noisy-neighbour", "leaf": "leaf0r1", "gbps": 600}, 200),
        (
            {"kind": "noisy-neighbour", "leaf": "leaf0r1", "gbps": 800, "congestion_control": True},
            267,
        ),
    ],
)
def test_each_fault_slows_what_it_is_about(fault, rate):
    assert rates([flow(HERE, AWAY)], fault) == [rate]


def test_without_congestion_control_an_incast_slows_its_leaf():
    incast = [flow(HERE, FAR), flow(BESIDE, FAR)]
    assert rates([flow("172.16.9.9", AWAY), *incast]) == [400, 200, 200]
    assert rates([flow("172.16.9.9", AWAY), *incast], {"kind": "no-congestion-control"}) == [
        200,
        200,
        200,
    ]


def test_a_port_that_no_model_has_is_as_fast_as_its_card():
    assert Links({}).rates([flow("10.0.0.1", "10.0.0.2", 900)], gbps=400) == [400]


def test_a_node_is_known_by_name_address_and_management_address():
    links = Links({**model(), "names": {"198.18.0.7": "n1"}})
    assert [links.node(x) for x in ("n1", BESIDE, "198.18.0.7", "n9")] == ["n1", "n1", "n1", None]


@pytest.mark.parametrize(
    "fault, said",
    [
        ({"kind": "gremlins"}, "its kind is one of"),
        ({"kind": "slow-nic", "node": "n0"}, "lacks gbps"),
    ],
)
def test_a_fault_that_cannot_be_is_refused(tmp_path, monkeypatch, fault, said):
    path = tmp_path / "links.json"
    path.write_text(json.dumps(model(fault)))
    monkeypatch.setenv("NICSIM_MODEL", str(path))
    with pytest.raises(BadModel, match=said):
        load()


def test_flows_meet_each_other_while_they_run(tmp_path, monkeypatch):
    monkeypatch.setenv("NICSIM_FLOWS", str(tmp_path))
    links = Links(model())
    with flows.running([flow(HERE, FAR)]):
        assert [
            round(x) for x in flows.carried(links, [flow(BESIDE, FAR)], gbps=400, seconds=1)
        ] == [200]
    assert flows.carried(links, [flow(BESIDE, FAR)], gbps=400, seconds=1) == [400]
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_program_left_is_no_flow(tmp_path, monkeypatch):
    monkeypatch.setenv("NICSIM_FLOWS", str(tmp_path))
    left = pathlib.Path(tmp_path, "x.flow")
    left.write_text(json.dumps(flow(HERE, FAR)))
    assert flows.present() == []
    assert not left.exists()


def test_a_pace_is_a_number_from_0_to_1(monkeypatch):
    assert flows.pace(Links({"pace": 0.5})) == 0.5
    monkeypatch.setenv("NICSIM_PACE", "3")
    with pytest.raises(ValueError, match="from 0 to 1"):
        flows.pace(Links({}))
