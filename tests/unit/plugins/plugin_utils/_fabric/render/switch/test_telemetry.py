# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Collectors have ports and certificates of their own, and get what tells of ECN, pauses and bit errors."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose

LEAF = "leaf-p1-su001-r1"
TWO = ("192.0.2.4:4317", "[2001:db8::1]:4318")


@pytest.fixture
def made(load):
    """A function that composes telemetry for collectors, with options of the role."""

    def _made(collectors=TWO, accept=(), **options):
        fabric = load(management={"telemetry": list(collectors)}, accept_releases=list(accept))
        document = compose.document(fabric, LEAF, ["switch_base"], options=options)
        return document["system"].get("telemetry")

    return _made


def test_without_collectors_nothing_is_exported(made):
    assert made([]) is None


def test_each_collector_has_a_port_of_its_own(made):
    assert made()["export"]["otlp"]["grpc"] == {
        "insecure": "enabled",
        "destination": {"192.0.2.4": {"port": 4317}, "2001:db8::1": {"port": 4318}},
    }


def test_certificates_verify_all_collectors_or_one(made):
    grpc = made(telemetry_certificate="ca", telemetry_client_certificate="own")["export"]["otlp"][
        "grpc"
    ]
    assert (grpc["certificate"], grpc["client-certificate"]) == ("ca", "own")
    assert "insecure" not in grpc
    both = {"192.0.2.4": "ca4", "2001:db8::1": "ca6"}
    one = made(telemetry_certificates=both)["export"]["otlp"]["grpc"]
    assert one["destination"]["192.0.2.4"] == {"port": 4317, "certificate": "ca4"}
    assert "insecure" not in one


@pytest.mark.parametrize(
    "options",
    [{"telemetry_certificates": {"2001:db8::1": "ca6"}}, {"telemetry_client_certificate": "own"}],
)
def test_no_collector_is_left_without_a_certificate_beside_others(made, options):
    """The switch would export nothing to it, or show its own certificate to nobody knows whom."""
    with pytest.raises(FabricError) as refused:
        made(**options)
    assert str(refused.value) == (
        "switch_base_telemetry_certificates: 192.0.2.4 has no certificate authority, and an export with certificates "
        "verifies each collector: state one for it, or one for all in switch_base_telemetry_certificate."
    )


def test_a_certificate_of_nobody_is_refused(made):
    with pytest.raises(FabricError) as refused:
        made(telemetry_certificates={"192.0.2.9": "ca"})
    assert str(refused.value) == (
        "switch_base_telemetry_certificates: 192.0.2.9 is not a collector of management.telemetry: use one "
        "of 192.0.2.4, 2001:db8::1."
    )


ON = {"export": {"state": "enabled"}}
FAST, SLOW = {"sample-interval": 10}, {"sample-interval": 60}


def test_what_tells_of_congestion_is_asked_for(made):
    assert made()["interface-stats"] == {
        **ON,
        **FAST,
        "class": {"phy": {"state": "enabled"}},
        "egress-buffer": {"traffic-class": {"0": {}, "3": {}, "6": {}}},
        "ingress-buffer": {"priority-group": {"0": {}, "1": {}}},
        "switch-priority": {"3": {}},
    }


@pytest.mark.parametrize(
    ("group", "interval", "document"),
    [
        ("lldp", 10, {**ON, **FAST}),
        ("router", 10, {**ON, "sample-interval": "10", "bgp": ON, "rib": ON}),
        ("router", 25, {**ON, "sample-interval": "30", "bgp": ON, "rib": ON}),
        ("router", 120, {**ON, "sample-interval": "60", "bgp": ON, "rib": ON}),
        ("histogram", 10, {**ON, "temporality": "cumulative"}),
        ("software-stats", 10, {"systemd": {**ON, **SLOW}}),
        (
            "platform-stats",
            10,
            {
                **ON,
                "class": {
                    name: {"state": "enabled", **SLOW}
                    for name in ("environment-sensor", "platform-info", "transceiver-info")
                },
            },
        ),
    ],
)
def test_a_group_is_exported_in_the_interval_that_it_may_have(made, group, interval, document):
    assert made(telemetry_groups=[group], telemetry_interval=interval)[group] == document


def test_groups_are_those_that_alerts_read_and_every_release_has(made):
    groups = {"interface-stats", "ai-ethernet-stats", "platform-stats", "router"}
    assert made().keys() - {"export", "label"} == groups
    assert made(accept=["5.12"]).keys() - {"export", "label"} == groups - {"ai-ethernet-stats"}


def test_a_group_without_a_metric_on_a_release_is_refused(made):
    with pytest.raises(FabricError) as refused:
        made(telemetry_groups=["interface-stats", "wjh"])
    assert str(refused.value) == (
        "switch_base_telemetry_groups: telemetry group wjh has no metric on Cumulus Linux 5.16.1: leave it out, or use "
        "5.19.0 or newer."
    )


def test_labels_say_the_place_and_no_tenant(made, load):
    said = {name: body["description"] for name, body in made()["label"].items()}
    assert said == {
        "fabric": "lab",
        "role": "leaf",
        "plane": "1",
        "pod": "1",
        "su": "1",
        "rail": "1",
    }
    assert "label" not in made(accept=["5.10"])


def test_a_release_with_metric_lists_sends_what_is_kept(load):
    management = {"telemetry": ["192.0.2.4:4317"]}
    release = {"ra": "2.1", "cumulus": "5.18.0"}
    fabric = load(management=management, release=release, accept_releases=["5.18.0"])
    document = compose.document(fabric, LEAF, ["switch_base"])["system"]["telemetry"]
    names = document["metric-list"]["spx"]["metric"]
    assert document["include-list"] == "spx"
    assert {"nvswitch_interface_if_in_octets", "nvrouting_bgp_peer_state"} <= names.keys()
    assert "nvswitch_interface_ether_stats_octets" not in names


@pytest.mark.parametrize(
    ("accept", "missing"), [("5.11", {"class"}), ("5.10", {"class", "switch-priority"})]
)
def test_an_older_release_that_may_run_gets_what_it_knows(made, accept, missing):
    assert (
        made().get("interface-stats").keys() - made(accept=[accept])["interface-stats"].keys()
        == missing
    )
