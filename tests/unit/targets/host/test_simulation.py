# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulation itself: port functions, congestion control, sysfs view, udev, faults, log."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time

import pytest
from nicsim import store
from simulated_host import TARGET

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.backends import files
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.interfaces import (
    interfaces_from,
)

BDF = "0000:18:00.0"
NET = "ens3np0"


# ------------------------------------------------------------------------ planes


def split(host, **values):
    pairs = [f"{name}={value}" for name, value in values.items()]
    for bdf in (BDF, "0000:3a:00.0"):
        assert host("mlxconfig", "-y", "-d", bdf, "set", *pairs).rc == 0
    host.admin("reboot")


def test_a_second_function_appears_after_the_breakout_is_current(empty):
    host = empty.init("cx8-2plane")
    assert host("mlxconfig", "-d", "0000:18:00.1", "q").rc != 0
    assert len(json.loads(host("rdma", "link", "-j").out)) == 2
    split(host, NUM_OF_PF=2, NUM_OF_PLANES_P1=0, LAG_RESOURCE_ALLOCATION=0)
    links = json.loads(host("rdma", "link", "-j").out)
    assert [link["ifname"] for link in links] == ["mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3"]
    assert host("mlxconfig", "-d", "0000:18:00.1", "q").rc == 0


@pytest.mark.parametrize(("names", "shown"), [("factory", 1), ("plan", 2)])
def test_a_card_whose_ports_have_the_names_of_the_plan_shows_both(empty, tmp_path, names, shown):
    ports = [{"port": f"rail1p{n + 1}", "pci": f"0000:18:00.{n}"} for n in (0, 1)]
    for number, port in enumerate(ports):
        port["netdev"] = port["port"] if names == "plan" else f"enp24s0f{number}np{number}"
    nics = tmp_path / "ports.json"
    nics.write_text(json.dumps(ports))
    assert empty.admin("init", "--from", "cx8-2plane", "--nics", str(nics)).rc == 0
    links = json.loads(empty("rdma", "link", "-j").out)
    assert [link["netdev"] for link in links] == [port["netdev"] for port in ports][:shown]


def test_hardware_planes_share_one_rdma_device(empty):
    host = empty.init("cx8-2plane")
    split(host, NUM_OF_PF=2, NUM_OF_PLANES_P1=2, LAG_RESOURCE_ALLOCATION=1)
    links = json.loads(host("rdma", "link", "-j").out)
    assert [(link["ifname"], link["netdev"]) for link in links] == [
        ("mlx5_0", "ens3np0"),
        ("mlx5_0", "ens3np1"),
        ("mlx5_2", "ens4np0"),
        ("mlx5_2", "ens4np1"),
    ]
    assert len(json.loads(host("rdma", "dev", "-j").out)) == 2
    text = host("mlxreg", "-d", BDF, "--reg_name", "ROCE_ACCL", "--get").out
    assert "cc_per_plane_en_field_select                   | 0x00000001" in text


# ------------------------------------------------------------- congestion control


def enable_cc(host, delay="0.2"):
    host("mlxconfig", "-y", "-d", BDF, "set", "USER_PROGRAMMABLE_CC=1")
    host.admin("reboot")
    host.admin("set", "host.cc_delay", delay)


def read_until(process, text, seconds=10):
    deadline = time.monotonic() + seconds
    lines = []
    while time.monotonic() < deadline:
        line = process.stdout.readline()
        lines.append(line.rstrip())
        if text in line or not line:
            break
    return lines


def stop(process):
    process.send_signal(signal.SIGTERM)
    try:
        return process.wait(10)
    finally:
        process.kill()


def test_the_process_logs_active_after_a_delay_and_stops_on_sigterm(host):
    enable_cc(host)
    process = host.spawn("doca_spcx_cc", "-d", "mlx5_0")
    try:
        assert read_until(process, "Active") == [
            "Info: Welcome to DOCA Programable Congestion Control (PCC) application",
            "Info: Starting DOCA PCC",
            "Info: PCC host status Standby",
            "Info: PCC host status Active",
        ]
        assert host.state("nics.0.functions.0.runtime.cc")["status"] == "Active"
        second = host("doca_spcx_cc", "-d", "mlx5_0")
        assert second.rc != 0
        assert "in use" in second.out
    finally:
        assert stop(process) == 0
    assert host.state("nics.0.functions.0.runtime.cc") is None


@pytest.mark.parametrize("device", ["mlx5_0", "ens3np0", "mlx5_9"])
def test_it_needs_an_rdma_device_and_the_enabled_setting(host, device):
    result = host("doca_spcx_cc", "-d", device)
    assert result.rc != 0
    assert "Error: Failed to create DOCA PCC" in result.out


