# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What udev would do when a simulated device appears.

A container's network devices have no PCI parent, so the real udevd can match them by MAC
address only. This evaluates the administrator's rules and .link files for the simulated
devices with the keys a real one has. A rule with a key that is not simulated never matches.
"""

from __future__ import annotations

import configparser
import fnmatch
import re
import shlex
import subprocess
from typing import Any, Optional

from nicsim import hardware, paths
from nicsim.store import State

TOKEN = re.compile(r'([A-Z_]+(?:\{[^}]*\})?)\s*(==|!=|\+=|:=|=)\s*"((?:[^"\\]|\\.)*)"')
Event = dict[str, str]


def event(nic: Any, function: Any, subsystem: str) -> Event:
    """The match keys of one device's add event."""
    name = hardware.netdev_name(function)
    pci = function["pci"]
    keys = {
        "ACTION": "add",
        "SUBSYSTEM": subsystem,
        "KERNELS": pci,
        "SUBSYSTEMS": "pci",
        "DRIVERS": "mlx5_core",
        "ENV{ID_PATH}": f"pci-{pci}",
        "ATTRS{vendor}": "0x15b3",
        "ATTRS{device}": f"0x{nic['device_id']}",
        "ENV{ID_NET_DRIVER}": "mlx5_core",
        "ENV{ID_BUS}": "pci",
    }
    if subsystem == "net":
        keys.update(
            {
                "KERNEL": name,
                "NAME": name,
                "ATTR{phys_port_name}": f"p{function['index']}",
                "ATTR{address}": hardware.kernel_value(name, "address") or "",
                "ATTR{type}": "1",
                "ATTR{dev_id}": "0x0",
                "ENV{INTERFACE}": name,
            }
        )
    else:
        keys["KERNEL"] = keys["NAME"] = hardware.rdma_name(nic, function)
    way = "/".join(nic["path"][part] for part in ("root", "upstream", "downstream"))
    keys["DEVPATH"] = f"/devices/pci{way[:7]}/{way}/{pci}/{subsystem}/{keys['KERNEL']}"
    return keys


def rules() -> list[list[tuple[str, str, str]]]:
    """(key, operator, value) lists of every rule line, in file order."""
    found = []
    folder = paths.udev_rules()
    for path in sorted(folder.glob("*.rules")) if folder.is_dir() else []:
        text = path.read_text(encoding="utf-8").replace("\\\n", " ")
        for line in text.splitlines():
            if line.strip() and not line.lstrip().startswith("#"):
                found.append([match.groups() for match in TOKEN.finditer(line)])
    return found  # type: ignore[return-value]


def _matches(rule: list[tuple[str, str, str]], keys: Event) -> bool:
    for key, operator, pattern in rule:
        if operator not in ("==", "!="):
            continue
        if key not in keys:
            return False
        hit = any(fnmatch.fnmatchcase(keys[key], part) for part in pattern.split("|"))
        if hit != (operator == "=="):
            return False
    return True


def _expand(text: str, keys: Event) -> str:
    name = keys["NAME"]
    for mark in ("%k", "$kernel"):
        text = text.replace(mark, keys["KERNEL"])
    for mark in ("$name", "%D"):
        text = text.replace(mark, name)
    text = text.replace("%b", keys["KERNELS"]).replace("$id", keys["KERNELS"])
    return re.sub(
        r"[$%](?:env|E)\{([^}]*)\}", lambda match: keys.get(f"ENV{{{match.group(1)}}}", ""), text
    )


def evaluate(keys: Event) -> tuple[Optional[str], list[str], list[str]]:
    """(new name or None, units wanted, commands to run) of one event."""
    name: Optional[str] = None
    units: list[str] = []
    commands: list[str] = []
    label = ""
    for rule in rules():
        if label and ("LABEL", "=", label) not in rule:
            continue
        label = ""
        if not rule or not _matches(rule, keys):
            continue
        for key, operator, value in rule:
            if operator in ("==", "!="):
                continue
            if key == "GOTO":
                label = value
            elif key == "NAME":
                name = _expand(value, keys)
                keys["NAME"] = name
            elif key == "ENV{SYSTEMD_WANTS}":
                units += _expand(value, keys).split()
            elif key in ("RUN", "RUN{program}"):
                commands.append(_expand(value, keys))
            elif key.startswith("ENV{"):
                keys[key] = _expand(value, keys)
    return name or _link_name(keys), units, commands


def _link_name(keys: Event) -> Optional[str]:
    """The first .link file whose Path= or MACAddress= matches names a network device."""
    folder = paths.link_files()
    if keys["SUBSYSTEM"] != "net" or not folder.is_dir():
        return None
    for path in sorted(folder.glob("*.link")):
        parser = configparser.ConfigParser(strict=False, interpolation=None)
        parser.optionxform = str  # type: ignore[method-assign,assignment]
        parser.read(path, encoding="utf-8")
        match = dict(parser["Match"]) if parser.has_section("Match") else {}
        wanted = {
            "Path": keys["ENV{ID_PATH}"],
            "MACAddress": keys["ATTR{address}"],
            "Driver": "mlx5_core",
            "OriginalName": keys["KERNEL"],
        }
        known = set(match) <= set(wanted)
        if (
            match
            and known
            and all(
                any(fnmatch.fnmatchcase(wanted[k].lower(), p.lower()) for p in v.split())
                for k, v in match.items()
            )
        ):
            return parser.get("Link", "Name", fallback=None)
    return None


def announce(state: State, only: Any = None) -> list[str]:
    """Send add events for the simulated devices; rename them; return the units wanted."""
    units: list[str] = []
    for nic, function in hardware.each(state):
        if only is not None and nic is not only:
            continue
        name, wanted, commands = evaluate(event(nic, function, "net"))
        if name:
            rename(function, name)
        units += wanted
        _run(state, commands)
    for nic, function in hardware.rdma_devices(state):
        if only is not None and nic is not only:
            continue
        _name, wanted, commands = evaluate(event(nic, function, "infiniband"))
        units += wanted
        _run(state, commands)
    return units


def rename(function: Any, name: str) -> None:
    """Rename the real device, or the one in the state where there is none."""
    present = hardware.netdev_name(function)
    if present == name:
        return
    if hardware.kernel_value(present, "ifindex") is None:
        function["netdev"] = name
        return
    for arguments in (["down"], ["name", name], ["up"]):
        target = name if arguments == ["up"] else present
        subprocess.run(["ip", "link", "set", target, *arguments], check=False, timeout=10)
    hardware.forget_names()


def _run(state: State, commands: list[str]) -> None:
    """Only `rdma dev set OLD name NEW` is carried out; the rest is real udev's business."""
    for command in commands:
        words = shlex.split(command)
        if len(words) == 6 and words[0].endswith("rdma") and words[1:3] == ["dev", "set"]:
            found = hardware.find_rdma(state, words[3])
            if found is not None:
                found[1].setdefault("rdma_factory", found[1]["rdma"])
                found[1]["rdma"] = words[5]
