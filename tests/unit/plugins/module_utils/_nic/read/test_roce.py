# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RoCE registers and switches of a port, as they are read."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import Cc
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.read.roce import (
    cc_indexes,
    read_ppcc,
    read_roce,
    register,
    stamp,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.state import save
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result

PORT = {"pci": "0000:1a:00.0", "netdev": "rail1p1", "rdma": "mlx5_0"}
PROCESS = {"pid": 4711, "started": 22}
WANTED = Cc(slots={0: {"enabled": True, "counters": True}}, params={0: {3: 7}})


def test_a_port_is_read_whole(world):
    found = read_roce(world.host(), PORT, ["accl", "dcqcn", "max_read_request", "inter_packet_gap"])
    assert found["accl"]["roce_tx_window_en"] == 0
    assert found["inter_packet_gap"] == {"ipg": 12, "ipg_oper": 12}
    assert found["dcqcn"] == {"rp": [0] * 8, "np": [0] * 8}
    assert found["max_read_request"] == 512


@pytest.mark.parametrize(
    "said, words",
    [
        (Result(127, "", ""), "setpci is not installed on this host; install the package pciutils"),
        # setpci.c of pciutils: `die` of exec_op, the warning of execute, and a device that left the bus.
        (
            Result(
                1,
                "",
                "setpci: 0000:1a:00.0: Instance #0 of Capability 0010 not found - there are no "
                "capabilities with that id.\n",
            ),
            "not known: setpci says '.*Capability 0010 not found",
        ),
        (
            Result(0, "", "setpci: Warning: No devices selected for operation group 1.\n"),
            "not known: setpci says '.*No devices selected",
        ),
        (Result(0, "ffff\n", ""), "not known: setpci says 'ffff'; check that the card answers"),
        (Result(0, "6936\n", ""), "not known: setpci says '6936'"),
        (Result(124, "", ""), "not known: setpci says 'it did not end within its time limit'"),
    ],
)
def test_a_read_request_that_is_not_read_is_not_known(world, said, words):
    world.card.broken["setpci"] = said
    with pytest.raises(NicError, match=f"^0000:1a:00.0: .*{words}"):
        read_roce(world.host(), PORT, ["max_read_request"])


def test_switches_that_the_driver_lacks_are_none(world):
    found = read_roce(world.host(), {**PORT, "netdev": "other"}, ["dcqcn"])
    assert found["dcqcn"] == {"rp": [None] * 8, "np": [None] * 8}


def test_a_register_that_does_not_answer_is_an_error(world):
    world.card.broken["mlxreg"] = Result(1, "", "-E- no such register\n")
    with pytest.raises(NicError, match="mlxreg does not answer: no such register"):
        register(world.host(), PORT["pci"], "ROCE_ACCL")


def test_parameters_are_read_from_the_card_by_slot_and_number(world):
    key = cc_indexes(0, 3).split("algo_slot=")[1]
    world.card.ppcc[key] = 7
    found = read_ppcc(world.host(), PORT, WANTED, PROCESS, deep=False)
    assert found["params"] == {"0": {"3": 7}}
    assert found["slots"] == {"0": {"enabled": False, "counters": False}}
    assert found["source"] == "read"


def test_what_the_card_does_not_show_is_none(world):
    world.card.ppcc_readable = False
    found = read_ppcc(world.host(), PORT, WANTED, PROCESS, deep=False)
    assert found["params"] == {"0": {"3": None}}
    assert found["slots"] == {"0": {"enabled": None, "counters": None}}


def test_the_note_of_this_process_saves_the_reading(world):
    noted = {"slots": {}, "params": {"0": {"3": 9}}}
    kept = {"stamp": stamp(world.host(), PORT, PROCESS), "ppcc": noted}
    save(world.host(), "ppcc-mlx5_0", kept)
    assert read_ppcc(world.host(), PORT, WANTED, PROCESS, deep=False) == {
        **noted,
        "source": "recorded",
    }
    for process, deep in ((PROCESS, True), ({**PROCESS, "pid": 1}, False)):
        found = read_ppcc(world.host(), PORT, WANTED, process, deep=deep)
        assert (found["source"], found["params"]["0"]["3"]) == ("read", 0)
