# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge import answers
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan import records
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric import fabrics
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.measure.measured import (
    H01,
    H02,
    K01,
    measured,
    side,
)

LAB = fabrics.example("lab")
PAIR = records.Pair(H01, H02, 1, 0, "leaf")
ASKED = records.asked("pairs", PAIR)
GROUP = records.Group("four", (H01, H02, K01), "best")


def answer(rows, asked=ASKED):
    (one,) = answers.answers(LAB, [asked], rows)
    return one


def test_a_pair_that_both_sides_measured_has_the_value_of_its_sender():
    one = answer(measured(ASKED, 391.8, counters={"rp_cnp_handled": 3, "rx_prio3_bytes": 0}))
    assert (one.state, one.value, one.why, one.memory) == ("measured", 391.8, "", "host")
    assert one.counters == {"rp_cnp_handled": 6}, "of both ends, without those that did not rise"
    assert one.lost == ""


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([], f"{H01} returned no measurement, and one is needed."),
        (measured(ASKED, 391.8)[:1], f"{H02} returned no measurement, and one is needed."),
        (measured(ASKED, 391.8)[1:], f"{H01} returned no measurement, and one is needed."),
        (
            measured(ASKED, 391.8) + measured(ASKED, 391.8)[1:],
            f"{H02} returned 2 measurements, and one is needed.",
        ),
        (
            [side(ASKED, "client", None, state="failed", sentence="rail2p1: no server answers.")],
            f"{H01}: rail2p1: no server answers.",
        ),
        (
            [side(ASKED, "client", 391.8), side(ASKED, "server", None, state="failed")],
            f"{H02}: it failed without a reason.",
        ),
        (measured(ASKED, 391.8, state="running"), f"{H01} returned the state 'running'."),
        (measured(ASKED, 391.8, transport="tcp"), "it ran over TCP, not over RoCE."),
        (
            measured(ASKED, 391.8, transport="nvlink"),
            "it ran over NVLink alone, so it shows nothing of the fabric.",
        ),
        (measured(ASKED, 391.8, transport=""), "nothing proves that it ran over RoCE."),
        (measured(ASKED, 391.8, transport="pigeon"), "nothing proves that it ran over RoCE."),
        (
            [side(ASKED, "client", 391.8), side(ASKED, "server", None, transport="tcp")],
            "it ran over TCP, not over RoCE.",
        ),
        (measured(ASKED, None), "it returned no value."),
        (measured(ASKED, 0.0), "it returned 0.0 Gb/s, which is not a measurement."),
        (measured(ASKED, float("nan")), "it returned nan Gb/s, which is not a measurement."),
        (
            measured(ASKED, 600.5),
            "it returned 600.5 Gb/s, and the port carries 400: it measured another way.",
        ),
    ],
)
def test_what_does_not_count_is_a_failure_with_its_reason(rows, why):
    one = answer(rows)
    assert (one.state, one.why, one.value) == ("fail", why, None)


def test_what_one_side_could_not_run_is_not_run_although_the_other_then_failed():
    rows = [
        side(ASKED, "client", None, state="failed", sentence="nobody answers."),
        side(ASKED, "server", None, state="not_run", sentence="ib_write_bw is not installed."),
    ]
    one = answer(rows)
    assert (one.state, one.why) == ("not_run", "ib_write_bw is not installed.")


def test_both_directions_may_have_twice_the_rate():
    both = records.asked("pairs", PAIR, kind=records.BIDIRECTIONAL)
    assert answer(measured(both, 760.0), both).value == 760.0
    assert answer(measured(both, 801.0), both).state == "fail"


@pytest.mark.parametrize(
    ("client", "server", "value"), [(400.0, 97.5, 97.5), (97.5, 400.0, 97.5), (391.8, None, 391.8)]
)
def test_no_host_makes_a_result_alone(client, server, value):
    """One that claims the full rate has that of the other side."""
    rows = [side(ASKED, "client", client), side(ASKED, "server", None, gbps=server)]
    assert answer(rows).value == value


@pytest.mark.parametrize("nonsense", [float("nan"), float("inf"), float("-inf"), -1.0, 0.0])
def test_nonsense_of_either_side_is_no_measurement(nonsense):
    for client, server in ((nonsense, 391.8), (391.8, nonsense)):
        rows = [side(ASKED, "client", client), side(ASKED, "server", None, gbps=server)]
        one = answer(rows)
        assert (one.state, one.value) == ("fail", None)


def test_of_two_latencies_the_longer_counts():
    asked = records.asked("pairs", PAIR, kind=records.LATENCY)
    client = side(asked, "client", None, latency={"typical": 0.1, "p99": 0.2})
    server = side(asked, "server", None, latency={"typical": 9.0, "p99": 12.5})
    one = answer([client, server], asked)
    assert (one.value, one.p99) == (9.0, 12.5)


def test_a_latency_has_two_values():
    latency = records.asked("pairs", PAIR, kind=records.LATENCY)
    one = answer(measured(latency, None, latency={"typical": 2.1, "p99": 3.4}), latency)
    assert (one.value, one.p99) == (2.1, 3.4)


