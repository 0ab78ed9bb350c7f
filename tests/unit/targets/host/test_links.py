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


@pytest.mark.parametrize(
    ("dark", "sent", "got"),
    [
        # The port of a node, or the other end of its cable: nothing passes, and others have what they had.
        (["n0:rail1p1"], [(HERE, AWAY), (BESIDE, FAR)], [0, 400]),
        (["n2:rail1p1"], [(HERE, AWAY), (BESIDE, FAR)], [0, 400]),
        (["n0:rail2p1"], [(HERE, AWAY), (BESIDE, FAR)], [400, 400]),
        # One of two uplinks: what leaves the leaf, or comes to it, shares the other one; nothing else does.
        (["leaf0r1:up0"], [(HERE, AWAY), (BESIDE, FAR)], [200, 200]),
        (["leaf1r1:up0"], [(HERE, AWAY), (BESIDE, FAR)], [200, 200]),
        (["leaf0r1:up0"], [(HERE, BESIDE)], [400]),
        (["leaf0r2:up0"], [(HERE, AWAY), (BESIDE, FAR)], [400, 400]),
        # A spine, whose cables are dark at all leaves.
        (["leaf0r1:up0", "leaf1r1:up0"], [(HERE, AWAY), (BESIDE, FAR)], [200, 200]),
        # Each leaf has an uplink, and no spine has both leaves.
        (["leaf0r1:up0", "leaf1r1:up1"], [(HERE, AWAY), (HERE, BESIDE)], [0, 400]),
        (["leaf0r1:up0", "leaf0r1:up1"], [(HERE, AWAY), (AWAY, FAR)], [0, 400]),
    ],
)
def test_a_cable_without_carrier_carries_nothing(dark, sent, got):
    links = Links(model())
    links.dark = frozenset(dark)
    assert [round(rate) for rate in links.rates([flow(*way) for way in sent], gbps=400)] == got


def test_hosts_see_what_the_lab_notes(tmp_path, monkeypatch):
    monkeypatch.setenv("NICSIM_FLOWS", str(tmp_path))
    links, sent = Links(model()), [flow(HERE, AWAY)]
    assert flows.dark() == frozenset()
    assert flows.carried(links, sent, gbps=400, seconds=1) == [400]
    (tmp_path / flows.DARK).write_text('["n0:rail1p1", "leaf0r1:swp1"]')
    assert flows.carried(links, sent, gbps=400, seconds=1) == [0]


def test_a_flow_that_lost_its_way_for_a_part_of_the_run_has_ended(tmp_path, monkeypatch):
    monkeypatch.setenv("NICSIM_FLOWS", str(tmp_path))
    monkeypatch.setenv("NICSIM_PACE", "1")
    looks = iter([frozenset(), frozenset(), frozenset({"leaf0r1:up0", "leaf0r1:up1"})])
    monkeypatch.setattr(flows, "dark", lambda: next(looks, frozenset()))
    sent = [flow(HERE, AWAY), flow(HERE, BESIDE, 100)]
    assert flows.carried(Links(model()), sent, gbps=400, seconds=0.05) == [0, 100]


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
