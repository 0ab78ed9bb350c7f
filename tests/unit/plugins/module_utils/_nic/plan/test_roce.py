# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RoCE registers: only the wanted fields are set, and what a card lacks is an error."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import (
    Roce,
    nics_from,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.plan.base import Plan
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.plan.roce import plan_gap
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.runtime import (
    apply_roce,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result

from ..one_card import ROCE

PCI = "0000:1a:00.0"


def nics(**parts):
    return nics_from([{"pci": PCI, "device": "a2dc", **parts}])


def test_accl_sets_only_the_selected_fields(world):
    world.algorithm()
    apply_roce(world.host(), nics(roce=ROCE), sections=["accl"])
    assert world.card.writes == [
        "mlxreg -d 0000:1a:00.0 -y --reg_name ROCE_ACCL --set roce_tx_window_en=0x1,"
        "roce_slow_restart_en=0x0,adaptive_routing_forced_en=0x1,"
        "roce_adp_retrans_field_select=0x0,roce_tx_window_field_select=0x1,"
        "roce_slow_restart_field_select=0x1,roce_slow_restart_idle_field_select=0x0,"
        "adaptive_routing_forced_en_field_select=0x1"
    ]
    world.card.calls.clear()
    assert not apply_roce(world.host(), nics(roce=ROCE), sections=["accl"]).steps
    assert world.card.writes == []


@pytest.mark.parametrize(
    "select, field, words",
    [
        (
            0,
            "adaptive_routing_forced_en",
            "not active or not supported .*ADAPTIVE_ROUTING_EN=1",
        ),
        (1, "cc_per_plane_en", "cc_per_plane_en is not active or not supported .*absent"),
        (1, "roce_magic", "ROCE_ACCL has no field roce_magic; known are"),
    ],
)
def test_unsupported_fields_fail_loudly(world, select, field, words):
    world.card.accl["adaptive_routing_forced_en_field_select"] = select
    with pytest.raises(NicError, match=words):
        apply_roce(world.host(), nics(roce={"accl": {field: 1}}))
    assert world.card.writes == []


def test_dcqcn_on_all_priorities(world):
    plan = apply_roce(world.host(), nics(roce=ROCE), sections=["dcqcn"])
    assert len(plan.steps) == 16
    assert world.read("/sys/class/net/rail1p1/ecn/roce_rp/enable/7") == "1"
    assert not apply_roce(world.host(), nics(roce=ROCE), sections=["dcqcn"]).steps


def test_without_a_link_the_gap_is_written_and_nothing_toggled():
    port = {"pci": PCI, "netdev": "rail1p1", "link": "down"}
    wanted = Roce(inter_packet_gap=33)
    written = plan_gap(
        port, {"inter_packet_gap": {"ipg": 12, "ipg_oper": 12}}, wanted, maintenance=False
    )
    assert [step.argv[0] for step in written.steps] == ["mlxreg"]
    stored = plan_gap(
        port, {"inter_packet_gap": {"ipg": 33, "ipg_oper": 12}}, wanted, maintenance=True
    )
    assert stored == Plan()


def test_the_gap_waits_for_maintenance(world):
    section = ["inter_packet_gap"]
    plan = apply_roce(world.host(), nics(roce=ROCE), sections=section)
    assert plan.deferred == (
        "rail1p1: inter_packet_gap 12 stays instead of 33: it needs a link toggle, which only a "
        "maintenance step may do",
    )
    assert world.card.writes == []
    apply_roce(world.host(), nics(roce=ROCE), sections=section, maintenance=True)
    assert world.card.writes == [
        "mlxreg -d 0000:1a:00.0 -y --set ipg=0x00000021 --reg_name PIPG --indexes "
        "local_port=1,lp_msb=0,ipg_cap_index=0",
        "ip link set dev rail1p1 down",
        "ip link set dev rail1p1 up",
    ]
    assert not apply_roce(world.host(), nics(roce=ROCE), sections=section, maintenance=True).steps


def test_the_read_request_is_set_once_and_other_bits_stay(world):
    wanted = nics(roce={"max_read_request": 4096})
    plan = apply_roce(world.host(), wanted)
    assert world.card.writes == ["setpci -s 0000:1a:00.0 CAP_EXP+08.w=5000:F000"]
    assert world.card.device_control == 0x5936
    assert plan.as_result()["diff"] == {
        "before": {PCI: {"max_read_request": 512}},
        "after": {PCI: {"max_read_request": 4096}},
    }
    world.card.calls.clear()
    assert not apply_roce(world.host(), wanted).steps
    assert world.card.calls == ["setpci -s 0000:1a:00.0 CAP_EXP+08.w"]


def test_a_read_request_that_did_not_take_is_an_error(world):
    world.card.broken["setpci -s 0000:1a:00.0 CAP_EXP+08.w=5000:F000"] = Result(0, "", "")
    with pytest.raises(
        NicError, match="max_read_request was not accepted: it is 512 after writing 4096"
    ):
        apply_roce(world.host(), nics(roce={"max_read_request": 4096}))


def test_where_none_is_wanted_no_tool_is_asked(world):
    apply_roce(world.host(), nics(roce={"dcqcn": {"rp": True}}))
    assert world.card.calls == []
