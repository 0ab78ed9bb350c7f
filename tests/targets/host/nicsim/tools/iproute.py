# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""devlink, rdma and dcb for simulated devices; anything else goes to the real tool."""

from __future__ import annotations

import json
from typing import Any, Optional

from nicsim import dcb, faults, hardware, real
from nicsim.call import Call, ToolError, say
from nicsim.lifecycle import RDMA_COUNTERS
from nicsim.store import State
from nicsim.tools import ethtool


class Foreign(Exception):
    """The call is not about a simulated device."""


def _words(call: Call) -> tuple[bool, list[str]]:
    """Return whether JSON is requested, and the words without any option letters."""
    as_json = any(word in ("-j", "--json", "-jp", "-pj") for word in call.argv)
    return as_json, [word for word in call.argv if not word.startswith("-")]


def _print(as_json: bool, value: Any, text: list[str]) -> int:
    if as_json:
        say(json.dumps(value))
    else:
        for line in text:
            say(line)
    return 0


def run(call: Call) -> int:
    """Try the simulation; delegate what is not about it."""
    as_json, words = _words(call)
    handler = {"devlink": devlink, "rdma": rdma, "dcb": dcb_tool}[call.tool]
    try:
        with call.state() as state:
            return handler(call, state, as_json, words)
    except Foreign:
        call.write = False
        return real.delegate(call)


# --------------------------------------------------------------------------------- devlink


def devlink(call: Call, state: State, as_json: bool, words: list[str]) -> int:
    """`dev show|info`, `port show`, `health show`."""
    head = _expand(words, ("dev", "health", "port"), ("show", "info", "list"))
    if head is None:
        raise Foreign
    (area, verb), rest = head, words[2:]
    targets = _devlink_targets(state, rest)
    if (area, verb) == ("dev", "info"):
        info = {f"pci/{f['pci']}": _info(nic) for nic, f in targets}
        return _print(as_json, {"info": info}, _info_text(info))
    if area == "dev":
        return _print(
            as_json,
            {"dev": {f"pci/{f['pci']}": {} for _n, f in targets}},
            [f"pci/{f['pci']}" for _n, f in targets],
        )
    if area == "port":
        ports = {f"pci/{f['pci']}/{i}": _port(f) for i, (_n, f) in enumerate(targets)}
        return _print(
            as_json,
            {"port": ports},
            [
                f"{k}: type eth netdev {v['netdev']} flavour physical port {v['port']} "
                "splittable false"
                for k, v in ports.items()
            ],
        )
    if area == "health":
        health = {f"pci/{f['pci']}": [_reporter("fw"), _reporter("fw_fatal")] for _n, f in targets}
        return _print(as_json, {"health": health}, [f"{k}:" for k in health])
    raise Foreign


def _expand(
    words: list[str], areas: tuple[str, ...], verbs: tuple[str, ...]
) -> Optional[tuple[str, str]]:
    if not words or words[0] not in areas:
        return None
    verb = words[1] if len(words) > 1 else "show"
    return (words[0], "show" if verb == "list" else verb) if verb in verbs else None


def _devlink_targets(state: State, rest: list[str]) -> list[Any]:
    if not rest:
        return list(hardware.each(state))
    bus, _slash, pci = rest[0].partition("/")
    found = [pair for pair in hardware.each(state) if pair[1]["pci"] == pci.split("/")[0]]
    if bus != "pci" or not found:
        raise Foreign
    return found


def _info(nic: Any) -> dict[str, Any]:
    """`running` is what works, `stored` is what the next reset loads."""
    firmware = nic["firmware"]
    return {
        "driver": "mlx5_core",
        "serial_number": nic["serial"],
        "board.serial_number": nic["serial"],
        "versions": {
            "fixed": {"fw.psid": nic["psid"]},
            "running": {"fw.version": firmware["running"], "fw": firmware["running"]},
            "stored": {"fw.version": firmware["burned"], "fw": firmware["burned"]},
        },
    }


def _info_text(info: dict[str, Any]) -> list[str]:
    lines = []
    for handle, entry in info.items():
        lines += [
            f"{handle}:",
            f"  driver {entry['driver']}",
            f"  serial_number {entry['serial_number']}",
            "  versions:",
        ]
        for kind, versions in entry["versions"].items():
            lines.append(f"      {kind}:")
            lines += [f"        {key} {value}" for key, value in versions.items()]
    return lines


