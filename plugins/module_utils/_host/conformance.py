# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Does every tool of a host print what the parsers read? Each is asked once; nothing is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TypedDict

from .._nic.discover import PCI, discover
from .._nic.parse import flint, listings, mlxconfig, mlxreg, pci, qos
from .._nic.read.card import device_of
from .._nic.read.roce import DEVICE_CONTROL
from .._nic.records import Card
from .._nic.tools import MISSING, Host, failed, reason
from .._nic.watch import RECEIVED

MOST = 30_000
"""Characters of an answer that are returned."""


class Told(TypedDict, total=False):
    """What a tool answered: its `version`, and what the parser `lacks` in it; `out` may be cut."""

    tool: str
    argv: list[str]
    version: str
    rc: int
    out: str
    lacks: list[str]
    missing: bool


def conformance(host: Host) -> list[Told]:
    """What each tool answered; a host without NICs lacks them, and is not asked about any."""
    told = [_told(host, argv) for argv in _of_system()]
    cards = discover(host)
    if cards:
        return [*told, *(_told(host, argv) for argv in _of_card(host, cards[0]))]
    lacks = [f"no NIC of NVIDIA in {PCI}"]
    return [*told, {"tool": "/sys", "argv": ["ls", PCI], "rc": 0, "out": "", "lacks": lacks}]


def _told(host: Host, argv: Sequence[str]) -> Told:
    result = host.ask(*argv)
    made: Told = {"tool": argv[0], "argv": list(argv), "rc": result.rc}
    if result.rc == MISSING:
        return {**made, "missing": True, "lacks": []}
    version = host.ask(argv[0], "-V" if argv[0] in SHORT else "--version")
    made["version"] = "" if failed(version) else version.text.strip()[:400]
    made["out"] = result.text[:MOST]
    lacks = [f"it failed: {reason(result)}"] if failed(result) else lacking(argv, result.out)
    return {**made, "lacks": lacks}


def lacking(argv: Sequence[str], out: str) -> list[str]:
    """What the parser of a command misses in its output."""
    name = " ".join((argv[0], argv[2])) if argv[0] in OBJECTS else argv[0]
    return READERS[name](out)


SHORT = ("ip", "dcb", "devlink")
"""Tools of iproute2, which show their version by -V."""
OBJECTS = ("ip", "dcb")
"""Tools whose answer follows from the object that they are asked about."""


def _of_system() -> list[tuple[str, ...]]:
    return [
        ("ip", "-j", "address", "show"),
        ("ip", "-j", "route", "show", "table", "all"),
        ("systemctl", "show", "--property=Id,LoadState,ActiveState", "ssh.service"),
    ]


def _of_card(host: Host, card: Card) -> list[tuple[str, ...]]:
    address, port = card["pci"], card["ports"][0]
    netdev, rdma = port["netdev"], port["rdma"]
    made: list[tuple[str, ...]] = [
        ("mlxconfig", "-d", device_of(host, address), "-e", "q"),
        ("flint", "-d", address, "q"),
        ("mlxfwmanager", "-d", address, "--query-format", "XML", "--query"),
        ("mlxprivhost", "-d", address, "q"),
        ("mlxfwreset", "-d", address, "q"),
        ("mlxreg", "-d", address, "--reg_name", "ROCE_ACCL", "--get"),
        ("devlink", "dev", "info", "-j"),
        ("setpci", "-s", address, DEVICE_CONTROL),
    ]
    if netdev:
        made += [
            ("mlnx_qos", "-i", netdev),
            ("dcb", "-j", "pfc", "show", "dev", netdev),
            ("dcb", "-j", "app", "show", "dev", netdev),
            ("ethtool", "-S", netdev),
        ]
    if rdma:
        made += [("cma_roce_tos", "-d", rdma), ("cma_roce_mode", "-d", rdma, "-p", "1")]
    return made


def _not_none(what: str, parse: Callable[[str], object]) -> Callable[[str], list[str]]:
    return lambda out: [] if parse(out) is not None else [f"{what} is not in the answer"]


def _some(what: str, parse: Callable[[str], object]) -> Callable[[str], list[str]]:
    return lambda out: [] if parse(out) else [f"no {what} in the answer"]


def _rows(*keys: str) -> Callable[[str], list[str]]:
    """The keys that no row of a JSON list has."""

    def lacks(out: str) -> list[str]:
        rows = listings.loads(out)
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            return ["the answer is no list of rows"]
        return [f"no row has {key}" for key in keys if not any(key in row for row in rows)]

    return lacks


def _json(out: str) -> list[str]:
    try:
        json.loads(out or "{}")
    except ValueError:
        return ["the answer is not JSON"]
    return []


def _unit(out: str) -> list[str]:
    keys = {line.partition("=")[0] for line in out.splitlines()}
    return [
        f"no {key} in the answer" for key in ("Id", "LoadState", "ActiveState") if key not in keys
    ]


def _settings(out: str) -> list[str]:
    """The settings must have a value now and one for the next boot; rows of the table that are not read."""
    found = mlxconfig.parse_query(out)
    if not found:
        return ["no settings in the answer"]
    return [
        f"no {key} value is read"
        for key in ("current", "next")
        if not any(row.get(key) for row in found.values())
    ]


def _flash(out: str) -> list[str]:
    found = flint.parse_query(out)
    return [f"no {key} is read" for key in ("psid", "burned", "running") if not found[key]]


def _manager(out: str) -> list[str]:
    start = out.find('psid="')
    if start < 0:
        return ["no device with a psid in the answer"]
    psid = out[start + 6 :].partition('"')[0]
    return [] if flint.offered(out, psid) else [f"no offered firmware is read for {psid}"]


def _devlink(out: str) -> list[str]:
    found = listings.devlink_info(out).values()
    if not found:
        return ["no card in the answer"]
    return [
        f"no {key} is read" for key in ("psid", "running") if not any(one.get(key) for one in found)
    ]


def _qos(out: str) -> list[str]:
    """The map of DSCP is printed only where DSCP is trusted."""
    found = qos.parse_mlnx_qos(out)
    keys = ("trust", "pfc", *(("dscp2prio",) if found.get("trust") == "dscp" else ()))
    return [f"no {key} is read" for key in keys if key not in found]


def _statistics(out: str) -> list[str]:
    found = qos.parse_statistics(out)
    return [] if RECEIVED in found else [f"no counter {RECEIVED} in the answer"]


READERS: dict[str, Callable[[str], list[str]]] = {
    "ip address": _rows("ifname", "operstate", "mtu", "addr_info"),
    "ip route": _rows("dst"),
    "systemctl": _unit,
    "mlxconfig": _settings,
    "flint": _flash,
    "mlxfwmanager": _manager,
    "mlxprivhost": _not_none("whether the host may configure", listings.restricted),
    "mlxfwreset": _some("levels of reset", listings.reset_levels),
    "mlxreg": _some("fields", mlxreg.parse_register),
    "devlink": _devlink,
    "mlnx_qos": _qos,
    "dcb pfc": _not_none("PFC", listings.dcb_pfc),
    "dcb app": _json,
    "ethtool": _statistics,
    "cma_roce_tos": _not_none("a number", qos.parse_tos),
    "setpci": _not_none("a word of Device Control", pci.parse_word),
    "cma_roce_mode": _not_none("a version of RoCE", qos.parse_roce_mode),
}