def test_parameters_written_before_it_starts_are_lost(host):
    enable_cc(host)
    indexes = "local_port=1,pnat=0,lp_msb=0,algo_slot=0,algo_param_index=3"
    host("mlxreg", "-d", BDF, "-y", "--set", "cmd_type=8,value=7", "--reg_name", "PPCC",
         "--indexes", indexes)  # fmt: skip
    assert host.state("nics.0.functions.0.runtime.ppcc.0.params.3") == 7
    process = host.spawn("doca_spcx_cc", "-d", "mlx5_0")
    try:
        read_until(process, "Active")
        assert host.state("nics.0.functions.0.runtime.ppcc.0.params.3") == 0
    finally:
        stop(process)


def test_a_reset_of_the_nic_kills_it(host):
    enable_cc(host)
    process = host.spawn("doca_spcx_cc", "-d", "mlx5_0")
    try:
        read_until(process, "Active")
        host("mlxfwreset", "-d", BDF, "-y", "reset")
        assert process.wait(10) == -signal.SIGKILL
    finally:
        process.kill()
        process.wait()


def test_never_active_and_crashing(host):
    enable_cc(host)
    host.admin("fault", "add", "cc-never-active")
    process = host.spawn("doca_spcx_cc", "-d", "mlx5_0")
    try:
        lines = read_until(process, "Waiting on DOCA PCC")
        assert not any("Active" in line for line in lines)
        assert host.state("nics.0.functions.0.runtime.cc")["status"] == "Standby"
    finally:
        stop(process)
    host.admin("fault", "add", "cc-crashes")
    assert host("doca_spcx_cc", "-d", "mlx5_0").rc == 1


# ------------------------------------------------------------------------- sysfs


def attribute(host, path):
    return host.folder / "run" / "sys" / path


def test_a_written_attribute_is_taken_over_and_logged(host):
    host.admin("sync")
    file = attribute(host, f"class/net/{NET}/ecn/roce_np/cnp_dscp")
    assert file.read_text() == "48\n"
    file.write_text("46")
    host.admin("sync")
    assert host.state("nics.0.functions.0.runtime.cnp_dscp") == 46
    assert file.read_text() == "46\n"
    entry = host.log(writes=True)[-1]
    assert (entry["tool"], entry["argv"]) == (
        "sysfs",
        [f"class/net/{NET}/ecn/roce_np/cnp_dscp", "46"],
    )


def test_writing_the_same_value_is_a_write_too(host):
    host.admin("sync")
    file = attribute(host, f"class/net/{NET}/ecn/roce_rp/enable/3")
    before = file.stat().st_mtime_ns
    file.write_text("0\n")
    os.utime(file, ns=(before + 1, before + 1))
    host.admin("sync")
    assert len(host.log(writes=True)) == 1
    host.admin("sync")
    assert len(host.log(writes=True)) == 1


def test_a_refused_value_is_dropped(host):
    host.admin("sync")
    file = attribute(host, f"class/net/{NET}/ecn/roce_np/cnp_dscp")
    file.write_text("64")
    host.admin("sync")
    assert file.read_text() == "48\n"
    assert host.log(writes=True)[-1]["rc"] == 1


def test_a_write_under_way_is_not_lost(host):
    """Whoever writes a file empties it first, and a stand-in may look at it in between."""
    host.admin("sync")
    file = attribute(host, f"class/net/{NET}/ecn/roce_np/cnp_dscp")
    with file.open("w", encoding="utf-8") as opened, store.transaction(show=True):
        opened.write("46")
        opened.flush()
    host.admin("sync")
    assert host.state("nics.0.functions.0.runtime.cnp_dscp") == 46


def test_traffic_class_reads_back_with_its_label(host):
    host.admin("sync")
    file = attribute(host, "class/infiniband/mlx5_0/tc/1/traffic_class")
    assert file.read_text() == ""
    file.write_text("96")
    host.admin("sync")
    assert file.read_text() == "Global tclass=96\n"
    host.admin("reboot")
    assert file.read_text() == ""


def test_the_tree_links_devices_both_ways(host):
    host.admin("sync")
    device = attribute(host, f"bus/pci/devices/{BDF}")
    assert (device / "device").read_text() == "0xa2dc\n"
    assert (device / "net" / NET / "device" / "vendor").read_text() == "0x15b3\n"
    assert (device / "infiniband" / "mlx5_0" / "ports" / "1" / "state").read_text() == "4: ACTIVE\n"
    gids = attribute(host, "class/infiniband/mlx5_0/ports/1/gid_attrs/types/1")
    assert gids.read_text() == "RoCE v2\n"


