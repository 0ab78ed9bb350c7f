# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of GPUDirect: fail where it is hindered, and never a pass where it is not known."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import host

from .hosts import example, parts, spoiled, view_of

NIC, BRIDGE = "0000:18:00.0", "0000:17:00.0"


@pytest.fixture(scope="module")
def view():
    return view_of(*parts(example("lab")), {})


def acs(control=0, unknown="", bridge=BRIDGE):
    return {"pci": NIC, "bridge": bridge, "control": control, "unknown": unknown}


def said(view, check, probe=None, **found):
    gpudirect = {"gpus": ["0000:1b:00.0"], "memory": "nvidia-peermem", "acs": [acs()]}
    gpudirect = {**gpudirect, "iommu": {NIC: "identity"}, **found}
    seen = spoiled(view, probe={**view.probe, "gpudirect": gpudirect} if probe is None else probe)
    return [(row["state"], row["sentence"]) for row in host.check(seen, [check])]


def test_all_is_well(view):
    assert said(view, "host.acs") == [
        (
            "pass",
            "ACS is off on every bridge above the NICs, so that GPUs and NICs reach each other directly.",
        )
    ]
    assert said(view, "host.gpu_memory") == [
        ("pass", "NICs reach the memory of the GPUs by nvidia-peermem.")
    ]


def test_acs_that_is_on_fails(view):
    (row,) = said(view, "host.acs", acs=[acs(), acs(0x1D)])
    assert row == (
        "fail",
        f"{BRIDGE}: ACS is on (001d) above {NIC}, so GPUs and the NIC meet at the root complex: turn it off in the "
        f"BIOS, or at each boot with 'setpci -s {BRIDGE} ECAP_ACS+6.w=0000'.",
    )


@pytest.mark.parametrize("row", [acs(unknown="why"), acs(bridge="", unknown="why")])
def test_what_is_not_known_is_no_pass(view, row):
    where = row["bridge"] or NIC
    assert said(view, "host.acs", acs=[acs(), row]) == [
        ("not_run", f"{where}: whether ACS is off above {NIC} is not known: why.")
    ]


def test_gpus_whose_memory_no_nic_reaches_fail(view):
    ((state, sentence),) = said(view, "host.gpu_memory", memory="")
    assert state == "fail"
    assert sentence.startswith(
        "worker-su01-rack01-h01: neither nvidia-peermem nor the open kernel module"
    )


@pytest.mark.parametrize(
    ("kind", "state"), [("", "pass"), ("identity", "pass"), ("DMA", "fail"), ("DMA-FQ", "fail")]
)
def test_an_iommu_that_translates_fails(view, kind, state):
    ((found, sentence),) = said(view, "host.iommu", iommu={NIC: kind})
    assert found == state
    assert (f"{NIC}: the IOMMU translates (domain {kind})" in sentence) is (state == "fail")


@pytest.mark.parametrize("check", ["host.acs", "host.gpu_memory", "host.iommu"])
def test_without_a_gpu_or_an_answer_nothing_is_run(view, check):
    assert said(view, check, gpus=[]) == [("not_run", "worker-su01-rack01-h01 has no GPU.")]
    unread = {key: value for key, value in view.probe.items() if key != "gpudirect"}
    assert said(view, check, probe=unread) == [("not_run", "What GPUDirect needs was not read.")]
