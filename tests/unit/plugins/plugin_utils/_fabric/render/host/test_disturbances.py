# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Disturbances of a host's work, and the hosts that go together."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host import (
    disturbances as of_host,
)

from .looks import case

ROLES = ("dpu_doca", "dpu_firmware", "dpu_nvconfig", "dpu_congestion_control")
DONE = {"nvconfig": "current", "firmware": "current", "qos": "current", "roce": "current"}
FILES = {"a2dc": {"bundle": "/x"}, "1023": {"image": "/y"}}


def needs(host, verdict, *, doca="", **more):
    return of_host.needs(case(host, verdict, driver=doca, **more))


def wanted(device="a2dc", manage=ROLES):
    firmware = {"version": "32.48.1000"}
    return {
        "name": "h01",
        "ra": "2.1.2",
        "manage": manage,
        "nics": [{"device": device, "firmware": firmware}],
        "interfaces": [{"pci": "0000:18:00.0"}, {"pci": "0000:18:00.1"}],
    }


@pytest.mark.parametrize("qos, said", [({"lldpad": True}, 1), ({"lldpad": False}, 0), (None, 0)])
def test_what_takes_back_qos_is_said_once(qos, said):
    port = {"pci": "0000:18:00.0", "netdev": "rail1p1", "qos": qos}
    found = needs(wanted(), DONE, nics=[{"mode": "nic", "ports": [port, port]}])["conflicts"]
    assert [one.partition(" and ")[0] for one in found] == ["h01: lldpad runs on this host"] * said


@pytest.mark.parametrize(
    "device, verdict, doca, level",
    [
        ("a2dc", {}, "", "none"),
        ("a2dc", {"qos": "differs"}, "", "none"),
        ("a2dc", {}, "DOCA-Host 3.3.0 replaces mlnx-ofed-all", "reboot"),
        ("a2dc", {"nvconfig": "differs"}, "", "reboot"),
        ("1023", {"nvconfig": "staged"}, "", "reset"),
        ("a2dc", {"firmware": "differs", "nvconfig": "differs"}, "", "power_cycle"),
        ("1023", {"firmware": "differs"}, "", "reset"),
        ("1023", {"firmware": "differs", "roce": "staged"}, "DOCA", "reboot"),
        ("a2dc", {"roce": "staged"}, "", "link"),
    ],
)
def test_the_dearest_counts(device, verdict, doca, level):
    found = needs(wanted(device), {**DONE, **verdict}, doca=doca, files=FILES)
    assert found["level"] == level
    assert bool(found["sentence"]) is (level != "none")


@pytest.mark.parametrize(
    "device, verdict, doca, expected",
    [
        ("a2dc", {}, "", False),
        ("a2dc", {"nvconfig": "differs"}, "", True),
        ("a2dc", {"firmware": "staged"}, "", True),
        ("a2dc", {"roce": "staged"}, "", False),
        ("1023", {"nvconfig": "differs"}, "DOCA", False),
    ],
)
def test_where_a_power_cycle_may_come_its_command_is_looked_for(device, verdict, doca, expected):
    """Check that a reboot alone needs no command for it."""
    assert needs(wanted(device), {**DONE, **verdict}, doca=doca)["cuts_power"] is expected


@pytest.mark.parametrize(
    "verdict, allow, expected",
    [
        ({"nvconfig": "staged"}, {}, False),
        ({"nvconfig": "staged"}, {"allow_reset": True}, False),
        ({"nvconfig": "staged"}, {"allow_reboot": True}, True),
        ({"roce": "staged"}, {"allow_reset": True}, True),
        ({"roce": "staged"}, {"allow_reboot": True}, True),
        ({}, {"allow_reboot": True}, False),
    ],
)
def test_only_what_is_allowed_is_done(verdict, allow, expected):
    found = needs(wanted(), {**DONE, **verdict}, **allow)
    assert found["allowed"] is expected


def test_roles_that_may_not_write_need_nothing():
    verdict = dict.fromkeys(DONE, "differs")
    assert needs(wanted(manage=["dpu_qos"]), verdict, doca="DOCA", files=FILES)["level"] == "none"
    assert needs(wanted(), {**DONE, "firmware": "differs"})["level"] == "none", "no file is named"


