# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions of udev when a simulated device appears.

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
from collections.abc import Callable
from typing import Any, Optional

from nicsim import hardware, paths
from nicsim.store import State

TOKEN = re.compile(r'([A-Z_]+(?:\{[^}]*\})?)\s*(==|!=|\+=|:=|=)\s*"((?:[^"\\]|\\.)*)"')
Event = dict[str, str]
Run = Callable[[str], bool]

#: Where udev looks for a program without a path; rdma-core puts rdma_rename there.
UDEV_PROGRAMS = ("/usr/lib/udev", "/lib/udev")


def event(nic: Any, function: Any, subsystem: str, action: str = "add") -> Event:
    """The match keys of one device's event."""
    name = hardware.netdev_name(function)
    pci = function["pci"]
    keys = {
        "ACTION": action,
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


def _matches(rule: list[tuple[str, str, str]], keys: Event, run: Run) -> bool:
    """Programs come last, and `=` is read as `==` for them."""
    for key, operator, pattern in rule:
        if operator not in ("==", "!=") or key == "PROGRAM":
            continue
        if key not in keys:
            return False
        hit = any(fnmatch.fnmatchcase(keys[key], part) for part in pattern.split("|"))
        if hit != (operator == "=="):
            return False
    programs = [(operator, text) for key, operator, text in rule if key == "PROGRAM"]
    return all(run(_expand(text, keys)) == (operator != "!=") for operator, text in programs)


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


def evaluate(
    keys: Event, run: Run = lambda _command: False
) -> tuple[Optional[str], list[str], list[str]]:
    """(new name or None, units wanted, commands to run) of one event.

    `run` carries a PROGRAM out and says whether it succeeded.
    """
    name: Optional[str] = None
    units: list[str] = []
    commands: list[str] = []
    label = ""
    for rule in rules():
        if label and ("LABEL", "=", label) not in rule:
            continue
        label = ""
        if not rule or not _matches(rule, keys, run):
            continue
        for key, operator, value in rule:
            if operator in ("==", "!=") or key == "PROGRAM":
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


def announce(
    state: State,
    only: Any = None,
    *,
    action: str = "add",
    chosen: Callable[[str, str], bool] = lambda _subsystem, _name: True,
) -> list[str]:
    """Send events for the simulated devices; rename them; return the units wanted.

    `chosen` says whether a device of a subsystem ("net", "infiniband") and name gets the event.
    Network devices get a new name with the action add only.
    """
    units: list[str] = []

    def run(command: str) -> bool:
        return _run(state, command)

    for nic, function in hardware.each(state):
        if only not in (None, nic) or not chosen("net", hardware.netdev_name(function)):
            continue
        name, wanted, commands = evaluate(event(nic, function, "net", action), run)
        if name and action == "add":
            rename(function, name)
        units += wanted
        for command in commands:
            run(command)
    for nic, function in hardware.rdma_devices(state):
        if only not in (None, nic) or not chosen("infiniband", hardware.rdma_name(nic, function)):
            continue
        _name, wanted, commands = evaluate(event(nic, function, "infiniband", action), run)
        units += wanted
        for command in commands:
            run(command)
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


def _run(state: State, command: str) -> bool:
    """Only renaming of RDMA devices is carried out; the rest is real udev's business.

    A program without a path is looked for among udev's own, where there is no `rdma`.
    """
    words = shlex.split(command)
    folder, _slash, program = words[0].rpartition("/") if words else ("", "", "")
    if program == "rdma" and folder and words[1:3] == ["dev", "set"] and words[4:5] == ["name"]:
        return len(words) == 6 and hardware.rename_rdma(state, words[3], words[5]) is None
    if program == "rdma_rename" and folder in ("", *UDEV_PROGRAMS):
        if words[2:] == ["NAME_KERNEL"]:
            return True
        fixed = len(words) == 4 and words[2] == "NAME_FIXED"
        return fixed and hardware.rename_rdma(state, words[1], words[3]) is None
    return False
