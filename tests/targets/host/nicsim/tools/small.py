# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The small query tools: mst, ofed_info, ibdev2netdev, show_gids, mlxprivhost, bfver, mlxlink."""

from __future__ import annotations

import ipaddress
import json
import pathlib
from collections.abc import Iterator
from typing import Any

from nicsim import faults, hardware, packages
from nicsim.call import Call, ToolError, say
from nicsim.store import State
from nicsim.tools import _mft

PORT = 1


# ------------------------------------------------------------------------------------- mst


def mst(call: Call) -> int:
    """start, stop, status [-v]."""
    command = call.argv[0] if call.argv else ""
    if command in ("start", "restart", "stop"):
        call.wants_write()
        with call.state() as state:
            state["host"]["mst"] = command != "stop"
        if command == "stop":
            say(
                "Stopping MST (Mellanox Software Tools) driver set\nUnloading MST PCI module - "
                "Success"
            )
        else:
            say(
                "Starting MST (Mellanox Software Tools) driver set\nLoading MST PCI module - "
                "Success\nLoading MST PCI configuration module - Success\nCreate devices"
            )
        return 0
    if command == "status":
        with call.state() as state:
            _mst_status(state, verbose="-v" in call.argv)
        return 0
    if command == "version":
        say("mst, mft 4.34.1-10, built on Oct 22 2025, 08:09:02. Git SHA Hash: N/A")
        return 0
    raise ToolError(f"-E- Unknown argument {command}\nUsage: mst <start|stop|restart|status>")


def _mst_status(state: State, *, verbose: bool) -> None:
    loaded = state["host"]["mst"]
    say("MST modules:\n------------")
    say("    MST PCI module is not loaded")
    say(f"    MST PCI configuration module {'' if loaded else 'is not '}loaded\n")
    if not loaded:
        return
    if not verbose:
        say("MST devices:\n------------")
        for nic, function in hardware.each(state):
            if function["index"] == 0:
                say(
                    f"{hardware.mst_name(state, nic, function):<33}- PCI configuration cycles "
                    "access."
                )
        return
    say("PCI devices:\n------------")
    say(f"{'DEVICE_TYPE':<24}{'MST':<30}{'PCI':<10}{'RDMA':<16}{'NET':<40}NUMA")
    for nic, function in hardware.each(state):
        net = f"net-{hardware.netdev_name(function)}"
        say(
            f"{nic['type'] + '(rev:1)':<24}{hardware.mst_name(state, nic, function):<30}"
            f"{function['pci'][5:]:<10}{hardware.rdma_name(nic, function):<16}{net:<40}"
            f"{function['numa']}\n"
        )


# ----------------------------------------------------------------------------- OFED helpers


def ofed_info(call: Call) -> int:
    """`-s`: the stack's name with its trailing colon."""
    version = packages.ofed_version()
    if version is None:
        raise ToolError("ofed_info: no installed stack found", 1, "stderr")
    say(f"{version}:")
    if "-s" not in call.argv:
        for name, number in sorted(packages.installed().items()):
            say(f"{name}-{number}")
    return 0


def ibdev2netdev(call: Call) -> int:
    """RDMA device to network device; `-v` adds PCI, part, firmware and port state."""
    with call.state() as state:
        for nic, function in hardware.each(state):
            up = hardware.link_up(nic, function)
            rdma, net = hardware.rdma_name(nic, function), hardware.netdev_name(function)
            word = "Up" if up else "Down"
            port = function["index"] + 1 if hardware.planes(nic) else PORT
            if "-v" not in call.argv:
                say(f"{rdma} port {port} ==> {net} ({word})")
                continue
            say(
                f"{function['pci']} {rdma} (MT{int(nic['device_id'], 16)} - "
                f"{nic['part_number'].split('_')[0]}) {nic['description']} fw "
                f"{nic['firmware']['running']} port {port} ({'ACTIVE' if up else 'DOWN  '}) ==> "
                f"{net} ({word})"
            )
    return 0