def test_cnp_dscp_after_a_reboot_is_that_of_the_nv_setting(host):
    assert host.state("nics.1.functions.0.runtime.cnp_dscp") == 4
    attribute(host, "x").parent.mkdir(parents=True, exist_ok=True)
    host.admin("set", "nics.1.functions.0.runtime.cnp_dscp", "48")
    host.admin("reboot")
    assert host.state("nics.1.functions.0.runtime.cnp_dscp") == 4


# -------------------------------------------------------------------------- udev


@pytest.mark.parametrize(
    "rule, name",
    [
        ('SUBSYSTEM=="net", ACTION=="add", KERNELS=="0000:18:00.0", NAME="rail1p1"', "rail1p1"),
        ('SUBSYSTEM=="net", KERNELS=="0000:18:00.*", ATTR{phys_port_name}=="p0", NAME="x"', "x"),
        ('SUBSYSTEM=="net", KERNELS=="0000:99:00.0", NAME="rail1p1"', NET),
        ('SUBSYSTEM=="net", KERNELS=="0000:18:00.0", UNKNOWN_KEY=="1", NAME="rail1p1"', NET),
        ('SUBSYSTEM=="net", KERNELS=="0000:18:00.0", ATTR{phys_port_name}!="p0", NAME="y"', NET),
    ],
)
def test_rules_name_devices_at_boot(host, rule, name):
    (host.folder / "rules.d" / "10-names.rules").write_text(rule + "\n")
    host.admin("reboot")
    assert json.loads(host("rdma", "link", "-j").out)[0]["netdev"] == name


def test_a_rule_may_pass_others_over(host):
    (host.folder / "rules.d" / "10-names.rules").write_text(
        'KERNELS=="0000:18:00.0", GOTO="end"\nNAME="x"\nLABEL="end"\n'
    )
    host.admin("reboot")
    assert [row["netdev"] for row in json.loads(host("rdma", "link", "-j").out)] == [NET, "x"]


@pytest.mark.parametrize(
    "port, below, name",
    [
        ("p0", "net", "rail1p1"),
        ("p12", "net", "rail1p1"),
        ("", "net", "rail1p1"),
        (None, "net", "rail1p1"),
        ("pf0vf1", "net", None),
        ("pf0sf0", "net", None),
        ("p0vf1", "net", None),
        ("c1pf0", "net", None),
        (None, "mlx5_core.sf.2/net", None),
    ],
)
def test_our_names_are_those_of_the_ports_alone(host, port, below, name):
    """As the host is read live: neither a representor nor a subfunction, whose port has no name."""
    from nicsim import store, udev

    (rules, *_others) = files("networkd", interfaces_from([{"name": "rail1p1", "pci": BDF}]))
    (host.folder / "rules.d" / "70.rules").write_bytes(rules.content)
    with store.transaction() as state:
        nic, function = next(udev.hardware.each(state))
        keys = udev.event(nic, function, "net")
    keys["DEVPATH"] = keys["DEVPATH"].replace("/net/", f"/{below}/")
    del keys["ATTR{phys_port_name}"]
    if port is not None:
        keys["ATTR{phys_port_name}"] = port
    assert udev.evaluate(keys)[0] == name


def test_a_link_file_names_by_pci_path(host):
    (host.folder / "links" / "10-rail1p1.link").write_text(
        "[Match]\nPath=pci-0000:18:00.0\n\n[Link]\nName=rail1p1\n"
    )
    host.admin("reboot")
    assert host("mlnx_qos", "-i", "rail1p1").rc == 0


def test_rules_rename_rdma_devices_and_want_units(host):
    from nicsim import store, udev

    (host.folder / "rules.d" / "10.rules").write_text(
        'ACTION=="add", KERNELS=="0000:18:00.0", SUBSYSTEM=="infiniband", '
        'RUN+="/usr/bin/rdma dev set %k name roce_r1"\n'
        'ACTION=="add", KERNELS=="0000:18:00.0", SUBSYSTEM=="net", TAG+="systemd", '
        'ENV{SYSTEMD_WANTS}+="spx-nic@%k.service"\n'
    )
    with store.transaction() as state:
        assert udev.announce(state) == ["spx-nic@ens3np0.service"]
    assert host("ibdev2netdev").out.startswith("roce_r1 ")


# --------------------------------------------------------------- admin and faults


