# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports and paths of a host, with every layout of planes."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.validate import (
    host,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    TWO_PLANES,
    build,
)

from .hosts import EVERYBODY, PCI, out, parts, states, view_of

# One address for all planes of a NIC


@pytest.fixture
def planes():
    """A host whose NICs balance two planes in hardware."""
    fabric = build(
        nics={"model": "ConnectX-8", "pci": PCI},
        planes={**TWO_PLANES, "balancing": "hwplb"},
        capacity={"sus_per_pod": 2},
        addressing={"profile": "nvidia-guide-v4-2tier"},
    )
    text = 'tenants: [{id: 21, slug: acme, nodes: ["su01/h[01-02]", "su02/h01"]}]'
    found = parts(fabric, Registry.parse(fabric, text))
    return view_of(*found, {"doca-networking": "3.3.0-088000", "doca-spcx-cc": "3.3.0109-1"})


def test_a_host_with_hardware_planes_passes_every_check(planes):
    active = [name for name, row in table("checks_tenants").items() if row["kind"] == "active"]
    assert states(planes) == dict.fromkeys([*table("checks_host"), *active], "pass")
    said = {row["id"]: row["sentence"] for row in host.check(planes)}
    assert said["host.qos"] == "16 ports are as planned."
    assert said["host.cc"] == "8 ports are as planned."


def test_packets_and_attempts_leave_from_the_ports_with_an_address(planes):
    tried = [*planes.probe["pings"], *planes.probe["attempts"]]
    assert {row["interface"] for row in tried} == {f"rail{n}p1" for n in range(1, 9)}


@pytest.mark.parametrize(
    "spoil, check_id, sentence",
    [
        (
            lambda second: second.update(mtu=1500),
            "pair.mtu",
            "worker-su01-rack01-h01 rail1p2 has 1500 and leaf-p2-su001-r1 swp1s0 has 9166 (MTU): run "
            "playbooks dpus and switches.",
        ),
        (
            lambda second: second["qos"].update(trust="pcp"),
            "host.qos",
            "rail1p2: trust is pcp, planned is dscp: run playbook dpus.",
        ),
        (
            lambda second: second.update(link="down"),
            "host.link",
            "rail1p2: the link to leaf-p2-su001-r1 swp1s0 is down: check the cable and both ports.",
        ),
    ],
)
def test_the_other_ports_are_checked_too(planes, spoil, check_id, sentence):
    spoil(planes.nics[0]["ports"][1])
    rows = [row for row in host.check(planes) if row["state"] == "fail"]
    assert (check_id, sentence) in [(row["id"], row["sentence"]) for row in rows]


def test_a_first_port_without_an_rdma_device_fails(planes):
    first = planes.nics[0]["ports"][0]
    first["rdma"] = ""
    del first["cc"]
    said = {row["id"]: row["sentence"] for row in host.check(planes) if row["state"] == "fail"}
    assert said["host.cc"] == (
        "rail1p1: it has no RDMA device for congestion control: check that the driver has taken the "
        "card."
    )
    assert said["host.qos"] == (
        "rail1p1: tos and traffic_class cannot be set: the port has no RDMA device."
    )


@pytest.mark.parametrize("row", [out("leaf-p1-su001-r2"), out("worker-su01-rack01-h01", "rail2p1")])
def test_an_own_link_out_of_service_is_expected_down(load, row):
    fabric = load("lab", out_of_service=[row])
    registry = Registry.parse(fabric, EVERYBODY)
    found = parts(fabric, registry)
    view = view_of(*found, {"doca-all": "3.3.0-088000", "doca-spcx-cc": "3.3.0109-1"})
    view.nics[1]["ports"][0]["link"] = "down"
    rows = host.check(view)
    assert [row for row in rows if row["state"] == "fail"] == []
    tried = {row["interface"] for row in [*view.probe["pings"], *view.probe["attempts"]]}
    assert tried == {"rail1p1"}
    links = [(row["state"], row["sentence"]) for row in rows if row["id"] == "host.link"]
    assert links == [
        ("not_run", "rail2p1: its link is out of service: repair ordered"),
        ("pass", "1 links are up."),
    ]