def gid_rows(nic: hardware.Nic, function: hardware.Function) -> Iterator[tuple[int, str, str, str]]:
    """(index, gid, IPv4 or empty, v1|v2): two entries an address, link-local first."""
    found = hardware.addresses(function)
    locals6 = [a["local"] for a in found if a["family"] == "inet6" and a["scope"] == "link"]
    others = [a["local"] for a in found if a["scope"] != "link" and a["scope"] != "host"]
    index = 0
    for text in (locals6 or [_link_local(nic, function)]) + others:
        address = ipaddress.ip_address(text)
        four = text if address.version == 4 else ""
        gid = ipaddress.ip_address(f"::ffff:{text}") if four else address
        for kind in ("v1", "v2"):
            yield index, gid.exploded, four, kind
            index += 1


def _link_local(nic: hardware.Nic, function: hardware.Function) -> str:
    tail = int(nic["base_mac"], 16) + function["index"]
    return str(ipaddress.IPv6Address((0xFE80 << 112) + tail))


def show_gids(call: Call) -> int:
    """DEV PORT INDEX GID IPv4 VER DEV, and how many."""
    wanted = call.argv[0] if call.argv else None
    say("DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV")
    say("---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---")
    count = 0
    with call.state() as state:
        for nic, function in hardware.each(state):
            rdma = hardware.rdma_name(nic, function)
            if wanted not in (None, rdma):
                continue
            for index, gid, four, kind in gid_rows(nic, function):
                say(
                    f"{rdma}\t{PORT}\t{index}\t{gid}\t{four:<12}  \t{kind}\t"
                    f"{hardware.netdev_name(function)}"
                )
                count += 1
    say(f"n_gids_found={count}")
    return 0


# ------------------------------------------------------------------------------ mlxprivhost


def mlxprivhost(call: Call) -> int:
    """`-d DEV q`, and r / p to restrict or privilege."""
    options, words = _mft.read_options(call.argv, {"-d": "device", "--device": "device"}, {})
    if "device" not in options or not words:
        raise ToolError(
            "-E- the following arguments are required: --device/-d, command", 2, "stderr"
        )
    with call.state() as state:
        nic, _function = _mft.device(state, options["device"])
        if words[0] in ("q", "query"):
            _print_privilege(restricted=faults.restricted(state, nic))
            return 0
        if words[0] not in ("r", "restrict", "p", "privilege"):
            raise ToolError(f"-E- invalid command: {words[0]}", 2, "stderr")
        call.wants_write()
        if faults.restricted(state, nic):
            raise ToolError("-E- Failed to change the host's level: the host is restricted")
        nic["privilege"] = "RESTRICTED" if words[0].startswith("r") else "PRIVILEGED"
        say("Configurations is changed successfully")
    return 0


def _print_privilege(*, restricted: bool) -> None:
    say("Host configurations\n-------------------")
    say(f"{'level':<30}: {'RESTRICTED' if restricted else 'PRIVILEGED'}\n")
    say("Port functions status:\n-----------------------")
    for name in ("disable_rshim", "disable_tracer", "disable_port_owner", "disable_counter_rd"):
        say(f"{name:<30}: {'TRUE' if restricted else 'FALSE'}")
    say()


# ------------------------------------------------------------------------------ bfver, mlxlink


def bfver(call: Call) -> int:
    """Versions of both boot partitions, or of a bundle with -f."""
    from nicsim import images

    if "-f" in call.argv:
        position = call.argv.index("-f") + 1
        path = call.argv[position] if position < len(call.argv) else ""
        bundle = images.read(path, images.BUNDLE, f"Error: file {path} is not a valid BFB")
        _bf_versions(bundle.get("dpu", {}))
        return 0
    with call.state() as state:
        dpu = state["host"]["dpu"]
    if not dpu:
        raise ToolError("Error: bfver must be run on a BlueField", 1, "stderr")
    for partition in ("--/dev/mmcblk0boot0", "--/dev/mmcblk0boot1"):
        say(partition)
        _bf_versions(dpu)
    say(f"OS Release Version: {dpu['os_release']}")
    return 0


