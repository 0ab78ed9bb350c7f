# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import fnmatch

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge import (
    counters,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    UP,
    NicPort,
    Node,
    Port,
    Switch,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

NIC, LEAF, ABOVE = (
    "worker-su01-rack01-h02:rail1p1",
    "leaf-p1-su001-r1:swp1s1",
    "leaf-p1-su001-r1:swp3s0",
)
CABLE = (Node(0, 0, 1), NicPort(0, 0))

HEALTH = {
    "time-since-last-clear-min": "1",
    "phy-received-bits": "6214400000000",
    "symbol-errors": "3",
    "effective-errors": 0,
    "phy-raw-errors-lane0": 747567424,
    "phy-raw-errors-lane1": "215603747",
    "raw-ber": "15E-255",
}
"""Cumulus Linux 5.15, Monitoring Interfaces and Transceivers with NVUE, with one figure changed."""


def test_the_counters_of_a_switch_port_are_read_from_its_document() -> None:
    body = {
        "link": {
            "stats": {"carrier-transitions": 4, "in-bytes": "300 Bytes", "in-errors": 0},
            "phy": {"health": HEALTH},
        },
        "qos": {"roce": {"counters": {"rx-stats": {"rx-pfc-stats": {"pause-packets": 12}}}}},
    }
    assert counters.of_switch_port(body) == {
        "carrier-transitions": 4,
        "in-errors": 0,
        "symbol-errors": 3,
        "effective-errors": 0,
        "phy-raw-errors": 963171171,
        "rx-pfc-stats/pause-packets": 12,
    }
    assert counters.of_switch_port({"link": {"phy-detail": {"symbol-errors": 3}}}) == {
        "symbol-errors": 3
    }
    assert counters.of_switch_port({}) == {}


@pytest.mark.parametrize("word", ["²", "9" * 5000, "-1", None, ["1"]])
def test_a_word_that_counts_nothing_is_left_out(word: object) -> None:
    assert counters.of_switch_port({"link": {"stats": {"in-errors": word}}}) == {}


def test_a_counter_that_fell_or_was_not_read_before_is_not_known() -> None:
    before = {NIC: {"a": 5, "b": 5, "c": 5}}
    after = {NIC: {"a": 7, "b": 5, "c": 1, "d": 9}, LEAF: {"a": 9}}
    assert counters.differences(before, after) == {NIC: {"a": 2, "b": 0}}


@pytest.mark.parametrize(
    "where, counter, shows",
    [
        (NIC, "rx_pcs_symbol_err_phy", "cable"),
        (LEAF, "symbol-errors", "cable"),
        (LEAF, "effective-errors", "cable"),
        (NIC, "rx_prio3_discards", "host"),
        (NIC, "outbound_pci_stalled_wr_events", "host"),
        (NIC, "packet_seq_err", "path"),
        (NIC, "rx_corrected_bits_phy", "signal"),
        (LEAF, "out-drops", "path"),
        (NIC, "out_of_sequence", "congestion"),
    ],
)
def test_a_counter_shows_which_part_of_a_link_is_at_fault(
    where: str, counter: str, shows: str
) -> None:
    usual = {"worker-su02-rack01-h02:rail1p1": {counter: 0}}
    found = counters.signs(example("lab"), {where: {counter: 1}, **usual})
    assert [(sign.shows, sign.rose) for sign in found[CABLE]] == [(shows, 1)]


@pytest.mark.parametrize(
    "where, counter",
    [
        (NIC, "symbol-errors"),
        (LEAF, "rx_symbol_err_phy"),
        (NIC, "rx_packets_phy"),
        ("nobody:swp1s1", "symbol-errors"),
        ("leaf-p1-su001-r1:swp60", "symbol-errors"),
        ("leaf-p1-su001-r1", "symbol-errors"),
    ],
)
def test_what_belongs_to_the_other_end_or_is_no_port_is_left_out(where: str, counter: str) -> None:
    assert counters.signs(example("lab"), {where: {counter: 9}}) == {}


def test_an_uplink_is_one_cable_from_either_end_and_shows_no_host() -> None:
    fabric = example("lab")
    peer, port = fabric.peer(fabric.known("leaf-p1-su001-r1"), "swp3s0")
    above = f"{fabric.name(peer)}:{port}"
    both = {ABOVE: {"symbol-errors": 3}, above: {"symbol-errors": 4}}
    uplink = (Switch("leaf", 0, 0, 0), Port(UP, 0))
    assert [sign.rose for sign in counters.signs(fabric, both)[uplink]] == [3, 4]
    assert counters.signs(fabric, {ABOVE: {"rx-pfc-stats/pause-packets": 5000}}) == {}


def test_pauses_count_far_above_those_of_other_ports_and_errors_from_the_first() -> None:
    lab = example("lab")
    ports = [f"worker-su0{su}-rack01-h0{n}:rail1p1" for su in (1, 2) for n in (1, 2)]
    usual = {port: {"tx_prio3_pause": 200, "rx_symbol_err_phy": 1} for port in ports}
    assert all(s.shows == "cable" for found in counters.signs(lab, usual).values() for s in found)
    assert len(counters.signs(lab, usual)) == 4
    usual[NIC] = {"tx_prio3_pause": 2500}
    assert [sign.counter for sign in counters.signs(lab, usual)[CABLE]] == ["tx_prio3_pause"]
    assert counters.signs(lab, {NIC: {"tx_prio3_pause": 99}}) == {}


def test_links_that_a_test_shut_show_nothing() -> None:
    down = {NIC: {"link_down_events_phy": 2}}
    assert counters.signs(example("lab"), down, cut=True) == {}
    assert counters.signs(example("lab"), down)


def test_a_cable_is_clean_where_both_ends_were_read_and_neither_counted_an_error() -> None:
    lab = example("lab")
    assert counters.clean(lab, {NIC: {"rx_symbol_err_phy": 0}, LEAF: {"in-errors": 0}}) == {CABLE}
    for rows in (
        {NIC: {"rx_symbol_err_phy": 0}},
        {NIC: {"rx_symbol_err_phy": 0}, LEAF: {"carrier-transitions": 0}},
        {NIC: {"rx_symbol_err_phy": 1}, LEAF: {"in-errors": 0}},
        {NIC: {"rx_symbol_err_phy": 0, "rx_crc_errors_phy": 1}, LEAF: {"in-errors": 0}},
        {NIC: {"rx_symbol_err_phy": 0}, "nobody:swp1": {"in-errors": 0}},
    ):
        assert counters.clean(lab, rows) == set()


def test_a_sentence_says_between_which_ends_to_look() -> None:
    lab = example("lab")
    (sign,) = counters.signs(lab, {LEAF: {"symbol-errors": 3}})[CABLE]
    assert counters.sentence(lab, sign) == (
        "leaf-p1-su001-r1 port swp1s1 counted 3 symbol errors (symbol-errors): look between the transmitter of "
        "worker-su01-rack01-h02 port rail1p1 and this receiver."
    )
    (sign,) = counters.signs(lab, {NIC: {"rx_discards_phy": 3}})[CABLE]
    assert counters.sentence(lab, sign).endswith("buffer was full (rx_discards_phy).")


def test_every_counter_of_the_catalog_has_an_end_a_meaning_and_a_source() -> None:
    catalog = table("performance_counters")
    assert set(counters.CUTS) <= set(catalog["counters"])
    for name, row in catalog["counters"].items():
        assert row["at"] in (counters.NIC, counters.SWITCH), name
        assert row["shows"] in counters.SHOWS, name
        assert row["source"] in catalog["sources"], name
        others = [other for other in catalog["counters"] if other != name]
        assert not any(fnmatch.fnmatchcase(name, other) for other in others), name


def test_a_counter_has_a_meaning_and_an_unknown_one_has_none():
    assert counters.meaning("rx_prio3_discards") == (
        "packets dropped because its buffer was full",
        "the NIC, its PCIe slot, or the node",
    )
    assert counters.meaning("somebody's own") == ("", "")