@pytest.mark.parametrize(
    "mode, asked, level",
    [
        ("dpu", {"bfb": "/x.bfb", "force": True}, "power_cycle"),
        ("dpu", {"bfb": "/x.bfb"}, "none"),
        ("dpu", {"force": True}, "none"),
        ("nic", {"bfb": "/x.bfb", "force": True}, "none"),
    ],
)
def test_dpus_get_their_operating_system_when_it_is_asked_for(mode, asked, level):
    host = wanted(manage=["dpu_mode"])
    host["nics"][0]["mode"] = mode
    assert needs(host, DONE, **asked)["level"] == level


RENAMES = ["rail2p1 to rail1p1"]


def test_ports_in_use_get_new_names_on_a_drained_host_alone():
    host = wanted(manage=["dpu_interfaces"])
    found = needs(host, DONE, renames=RENAMES)
    assert found["sentence"] == (
        "h01: ports in use get new names (rail2p1 to rail1p1): it needs a link toggle, so drain the "
        "host and run again with -e spx_allow_reset=true."
    )
    assert found["waits_for"] == "new names of ports in use (rail2p1 to rail1p1)"
    assert needs(host, DONE, renames=RENAMES, allow_reset=True)["allowed"]
    for other in (needs(wanted(), DONE, renames=RENAMES), needs(host, DONE)):
        assert (other["level"], other["waits_for"]) == ("none", "")


def test_an_operating_system_may_bring_ports():
    host = wanted(manage=["dpu_mode"])
    host["nics"][0]["mode"] = "dpu"
    found = needs(host, DONE, bfb="/x.bfb", force=True)
    assert found["waits_for"] == "ports 0000:18:00.0, 0000:18:00.1"


def test_the_sentence_says_what_and_how():
    said = needs(wanted(), {**DONE, "firmware": "staged"})["sentence"]
    assert said == (
        "h01: firmware 32.48.1000 waits to become active: it needs a power cycle, so drain the "
        "host and run again with -e spx_allow_reboot=true."
    )


STAGED = {**DONE, "nvconfig": "staged"}
WITH_FIRMWARE = {**DONE, "firmware": "staged"}
UNREAD = {"firmware": "staged"}


@pytest.mark.parametrize(
    "verdict, doca, netdevs, mode, expected",
    [
        (DONE, "", ["a"], "dpu", ""),
        (STAGED, "", ["a", "b"], "nic", ""),
        (STAGED, "", ["a", "b"], "adapter", ""),
        (STAGED, "DOCA", ["a", "b"], "nic", "the driver of DOCA-Host"),
        (STAGED, "DOCA", ["a"], "dpu", "the driver of DOCA-Host"),
        (STAGED, "", ["a"], "dpu", "ports 0000:18:00.1"),
        (STAGED, "", ["", ""], "nic", "ports 0000:18:00.0, 0000:18:00.1"),
        (STAGED, "", ["a", "b"], "dpu", "NIC mode"),
        (STAGED, "", ["a", "b"], "unknown", "NIC mode"),
        (UNREAD, "", ["a"], "nic", "ports 0000:18:00.1"),
        (WITH_FIRMWARE, "", ["a"], "dpu", ""),
        (WITH_FIRMWARE, "DOCA", ["a"], "dpu", "the driver of DOCA-Host"),
    ],
)
def test_what_only_the_reset_brings_is_waited_for(verdict, doca, netdevs, mode, expected):
    """Driver, ports or NIC mode, in this order; with current settings a reset brings neither of the last."""
    host = wanted()
    host["nics"][0]["mode"] = "nic"
    ports = [{"pci": f"0000:18:00.{n}", "netdev": netdev} for n, netdev in enumerate(netdevs)]
    nics = [{"mode": mode, "ports": ports}]
    assert needs(host, verdict, doca=doca, nics=nics)["waits_for"] == expected


def test_where_nothing_is_read_ports_are_waited_for_and_no_mode():
    host = wanted()
    assert needs(host, STAGED)["waits_for"] == "ports 0000:18:00.0, 0000:18:00.1"
    assert needs({**host, "interfaces": []}, STAGED)["waits_for"] == ""


def test_a_dpu_is_waited_for_in_no_other_mode():
    host = wanted()
    host["nics"][0]["mode"] = "dpu"
    host["interfaces"] = []
    assert needs(host, STAGED, nics=[{"mode": "nic", "ports": []}])["waits_for"] == ""


def test_a_role_that_may_not_write_brings_no_driver():
    host = wanted(manage=["dpu_nvconfig"])
    host["interfaces"] = []
    assert needs(host, STAGED, doca="DOCA")["waits_for"] == ""