def test_every_fault_is_described_and_can_be_set_and_cleared(host):
    from nicsim import effects, faults

    readme = (TARGET / "README.md").read_text()
    for name in faults.KNOWN:
        assert f"`{name}`" in readme, name
        if name not in effects.EFFECTS:
            assert host.admin("fault", "add", name, "--nic", BDF).rc == 0
    assert len(host.state("faults")) == len(faults.KNOWN) - len(effects.EFFECTS)
    host.admin("fault", "clear")
    assert host.state("faults") == []


def test_admin_mistakes_are_one_sentence(host):
    for arguments in (
        ("fault", "add", "no-such"),
        ("fault", "add", "missing-tool"),
        ("init", "--from", "no-such"),
        ("show", "nics.9"),
    ):
        result = host.admin(*arguments)
        assert result.rc == 1
        assert result.err.startswith("nicsim: ")
        assert result.err.count("\n") == 1


def test_a_host_that_was_never_initialised_says_so(empty):
    result = empty("mlxconfig", "-d", BDF, "q")
    assert result.rc == 1
    assert "run `nicsim init`" in result.err


def test_the_cabled_ports_decide_names_and_cards(empty):
    (empty.folder / "nics.json").write_text(
        json.dumps(
            [
                {"port": "rail1p1", "netdev": "eth1", "pci": "0000:18:00.0"},
                {"port": "rail2p1", "netdev": "eth2", "pci": "0000:3a:00.0"},
                {"port": "rail3p1", "netdev": "eth3", "pci": "0000:5c:00.0"},
            ]
        )
    )
    host = empty.init()
    assert [link["netdev"] for link in json.loads(host("rdma", "link", "-j").out)] == [
        "eth1",
        "eth2",
        "eth3",
    ]


def test_a_renamed_device_is_followed_by_its_index(empty):
    (empty.folder / "nics.json").write_text(
        json.dumps([{"port": "rail1p1", "netdev": "eth1", "pci": BDF}])
    )
    device = empty.folder / "net" / "eth1"
    device.mkdir()
    (device / "ifindex").write_text("7\n")
    (device / "carrier").write_text("1\n")
    host = empty.init()
    device.rename(device.with_name("rail1p1"))
    assert host("ibdev2netdev").out == "mlx5_0 port 1 ==> rail1p1 (Up)\n"
    (empty.folder / "net" / "rail1p1" / "carrier").write_text("0\n")
    assert host("ibdev2netdev").out == "mlx5_0 port 1 ==> rail1p1 (Down)\n"


def test_the_log_tells_reads_from_writes(host):
    host("mlxconfig", "-d", BDF, "q")
    host("mlnx_qos", "-i", NET)
    host("mlxreg", "-d", BDF, "--reg_name", "ROCE_ACCL", "--get")
    host("flint", "-d", BDF, "q")
    host("mlxfwreset", "-d", BDF, "q")
    host("mlnx_qos", "-i", NET, "--dcbx", "get")
    assert host.log(writes=True) == []
    assert len(host.log()) == 6
    host("mlxconfig", "-y", "-d", BDF, "set", "NO_SUCH=1")
    entry = host.log(writes=True)[0]
    assert (entry["tool"], entry["rc"] != 0, entry["argv"][-1]) == ("mlxconfig", True, "NO_SUCH=1")
    assert host.admin("log", "--writes", "--count", "--clear").out == "1\n"
    assert host.log() == []


def test_every_boot_has_its_own_id(host):
    seen = {host.state("boot.id")}
    for command in ("reboot", "power-cycle"):
        host.admin(command)
        seen.add((host.folder / "run" / "boot_id").read_text().strip())
    assert len(seen) == 3
    assert host.state("boot.count") == 3


def test_reset_returns_to_the_factory_state(host):
    before = host.state("nics")
    host("mlxconfig", "-y", "-d", BDF, "set", "SRIOV_EN=1")
    host.admin("fault", "add", "burn-fails")
    host.admin("reset")
    assert host.state("nics") == before
    assert host.state("faults") == []
    assert host.log() == []


def test_two_writers_do_not_lose_each_others_changes(host):
    values = [str(value) for value in range(1, 9)]
    tool = host.folder / "bin" / "mlxconfig"
    running = [
        subprocess.Popen(
            ["python3", tool, "-y", "-d", BDF, "set", f"MODULE_SPLIT_M0[{value}]={value}"],
            stdout=subprocess.DEVNULL,
        )
        for value in values
    ]
    assert [process.wait(30) for process in running] == [0] * 8
    found = host.state("nics.0.nv.next")
    assert [str(found[f"MODULE_SPLIT_M0[{value}]"]) for value in values] == values
