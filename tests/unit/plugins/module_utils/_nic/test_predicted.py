# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check mode says what the run does, from many states of a host; what fails shows what it did.

The tools are the stand-ins, which were written apart from us. The files of a host are in
`_host/test_files.py` and `_host/test_network.py`.
"""

from __future__ import annotations

import functools
import shlex
import subprocess

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.edge import partly
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.firmware import apply_firmware
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.nvconfig import apply_nvconfig
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.runtime import (
    apply_qos,
    apply_roce,
)

from .stand_ins import FIRMWARE, bluefield, bundled

PCI = "0000:18:00.0"


def qos(host, wanted):
    return apply_qos(host, wanted).as_result()


def roce(host, wanted):
    return apply_roce(host, wanted, sections=("accl", "dcqcn")).as_result()


settings = apply_nvconfig
over_defaults = functools.partial(apply_nvconfig, reset_first=True)

# Module, and what is done to a host that is as wanted; "" is the factory.
STATES = [
    (qos, ""),
    (qos, "mlnx_qos -i {net} --trust pcp"),
    (qos, "mlnx_qos -i {net} --dscp2prio flush"),
    (qos, "cma_roce_mode -d mlx5_0 -p 1 -m 1"),
    (roce, ""),
    (roce, "mlxreg -d {pci} -y --reg_name ROCE_ACCL --set roce_tx_window_en=0"),
    (settings, ""),
    (settings, "mlxconfig -y -d {pci} set NUM_OF_VFS=4"),
    (settings, "mlxconfig -y -d {pci} reset"),
    (over_defaults, ""),
]


def spoil(command):
    names = command.format(pci=PCI, net="ens3np0")
    subprocess.run(shlex.split(names), check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("work, command", STATES)
def test_check_mode_says_what_the_run_does(lab, work, command):
    lab.start("bf3-nic-2rail")
    wanted = bluefield()
    if work is roce:  # the registers take current settings
        settings(lab.host(), wanted)
        lab.sim("power-cycle")
    if command:
        work(lab.host(), wanted)
        spoil(command)
    lab.writes()
    predicted = work(lab.host(check=True), wanted)
    assert (predicted["changed"], lab.writes()) == (True, [])
    done = work(lab.host(), wanted)
    for key in ("changed", "diff", "commands"):
        assert done[key] == predicted[key]
    again = work(lab.host(), wanted)
    assert (again["changed"], again["commands"]) == (False, [])


def test_check_mode_says_what_a_burn_does(lab):
    wanted = bundled(lab)
    predicted = apply_firmware(lab.host(check=True), wanted)
    done = apply_firmware(lab.host(), wanted)
    assert {key: done[key] for key in ("changed", "diff")} == {
        key: predicted[key] for key in ("changed", "diff")
    }
    assert not apply_firmware(lab.host(), wanted)["changed"]


FAILING = [
    (qos, "trust-fails", None),
    (qos, "pfc-silent", {"trust": "dscp"}),
    (settings, "nv-set-fails", None),
    (settings, "restricted", None),
]


@pytest.mark.parametrize("work, fault, shown", FAILING)
def test_what_fails_shows_what_it_did_and_nothing_else(lab, work, fault, shown):
    lab.start("bf3-nic-2rail")
    lab.sim("fault", "add", fault)
    host = lab.host()
    with pytest.raises(NicError):
        work(host, bluefield())
    before, found = partly(host), lab.host(check=True)
    assert ("diff" in before) is bool(shown)
    if not shown:
        return
    ((_port, after),) = before["diff"]["after"].items()
    assert {key: after[key] for key in shown} == shown
    lab.sim("fault", "clear")
    ((_port, left),) = work(found, bluefield())["diff"]["before"].items()
    assert not {key for key in left if before["diff"]["before"][_port].get(key) != after.get(key)}


def test_firmware_that_did_not_get_there_is_no_difference(lab):
    wanted = bundled(lab)
    lab.sim("fault", "add", "bfb-critical")
    result = apply_firmware(lab.host(), wanted)
    assert result["failed_nics"] == [PCI]
    assert (result["changed"], result["diff"]) == (False, {"before": {}, "after": {}})
    lab.sim("fault", "clear")
    assert apply_firmware(lab.host(), wanted)["diff"]["after"] == {PCI: {"firmware": FIRMWARE}}