def _port(function: Any) -> dict[str, Any]:
    return {
        "type": "eth",
        "netdev": hardware.netdev_name(function),
        "flavour": "physical",
        "port": function["index"],
        "splittable": False,
    }


def _reporter(name: str) -> dict[str, Any]:
    return {
        "reporter": name,
        "state": "healthy",
        "error": 0,
        "recover": 0,
        "grace_period": 0,
        "auto_recover": True,
        "auto_dump": True,
    }


# ------------------------------------------------------------------------------------ rdma


def rdma(call: Call, state: State, as_json: bool, words: list[str]) -> int:
    """`link`, `dev`, `dev set X name Y`, `statistic show`, `system`."""
    area = words[0] if words else "help"
    rest = [word for word in words[1:] if word not in ("show", "list", "link") or area == "x"]
    if area == "dev" and len(words) >= 5 and words[1] == "set":
        call.wants_write()
        return _rename(state, words[2:])
    if area in ("link", "dev", "statistic"):
        pairs = [
            p
            for p in (hardware.rdma_devices(state) if area != "link" else hardware.each(state))
            if _matches(p, rest)
        ]
        if rest and not pairs:
            raise Foreign
        return {"link": _links, "dev": _devs, "statistic": _stats}[area](state, as_json, pairs)
    raise Foreign


def _matches(pair: Any, rest: list[str]) -> bool:
    return not rest or hardware.rdma_name(*pair) == rest[0].partition("/")[0]


def _rename(state: State, rest: list[str]) -> int:
    if hardware.find_rdma(state, rest[0]) is None or rest[1] != "name":
        raise Foreign
    refused = hardware.rename_rdma(state, rest[0], rest[2])
    if refused:
        raise ToolError(f"error: {refused}", 1, "stderr")
    return 0


def _links(state: State, as_json: bool, pairs: list[Any]) -> int:
    rows = []
    for number, (nic, function) in enumerate(pairs):
        up = hardware.link_up(nic, function)
        name = hardware.netdev_name(function)
        rows.append(
            {
                "ifindex": number,
                "ifname": hardware.rdma_name(nic, function),
                "port": function["index"] + 1 if hardware.planes(nic) else 1,
                "state": "ACTIVE" if up else "DOWN",
                "physical_state": "LINK_UP" if up else "DISABLED",
                "netdev": name,
                "netdev_index": hardware.ifindex(name) or number + 2,
            }
        )
    return _print(
        as_json,
        rows,
        [
            f"link {r['ifname']}/{r['port']} state {r['state']} "
            f"physical_state {r['physical_state']} netdev {r['netdev']} "
            for r in rows
        ],
    )


def _devs(state: State, as_json: bool, pairs: list[Any]) -> int:
    rows = []
    for number, (nic, function) in enumerate(pairs):
        guid = ":".join(nic["base_guid"][i : i + 4] for i in range(0, 16, 4))
        rows.append(
            {
                "ifindex": number,
                "ifname": hardware.rdma_name(nic, function),
                "node_type": "ca",
                "fw": nic["firmware"]["running"],
                "node_guid": guid,
                "sys_image_guid": guid,
            }
        )
    return _print(
        as_json,
        rows,
        [
            f"{r['ifindex']}: {r['ifname']}: node_type {r['node_type']} fw {r['fw']} node_guid "
            f"{r['node_guid']} sys_image_guid {r['sys_image_guid']} "
            for r in rows
        ],
    )


def _stats(state: State, as_json: bool, pairs: list[Any]) -> int:
    rows = []
    for number, (nic, function) in enumerate(pairs):
        ethtool.counters(state, nic, function)
        rows.append(
            {
                "ifindex": number,
                "ifname": hardware.rdma_name(nic, function),
                "port": 1,
                **{name: function["counters"][name] for name in RDMA_COUNTERS},
            }
        )
    return _print(
        as_json,
        rows,
        [f"link {r['ifname']}/1 " + " ".join(f"{n} {r[n]}" for n in RDMA_COUNTERS) for r in rows],
    )


# ------------------------------------------------------------------------------------- dcb


