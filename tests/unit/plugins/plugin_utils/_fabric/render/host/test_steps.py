# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of a host, by its look."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.desired import (
    desired,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.steps import (
    plan,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
)

from .looks import GIVEN, LOOK, PCI, found

ROLES = [
    *("dpu_doca", "dpu_firmware", "dpu_nvconfig", "dpu_mode", "dpu_interfaces", "dpu_qos"),
    "dpu_congestion_control",
]
LAST = ["dpu_agent", "dpu_reset", "dpu_interfaces", "dpu_qos", "dpu_congestion_control"]


@pytest.fixture(scope="module")
def wanted():
    fabric = build(
        nics={
            "model": "BlueField-3",
            "mode": "nic",
            "pci": PCI,
        },
        manage=ROLES,
    )
    return desired(fabric, fabric.name(next(fabric.nodes())), registry=Registry.empty(fabric))


def verdict(**words):
    return {"nics": {"verdict": {**LOOK["nics"]["verdict"], **words}}}


def test_a_host_as_planned_takes_no_step(wanted):
    made = plan(wanted, LOOK, GIVEN, check=False)
    assert (made["group"], made["steps"], made["refusals"], made["sentence"]) == (
        "done",
        [],
        [],
        "",
    )


@pytest.mark.parametrize(
    "parts, steps",
    [
        ({"agent": {"due": True}}, ["dpu_agent"]),
        ({"nics": {"skew": "missing"}}, ["dpu_agent"]),
        ({"network": {"due": True}}, ["dpu_interfaces"]),
        ({"facts": {"due": True}}, ["dpu_interfaces"]),
        ({"packages": {"lldpd": None}}, ["dpu_interfaces"]),
        (verdict(qos="differs"), ["dpu_qos"]),
        (verdict(qos="blocked"), ["dpu_qos"]),
        (verdict(roce="blocked"), ["dpu_congestion_control"]),
        ({"nics": {"algorithm": False}}, ["dpu_congestion_control"]),
        (verdict(firmware="differs"), ["dpu_firmware"]),
        (verdict(nvconfig="blocked"), ["dpu_nvconfig"]),
        ({"system": {"drained": True}}, [*LAST, "return"]),
    ],
)
def test_what_differs_takes_its_step_alone(wanted, parts, steps):
    look = found(**parts)
    look["packages"] = {name: there for name, there in look["packages"].items() if there}
    made = plan(wanted, look, GIVEN, check=False)
    assert (made["group"], made["steps"], made["refusals"]) == ("steady", steps, [])


def test_what_was_not_read_counts_as_due(wanted):
    """Without a verdict nothing is known, so that every step that needs one is named."""
    look = found(nics={"error": "no tool answers."})
    for name in ("verdict", "skew", "algorithm"):
        del look["nics"][name]
    made = plan(wanted, look, GIVEN, check=False)
    assert {"dpu_agent", "dpu_qos", "dpu_congestion_control", "dpu_nvconfig"} <= set(made["steps"])
    assert made["refusals"] == [f"{wanted['name']}: no tool answers."]


@pytest.mark.parametrize("allowed", [False, True])
@pytest.mark.parametrize("check", [False, True])
def test_what_disturbs_is_planned_for_a_drained_host(wanted, allowed, check):
    look = found(**verdict(nvconfig="differs"))
    made = plan(wanted, look, {**GIVEN, "allow_reboot": allowed}, check=check)
    assert made["sentence"].endswith(
        "so drain the host and run again with -e spx_allow_reboot=true."
    )
    if allowed or check:
        assert (made["group"], made["steps"]) == ("rolling", ["dpu_mode", "dpu_nvconfig", *LAST])
    else:
        assert (made["group"], made["steps"]) == ("steady", [])


def test_interfaces_wait_for_the_driver(wanted):
    look = found(network={"due": True}, packages={"doca-all": "3.2.0"})
    made = plan(wanted, look, GIVEN, check=False)
    assert (made["steps"], made["waits_for"]) == ([], "the driver of DOCA-Host")
    checked = plan(wanted, look, GIVEN, check=True)["steps"]
    assert checked == ["dpu_doca", "dpu_mode", "dpu_agent", "dpu_reset"]
    done = plan(wanted, look, {**GIVEN, "allow_reboot": True}, check=False)
    assert done["steps"] == ["dpu_doca", "dpu_mode", *LAST]


def test_a_host_out_of_work_is_reset_whatever_the_second_look_finds(wanted):
    """An installation may leave nothing to differ, and a card that waits for its reset."""
    made = plan(
        wanted, found(system={"drained": True}), {**GIVEN, "allow_reboot": True}, check=False
    )
    assert set(LAST) <= set(made["steps"])


@pytest.mark.parametrize(
    "parts, given, words",
    [
        ({"network": {"error": "route 172.16.0.0/16 of docker0 lies inside"}}, {}, "route 172.16"),
        ({"packages": {"libnccl2": "2.27.7-1"}}, {}, "libnccl2 is 2.27.7-1"),
        ({"packages": {"libnccl2": "2.27.7-1"}}, {"allow_versions": True}, ""),
        (
            {**verdict(nvconfig="differs"), "system": {"power_cycle": False}},
            {"allow_reboot": True},
            "the command ipmitool of dpu_reset_power_cycle is not on the host",
        ),
        (
            {"network": {"absent": ["rail1p1: no network device."]}},
            {},
            "rail1p1: no network device.",
        ),
    ],
)
def test_what_would_fail_later_is_refused_before_anything_is_touched(wanted, parts, given, words):
    refusals = plan(wanted, found(**parts), {**GIVEN, **given}, check=False)["refusals"]
    assert words in " ".join(refusals)
    assert bool(refusals) is bool(words)


def test_somebody_may_want_no_congestion_control(wanted):
    made = plan(wanted, LOOK, {**GIVEN, "algorithm": False}, check=False)
    assert made["steps"] == ["dpu_congestion_control"]
    idle = found(nics={"algorithm": False})
    assert plan(wanted, idle, {**GIVEN, "algorithm": False}, check=False)["group"] == "done"
    assert plan(wanted, idle, {**GIVEN, "optional": False}, check=False)["group"] == "done"


FIRST = ["dpu_mode", "dpu_firmware", "firmware_reset", "dpu_nvconfig"]


@pytest.mark.parametrize(
    ("words", "files", "steps"),
    [
        ({"firmware": "differs", "nvconfig": "differs"}, {"a2dc": {}}, FIRST),
        ({"firmware": "differs"}, {"a2dc": {}}, FIRST[:3]),
        ({"firmware": "staged", "nvconfig": "differs"}, {}, [FIRST[0], *FIRST[2:]]),
        ({"firmware": "differs", "nvconfig": "differs"}, {}, [*FIRST[:2], FIRST[3]]),
        ({"nvconfig": "differs"}, {"a2dc": {}}, [FIRST[0], FIRST[3]]),
    ],
)
def test_new_firmware_is_reset_before_the_settings(wanted, words, files, steps):
    """Old firmware does not know each setting: what it does not know would be left out."""
    given = {**GIVEN, "files": files, "allow_reboot": True, "allow_versions": True}
    made = plan(wanted, found(**verdict(**words)), given, check=False)
    assert made["steps"] == [*steps, *LAST], made


def test_two_resets_are_said(wanted):
    words = verdict(firmware="differs", nvconfig="differs")
    said = plan(wanted, found(**words), {**GIVEN, "files": {"a2dc": {}}}, check=False)["sentence"]
    assert "it needs a power cycle after the firmware and one after the settings, so drain" in said
