# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trouble that the stand-ins of the tools can make and that no container test raises: what is said of it."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import (
    DesiredState,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.firmware import apply_firmware
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.gather import gather
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.nvconfig import apply_nvconfig
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.reset import apply_reset
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.runtime import (
    apply_qos,
    apply_roce,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.watch import watch

from .stand_ins import bluefield, bundled, connectx

NEWER = "40.48.1000"


def said(work) -> str:
    """The sentence of an error, or what a result tells of its first card."""
    try:
        result = work()
    except NicError as exc:
        return str(exc)
    return str(result["nics"][0] if isinstance(result, dict) and "nics" in result else result)


FAULTS = [
    ("burn-hangs", "flint", "instead of 40.48.1000 (it did not end within its time limit)"),
    ("staged-only", "settings_and_flint", "'required': 'power_cycle'"),
    ("bfb-hangs", "bundle", "instead of 32.48.1000 (it did not end within its time limit)"),
    (
        "bfb-hangs-after-success",
        "bundle",
        "echo 0000:18:00.0 > /sys/bus/pci/drivers/mlx5_core/bind",
    ),
    ("nv-needs-power-cycle", "settings", "after the reset; power cycle the host."),
    ("fwreset-fails", "settings", "mlxfwreset did not load the firmware: Firmware reset failed"),
    ("fwreset-unsupported", "settings", "'required': 'reboot'"),
    (
        "mlxreg-fails",
        "registers",
        "0000:18:00.0: setting accl failed: Failed to send access register",
    ),
    ("cc-crashes", "algorithm", "mlx5_0: doca_spcx_cc does not run for this device"),
    ("dcbx-firmware", "qos", "ens3np0: dcbx was not accepted: it is fw after writing os"),
    ("pause-storm", "look", "ens3np0: pause storm: the NIC stopped sending pause and may drop"),
    ("stuck-queue", "look", "ens3np0: stuck queue: rx_prio3_discards rises on priority 3"),
]


def flint(lab):
    """A ConnectX gets an image."""
    nic = with_image(lab)
    return lambda: apply_firmware(lab.host(), nic, install_timeout=2)


def settings_and_flint(lab):
    """The same, and then its reset."""
    nic = with_image(lab)

    def work():
        apply_firmware(lab.host(), nic)
        return apply_reset(lab.host(), nic, allow=True, timeout=5)

    return work


def with_image(lab):
    image = lab.folder / "fw.bin"
    nic = connectx(lab, firmware={"version": NEWER, "image": str(image)})
    card = gather(lab.host(), nic, ("firmware",))[0]
    lab.sim("make-image", str(image), "--psid", card["firmware"]["psid"], "--version", NEWER)
    lab.rooted()
    return nic


def bundle(lab):
    """A BlueField gets a bundle."""
    nic = bundled(lab)
    return lambda: apply_firmware(lab.host(), nic, install_timeout=3)


def settings(lab):
    """A ConnectX is reset for what was staged."""
    nic = connectx(lab)
    apply_nvconfig(lab.host(), nic)
    return lambda: apply_reset(lab.host(), nic, allow=True, timeout=5)


def registers(lab):
    """A BlueField whose settings are current gets its registers."""
    lab.start("bf3-nic-2rail")
    apply_nvconfig(lab.host(), bluefield())
    lab.sim("power-cycle")
    return lambda: apply_roce(lab.host(), bluefield(), sections=["accl"])


def algorithm(lab):
    """The program of congestion control is started, and waited for."""
    lab.start("bf3-nic-2rail")

    def work():
        lab.algorithm("mlx5_0").wait(timeout=10)
        return apply_roce(lab.host(), bluefield(), sections=["cc"], cc_timeout=1)

    return work


def qos(lab):
    """A port gets its QoS."""
    lab.start("bf3-nic-2rail")
    return lambda: apply_qos(lab.host(), bluefield()).as_result()


def look(lab):
    """The watchdog looks twice."""
    lab.start("bf3-nic-2rail")
    desired = DesiredState(bluefield(), watch="report")
    watch(lab.host(), desired)
    return lambda: [row["sentence"] for row in watch(lab.host(), desired)["findings"]]


@pytest.mark.large
@pytest.mark.parametrize("fault, scene, words", FAULTS)
def test_each_fault_is_said(lab, fault, scene, words):
    work = globals()[scene](lab)
    lab.sim("fault", "add", fault)
    assert words in said(work)
