# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""QoS: the numbers that keep RoCE lossless, and the ones that are refused."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose

from . import converged_fabric as made

OWN = {
    "asic": "spectrum-5",
    "speed": "400G",
    "cable_max": 50,
    "port_buffer": 400000,
    "xoff": 80000,
    "xon": 70000,
}


def qos(fabric, device="leaf-p1-su001-r1", **options):
    return compose.document(fabric, device, ["switch_roce"], options=options)["qos"]


def test_lossless_numbers(load):
    made = qos(load())
    assert made["roce"] == {"state": "enabled", "mode": "lossless"}
    assert made["pfc"] == {
        "default-global": {
            "switch-priority": {"3": {}},
            "port-buffer": 363000,
            "xoff-threshold": 75000,
            "xon-threshold": 75000,
        }
    }
    assert made["traffic-pool"] == {
        "default-lossy": {"memory-percent": 10},
        "roce-lossless": {"memory-percent": 90},
    }


@pytest.mark.parametrize("stated", [40, 100])
def test_a_length_that_is_stated_is_in_each_pfc_profile(load, stated):
    fabric = load(switches={"host_speed": "200G", "usable_ports": 8, "cable_length": stated})
    own = {**OWN, "asic": "spectrum-4", "speed": "200G", "cable_max": 100}
    made = qos(fabric, pfc=[own])
    assert {name: row["cable-length"] for name, row in made["pfc"].items()} == {
        "default-global": stated,
        "spx-200g": stated,
    }
    assert "cable-length" not in made["roce"]


def test_pools_follow_the_description(load):
    made = qos(load(qos={"lossless_percent": 70, "lossy_percent": 25}))
    assert made["traffic-pool"]["roce-lossless"] == {"memory-percent": 70}
    assert made["traffic-pool"]["default-lossy"] == {"memory-percent": 25}


@pytest.mark.parametrize(
    "dscp, priority", [(0, 0), (24, 3), (26, 3), (31, 3), (32, 4), (48, 6), (63, 7)]
)
def test_dscp_meets_its_priority(load, dscp, priority):
    made = qos(load())["mapping"]["default-global"]
    assert made["trust"] == "both"
    assert made["dscp"][str(dscp)] == {"switch-priority": priority}


def test_roce_and_cnp_have_classes_of_their_own(load):
    made = qos(load())
    classes = made["egress-queue-mapping"]["default-global"]["switch-priority"]
    roce, cnp = classes["3"]["traffic-class"], classes["6"]["traffic-class"]
    others = {row["traffic-class"] for sp, row in classes.items() if sp not in ("3", "6")}
    assert len({roce, cnp, *others}) == 3
    scheduler = made["egress-scheduler"]["default-global"]["traffic-class"]
    assert scheduler[str(cnp)] == {"mode": "strict"}
    assert sum(row.get("bw-percent", 0) for row in scheduler.values()) == 100
    assert all(("bw-percent" in row) == (row["mode"] == "dwrr") for row in scheduler.values())
    assert (
        made["congestion-control"]["default-global"]["traffic-class"][str(roce)]["ecn"] == "enable"
    )


def test_watchdog_on_every_front_port(load):
    fabric = load()
    for device in ("leaf-p1-su001-r1", "spine-p1-s02"):
        document = compose.document(fabric, device)
        for row in fabric.slice(device)["ports"]:
            assert document["interface"][row["port"]]["qos"]["pfc-watchdog"] == {"state": "enable"}


def test_watchdog_can_be_left_off(load):
    document = compose.document(load(qos={"pfc_watchdog": False}), "leaf-p1-su001-r1", ["roce"])
    assert document["interface"] == {}
    assert "pfc-watchdog" not in document["qos"]


def test_dscp_crosses_the_overlay(load):
    vxlan = compose.document(load(), "leaf-p1-su001-r1", ["roce"])["nve"]["vxlan"]
    assert vxlan["encapsulation"]["dscp"]["action"] == "copy"
    assert vxlan["decapsulation"]["dscp"]["action"] == "preserve"
    assert "nve" not in compose.document(load(), "spine-p1-s01", ["roce"])