def dcb_tool(call: Call, state: State, as_json: bool, words: list[str]) -> int:
    """`dcb pfc|ets|buffer|app|dcbx show|set|add|del|replace|flush dev IF ...`."""
    if len(words) < 4 or words[2] != "dev":
        raise Foreign
    area, verb, name, rest = words[0], words[1], words[3], words[4:]
    found = hardware.find_netdev(state, name)
    if found is None:
        raise Foreign
    if area not in ("pfc", "ets", "buffer", "app", "dcbx"):
        raise ToolError(f'Object "{area}" is unknown, try "dcb help".', 255, "stderr")
    nic, function = found
    if faults.active(state, "dcbx-firmware", nic):
        function["runtime"].update(dcbx="fw", pfc=[0] * 8)
    if verb == "show":
        value = _dcb_show(function["runtime"], area)
        return _print(as_json, value, [f"{k} {v}" for k, v in value.items()])
    call.wants_write()
    _dcb_write(function["runtime"], area, verb, rest)
    return 0


def _dcb_show(runtime: dict[str, Any], area: str) -> dict[str, Any]:
    if area == "pfc":
        return {
            "pfc_cap": 8,
            "macsec_bypass": False,
            "delay": runtime["cable_len"],
            "prio_pfc": [bool(bit) for bit in runtime["pfc"]],
            "requests": [0] * 8,
            "indications": [0] * 8,
        }
    if area == "buffer":
        return {
            "prio_buffer": dcb.prio2buffer(runtime),
            "buffer_size": dcb.buffer_size(runtime),
            "total_size": dcb.TOTAL_BUFFER,
        }
    if area == "app":
        pairs = [[dscp, prio] for dscp, prio in sorted(dcb.entries(runtime))]
        return {"dscp_prio": pairs} if pairs else {}
    if area == "ets":
        return {
            "willing": False,
            "ets_cap": 8,
            "cbs": False,
            "tc_bw": runtime["tc_bw"],
            "tc_tsa": runtime["tsa"],
            "prio_tc": runtime["prio_tc"],
        }
    host = runtime["dcbx"] == "os"
    return {"host": host, "lld_managed": not host, "cee": True, "ieee": True, "static": False}


def _dcb_write(runtime: dict[str, Any], area: str, verb: str, rest: list[str]) -> None:
    if area == "pfc" and verb == "set" and rest[:1] == ["prio-pfc"]:
        for key, value in _dcb_pairs(rest[1:]):
            if value not in ("on", "off"):
                raise ToolError(f"Invalid value: {value}", 1, "stderr")
            chosen = range(8) if key == "all" else [int(key)]
            for priority in chosen:
                runtime["pfc"][priority] = int(value == "on")
    elif area == "app" and rest[:1] == ["dscp-prio"] and verb in ("add", "replace", "del"):
        for key, value in _dcb_pairs(rest[1:]):
            if verb != "del":
                runtime["dscp2prio"][key] = int(value)
            elif not dcb.delete_entry(runtime, int(key), int(value)):
                raise ToolError("RTNETLINK answers: No such file or directory", 1, "stderr")
    elif area == "app" and verb == "flush":
        dcb.trust_pcp(runtime)
    elif area == "buffer" and verb == "set":
        _dcb_buffer(runtime, rest)
    elif area == "dcbx" and verb == "set":
        runtime["dcbx"] = "os" if "host" in rest else "fw"
    else:
        raise ToolError('What is "' + " ".join([verb, *rest]) + '"?', 255, "stderr")


def _dcb_pairs(rest: list[str]) -> list[tuple[str, str]]:
    return [tuple(word.partition(":")[::2]) for word in rest]  # type: ignore[misc]


def _dcb_buffer(runtime: dict[str, Any], rest: list[str]) -> None:
    names = {"prio-buffer": "prio2buffer", "buffer-size": "buffer_size"}
    current = None
    for word in rest:
        if word in names:
            current = names[word]
            runtime[current] = (
                dcb.prio2buffer(runtime) if current == "prio2buffer" else dcb.buffer_size(runtime)
            )
        elif current and ":" in word:
            key, value = word.split(":")
            for index in range(8) if key == "all" else [int(key)]:
                runtime[current][index] = int(value)
