# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole story of a host against the stand-ins of the tools, which were written apart from us."""

from __future__ import annotations

import subprocess
import time

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.firmware import apply_firmware
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.gather import gather
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.nvconfig import apply_nvconfig
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.reset import apply_reset
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.runtime import (
    apply_qos,
    apply_roce,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.verdict import verdict

from .stand_ins import FIRMWARE, bluefield, bundled, connectx


def test_a_bluefield_from_factory_to_converged(lab):
    wanted = bundled(lab)
    info = gather(lab.host(), wanted)
    assert verdict(info, wanted) == {
        "nvconfig": "differs",
        "firmware": "differs",
        "qos": "differs",
        "roce": "blocked",
    }
    (staged,) = apply_nvconfig(lab.host(), wanted, reset_first=True)["nics"]
    assert {row["state"] for row in staged["settings"].values()} <= {"staged", "current"}
    assert (staged["mode_next"], staged["skipped"]) == ("nic", {})
    (burned,) = apply_firmware(lab.host(), wanted)["nics"]
    assert (burned["state"], burned["reset_needed"], burned["notes"]) == (
        "staged",
        "power_cycle",
        [],
    )
    assert apply_reset(lab.host(), wanted, allow=True)["required"] == "power_cycle"
    lab.sim("power-cycle")
    assert not apply_nvconfig(lab.host(), wanted, after_reset=True)["changed"]
    assert apply_firmware(lab.host(), wanted)["nics"][0]["state"] == "matches"
    program = lab.algorithm("mlx5_0")
    try:
        runtime(lab, wanted)
    finally:
        program.terminate()
        program.wait(timeout=10)


def runtime(lab, wanted):
    """Check mode predicts, the run does it, the second run is silent."""
    predicted = apply_qos(lab.host(check=True), wanted).as_result()
    assert predicted == apply_qos(lab.host(), wanted).as_result()
    time.sleep(2.2)  # the stand-in resets its parameters when it becomes active
    done = apply_roce(lab.host(), wanted)
    assert done.deferred[0].startswith("ens3np0: inter_packet_gap 0 stays instead of 33")
    lab.writes()
    info = gather(lab.host(), wanted)
    assert verdict(info, wanted) == {
        "nvconfig": "current",
        "firmware": "current",
        "qos": "current",
        "roce": "staged",
    }
    assert not apply_qos(lab.host(), wanted).steps
    assert not apply_roce(lab.host(), wanted).steps
    assert not apply_roce(lab.host(), wanted, deep=True).steps
    assert lab.writes() == []


def test_a_connectx_with_two_planes_is_reset_in_place(lab):
    wanted = connectx(lab)
    (staged,) = apply_nvconfig(lab.host(), wanted)["nics"]
    assert staged["settings"]["MODULE_SPLIT_M0[4]"]["next"] == "2"
    result = apply_reset(lab.host(), wanted, allow=True)
    assert result["nics"][0]["performed"] == "mlxfwreset level 3"
    assert not apply_nvconfig(lab.host(), wanted, after_reset=True)["changed"]
    assert len(gather(lab.host(), wanted, ())[0]["ports"]) == 2


@pytest.mark.parametrize(
    "fault, work, words",
    [
        ("restricted", apply_nvconfig, "the host is restricted"),
        ("nv-set-fails", apply_nvconfig, "setting nvconfig failed"),
        ("pfc-silent", apply_qos, "pfc was not accepted"),
        ("trust-fails", apply_qos, "setting trust failed"),
        ("lldpad", apply_qos, "lldpad runs on this host"),
        ("ar-unsupported", apply_roce, "adaptive_routing_forced_en is not active or not supported"),
        (
            "wrong-psid",
            apply_firmware,
            "the card's PSID is MT_0000000999, the plan says MT_0000001069",
        ),
    ],
)
def test_faults_are_named(lab, fault, work, words):
    lab.start("bf3-nic-2rail")
    lab.sim("fault", "add", fault)
    firmware = {"version": FIRMWARE, "image": "/x.bin"}
    with pytest.raises(NicError, match=words):
        work(lab.host(), bluefield(psid="MT_0000001069", firmware=firmware))


def test_a_reset_that_loses_the_mode_is_named(lab):
    lab.start("bf3-nic-2rail")
    apply_nvconfig(lab.host(), bluefield())
    lab.sim("fault", "add", "reset-loses-mode")
    with pytest.raises(NicError, match="the reset lost the mode: it is dpu"):
        apply_reset(lab.host(), bluefield(), allow=True, level=3)


@pytest.mark.parametrize(
    "fault, words",
    [
        ("burn-fails", "0000:18:00.0: the installer reported: "),
        ("bfb-critical", "0000:18:00.0: the installer reported: "),
    ],
)
def test_an_installation_that_fails_is_named_whatever_its_exit_code(lab, fault, words):
    wanted = bundled(lab)
    lab.sim("fault", "add", fault)
    (card,) = apply_firmware(lab.host(), wanted)["nics"]
    assert (card["state"], card["burned"]) == ("failed", "32.43.1014")
    assert card["sentence"].startswith(words)


@pytest.mark.large
def test_an_installation_that_is_killed_leaves_the_host_without_its_ports(lab):
    wanted = bundled(lab)
    lab.sim("fault", "add", "bfb-hangs")
    (card,) = apply_firmware(lab.host(), wanted, install_timeout=5)["nics"]
    bind = "'echo 0000:18:00.0 > /sys/bus/pci/drivers/mlx5_core/bind'"
    assert "0000:18:00.0: no driver is bound to this function, so" in card["sentence"]
    (port, *_others) = gather(lab.host(), wanted, ())[0]["ports"]
    assert (port["netdev"], bind in port["errors"]["driver"]) == ("", True)
    lab.sim("fault", "clear")
    lab.sim("reboot")
    assert gather(lab.host(), wanted, ())[0]["ports"][0]["netdev"] == "ens3np0"
    subprocess.run([str(lab.folder / "bin/rshim")], check=True, stdout=subprocess.DEVNULL)
    (card,) = apply_firmware(lab.host(), wanted)["nics"]
    assert (card["state"], card["notes"]) == ("staged", [])
    assert gather(lab.host(), wanted, ())[0]["ports"][0]["netdev"] == "ens3np0"


def test_an_rshim_of_the_bmc_is_named(lab):
    lab.start("bf3-nic-2rail")
    (lab.folder / "fw.bfb").touch()
    lab.sim("fault", "add", "rshim-bmc")
    wanted = bluefield(firmware={"version": FIRMWARE, "bundle": "/fw.bfb"})
    with pytest.raises(NicError, match="release the card on the BMC"):
        apply_firmware(lab.host(), wanted)


@pytest.mark.parametrize(
    "tool, work, words",
    [
        ("mlxconfig", apply_nvconfig, "mlxconfig is not installed"),
        ("mlxreg", apply_roce, "mlxreg is not installed"),
        ("flint", lambda host, nics: gather(host, nics, ("firmware",)), "flint is not installed"),
    ],
)
def test_a_missing_tool_is_named(lab, tool, work, words):
    lab.start("bf3-nic-2rail")
    for name in (tool, "devlink"):
        (lab.folder / "bin" / name).unlink()
    with pytest.raises(NicError, match=words):
        work(lab.host(), bluefield())
