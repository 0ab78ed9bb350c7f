# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole story of a host against the stand-ins of the tools, which were written apart from us."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import nics_from
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.firmware import apply_firmware
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.gather import gather
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.nvconfig import apply_nvconfig
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.reset import apply_reset
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.runtime import (
    apply_qos,
    apply_roce,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.verdict import verdict
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.ra import (
    load_profile,
)

TARGET = Path(__file__).resolve().parents[4] / "targets" / "host"
TOOLS = (
    *("mst", "mlxconfig", "flint", "mlxfwmanager", "mlxfwreset", "mlxreg", "mlxprivhost"),
    *("mlnx_qos", "cma_roce_tos", "bfb-install", "doca_spcx_cc", "ethtool"),
    *("devlink", "rdma", "rshim"),
)
FIRMWARE = "32.48.1000"

pytestmark = pytest.mark.skipif(not TARGET.is_dir(), reason="the stand-ins are not shipped")


class Lab:
    """A simulated host whose tools stand first on the PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def sim(self, *argv: str) -> str:
        done = subprocess.run(
            [str(TARGET / "bin" / "nicsim"), *argv], capture_output=True, text=True, check=True
        )
        return done.stdout

    def start(self, profile: str) -> None:
        self.sim("init", "--from", profile)
        self.sim("sync")

    def host(self, *, check: bool = False) -> Host:
        return Host(check_mode=check, sysfs=str(self.folder / "run/sys"), root=str(self.folder))

    def writes(self) -> list[str]:
        lines = self.sim("log", "--writes", "--clear").splitlines()
        return [json.loads(line)["tool"] for line in lines]

    def algorithm(self, rdma: str) -> subprocess.Popen[bytes]:
        program = subprocess.Popen(
            [str(self.folder / "bin/doca_spcx_cc"), "--device", rdma], stdout=subprocess.DEVNULL
        )
        (self.folder / "proc" / str(program.pid)).symlink_to(f"/proc/{program.pid}")
        note = self.folder / f"run/spectrum-x/cc-{rdma}.json"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(json.dumps({"pid": program.pid, "state": "active"}))
        return program


@pytest.fixture
def lab(tmp_path, monkeypatch):
    for name, place in {
        "STATE": "lib/state.json",
        "RUN": "run",
        "NICS": "nics.json",
        "KERNEL_NET": "net",
        "DEV": "dev",
        "TMP": "tmp",
        "UDEV": "rules.d",
        "LINKS": "links",
    }.items():
        monkeypatch.setenv(f"NICSIM_{name}", str(tmp_path / place))
    monkeypatch.setenv("NICSIM_BFB_STEP", "0")
    for place in ("dev", "tmp", "rules.d", "links", "net", "bin"):
        (tmp_path / place).mkdir()
    for tool in TOOLS:
        (tmp_path / "bin" / tool).symlink_to(TARGET / "bin" / "nicsim-tool")
    # Of the machine's processes a test sees its own: simulated hosts may run beside it.
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "sys").symlink_to("/proc/sys")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    return Lab(tmp_path)


def bluefield(**parts):
    nic = load_profile("2.1", "a2dc", "none", overlay=True)["nic"]
    nic["qos"] = {**nic["qos"], "dcbx": "os", "pfc_prevention_timeout": "auto"}
    return nics_from([{**nic, "pci": "0000:18:00.0", "mode": "nic", **parts}])


def test_a_bluefield_from_factory_to_converged(lab):
    lab.start("bf3-nic-2rail")
    lab.sim("make-bfb", str(lab.folder / "fw.bfb"), "--nic-fw", FIRMWARE)
    subprocess.run([str(lab.folder / "bin/rshim")], check=True, stdout=subprocess.DEVNULL)
    wanted = bluefield(firmware={"version": FIRMWARE, "bundle": "/fw.bfb"})
    info = gather(lab.host(), wanted)
    assert verdict(info, wanted) == {
        "nvconfig": "differs",
        "firmware": "differs",
        "qos": "differs",
        "roce": "blocked",
    }
    (staged,) = apply_nvconfig(lab.host(), wanted, info, reset_first=True)["nics"]
    assert {row["state"] for row in staged["settings"].values()} <= {"staged", "current"}
    assert (staged["mode_next"], staged["skipped"]) == ("nic", {})
    # The tool needs the true path, our own look at the file has the folder as its root.
    (lab.folder / str(lab.folder)[1:]).parent.mkdir(parents=True)
    (lab.folder / str(lab.folder)[1:]).symlink_to(lab.folder)
    wanted = bluefield(firmware={"version": FIRMWARE, "bundle": str(lab.folder / "fw.bfb")})
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
    assert done.plan.deferred[0].startswith("ens3np0: inter_packet_gap 0 stays instead of 33")
    lab.writes()
    info = gather(lab.host(), wanted)
    assert verdict(info, wanted) == {
        "nvconfig": "current",
        "firmware": "current",
        "qos": "current",
        "roce": "staged",
    }
    host = lab.host()
    assert not apply_qos(host, wanted, info).changed
    assert not apply_roce(host, wanted, info).changed
    assert not apply_roce(lab.host(), wanted, deep=True).changed
    assert (host.reads, lab.writes()) == ([], [])


def test_a_connectx_with_two_planes_is_reset_in_place(lab):
    lab.start("cx8-2plane")
    nic = load_profile("2.1", "1023", "swplb", planes=2)["nic"]
    pci = gather(lab.host(), sections=())[0]["pci"]
    wanted = nics_from([{**nic, "pci": pci}])
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
        ("pfc-silent", apply_qos, "pfc did not take"),
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
    lab.start("bf3-nic-2rail")
    bundle = lab.folder / "fw.bfb"
    lab.sim("make-bfb", str(bundle), "--nic-fw", FIRMWARE)
    subprocess.run([str(lab.folder / "bin/rshim")], check=True, stdout=subprocess.DEVNULL)
    lab.sim("fault", "add", fault)
    (lab.folder / str(lab.folder)[1:]).parent.mkdir(parents=True)
    (lab.folder / str(lab.folder)[1:]).symlink_to(lab.folder)
    wanted = bluefield(firmware={"version": FIRMWARE, "bundle": str(bundle)})
    (card,) = apply_firmware(lab.host(), wanted)["nics"]
    assert (card["state"], card["burned"]) == ("failed", "32.43.1014")
    assert card["sentence"].startswith(words)


def test_an_installation_that_is_killed_leaves_the_host_without_its_ports(lab):
    lab.start("bf3-nic-2rail")
    bundle = lab.folder / "fw.bfb"
    lab.sim("make-bfb", str(bundle), "--nic-fw", FIRMWARE)
    subprocess.run([str(lab.folder / "bin/rshim")], check=True, stdout=subprocess.DEVNULL)
    lab.sim("fault", "add", "bfb-hangs")
    (lab.folder / str(lab.folder)[1:]).parent.mkdir(parents=True)
    (lab.folder / str(lab.folder)[1:]).symlink_to(lab.folder)
    wanted = bluefield(firmware={"version": FIRMWARE, "bundle": str(bundle)})
    (card,) = apply_firmware(lab.host(), wanted, install_timeout=5)["nics"]
    assert (
        "0000:18:00.0: bfb-install took the driver mlx5_core from the function" in card["sentence"]
    )
    assert gather(lab.host(), wanted, ())[0]["ports"][0]["netdev"] == ""
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
