# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""QoS, registers, congestion control and the gap: written once, proven, and then left alone."""

from __future__ import annotations

import shutil

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import (
    Roce,
    nics_from,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.edge import partly
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.gather import gather
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.plan.base import Plan
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.plan.roce import plan_gap
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.runtime import (
    apply_qos,
    apply_roce,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.verdict import verdict

PCI = "0000:1a:00.0"
QOS = {
    "trust": "dscp",
    "pfc": "00010000",
    "cnp_dscp": 48,
    "tos": 96,
    "traffic_class": 96,
    "dcbx": "os",
}
ROCE = {
    "accl": {
        "roce_adp_retrans_en": 1,
        "roce_tx_window_en": 1,
        "roce_slow_restart_en": 0,
        "adaptive_routing_forced_en": 1,
    },
    "dcqcn": {"rp": True, "np": True},
    "cc": {
        "slots": {0: {"enabled": True, "counters": True}, 15: {"enabled": False}},
        "params": {0: {4: 96, 5: 1700}},
    },
    "inter_packet_gap": 33,
}


def nics(**parts):
    return nics_from([{"pci": PCI, "device": "a2dc", **parts}])


def test_qos_from_factory_to_wanted_and_no_further(world):
    world.card.dcbx = "Firmware controlled"
    first = apply_qos(world.host(), nics(qos=QOS)).as_result()
    assert first["commands"] == [
        "mlnx_qos -i rail1p1 --dcbx os",
        "mlnx_qos -i rail1p1 --trust=dscp",
        "mlnx_qos -i rail1p1 --pfc=0,0,0,1,0,0,0,0",
        "echo 48 > /sys/class/net/rail1p1/ecn/roce_np/cnp_dscp",
        "cma_roce_tos -d mlx5_0 -t 96",
        "echo 96 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class",
    ]
    assert first["diff"]["before"]["rail1p1"]["traffic_class"] == 106
    assert world.read("/sys/class/net/rail1p1/ecn/roce_np/cnp_dscp") == "48"


def converged(world):
    """The kernel prints the traffic class in another form than it takes it."""
    world.put("/sys/class/infiniband/mlx5_0/tc/1/traffic_class", "Global tclass=96\n")
    world.put("/sys/class/net/rail1p1/ecn/roce_np/cnp_dscp", "48\n")
    world.card.trust, world.card.pfc, world.card.tos = "dscp", [0, 0, 0, 1, 0, 0, 0, 0], 96


def test_qos_converged_writes_nothing(world):
    converged(world)
    assert not apply_qos(world.host(), nics(qos=QOS)).changed
    assert world.card.writes == []


@pytest.mark.parametrize(
    "broken, commands",
    [
        ({26: 0}, ["mlnx_qos -i rail1p1 --dscp2prio=set,26,3"]),
        (
            {26: 0, 48: 1},
            ["mlnx_qos -i rail1p1 --dscp2prio=set,26,3 --dscp2prio=set,48,6"],
        ),
        (
            dict.fromkeys(range(20), 7),
            ["mlnx_qos -i rail1p1 --dscp2prio=flush", "mlnx_qos -i rail1p1 --trust=dscp"],
        ),
    ],
)
def test_a_custom_map_is_repaired(world, broken, commands):
    converged(world)
    world.card.dscp.update(broken)
    assert apply_qos(world.host(), nics(qos=QOS)).as_result()["commands"] == commands
    assert world.card.dscp == {d: d >> 3 for d in range(64)}


def test_a_wanted_map_follows_trust_in_a_call_of_its_own(world):
    converged(world)
    world.card.trust = "pcp"
    wanted = nics(qos={"trust": "dscp", "dscp2prio": {26: 5}})
    commands = apply_qos(world.host(), wanted).as_result()["commands"]
    assert commands == [
        "mlnx_qos -i rail1p1 --trust=dscp",
        "mlnx_qos -i rail1p1 --dscp2prio=set,26,5",
    ]


def test_success_text_is_not_believed(world):
    world.card.broken["mlnx_qos -i rail1p1 --pfc"] = Result(0, "Priority trust state: dscp\n", "")
    with pytest.raises(NicError, match="rail1p1: pfc did not take: it is"):
        apply_qos(world.host(), nics(qos=QOS))


@pytest.mark.parametrize(
    "tool, package", [("mlnx_qos", "mlnx-tools"), ("cma_roce_tos", "mlnx-tools")]
)
def test_a_tool_that_is_missing_names_its_package_and_the_playbook(world, tool, package):
    world.card.broken[tool] = Result(127, "", f"{tool}: No such file or directory")
    words = rf"{tool} is not installed; install DOCA-Host \(package {package}\), .*playbook dpus"
    with pytest.raises(NicError, match=words):
        apply_qos(world.host(), nics(qos=QOS))


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
    for wanted in (nics(qos=QOS, roce=ROCE), ()):
        (card,) = gather(world.host(), wanted)
        port = card["ports"][0]
        assert port["errors"] == {
            "qos": "0000:1a:00.0: mlnx_qos does not answer: Operation not supported."
        }
        assert ("qos" in port, port["roce"]["gap"]["ipg"]) == (False, 12)
    wanted = nics(qos=QOS)
    (card,) = gather(world.host(), wanted)
    assert verdict([card], wanted)["qos"] == "blocked"
    with pytest.raises(NicError, match="mlnx_qos does not answer: Operation not supported"):
        apply_qos(world.host(), wanted)


def test_lldpad_is_named_before_anything_is_written(world):
    world.put("/proc/812/comm", "lldpad\n")
    with pytest.raises(NicError, match="lldpad runs on this host"):
        apply_qos(world.host(), nics(qos=QOS))
    assert world.card.writes == []
    outcome = apply_qos(world.host(check=True), nics(qos=QOS), tolerate=True)
    assert outcome.as_result()["conflicts"][0].startswith("rail1p1: lldpad runs")


def test_inbox_driver_misses_the_traffic_class(world):
    """Nothing is written for it, and whoever asked is warned."""
    converged(world)
    (world.root / "sys/class/infiniband/mlx5_0/tc/1/traffic_class").unlink()
    outcome = apply_qos(world.host(), nics(qos=QOS))
    told = outcome.as_result()
    assert told["warnings"][0].startswith("rail1p1: traffic_class cannot be set: this driver has")
    assert [f"{text}." for text in told["skipped"]] == told["warnings"]
    assert not outcome.changed


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
    assert not apply_roce(world.host(), nics(roce=ROCE), sections=["accl"]).changed
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
    plan = apply_roce(world.host(), nics(roce=ROCE), sections=["dcqcn"]).plan
    assert len(plan.steps) == 16
    assert world.read("/sys/class/net/rail1p1/ecn/roce_rp/enable/7") == "1"
    assert not apply_roce(world.host(), nics(roce=ROCE), sections=["dcqcn"]).changed


def test_parameters_are_written_once_per_life_of_the_algorithm(world):
    world.algorithm()
    first = apply_roce(world.host(), nics(roce=ROCE), sections=["cc"])
    names = [step.setting for step in first.plan.steps]
    assert names == ["cc_slot[0]", "cc_param[0][4]", "cc_param[0][5]"]
    assert world.card.ppcc["0,algo_param_index=5"] == 1700
    world.card.calls.clear()
    assert not apply_roce(world.host(), nics(roce=ROCE), sections=["cc"]).changed
    assert world.card.calls == []
    world.card.ppcc.clear()
    assert apply_roce(world.host(), nics(roce=ROCE), sections=["cc"], deep=True).changed
    world.put("/proc/sys/kernel/random/boot_id", "b-2\n")
    world.card.ppcc.clear()
    assert apply_roce(world.host(), nics(roce=ROCE), sections=["cc"]).changed


def test_parameters_are_written_again_when_the_card_was_reset_under_its_algorithm(world):
    """The process is the same; the kernel has made another network device."""
    world.algorithm()
    world.put("/sys/class/net/rail1p1/ifindex", "5\n")
    apply_roce(world.host(), nics(roce=ROCE), sections=["cc"])
    world.put("/sys/class/net/rail1p1/ifindex", "9\n")
    world.card.ppcc.clear()
    assert apply_roce(world.host(), nics(roce=ROCE), sections=["cc"]).changed
    assert world.card.ppcc["0,algo_param_index=5"] == 1700


@pytest.mark.parametrize("state", ["error", "deactivated", "standby"])
def test_a_unit_that_is_not_active_is_started_again_once(world, state):
    wanted = {**ROCE, "cc": {**ROCE["cc"], "unit": "spx-cc@{rdma}.service"}}
    world.algorithm(state)
    again = "systemctl restart spx-cc@mlx5_0.service"
    host = world.host(check=True)
    assert apply_roce(host, nics(roce=wanted), sections=["cc"]).plan.steps[0].command == again
    with pytest.raises(NicError, match=f"did not become active within 60 s, it is {state}"):
        apply_roce(world.host(), nics(roce=wanted), sections=["cc"])
    assert world.card.writes == [again]

    def restart(argv):
        world.algorithm(pid=4712)
        (world.root / "proc/4711/cmdline").unlink()
        return Result(0, "", "")

    world.card.do_systemctl = restart
    plan = apply_roce(world.host(), nics(roce=wanted), sections=["cc"]).plan
    assert (plan.steps[0].command, plan.steps[-1].setting) == (again, "cc_param[0][5]")


@pytest.mark.parametrize(
    "state, unit", [("unknown", "spx-cc@{rdma}.service"), ("error", "mine@{rdma}")]
)
def test_what_is_not_ours_or_not_known_is_not_started_again(world, state, unit):
    world.algorithm(state)
    wanted = nics(roce={**ROCE, "cc": {**ROCE["cc"], "unit": unit}})
    with pytest.raises(NicError, match=f"it is {state}"):
        apply_roce(world.host(), wanted, sections=["cc"])
    assert world.card.writes == []


def test_parameters_that_cannot_be_read_are_written_and_noted(world):
    world.algorithm()
    world.card.ppcc_readable = False
    assert apply_roce(world.host(), nics(roce=ROCE), sections=["cc"]).changed
    assert not apply_roce(world.host(), nics(roce=ROCE), sections=["cc"]).changed


def test_a_parameter_that_does_not_take_is_an_error(world):
    world.algorithm()
    world.card.broken["mlxreg -d 0000:1a:00.0 -y --set cmd_type=8,value=96"] = Result(0, "", "")
    with pytest.raises(
        NicError, match=r"cc_param\[0\]\[4\] did not take: it is 0 after writing 96"
    ):
        apply_roce(world.host(), nics(roce=ROCE), sections=["cc"])


@pytest.mark.parametrize(
    "state, words",
    [
        ("standby", "did not become active within 60 s, it is standby"),
        (None, "doca_spcx_cc does not run for this device"),
    ],
)
def test_congestion_control_must_be_active(world, state, words):
    if state:
        world.algorithm(state)
    with pytest.raises(NicError, match=words):
        apply_roce(world.host(), nics(roce=ROCE), sections=["cc"])
    assert world.card.writes == []


def test_the_unit_is_started_and_waited_for(world):
    wanted = {**ROCE, "cc": {**ROCE["cc"], "unit": "spx-cc@{rdma}.service"}}

    def start(argv):
        world.algorithm()
        return Result(0, "", "")

    world.card.do_systemctl = start
    plan = apply_roce(world.host(), nics(roce=wanted), sections=["cc"]).plan
    assert plan.steps[0].command == "systemctl start spx-cc@mlx5_0.service"
    assert plan.steps[-1].setting == "cc_param[0][5]"


def test_a_unit_that_fails_is_told_with_where_to_look(world):
    wanted = {**ROCE, "cc": {**ROCE["cc"], "unit": "spx-cc@{rdma}.service"}}
    text = 'Job for spx-cc@mlx5_0.service failed.\nSee "systemctl status" for details.\n'
    world.card.do_systemctl = lambda _argv: Result(1, "", text)
    told = (
        r"^mlx5_0: congestion control does not start \(Job for spx-cc@mlx5_0.service failed\): look at "
        r"`journalctl --unit spx-cc@mlx5_0.service` on the host, and run again\.$"
    )
    with pytest.raises(NicError, match=told):
        apply_roce(world.host(), nics(roce=wanted), sections=["cc"])


def test_two_instances_are_refused(world):
    world.algorithm(pid=1)
    world.algorithm(pid=2)
    with pytest.raises(NicError, match="2 instances of doca_spcx_cc serve this device"):
        apply_roce(world.host(), nics(roce=ROCE), sections=["cc"])


def test_without_a_link_the_gap_is_written_and_nothing_toggled():
    port = {"pci": PCI, "netdev": "rail1p1", "link": "down"}
    wanted = Roce(inter_packet_gap=33)
    written = plan_gap(port, {"gap": {"ipg": 12, "ipg_oper": 12}}, wanted, maintenance=False)
    assert [step.argv[0] for step in written.steps] == ["mlxreg"]
    stored = plan_gap(port, {"gap": {"ipg": 33, "ipg_oper": 12}}, wanted, maintenance=True)
    assert stored == Plan()


def test_the_gap_waits_for_maintenance(world):
    section = ["inter_packet_gap"]
    plan = apply_roce(world.host(), nics(roce=ROCE), sections=section).plan
    assert plan.deferred == (
        "rail1p1: inter_packet_gap 12 stays instead of 33: it takes a link toggle, which only a "
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
    assert not apply_roce(world.host(), nics(roce=ROCE), sections=section, maintenance=True).changed


def test_check_mode_writes_nothing_and_predicts(world):
    world.algorithm()
    wanted = nics(qos=QOS, roce=ROCE)
    looked = apply_roce(world.host(check=True), wanted, maintenance=True).as_result()
    assert world.card.writes == []
    done = apply_roce(world.host(), wanted, maintenance=True).as_result()
    assert looked == done


def test_roce_v1_of_rdma_cm_is_found_and_set_back(world):
    apply_qos(world.host(), nics(qos=QOS))
    converged(world)
    world.card.roce_mode = 1
    looked = apply_qos(world.host(check=True), nics(qos=QOS)).as_result()
    assert looked["diff"] == {
        "before": {"rail1p1": {"roce_mode": 1}},
        "after": {"rail1p1": {"roce_mode": 2}},
    }
    assert apply_qos(world.host(), nics(qos=QOS)).as_result() == looked
    assert world.card.roce_mode == 2
    assert not apply_qos(world.host(), nics(qos=QOS)).changed


def test_a_failure_says_what_was_done(world):
    host = world.host()
    world.card.broken["cma_roce_tos -d mlx5_0 -t"] = Result(1, "", "configfs is not mounted")
    with pytest.raises(NicError, match="setting tos failed: configfs is not mounted"):
        apply_qos(host, nics(qos=QOS))
    assert host.done == [
        "mlnx_qos -i rail1p1 --trust=dscp",
        "mlnx_qos -i rail1p1 --pfc=0,0,0,1,0,0,0,0",
        "echo 48 > /sys/class/net/rail1p1/ecn/roce_np/cnp_dscp",
    ]
    diff = partly(host)["diff"]
    assert diff["after"]["rail1p1"]["cnp_dscp"] == 48
    assert "tos" not in diff["after"]["rail1p1"]


def test_what_did_not_take_is_no_difference(world):
    converged(world)
    world.card.pfc = [0] * 8
    world.card.broken["mlnx_qos -i rail1p1 --pfc"] = Result(0, "", "")
    host = world.host()
    with pytest.raises(NicError, match="pfc did not take"):
        apply_qos(host, nics(qos=QOS))
    assert partly(host) == {"changed": True, "done": ["mlnx_qos -i rail1p1 --pfc=0,0,0,1,0,0,0,0"]}


def test_verdict_of_factory_and_of_converged(world):
    world.algorithm()
    wanted = nics(qos=QOS, roce=ROCE, nvconfig={"SRIOV_EN": 1}, firmware={"version": "32.48.1000"})
    found = gather(world.host(), wanted)
    assert verdict(found, wanted) == {
        "nvconfig": "differs",
        "firmware": "differs",
        "qos": "differs",
        "roce": "differs",
    }
    converged(world)
    apply_roce(world.host(), wanted)
    world.card.settings["SRIOV_EN"][2] = "True(1)"
    world.card.burned = "32.48.1000"
    assert verdict(gather(world.host(), wanted), wanted) == {
        "nvconfig": "staged",
        "firmware": "staged",
        "qos": "current",
        "roce": "staged",
    }


def test_a_port_without_driver_does_not_bear_its_planned_name(world):
    """`bfb-install` that was killed leaves it so; the planned name hid what is missing."""
    shutil.rmtree(world.root / f"sys/bus/pci/devices/{PCI}/net")
    planned = nics_from([{"pci": PCI, "qos": {"trust": "dscp"}, "ports": [{"netdev": "rail1p1"}]}])
    (card,) = gather(world.host(), planned)
    assert card["ports"][0]["netdev"] == ""
    assert (
        f"echo {PCI} > /sys/bus/pci/drivers/mlx5_core/bind" in card["ports"][0]["errors"]["driver"]
    )
    with pytest.raises(NicError, match="no driver has this function"):
        apply_qos(world.host(), planned)


@pytest.mark.parametrize(
    "running, burned, force, word",
    [
        ("1.2.3", "1.2.3", False, "current"),
        ("1.2.3", "1.2.3", True, "differs"),
        ("1.0.0", "1.2.3", False, "staged"),
        ("1.0.0", "1.2.3", True, "differs"),
        ("1.0.0", "1.0.0", False, "differs"),
    ],
)
def test_firmware_that_is_forced_would_be_written(world, running, burned, force, word):
    world.card.running, world.card.burned = running, burned
    wanted = nics_from([{"pci": PCI, "firmware": {"version": "1.2.3", "force": force}}])
    assert verdict(gather(world.host(), wanted, ["firmware"]), wanted)["firmware"] == word
