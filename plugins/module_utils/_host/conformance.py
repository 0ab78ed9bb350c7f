# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Does every tool of a host print what the parsers read? Each is asked once; nothing is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypedDict

from .._nic.discover import PCI, discover
from .._nic.parse import flint, listings, mlxconfig, mlxreg, pci, qos
from .._nic.read.card import device_of
from .._nic.read.roce import DEVICE_CONTROL
from .._nic.records import Card
from .._nic.tools import MISSING, Host, failed, reason
from .._nic.watch import RECEIVED

MOST = 30_000
"""Characters of an answer that are returned."""


class ToolAnswer(TypedDict, total=False):
    """Answer of a tool: its `version`, and the values that it `lacks`; `out` may be shortened."""

    tool: str
    argv: list[str]
    version: str
    rc: int
    out: str
    lacks: list[str]
    missing: bool


class Question(NamedTuple):
    """A command, what its parser finds, and the `keys` that some row of that has to have."""

    argv: tuple[str, ...]
    what: str
    parse: Callable[[str], Any]
    keys: tuple[str, ...] = ()

    def lacks(self, out: str) -> list[str]:
        """List the values that are missing from an answer; 0 and False are values."""
        found = self.parse(out)
        if found in (None, "", [], {}):
            return [f"no {self.what} in the answer"]
        rows = found if isinstance(found, list) else [found, *found.values()] if self.keys else []
        known = [row for row in rows if isinstance(row, dict)]
        return [
            f"no {key} is read"
            for key in self.keys
            if all(row.get(key) in (None, "") for row in known)
        ]


def conformance(host: Host) -> list[ToolAnswer]:
    """Return the answer of each tool; a host without NICs is reported as such, and its cards are not read."""
    told = [_told(host, question) for question in OF_SYSTEM]
    cards = discover(host)
    if cards:
        return [*told, *(_told(host, question) for question in of_card(host, cards[0]))]
    lacks = [f"no NIC of NVIDIA in {PCI}"]
    return [*told, {"tool": "/sys", "argv": ["ls", PCI], "rc": 0, "out": "", "lacks": lacks}]


def _told(host: Host, asked: Question) -> ToolAnswer:
    argv, result = asked.argv, host.ask(*asked.argv)
    made: ToolAnswer = {"tool": argv[0], "argv": list(argv), "rc": result.rc}
    if result.rc == MISSING:
        return {**made, "missing": True, "lacks": []}
    version = host.ask(argv[0], "-V" if argv[0] in SHORT else "--version")
    made["version"] = "" if failed(version) else version.text.strip()[:400]
    made["out"] = result.text[:MOST]
    lacks = [f"it failed: {reason(result)}"] if failed(result) else asked.lacks(result.out)
    return {**made, "lacks": lacks}


SHORT = ("ip", "dcb", "devlink")
"""Tools of iproute2, which show their version by -V."""


def _rows(out: str) -> list[dict[str, Any]] | None:
    rows = listings.loads(out)
    good = isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
    return rows if good else None


def _json(out: str) -> str:
    return "" if listings.loads(out or "{}") is None else "JSON"


def _unit(out: str) -> dict[str, str]:
    return dict(line.partition("=")[::2] for line in out.splitlines())


def _offered(out: str) -> dict[str, str]:
    found = re.search(r'psid="([^"]+)"', out)
    return {"psid": found[1], "firmware": flint.offered(out, found[1])} if found else {}


def _qos(out: str) -> Mapping[str, object]:
    """The map of DSCP is printed only where DSCP is trusted."""
    found = qos.parse_mlnx_qos(out)
    return found if found.get("trust") == "dscp" else {"dscp2prio": {}, **found}


OF_SYSTEM = (
    Question(
        ("ip", "-j", "address", "show"),
        "list of rows",
        _rows,
        ("ifname", "operstate", "mtu", "addr_info"),
    ),
    Question(("ip", "-j", "route", "show", "table", "all"), "list of rows", _rows, ("dst",)),
    Question(
        ("systemctl", "show", "--property=Id,LoadState,ActiveState", "ssh.service"),
        "property",
        _unit,
        ("Id", "LoadState", "ActiveState"),
    ),
)


def of_card(host: Host, card: Card) -> list[Question]:
    """Questions about a card and its first port."""
    address, port = card["pci"], card["ports"][0]
    netdev, rdma = port["netdev"], port["rdma"]
    query = ("mlxfwmanager", "-d", address, "--query-format", "XML", "--query")
    register = ("mlxreg", "-d", address, "--reg_name", "ROCE_ACCL", "--get")
    devlink = ("devlink", "dev", "info", "-j")
    config = ("mlxconfig", "-d", device_of(host, address), "-e", "q")
    made = [
        Question(config, "settings", mlxconfig.parse_query, ("current", "next")),
        Question(
            ("flint", "-d", address, "q"),
            "firmware",
            flint.parse_query,
            ("psid", "burned", "running"),
        ),
        Question(query, "device with a psid", _offered, ("firmware",)),
        Question(("mlxprivhost", "-d", address, "q"), "level of the host", listings.restricted),
        Question(("mlxfwreset", "-d", address, "q"), "levels of reset", listings.reset_levels),
        Question(register, "fields", mlxreg.parse_register),
        Question(devlink, "card", listings.devlink_info, ("psid", "running")),
        Question(("setpci", "-s", address, DEVICE_CONTROL), "word", pci.parse_word),
    ]
    if netdev:
        show = ("show", "dev", netdev)
        made += [
            Question(("mlnx_qos", "-i", netdev), "QoS", _qos, ("trust", "pfc", "dscp2prio")),
            Question(("dcb", "-j", "pfc", *show), "PFC", listings.dcb_pfc),
            Question(("dcb", "-j", "app", *show), "JSON", _json),
            Question(("ethtool", "-S", netdev), "counters", qos.parse_statistics, (RECEIVED,)),
        ]
    if rdma:
        mode = ("cma_roce_mode", "-d", rdma, "-p", "1")
        made += [
            Question(("cma_roce_tos", "-d", rdma), "number", qos.parse_tos),
            Question(mode, "version of RoCE", qos.parse_roce_mode),
        ]
    return made
