# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tool on the host: verify, apply, watch, its command line, and the runner of the algorithm."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from dataclasses import replace

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.probe import probe
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic import apply as on_host
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic import cli
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.agent import starts_algorithm
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.algorithm import (
    run_algorithm,
    share,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import (
    from_json,
    nics_from,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.lock import (
    Busy,
    alone,
    writing,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import (
    Host,
    Result,
    system_runner,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.watch import judge, watch

PCI = "0000:1a:00.0"
NIC = {
    "pci": PCI,
    "device": "a2dc",
    "mode": "nic",
    "qos": {"trust": "dscp", "pfc": "00010000", "traffic_class": 96},
    "roce": {"accl": {"roce_tx_window_en": 1}, "inter_packet_gap": 33},
    "ports": [{"netdev": "rail1p1", "mtu": 9166}],
}

REPAIRING = {"schema": 1, "watch": {"action": "repair"}}


def desired(action="repair", **parts):
    return from_json({"schema": 1, "watch": {"action": action}, "nics": [{**NIC, **parts}]})


def statistics(world, **counters):
    rows = "".join(f"     {name}: {value}\n" for name, value in counters.items())
    world.card.broken["ethtool -S"] = Result(0, f"NIC statistics:\n{rows}", "")


def test_verify_then_apply_then_verify(world):
    found = on_host.verify(world.host(), desired(nvconfig={"SRIOV_EN": 1}))
    assert world.card.writes == []
    assert {f.check for f in found} == {
        "nvconfig", "trust", "pfc", "traffic_class", "accl", "deferred",
    }  # fmt: skip
    assert f"{PCI}: SRIOV_EN is 0, wanted is 1." in [f.sentence for f in found]
    done = on_host.apply(world.host(), desired(), maintenance=True)
    assert done.errors == ()
    assert len(done.plan.steps) == 7
    assert done.commands == tuple(step.command for step in done.plan.steps)
    assert on_host.verify(world.host(), desired()) == []


def test_the_state_says_that_lldpad_may_run(world):
    """It is a finding at each look, and hinders nothing."""
    statistics(world, rx_prio3_pause=0)
    world.put("/proc/812/comm", "lldpad\n")
    (refused,) = {
        said for said in on_host.apply(world.host(), desired()).errors if "lldpad" in said
    }
    assert refused.startswith("lldpad runs on this host")
    state = replace(desired(), tolerate_conflicts=True)
    assert not on_host.apply(world.host(), state).errors
    assert world.card.trust == "dscp"
    report = watch(world.host(), state)
    assert [row["check"] for row in report["findings"]] == ["conflict"]
    assert report["findings"][0]["sentence"].startswith("rail1p1: lldpad runs on this host")


def test_the_state_says_how_long_the_algorithm_may_take(world, command, monkeypatch):
    given = []
    monkeypatch.setattr(cli, "run_algorithm", lambda *_a, timeout, **_k: given.append(timeout) or 0)
    content = {"schema": 1, "nics": [NIC], "cc_timeout": 90}
    world.put("/etc/spectrum-x/desired.json", json.dumps(content))
    command("cc", "--device", "mlx5_0")
    command("cc", "--device", "mlx5_0", "--timeout", "5")
    world.put("/etc/spectrum-x/desired.json", "{")
    command("cc", "--device", "mlx5_0")
    assert given == [90, 5, 60]
    cc = {**NIC["roce"], "cc": {"unit": "spx-cc@{rdma}.service"}}
    state = replace(desired(roce=cc), cc_timeout=90)
    world.card.do_systemctl = lambda _argv: Result(0, "", "")
    (late,) = on_host.apply(world.host(), state).errors
    assert "did not become active within 90 s" in late


def test_one_card_never_stops_another(world):
    state = from_json({"schema": 1, "nics": [{"pci": "3b:00.0", "qos": {"trust": "dscp"}}, NIC]})
    done = on_host.apply(world.host(), state)
    assert done.errors == ("0000:3b:00.0: there is no NIC at this address; found: 0000:1a:00.0.",)
    assert "mlnx_qos -i rail1p1 --trust=dscp" in done.commands


def test_watch_repairs_or_reports(world):
    statistics(world, rx_prio3_pause=0)
    report = watch(world.host(), desired("report"))
    assert not report["healthy"]
    assert report["repaired"] == []
    assert world.card.writes == []
    report = watch(world.host(), desired("repair"))
    assert report["healthy"], report
    assert len(report["repaired"]) == 4
    assert not any("PIPG" in call for call in world.card.writes)
    again = watch(world.host(), desired("repair"))
    quiet = {"healthy": True, "findings": [], "repaired": [], "errors": [], "drained": False}
    assert again == quiet


def test_the_watchdog_of_a_drained_host_only_reports(world, command, capsys):
    """Whoever works on it may reset cards; its unit sets them again all the same."""
    world.put("/etc/spectrum-x/drained", "by playbook dpus\n")
    world.put("/etc/spectrum-x/desired.json", json.dumps({**REPAIRING, "nics": [NIC]}))
    assert command("watch") == 2
    said = capsys.readouterr().out
    assert "rail1p1: trust is pcp, wanted is dscp." in said
    assert "/etc/spectrum-x/drained is there: a playbook works on this host, nothing is rep" in said
    assert world.card.writes == []
    assert command("apply") == 0
    assert world.card.trust == "dscp"


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


def second_card(world):
    """Another card of the same kind, at 0000:2a:00.0."""
    pci = "/sys/bus/pci/devices/0000:2a:00.0"
    for name, text in (("vendor", "0x15b3"), ("device", "0xa2dc"), ("class", "0x020000")):
        world.put(f"{pci}/{name}", f"{text}\n")
    world.put(f"{pci}/net/rail2p1/phys_port_name", "p0\n")
    world.put(f"{pci}/infiniband/mlx5_1/node_type", "1\n")
    world.put("/sys/class/net/rail2p1/operstate", "up\n")
    return {"pci": "2a:00.0", "qos": {"trust": "dscp"}, "roce": NIC["roce"]}


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


def test_a_look_that_is_stopped_has_told_what_it_saw(world):
    statistics(world, rx_prio3_pause=0)
    told = []

    def stopped(argv):
        raise KeyboardInterrupt(argv[0])

    real = world.card.run
    world.card.run = lambda argv, limit: (
        stopped(argv) if "--trust=dscp" in argv else real(argv, limit)
    )
    with pytest.raises(KeyboardInterrupt):
        watch(world.host(), desired(), told.append)
    assert "rail1p1: trust is pcp, wanted is dscp." in told


@pytest.mark.parametrize(
    "name, text, check",
    [("operstate", "down", "link"), ("mtu", "1500", "mtu")],
)
def test_watch_sees_the_link(world, name, text, check):
    statistics(world, rx_prio3_pause=0)
    watch(world.host(), desired())
    world.put(f"/sys/class/net/rail1p1/{name}", f"{text}\n")
    (finding,) = watch(world.host(), desired())["findings"]
    assert finding["check"] == check


def test_watch_compares_two_looks(world):
    statistics(world, rx_prio3_pause=0, tx_pause_storm_error_events=3)
    assert watch(world.host(), desired())["healthy"]
    statistics(world, rx_prio3_pause=0, tx_pause_storm_error_events=4)
    (finding,) = watch(world.host(), desired())["findings"]
    assert finding["sentence"].startswith("rail1p1: pause storm: the NIC stopped sending pause")
    assert watch(world.host(), desired())["healthy"]


@pytest.mark.parametrize(
    "before, now, checks",
    [
        ({}, {"rx_prio3_pause": 1}, []),
        (
            {"rx_prio3_packets": 5, "tx_prio3_pause": 1},
            {"rx_prio3_packets": 5, "tx_prio3_pause": 9, "rx_prio3_pause": 0},
            ["stuck_queue"],
        ),
        (
            {"rx_prio3_packets": 5, "rx_prio3_discards": 1},
            {"rx_prio3_packets": 6, "rx_prio3_discards": 9, "rx_prio3_pause": 0},
            [],
        ),
        ({"link_down_events_phy": 7}, {"link_down_events_phy": 1, "rx_prio3_pause": 0}, []),
        ({}, {"rx_prio3_packets": 6}, ["pfc_counters"]),
    ],
)
def test_counters(before, now, checks):
    nic = desired().nics[0]
    assert [f.check for f in judge("rail1p1", before, now, nic)] == checks


@pytest.fixture
def command(world, monkeypatch):
    """The command line on the fake host."""

    def call(*argv):
        return cli.main([*argv])

    host = world.host()
    monkeypatch.setattr(
        cli,
        "Host",
        lambda sysfs, check_mode: Host(
            run=host.run, sysfs=host.sysfs, root=host.root, check_mode=check_mode
        ),
    )
    world.put("/etc/spectrum-x/desired.json", json.dumps({"schema": 1, "nics": [NIC]}))
    return call


def test_command_line(world, command, capsys):
    assert command("verify") == 2
    assert "rail1p1: trust is pcp, wanted is dscp." in capsys.readouterr().out
    assert command("apply", "--check") == 0
    assert world.card.writes == []
    assert command("apply", "--maintenance", "--json", "--wait", "5") == 0
    assert len(json.loads(capsys.readouterr().out.splitlines()[-1])["commands"]) == 7
    assert command("verify", "--pci", "0000:1a:00.1") == 0
    assert command("watch") == 0
    assert command("version") == 0
    assert command("verify", "--desired", "/nowhere.json") == 3
    assert "/nowhere.json: the desired state cannot be read" in capsys.readouterr().err


def test_the_unit_toggles_links_of_new_devices_and_of_drained_hosts(world, command, capsys):
    """A first look, and an event under load, leave the gap for maintenance; a boot does not."""

    def toggled():
        world.card.calls.clear()
        world.card.gap.update(ipg=12, ipg_oper=12)
        assert command("apply", "--pci", PCI, "--anew") == 0
        waits = "inter_packet_gap 12 stays instead of 33" in capsys.readouterr().out
        assert waits is not ("ip link set dev rail1p1 down" in world.card.calls)
        return not waits

    world.put("/sys/class/net/rail1p1/ifindex", "5\n")
    assert [toggled(), toggled()] == [False, False]
    world.put("/sys/class/net/rail1p1/ifindex", "9\n")
    assert [toggled(), toggled()] == [True, False]
    world.put("/proc/sys/kernel/random/boot_id", "b-2\n")
    watch(world.host(), desired())
    assert not toggled(), "the watchdog has seen it in service"
    world.put("/proc/sys/kernel/random/boot_id", "b-3\n")
    assert [toggled(), toggled()] == [True, False]
    world.put("/etc/spectrum-x/drained", "")
    assert toggled()


def test_one_at_a_time_sets_the_nics(world, command, capsys):
    """The watchdog leaves its round out, others wait; units of cards do not wait for one another."""
    with writing(world.host()):
        assert command("watch") == 0
        assert "this round is left out: /run/spectrum-x/lock: somebody" in capsys.readouterr().out
        with pytest.raises(Busy, match="for more than 180 s: see who with `fuser -v"):
            alone(lambda host: host.check_mode)(world.host())
        assert alone(lambda host: host.check_mode)(world.host(check=True))
        assert command("apply", "--check") == 0
        assert world.card.writes == []
    with writing(world.host(), shared=True):
        assert command("apply", "--pci", PCI) == 0
        with pytest.raises(Busy):
            alone(lambda host: host.check_mode)(world.host())
    assert not alone(lambda host: host.check_mode)(world.host())


@pytest.mark.parametrize(
    "content, words",
    [("{", "it is not JSON"), ('{"schema": 9}', "desired state: schema 9 is not 1")],
)
def test_bad_files_are_one_sentence(world, command, capsys, content, words):
    world.put("/etc/spectrum-x/desired.json", content)
    assert command("verify") == 3
    message = capsys.readouterr().err
    assert words in message
    assert message.count("\n") == 1


def test_another_build_is_named(world, capsys):
    world.put("/d.json", '{"schema": 1, "agent": "1.0.0+aa", "nics": []}')
    assert cli.main(["verify", "--desired", str(world.root / "d.json")], version="1.0.0+bb") == 0
    assert "is 1.0.0+bb, 1.0.0+aa is expected" in capsys.readouterr().err


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


@pytest.mark.parametrize(
    "devices, cpus, dealt",
    [
        (["a", "b"], [2, 3], {"a": [2], "b": [3]}),
        (["a", "b", "c"], [2, 3], {"a": [2], "b": [3], "c": [2]}),
        (["a", "b"], [2, 3, 4], {"a": [2, 4], "b": [3]}),
        (["a"], [], {}),
        ([], [2], {}),
    ],
)
def test_processors_are_dealt_out_in_turn(devices, cpus, dealt):
    assert share(devices, cpus) == dealt


def test_each_algorithm_is_pinned_to_its_own(world, command, monkeypatch, tmp_path):
    second_card(world)
    content = {"schema": 1, "nics": [NIC, {"pci": "2a:00.0"}]}
    world.put("/etc/spectrum-x/desired.json", json.dumps(content))
    pinned = []
    monkeypatch.setattr(os, "sched_setaffinity", lambda pid, cpus: pinned.append((pid, cpus)))
    path = program(tmp_path, "Active", 0.1)
    for device in ("mlx5_0", "mlx5_1"):
        argv = ("--device", device, "--cpus", "2,3", "--program", path, "--timeout", "10")
        assert command("cc", *argv) == 4
    assert pinned == [(0, {2}), (0, {3})]
    assert command("cc", "--device", "mlx5_0", "--cpus", "two") == 3


def test_what_runs_is_moved(world, command, monkeypatch):
    pinned = []
    monkeypatch.setattr(os, "sched_setaffinity", lambda pid, cpus: pinned.append((pid, cpus)))
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {1: {0, 1}}[pid])
    world.algorithm()
    for thread in (4711, 4712):
        world.put(f"/proc/4711/task/{thread}/comm", "x")
    assert command("pin", "--cpus", "5,6") == 0
    assert pinned == [(4711, {5, 6}), (4712, {5, 6})]
    assert command("pin") == 0
    assert pinned[-1] == (4712, {0, 1})


def test_the_state_on_the_host_tells_whether_it_starts_the_algorithm(world):
    assert not starts_algorithm(world.host())
    roce = {**NIC["roce"], "cc": {"unit": "spx-cc@{rdma}.service"}}
    for part, starts in ((NIC["roce"], False), (roce, True)):
        content = {"schema": 1, "nics": [{**NIC, "roce": part}]}
        world.put("/etc/spectrum-x/desired.json", json.dumps(content))
        assert starts_algorithm(world.host()) is starts


PROGRAM = """#!{python}
import sys, time
print("Info: Starting DOCA PCC", flush=True)
print("Info: PCC host status {state}", flush=True)
time.sleep({seconds})
sys.exit(4)
"""


def program(tmp_path, state, seconds):
    path = tmp_path / "doca_spcx_cc"
    path.write_text(PROGRAM.format(python=sys.executable, state=state, seconds=seconds))
    path.chmod(0o755)
    return str(path)


def test_the_runner_notes_the_state_and_ends_with_the_program(tmp_path, capfd):
    status = run_algorithm(
        Host(root=str(tmp_path)), "mlx5_0", program=program(tmp_path, "Active", 0.3), timeout=10
    )
    assert status == 4
    note = json.loads((tmp_path / "run/spectrum-x/cc-mlx5_0.json").read_text())
    assert note["state"] == "ended"
    assert "Starting DOCA PCC" in capfd.readouterr().out


def test_the_runner_gives_up_on_standby(tmp_path):
    with pytest.raises(NicError, match=r"doca_spcx_cc was not active within 0\.6 s"):
        run_algorithm(
            Host(root=str(tmp_path)),
            "mlx5_0",
            program=program(tmp_path, "Standby", 30),
            timeout=0.6,
        )


def test_the_runner_refuses_a_second_instance(world):
    world.algorithm()
    with pytest.raises(
        NicError, match=r"already serves this device as process 4711 \(spx-cc@mlx5_0"
    ):
        run_algorithm(world.host(), "mlx5_0")


def test_the_runner_names_a_missing_program(tmp_path):
    with pytest.raises(NicError, match="install the DOCA package doca-spcx-cc"):
        run_algorithm(Host(root=str(tmp_path)), "mlx5_0", program=str(tmp_path / "none"))


def test_real_tools_are_bounded():
    assert system_runner(["sleep", "30"], 0.2).rc == 124
    assert system_runner(["/no/such/tool"], 1).rc == 127
    assert system_runner(["sh", "-c", "echo out; echo err >&2; exit 3"], 5) == (3, "out\n", "err\n")


def test_a_tool_that_takes_too_long_cleans_up_behind_it(tmp_path):
    """As bfb-install does, which gives functions their driver back."""
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/bash\ntrap 'sleep 1; echo bound' EXIT INT TERM\nsleep 30\n")
    tool.chmod(0o755)
    rc, out, _err = system_runner([str(tool)], 0.5)
    assert (rc, "bound" in out) == (124, True)


def test_a_killed_tool_whose_daemon_keeps_its_output_is_left(tmp_path):
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\nsetsid sleep 12 &\nsleep 12\n")
    tool.chmod(0o755)
    begun = time.monotonic()
    assert system_runner([str(tool)], 0.5).rc == 124
    assert time.monotonic() - begun < 8


def test_a_run_that_cannot_be_written_stops_neither_the_watchdog_nor_the_algorithm(world, tmp_path):
    """A file where the folder of notes should be; a full disk fails in the same place."""
    world.put("/run/spectrum-x", "")
    report = watch(
        world.host(), from_json({"schema": 1, "watch": {"action": "repair"}, "nics": [NIC]})
    )
    assert world.card.trust == "dscp"
    assert "note" in {found["check"] for found in report["findings"]}
    program = tmp_path / "doca_spcx_cc"
    program.write_text("#!/bin/sh\necho 'PCC host status Active'\nsleep 1\n")
    program.chmod(0o755)
    host = Host(root=str(world.root))
    assert run_algorithm(host, "mlx5_0", program=str(program), timeout=5) == 0


def test_counters_that_nobody_could_read_tell_of_no_health(world):
    assert not hasattr(world.card, "do_ethtool")
    nic = {**NIC, "ports": [{"netdev": "rail1p1", "mtu": 9166}]}
    (found,) = probe(world.host(), [], nics_from([nic]))["findings"]
    assert "rail1p1: ethtool shows no counters: install ethtool" in found["sentence"]
