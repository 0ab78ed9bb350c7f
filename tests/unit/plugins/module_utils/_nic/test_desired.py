# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The desired state: round trip, and one sentence for each thing that does not fit."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic import desired as d
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.ra import (
    load_profile,
)

PCI = "0000:1a:00.0"


def state(**parts):
    return {"schema": 1, "nics": [{"pci": "1A:00.0", **parts}]}


@pytest.mark.parametrize("ra, mode, planes", [("1.3", "none", 1), ("2.1", "swplb", 2)])
def test_a_profile_is_a_desired_state(ra, mode, planes):
    nic = load_profile(ra, "1023", mode, planes=planes)["nic"]
    extra = {
        "firmware": {"version": "40.48.1120", "image": "/f.bin"},
        "ports": [{"netdev": "rail1p1", "mtu": 9166}],
    }
    made = d.from_json({**state(**nic, **extra), "watch": {"action": "repair"}})
    assert made.nics[0].pci == PCI
    assert made.watch == "repair"


@pytest.mark.parametrize(
    "data, sentence",
    [
        ({"schema": 2, "nics": []}, "desired state: schema 2 is not 1; "),
        ({"schema": 1, "nics": [{}]}, "nics[0].pci: '' is not a PCI address such as"),
        (state(colour=1), "nics[0]: 'colour' is not known; allowed are pci, device"),
        (
            {"schema": 1, "nics": [{"pci": "1a:00.0"}, {"pci": "1a:00.1"}]},
            "nics[1]: 0000:1a:00.1 is a card that is listed before; list it once.",
        ),
        (state(mode="switch"), f"{PCI}: mode: 'switch' is not allowed; use one of nic, dpu"),
        (
            state(mode="dpu", nvconfig={"INTERNAL_CPU_OFFLOAD_ENGINE": 1}),
            f"{PCI}: mode dpu and nvconfig.INTERNAL_CPU_OFFLOAD_ENGINE 1 contradict each other; ",
        ),
        (state(qos={"pfc": [1]}), f"{PCI}: qos.pfc: '[1]' must be a list of 8 numbers"),
        (state(qos={"pfc": "00020000"}), f"{PCI}: qos.pfc: 2 is not between 0 and 1."),
        (state(qos={"trust": "both"}), f"{PCI}: qos.trust: 'both' is not allowed"),
        (state(qos={"dscp2prio": {64: 3}}), f"{PCI}: qos.dscp2prio: 64 is not between 0 and 63."),
        (
            state(qos={"tos": 96, "traffic_class": 106}),
            f"{PCI}: qos: tos 96 and traffic_class 106 differ; ",
        ),
        (
            state(qos={"tos": 106}),
            f"{PCI}: qos: 106 is the traffic class of classic RoCE (DSCP 26), Spectrum-X uses 96",
        ),
        (
            state(qos={"pfc_prevention_timeout": 50}),
            f"{PCI}: qos.pfc_prevention_timeout: 50 ms is not allowed; use 100 to 8000",
        ),
        (state(nvconfig={"sriov": 1}), f"{PCI}: nvconfig: 'sriov' is not a name of mlxconfig"),
        (state(nvconfig={"SRIOV_EN": None}), f"{PCI}: nvconfig.SRIOV_EN: it needs a number"),
        (state(firmware={"image": "/a"}), f"{PCI}: firmware.version: it is missing"),
        (
            state(firmware={"version": "1", "image": "/a", "bundle": "/b"}),
            f"{PCI}: firmware: image and bundle exclude each other",
        ),
        (state(roce={"accl": {"x": "y"}}), f"{PCI}: roce.accl.x: 'y' is not a whole number."),
        (
            state(roce={"max_read_request": 4000}),
            f"{PCI}: roce.max_read_request: '4000' is not allowed; use one of 128, 256, 512, 1024, 2048, 4096.",
        ),
        (state(roce={"dcqcn": {"rp": 7}}), f"{PCI}: roce.dcqcn.rp: '7' is neither true nor false."),
        ({"schema": 1, "nics": [], "watch": {"action": "panic"}}, "watch.action: 'panic' is not"),
    ],
)
def test_refusals(data, sentence):
    with pytest.raises(NicError) as error:
        d.from_json(data)
    assert str(error.value).startswith(sentence)
    assert "\n" not in str(error.value)


def test_map_and_timeout_are_completed():
    qos = (
        d.from_json(state(qos={"dscp2prio": {26: 0}, "pfc_prevention_timeout": "auto"})).nics[0].qos
    )
    assert qos.dscp2prio[26] == 0
    assert qos.dscp2prio[25] == 3
    assert len(qos.dscp2prio) == 64
    assert qos.pfc_prevention_timeout == 65535