@pytest.mark.parametrize(
    "switches, words",
    [
        (
            {"cable_length": 150},
            "no PFC constants are known for spectrum-4, 400G and cables of 150 m",
        ),
        (
            {"model": "SN5640"},
            "no PFC constants are known for spectrum-5, 400G and cables of 100 m",
        ),
    ],
)
def test_unknown_constants_are_refused(load, switches, words):
    with pytest.raises(FabricError) as caught:
        qos(load(switches=switches))
    assert words in str(caught.value)
    assert "switch_roce_pfc" in str(caught.value)


def test_a_site_states_constants_of_its_own(load):
    fabric = load(switches={"model": "SN5640", "cable_length": 40})
    assert qos(fabric, pfc=[OWN])["pfc"]["default-global"]["port-buffer"] == 400000


def test_the_shortest_row_that_fits_wins(load):
    rows = [{**OWN, "cable_max": 80, "port_buffer": 500000}, OWN]
    fabric = load(switches={"model": "SN5640", "cable_length": 40})
    assert qos(fabric, pfc=rows)["pfc"]["default-global"]["port-buffer"] == 400000


def test_ports_of_another_speed_get_a_profile_where_their_constants_differ(load):
    own = {**OWN, "asic": "spectrum-4", "speed": "200G", "cable_max": 100}
    fabric = load(switches={"host_speed": "200G", "usable_ports": 8})
    leaf = fabric.name(next(fabric.switches()))
    document = compose.document(fabric, leaf, ["roce"], options={"pfc": [own]})
    assert document["qos"]["pfc"]["spx-200g"]["port-buffer"] == 400000
    assert document["qos"]["pfc"]["default-global"]["port-buffer"] == 363000
    for row in fabric.slice(leaf)["ports"]:
        profile = document["interface"][row["port"]]["qos"].get("pfc")
        assert profile == ({"profile": "spx-200g"} if row["speed"] == "200G" else None)


def test_options(load):
    made = compose.document(
        load(),
        "leaf-p1-su001-r1",
        ["roce"],
        options={"ecn": {"3": {"min-threshold": 200000}}, "cnp_shaper_kbps": 1000000},
    )
    ecn = made["qos"]["congestion-control"]["default-global"]["traffic-class"]
    assert ecn["3"]["min-threshold"] == 200000
    assert ecn["3"]["max-threshold"] == 1500000
    assert ecn["0"]["min-threshold"] == 150000
    assert made["qos"]["egress-shaper"]["spx-cnp"]["traffic-class"] == {"6": {"max-rate": 1000000}}
    shaped = {p for p, row in made["interface"].items() if "egress-shaper" in row["qos"]}
    assert shaped == {"swp1s0", "swp1s1", "swp2s0", "swp2s1"}


def test_ecn_of_a_traffic_class_that_the_catalog_lacks_is_refused(load):
    options = {"ecn": {"5": {"probability": 50}}}
    with pytest.raises(FabricError, match=r"switch_roce_ecn[.]5: .*: use 0, 3[.]$"):
        compose.document(load(), "leaf-p1-su001-r1", ["roce"], options=options)


@pytest.mark.parametrize("switch", made.ALL, ids=lambda switch: switch.role)
def test_converged_switches_are_lossless_as_the_others(load, switch):
    """One set of numbers, and DSCP across the overlay on leaves."""
    qos = compose.render(made.context(load, switch), ["roce"])
    assert qos["qos"]["roce"]["mode"] == "lossless"
    assert qos["qos"]["pfc"]["default-global"]["port-buffer"] == 363000
    assert ("nve" in qos) == (switch != made.SPINE)
    assert "bond1" not in qos["interface"]


def test_a_port_to_the_outside_has_neither_pfc_nor_a_lossless_class(load):
    document = compose.render(made.context(load, made.BORDER), ["roce"])
    profiles = {key: {"profile": "spx-external"} for key in ("mapping", "pfc")}
    assert document["interface"]["swp9"] == {"qos": profiles}
    assert document["qos"]["mapping"]["spx-external"] == {"trust": "port", "port-default-sp": 0}
    assert document["qos"]["pfc"]["spx-external"] == {
        "switch-priority": {"3": {}},
        "rx": "disable",
        "tx": "disable",
    }
    assert "spx-external" not in str(compose.render(made.context(load, made.FRONT), ["roce"]))
