# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cable is right or wrong by proof alone; all else is not proven."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import (
    switch_neighbours,
    switch_reports,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.switch_neighbours import (
    OTHER,
    PLANNED,
    STRANGE,
    UNPROVEN,
    judge,
    unproven,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.switch_view import (
    View,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.operational import (
    Neighbour,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    FEW,
    OOB,
    build,
)

LEAF, MAC = "leaf-p1-su001-r1", "02:00:5e:00:53:01"
ARM = "Ubuntu 22.04 LTS Linux 5.15.0-1028-bluefield aarch64"
KERNEL = {"rail1p1": "enp24s0f0np0", "rail2p1": "enp59s0"}
"""Names by the PCI addresses of the example's NICs, 0000:18:00.0 and 0000:3b:00.0."""
NAMES = ("GPU-1.dc1.example", "gpu-9.a", "gpu-9.b")


@pytest.fixture
def switch(healthy, tmp_path):
    """Return a leaf whose nodes have names of the site, two of them alike in different domains."""
    rows = [f"su01/h0{number},{name}" for number, name in enumerate(NAMES, start=1)]
    (tmp_path / "devices.csv").write_text("\n".join(["place,name", *rows]))
    return healthy(LEAF, devices="devices.csv")


def forms(name, port):
    """What LLDP may show of a port of a host, and whether that is enough to know the port."""
    label, *_domain = name.split(".", 1)
    systems = [(name, ""), (name.upper(), ""), (name.lower(), ""), (label.lower(), "")]
    systems += [("localhost", ""), (MAC, ""), ("", ""), ("dpu-7", ARM), ("ubuntu", "")]
    ports = [(port, ""), (KERNEL[port], ""), (MAC, port), ("swp9", KERNEL[port])]
    return st.builds(
        lambda system, at: Neighbour(system[0], at[0], system[1], at[1]),
        st.sampled_from(systems),
        st.sampled_from(
            [*ports, (MAC, ""), ("p0", ""), ("enp24s0f0v3", ""), ("eth3", "nic"), ("", "")]
        ),
    )


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_no_cable_is_right_or_wrong_on_less_than_proof(switch, data):
    """Never planned where the far end is another one, never another one where it is the planned one."""
    view = switch.view()
    row = data.draw(st.sampled_from([row for row in view.ctx.ports if row["kind"] == "host"]))
    planned = (row["peer"]["device"], row["peer"]["port"])
    node = data.draw(st.sampled_from(NAMES))
    truth = (node, data.draw(st.sampled_from([*KERNEL])))
    found = data.draw(forms(*truth))
    assert judge(view, row, found) != (OTHER if truth == planned else PLANNED)


@pytest.mark.parametrize(
    "found, verdict",
    [
        (Neighbour("gpu-1", "rail1p1"), PLANNED),
        (Neighbour("gpu-1.DC1.example", MAC, "", "rail1p1"), PLANNED),
        (Neighbour("gpu-1", "enp24s0f0np0"), PLANNED),
        (Neighbour("gpu-1", "enp59s0f0np0"), OTHER),
        (Neighbour("gpu-1", "rail2p1"), OTHER),
        (Neighbour("gpu-1", "enP1p24s0f0np0"), UNPROVEN),
        (Neighbour("gpu-1", "ens5f0np0"), UNPROVEN),
        (Neighbour("gpu-1.dc2.example", "rail1p1"), UNPROVEN),
        (Neighbour("gpu-9.b", "rail1p1"), OTHER),
        (Neighbour("gpu-9", "rail1p1"), OTHER),
        (Neighbour("SPINE-P1-S01.example", "swp1s0"), OTHER),
        (Neighbour("localhost", "rail1p1"), UNPROVEN),
        (Neighbour("dpu-7", "p0", ARM), UNPROVEN),
        (Neighbour("printer", "1"), STRANGE),
    ],
)
def test_what_a_neighbour_proves(switch, found, verdict):
    view = switch.view()
    assert judge(view, view.ctx.ports[0], found) == verdict


def test_a_kernel_name_counts_by_the_nics_of_its_own_place(healthy):
    """The whole fabric states no PCI addresses; each SU has others."""
    places = [
        {"place": "su01", "pci": ["0000:3b:00.0", "0000:18:00.0"]},
        {"place": "su02", "pci": ["0000:18:00.0", "0000:3b:00.0"]},
    ]
    view = healthy(LEAF, nics={"pci": [], "places": places}).view()
    row = view.ctx.ports[0]
    assert judge(view, row, Neighbour(row["peer"]["device"], "enp59s0f0np0")) == PLANNED
    assert judge(view, row, Neighbour(row["peer"]["device"], "enp24s0f0np0")) == OTHER


def test_a_name_that_two_sites_have_proves_neither(switch):
    view = switch.view()
    assert judge(view, view.ctx.ports[1], Neighbour("gpu-9", "rail1p1")) == UNPROVEN


def test_a_planned_name_with_a_domain_and_a_short_one_heard(healthy):
    """A naming template with a domain, both ways."""
    view = healthy(naming={"spine": "SPINE-p{plane}-s{index:02}.dc1.example"}).view()
    row = next(row for row in view.ctx.ports if row["kind"] == "up")
    assert judge(view, row, Neighbour("spine-p1-s01", row["peer"]["port"])) == PLANNED
    assert judge(view, row, Neighbour("spine-p1-s02", row["peer"]["port"])) == OTHER
    assert judge(view, row, Neighbour("Cumulus", "swp1s0")) == UNPROVEN


@pytest.mark.parametrize("uptime, states", [(20, ["not_realised"] * 2), (9999, ["fail"] * 2)])
def test_after_a_boot_ports_and_lldp_get_time(healthy, uptime, states):
    switch = healthy()
    switch.interfaces["swp1s0"]["link"]["oper-status"] = "down"
    del switch.lldp["swp1s0"]
    rows = switch.results("switch.link.state", "switch.lldp.neighbour", uptime=uptime)
    assert [row["state"] for row in rows if row["port"] == "swp1s0"] == states
    assert ("booted 20 s ago" in rows[0]["sentence"]) == (uptime == 20)


def test_a_silent_host_is_left_to_its_mac_address(healthy):
    switch = healthy()
    del switch.lldp["swp1s0"]
    assert unproven(switch.view()) == ["swp1s0"]
    rows = switch.results("switch.lldp.neighbour", resolved={"swp1s0": [MAC]})
    assert [row["state"] for row in rows] == ["not_realised", "pass"]
    assert "which pair.cable compares with those of the host" in rows[0]["sentence"]


@pytest.mark.parametrize(
    "heard, failing",
    [
        ({}, set()),  # a BMC says nothing
        ({"swp1": [("worker-su01-rack01-h01", "mgmt")]}, set()),
        ({"swp1": [("worker-su01-rack01-h02", "mgmt")]}, {"swp1"}),
        ({"swp41": [("leaf-p1-su001-r2", "eth0")]}, {"swp41"}),
        ({"swp41": []}, {"swp41"}),
    ],
)
def test_cables_of_the_out_of_band_network(heard, failing):
    """A swapped cable is named; a switch that is not heard too."""
    fabric = build(capacity=FEW, oob={**OOB, "dpus": 3, "extras": []})
    ctx = compose.context(fabric, "oob-leaf-001")
    planned = {
        row["port"]: [(row["peer"]["device"], "eth0")]
        for row in ctx.ports
        if row["peer"]["port"] == "eth0"
    }
    reading = {"applied": {}, "interfaces": {}, "neighbors": {}, "roce": {}}
    lldp = {**planned, **heard}
    view = View(ctx=ctx, parts={}, today=None, release=None, lldp=lldp, **reading)
    found = {row.port for row in switch_neighbours.neighbours(view) if row.state == "fail"}
    assert found == failing
    assert {*switch_reports._planned(view)} == {"swp49", "swp50"}
    assert not switch_reports._carrying_evpn(view)
