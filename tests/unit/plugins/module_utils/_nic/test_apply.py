# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Apply and verify: what the tool on the host changes, and what it says."""

from __future__ import annotations

import json
import threading

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic import apply as on_host
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import (
    from_json,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import (
    Result,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.watch import watch

from .one_card import NIC, PCI, desired, second_card


def test_verify_then_apply_then_verify(world):
    found = on_host.verify(world.host(), desired(nvconfig={"SRIOV_EN": 1}))
    assert world.card.writes == []
    assert {f.check for f in found} == {
        "nvconfig", "trust", "pfc", "traffic_class", "accl", "deferred",
    }  # fmt: skip
    assert f"{PCI}: SRIOV_EN is 0, expected 1." in [f.sentence for f in found]
    done = on_host.apply(world.host(), desired(), maintenance=True)
    assert done.errors == ()
    assert len(done.plan.steps) == 7
    assert done.commands == tuple(step.command for step in done.plan.steps)
    assert on_host.verify(world.host(), desired()) == []


def test_one_card_never_stops_another(world):
    state = from_json({"schema": 1, "nics": [{"pci": "3b:00.0", "qos": {"trust": "dscp"}}, NIC]})
    done = on_host.apply(world.host(), state)
    assert done.errors == ("0000:3b:00.0: there is no NIC at this address; found: 0000:1a:00.0.",)
    assert "mlnx_qos -i rail1p1 --trust=dscp" in done.commands


def test_what_a_card_got_before_it_failed_is_told(world):
    """Trust and PFC are written, the ToS cannot be."""
    state = desired(qos={**NIC["qos"], "tos": 96})
    world.card.broken["cma_roce_tos -d mlx5_0 -t"] = Result(1, "", "no configfs\n")
    done = on_host.apply(world.host(), state)
    wrote = ["mlnx_qos -i rail1p1 --trust=dscp", "mlnx_qos -i rail1p1 --pfc=0,0,0,1,0,0,0,0"]
    assert list(done.commands[:2]) == wrote
    assert done.errors == ("rail1p1: setting tos failed: no configfs.",)
    world.card.trust = "pcp"
    report = watch(world.host(), state)
    assert report["repaired"][0] == wrote[0]


def test_qos_of_all_cards_comes_before_an_algorithm_that_stays_away(world):
    """The wait is the same for one card and for eight: all of them wait at once."""
    cc = {**NIC["roce"], "cc": {"unit": "spx-cc@{rdma}.service", "params": {0: {4: 96}}}}
    other = {**second_card(world), "roce": cc}
    state = from_json({"schema": 1, "nics": [{**NIC, "roce": cc}, other]})
    waits = threading.Barrier(2, timeout=5)

    def never(argv):
        waits.wait()
        return Result(1, f"Job for {argv[-1]} failed.\n", "")

    world.card.do_systemctl = never
    done = on_host.apply(world.host(), state, maintenance=True)
    assert len(done.errors) == 2
    assert all("congestion control does not start" in said for said in done.errors)
    calls = world.card.calls
    first = next(n for n, call in enumerate(calls) if call.startswith("systemctl"))
    assert calls.index("mlnx_qos -i rail2p1") < first
    assert any("PIPG" in call and "--set" in call for call in calls), "the gap is set all the same"


def test_waiting_for_the_driver_is_bounded(world):
    (world.root / f"sys/bus/pci/devices/{PCI}/infiniband/mlx5_0/node_type").unlink()
    (world.root / f"sys/bus/pci/devices/{PCI}/infiniband/mlx5_0").rmdir()
    with pytest.raises(NicError, match="no network and RDMA device within 30 s"):
        on_host.wait_for_devices(world.host(), desired(), 30)


def test_every_planned_port_is_waited_for(world):
    """The first function is there, the second one still probes."""
    ports = [{"netdev": "rail1p1", "pci": PCI}, {"netdev": "rail1p2", "pci": "0000:1a:00.1"}]
    for parts in ({"ports": ports}, {"ports": [], "multiplane": "swplb", "planes": 2}):
        with pytest.raises(
            NicError, match=r"0000:1a:00\.1: no network and RDMA device within 30 s"
        ):
            on_host.wait_for_devices(world.host(), desired(**parts), 30)
    two = f"/sys/bus/pci/devices/{PCI[:-1]}1"
    for name, text in (("vendor", "0x15b3"), ("device", "0xa2dc"), ("class", "0x020000")):
        world.put(f"{two}/{name}", f"{text}\n")
    world.put(f"{two}/net/rail1p2/phys_port_name", "p1\n")
    on_host.wait_for_devices(world.host(), desired(multiplane="hwplb", ports=ports), 30)
    world.put(f"{two}/infiniband/mlx5_1/node_type", "1\n")
    on_host.wait_for_devices(world.host(), desired(ports=ports), 30)


def test_a_port_that_stays_away_costs_the_others_nothing(world, command, capsys):
    two = [{"netdev": "rail1p1", "pci": PCI}, {"netdev": "rail1p2", "pci": "0000:1a:00.1"}]
    content = {"schema": 1, "nics": [{**NIC, "ports": two}]}
    world.put("/etc/spectrum-x/desired.json", json.dumps(content))
    assert command("apply", "--wait", "0.1") == 2
    said = capsys.readouterr().out
    assert "0000:1a:00.1: no network and RDMA device" in said
    assert "mlnx_qos -i rail1p1 --trust=dscp" in said


def test_a_read_request_that_cannot_be_read_hinders_nothing_else(world):
    state = desired(roce={**NIC["roce"], "max_read_request": 4096})
    world.card.broken["setpci"] = Result(127, "", "setpci: No such file or directory")
    done = on_host.apply(world.host(), state, maintenance=True)
    assert done.errors == (
        f"{PCI}: setpci is not installed on this host; install the package pciutils.",
    )
    assert any("PIPG" in command and "--set" in command for command in done.commands)
    assert [found.check for found in on_host.verify(world.host(), state)] == ["roce"]


def test_after_a_reboot_the_tool_sets_the_read_request_again(world):
    state = desired(roce={**NIC["roce"], "max_read_request": 4096})
    on_host.apply(world.host(), state, maintenance=True)
    assert on_host.verify(world.host(), state) == []
    world.card.device_control = 0x2936
    sentences = [found.sentence for found in on_host.verify(world.host(), state)]
    assert sentences == [f"{PCI}: max_read_request is 512, expected 4096."]
    assert watch(world.host(), state)["repaired"] == [f"setpci -s {PCI} CAP_EXP+08.w=5000:F000"]