def test_a_collective_has_one_side_and_the_best_of_its_sizes():
    asked = records.asked_of("collectives", GROUP, operation="all_reduce")
    one = answer(measured(asked, 376.0), asked)
    assert (one.value, one.memory) == (376.0, "gpu")
    assert answer(measured(asked, 376.0, transport="nvlink"), asked).state == "fail"


def test_within_a_node_nvlink_is_what_was_asked_for():
    asked = records.asked_of("collectives", records.Group(H01, (H01,), ""), operation="all_reduce")
    assert answer(measured(asked, 470.0, transport="nvlink"), asked).state == "measured"
    assert answer(measured(asked, 470.0, transport="tcp"), asked).state == "fail"


def test_lost_packets_are_named_with_their_node():
    rows = [
        side(ASKED, "client", 391.8, counters={"packet_seq_err": 7, "rx_prio3_discards": 0}),
        side(ASKED, "server", None, counters={"rx_prio3_discards": 12, "out_of_sequence": 90}),
    ]
    one = answer(rows)
    assert one.lost == f"packet_seq_err rose by 7 on {H01}, rx_prio3_discards rose by 12 on {H02}"
    cut = records.asked("failover", PAIR, step="during-link")
    (other,) = answers.answers(LAB, [cut], [{**row, "id": cut["id"]} for row in rows])
    assert other.lost == "", "a link that is shut takes packets with it"


def test_a_place_has_both_nodes_and_the_rail_and_the_plane_where_there_are_several():
    assert answers.where(LAB, ASKED) == f"{H01} to {H02}, rail 2"
    planes = fabrics.example("lab-2plane")
    assert answers.where(planes, records.asked("pairs", PAIR._replace(rail=0, plane=1))) == (
        f"{H01} to {H02}, rail 1, plane 2"
    )
    alone = records.asked_of(
        "collectives", GROUP._replace(nodes=GROUP.nodes[:1]), operation="all_reduce"
    )
    assert answers.where(LAB, alone) == f"all_reduce within {H01}"
    asked = records.asked_of("collectives", GROUP, operation="alltoall", split="MOD 2")
    assert answers.where(LAB, asked) == f"alltoall (MOD 2) of 3 nodes from {H01}, best placement"


@pytest.mark.parametrize(
    "changes",
    [
        {"state": None},
        {"gbps": "391.8"},
        {"gbps": True},
        {"latency": [2.0]},
        {"latency": {"typical": "2"}},
        {"counters": None},
        {"counters": {"packet_seq_err": "7"}},
        {"counters": {"packet_seq_err": 7.5}},
        {"best": []},
    ],
)
def test_a_host_that_returns_anything_else_fails(changes):
    one = answer(measured(ASKED, 391.8, **changes))
    assert (one.state, one.value) == ("fail", None)
    assert one.why == "a host returned a measurement that is not of the expected form."


@pytest.mark.parametrize(
    "latency",
    [
        {"typical": 2.1},
        {"typical": 2.1, "p99": None},
        {"typical": 2.1, "p99": float("nan")},
        {"typical": 2.1, "p99": float("inf")},
        {"typical": 2.1, "p99": 2.0},
        {"typical": 2.1, "p99": 0},
    ],
)
def test_a_latency_needs_a_percentile_that_can_be_one(latency):
    asked = records.asked("noise", PAIR, kind=records.LATENCY, step="alone-1")
    one = answer(measured(asked, None, latency=latency), asked)
    assert one.state == "fail"
    assert "us for 99 % of its messages" in one.why


@pytest.mark.parametrize("rows", [None, "text", {"id": ASKED["id"]}, [None, 5, [], {}]])
def test_what_is_no_list_of_measurements_has_none(rows):
    assert answers.received([ASKED], H01, rows) == []


@pytest.mark.parametrize("key", ["sentence", "transport", "note"])
def test_a_text_without_end_is_no_answer(key):
    rows = [{**row, key: "x" * (10 << 20)} for row in measured(ASKED, 391.8)[:1]]
    (one,) = answers.received([ASKED], H01, rows)
    assert (one["state"], one["sentence"]) == ("failed", answers.MALFORMED)


def test_what_nobody_asked_for_is_not_kept():
    client, _server = measured(ASKED, 391.8)
    assert answers.received([ASKED], H01, [{**client, "ansible_facts": {"a": 1}}]) == [client]


def test_a_host_answers_for_its_own_side():
    client, server = measured(ASKED, 391.8)
    assert answers.received([ASKED], H01, [client]) == [client]
    assert answers.received([ASKED], H02, [server]) == [server]
    assert answers.received([ASKED], K01, [client, server]) == []
    (wrong,) = answers.received([ASKED], H01, [server])
    assert (wrong["side"], wrong["state"]) == ("client", "failed")
    assert wrong["sentence"] == answers.MALFORMED


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("2026-11-25 03:10:00", True),
        ("2026-13-25 03:10:00", False),
        ("now", False),
        ("", False),
        (None, False),
        (17, False),
    ],
)
def test_the_time_of_a_host_can_be_read(text, fits):
    assert answers.is_time(text) is fits
