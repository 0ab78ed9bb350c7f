# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""QoS of a port: what is read, and what cannot be."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import (
    nics_from,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.gather import gather
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.runtime import (
    apply_qos,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.verdict import verdict

from ..one_card import ROCE

PCI = "0000:1a:00.0"
QOS = {
    "trust": "dscp",
    "pfc": "00010000",
    "cnp_dscp": 48,
    "tos": 96,
    "traffic_class": 96,
    "dcbx": "os",
}


def nics(**parts):
    return nics_from([{"pci": PCI, "device": "a2dc", **parts}])


def converged(world):
    """The kernel prints the traffic class in another form than it takes it."""
    world.put("/sys/class/infiniband/mlx5_0/tc/1/traffic_class", "Global tclass=96\n")
    world.put("/sys/class/net/rail1p1/ecn/roce_np/cnp_dscp", "48\n")
    world.card.trust, world.card.pfc, world.card.tos = "dscp", [0, 0, 0, 1, 0, 0, 0, 0], 96


def test_only_what_is_wanted_is_read(world):
    """A card in DPU mode wants no QoS, and its tools refuse the host."""
    refused = Result(1, "Operation not supported\n", "")
    world.card.broken["mlnx_qos"] = world.card.broken["mlxreg"] = refused
    wanted = nics(nvconfig={"INTERNAL_CPU_OFFLOAD_ENGINE": 0})
    (card,) = gather(world.host(), wanted)
    assert (card["ports"][0]["qos"], "roce" in card["ports"][0]) == ({}, False)
    found = verdict([card], wanted)
    assert (found["nvconfig"], found["qos"], found["roce"]) == ("differs", "current", "current")
    assert not any(call.startswith(("mlnx_qos", "mlxreg")) for call in world.card.calls)


def test_a_part_that_cannot_be_read_is_its_own_error(world):
    world.card.broken["mlnx_qos"] = Result(1, "Operation not supported\n", "")
    (card,) = gather(world.host(), nics(qos=QOS, roce=ROCE))
    port = card["ports"][0]
    assert port["errors"] == {
        "qos": "0000:1a:00.0: mlnx_qos does not answer: Operation not supported."
    }
    assert ("qos" in port, port["roce"]["inter_packet_gap"]["ipg"]) == (False, 12)
    wanted = nics(qos=QOS)
    (card,) = gather(world.host(), wanted)
    assert verdict([card], wanted)["qos"] == "blocked"
    with pytest.raises(NicError, match="mlnx_qos does not answer: Operation not supported"):
        apply_qos(world.host(), wanted)


def test_inbox_driver_misses_the_traffic_class(world):
    """Nothing is written for it, and whoever asked is warned."""
    converged(world)
    (world.root / "sys/class/infiniband/mlx5_0/tc/1/traffic_class").unlink()
    outcome = apply_qos(world.host(), nics(qos=QOS))
    told = outcome.as_result()
    assert told["warnings"][0].startswith("rail1p1: traffic_class cannot be set: this driver has")
    assert [f"{text}." for text in told["skipped"]] == told["warnings"]
    assert not outcome.steps
