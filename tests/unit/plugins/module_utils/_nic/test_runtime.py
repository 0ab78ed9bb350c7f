# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""QoS, registers, congestion control and the gap: written once, proven, and then left alone."""

from __future__ import annotations

import shutil

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import (
    nics_from,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.edge import partly
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.gather import gather
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.plan.base import Plan
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.runtime import (
    apply_qos,
    apply_roce,
    converge,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host, Result, Step

from .one_card import QOS, ROCE, converged

PCI = "0000:1a:00.0"


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


def test_qos_converged_writes_nothing(world):
    converged(world)
    assert not apply_qos(world.host(), nics(qos=QOS)).steps
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


def test_where_flush_does_nothing_a_map_is_repaired_by_its_entries(world):
    """With the file of old kernels and OFED mlnx_qos ends with 0 and leaves the map as it is."""
    converged(world)
    world.put("/sys/class/net/rail1p1/qos/trust", "dscp\n")
    world.card.trust_file = True
    world.card.dscp.update(dict.fromkeys(range(20), 7))
    apply_qos(world.host(), nics(qos=QOS))
    assert world.card.dscp == {d: d >> 3 for d in range(64)}


def test_where_trust_is_a_file_the_whole_map_follows_the_change_to_dscp(world):
    """Such a driver need not fill the map: whatever it holds, one run ends with the wanted one."""
    world.put("/sys/class/net/rail1p1/qos/trust", "pcp\n")
    world.card.trust_file = True
    world.card.dscp = dict.fromkeys(range(64), 0)
    commands = apply_qos(world.host(), nics(qos={"trust": "dscp"})).as_result()["commands"]
    assert commands[0] == "mlnx_qos -i rail1p1 --trust=dscp"
    assert commands[1].count("--dscp2prio=set,") == 64
    assert (world.card.trust, world.card.dscp) == ("dscp", {d: d >> 3 for d in range(64)})
    assert not apply_qos(world.host(), nics(qos={"trust": "dscp"})).steps


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
    with pytest.raises(NicError, match="rail1p1: pfc was not accepted: it is"):
        apply_qos(world.host(), nics(qos=QOS))


@pytest.mark.parametrize(
    "tool, package", [("mlnx_qos", "mlnx-tools"), ("cma_roce_tos", "mlnx-tools")]
)
def test_a_tool_that_is_missing_names_its_package_and_the_playbook(world, tool, package):
    world.card.broken[tool] = Result(127, "", f"{tool}: No such file or directory")
    words = rf"{tool} is not installed; install DOCA-Host \(package {package}\), .*playbook dpus"
    with pytest.raises(NicError, match=words):
        apply_qos(world.host(), nics(qos=QOS))


def test_lldpad_is_named_before_anything_is_written(world):
    world.put("/proc/812/comm", "lldpad\n")
    with pytest.raises(NicError, match="lldpad runs on this host"):
        apply_qos(world.host(), nics(qos=QOS))
    assert world.card.writes == []
    outcome = apply_qos(world.host(check=True), nics(qos=QOS), tolerate_conflicts=True)
    assert outcome.as_result()["conflicts"][0].startswith("rail1p1: lldpad runs")


def test_parameters_are_written_once_per_life_of_the_algorithm(world):
    world.algorithm()
    first = apply_roce(world.host(), nics(roce=ROCE), sections=["cc"])
    names = [step.setting for step in first.steps]
    assert names == ["cc_slot[0]", "cc_param[0][4]", "cc_param[0][5]"]
    assert world.card.ppcc["0,algo_param_index=5"] == 1700
    world.card.calls.clear()
    assert not apply_roce(world.host(), nics(roce=ROCE), sections=["cc"]).steps
    assert world.card.calls == []
    world.card.ppcc.clear()
    assert apply_roce(world.host(), nics(roce=ROCE), sections=["cc"], deep=True).steps
    world.put("/proc/sys/kernel/random/boot_id", "b-2\n")
    world.card.ppcc.clear()
    assert apply_roce(world.host(), nics(roce=ROCE), sections=["cc"]).steps


def test_parameters_are_written_again_when_the_card_was_reset_under_its_algorithm(world):
    """The process is the same; the kernel has made another network device."""
    world.algorithm()
    world.put("/sys/class/net/rail1p1/ifindex", "5\n")
    apply_roce(world.host(), nics(roce=ROCE), sections=["cc"])
    world.put("/sys/class/net/rail1p1/ifindex", "9\n")
    world.card.ppcc.clear()
    assert apply_roce(world.host(), nics(roce=ROCE), sections=["cc"]).steps
    assert world.card.ppcc["0,algo_param_index=5"] == 1700


@pytest.mark.parametrize("state", ["error", "deactivated", "standby"])
def test_a_unit_that_is_not_active_is_started_again_once(world, state):
    wanted = {**ROCE, "cc": {**ROCE["cc"], "unit": "spx-cc@{rdma}.service"}}
    world.algorithm(state)
    again = "systemctl restart spx-cc@mlx5_0.service"
    host = world.host(check=True)
    assert apply_roce(host, nics(roce=wanted), sections=["cc"]).steps[0].command == again
    with pytest.raises(NicError, match=f"did not become active within 60 s, it is {state}"):
        apply_roce(world.host(), nics(roce=wanted), sections=["cc"])
    assert world.card.writes == [again]

    def restart(argv):
        world.algorithm(pid=4712)
        (world.root / "proc/4711/cmdline").unlink()
        return Result(0, "", "")

    world.card.do_systemctl = restart
    plan = apply_roce(world.host(), nics(roce=wanted), sections=["cc"])
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
    assert apply_roce(world.host(), nics(roce=ROCE), sections=["cc"]).steps
    assert not apply_roce(world.host(), nics(roce=ROCE), sections=["cc"]).steps


def test_a_parameter_that_does_not_take_is_an_error(world):
    world.algorithm()
    world.card.broken["mlxreg -d 0000:1a:00.0 -y --set cmd_type=8,value=96"] = Result(0, "", "")
    with pytest.raises(
        NicError, match=r"cc_param\[0\]\[4\] was not accepted: it is 0 after writing 96"
    ):
        apply_roce(world.host(), nics(roce=ROCE), sections=["cc"])


def test_the_unit_is_started_and_waited_for(world):
    wanted = {**ROCE, "cc": {**ROCE["cc"], "unit": "spx-cc@{rdma}.service"}}

    def start(argv):
        world.algorithm()
        return Result(0, "", "")

    world.card.do_systemctl = start
    plan = apply_roce(world.host(), nics(roce=wanted), sections=["cc"])
    assert plan.steps[0].command == "systemctl start spx-cc@mlx5_0.service"
    assert plan.steps[-1].setting == "cc_param[0][5]"


def test_a_unit_that_fails_is_told_with_where_to_look(world):
    wanted = {**ROCE, "cc": {**ROCE["cc"], "unit": "spx-cc@{rdma}.service"}}
    text = 'Job for spx-cc@mlx5_0.service failed.\nSee "systemctl status" for details.\n'
    world.card.do_systemctl = lambda _argv: Result(1, "", text)
    told = (
        r"^mlx5_0: congestion control does not start \(Job for spx-cc@mlx5_0.service failed\): check "
        r"`journalctl --unit spx-cc@mlx5_0.service` on the host, and run again\.$"
    )
    with pytest.raises(NicError, match=told):
        apply_roce(world.host(), nics(roce=wanted), sections=["cc"])


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
    assert not apply_qos(world.host(), nics(qos=QOS)).steps


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
    with pytest.raises(NicError, match="pfc was not accepted"):
        apply_qos(host, nics(qos=QOS))
    assert partly(host) == {"changed": True, "done": ["mlnx_qos -i rail1p1 --pfc=0,0,0,1,0,0,0,0"]}


def test_a_port_without_driver_does_not_bear_its_planned_name(world):
    """`bfb-install` that was killed leaves it so; the planned name hid what is missing."""
    shutil.rmtree(world.root / f"sys/bus/pci/devices/{PCI}/net")
    planned = nics_from([{"pci": PCI, "qos": {"trust": "dscp"}, "ports": [{"netdev": "rail1p1"}]}])
    (card,) = gather(world.host(), planned)
    assert card["ports"][0]["netdev"] == ""
    assert (
        f"echo {PCI} > /sys/bus/pci/drivers/mlx5_core/bind" in card["ports"][0]["errors"]["driver"]
    )
    with pytest.raises(NicError, match="no driver is bound to this function"):
        apply_qos(world.host(), planned)


class Gap:
    """A value of a tool, which takes it or does not."""

    def __init__(self, value, takes=True):
        self.value, self.takes, self.reads = value, takes, 0

    def run(self, argv, _timeout):
        if self.takes:
            self.value = int(argv[-1])
        return Result(0, "", "")

    def read(self):
        self.reads += 1
        return {"gap": self.value}

    @staticmethod
    def plan(found):
        if found["gap"] == 33:
            return Plan()
        return Plan((Step("rail1p1", "gap", found["gap"], 33, argv=("set", "33")),))


def test_what_is_right_is_read_once_and_not_written():
    gap = Gap(33)
    assert converge(Host(run=gap.run), gap.read, gap.plan) == Plan()
    assert (gap.reads, gap.value) == (1, 33)


def test_what_was_written_is_proven():
    gap = Gap(12)
    host = Host(run=gap.run)
    assert len(converge(host, gap.read, gap.plan).steps) == 1
    assert (gap.value, gap.reads, host.done) == (33, 2, ["set 33"])


def test_what_does_not_take_is_an_error():
    gap = Gap(12, takes=False)
    with pytest.raises(NicError, match="gap was not accepted: it is 12 after writing 33; 'set 33'"):
        converge(Host(run=gap.run), gap.read, gap.plan)


def test_check_mode_plans_only():
    gap = Gap(12)
    plan = converge(Host(run=gap.run, check_mode=True), gap.read, gap.plan)
    assert (len(plan.steps), gap.value, gap.reads) == (1, 12, 1)