def _bf_versions(dpu: dict[str, str]) -> None:
    say(f"BlueField ATF version: {dpu.get('atf', 'N/A')}")
    say(f"BlueField UEFI version: {dpu.get('uefi', 'N/A')}")
    say(f"BlueField BSP version: {dpu.get('bsp', 'N/A')}\n")


def mlxlink(call: Call) -> int:
    """Link state as text or JSON; every JSON leaf is a string."""
    values = {"-d": "device", "--device": "device", "-p": "port", "--port": "port"}
    flags = {
        "--json": "json",
        "-m": "module",
        "--show_module": "module",
        "-c": "counters",
        "--show_counters": "counters",
        "--cable": "cable",
        "-e": "eye",
    }
    options, words = _mft.read_options(call.argv, values, flags)
    if "device" not in options or words:
        raise ToolError("-E- No device was specified")
    with call.state() as state:
        nic, function = _mft.device(state, options["device"])
        up = hardware.link_up(nic, function)
    output = _link_report(nic, function, up=up)
    if "json" in options:
        say(
            json.dumps(
                {"result": {"output": output}, "status": {"code": 0, "message": "success"}},
                indent=4,
            )
        )
        return 0
    for title, rows in output.items():
        say(f"\n{title}\n{'-' * len(title)}")
        for key, value in rows.items():
            say(f"{key:<34}: {value if isinstance(value, str) else value['values']}")
    return 0


def _link_report(
    nic: hardware.Nic, function: hardware.Function, *, up: bool
) -> dict[str, dict[str, Any]]:
    speed = f"{function['link']['speed_gbps']}G"
    speeds = {"mask": "0x00010000", "values": speed}
    problem = "No issue was observed" if up else "Signal is not detected"
    return {
        "Operational Info": {
            "State": "Active" if up else "Polling",
            "Physical state": "LinkUp" if up else "Polling",
            "Speed": speed if up else "N/A",
            "Width": "4x" if up else "N/A",
            "FEC": "Ethernet_Consortium_LL_50G_RS_FEC_PLR -(272,257+1)" if up else "N/A",
            "Loopback Mode": "No Loopback",
            "Auto Negotiation": "ON",
        },
        "Supported Info": {"Enabled Link Speed": speeds, "Supported Cable Speed": speeds},
        "Troubleshooting Info": {
            "Status Opcode": "0" if up else "1024",
            "Group Opcode": "N/A",
            "Recommendation": problem,
        },
        "Tool Information": {
            "Firmware Version": nic["firmware"]["running"],
            "amBER Version": "4.8",
            "MFT Version": "mft 4.34.1-10",
        },
    }


def mlxvpd(call: Call) -> int:
    """Part and serial number."""
    options, _words = _mft.read_options(call.argv, {"-d": "device"}, {})
    with call.state() as state:
        nic, _function = _mft.device(state, options.get("device", ""))
    say("\n  VPD-KEYWORD    DESCRIPTION             VALUE\n  " + "-" * 60)
    rows: list[tuple[str, str, str]] = [
        ("PN", "Part Number", nic["part_number"].split("_")[0]),
        ("SN", "Serial Number", nic["serial"]),
    ]
    for key, text, value in rows:
        say(f"  {key:<15}{text:<24}{value}")
    return 0


def mlx_mkbfb(call: Call) -> int:
    """`-x -n info-v0 FILE`: write dump-info-v0 with the bundle's versions."""
    from nicsim import images

    if not call.argv or "-x" not in call.argv:
        raise ToolError("usage: mlx-mkbfb -x [-n NAME] FILE", 2, "stderr")
    path = call.argv[-1]
    bundle = images.read(path, images.BUNDLE, f"mlx-mkbfb: {path}: bad magic number")
    content = {
        "Members": [
            {"Name": "BF3_NIC_FW", "Version": bundle["nic_fw"]},
            {"Name": "BF3_ATF", "Version": bundle.get("dpu", {}).get("atf", "N/A")},
        ]
    }
    pathlib.Path("dump-info-v0").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return 0
