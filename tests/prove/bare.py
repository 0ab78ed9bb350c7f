# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A switch in namespaces of this machine, without its API."""

from __future__ import annotations

import json
import pathlib
from typing import Any

from unit.targets.switch.namespaces import GATE, TARGET, Node, eventually

HERE = pathlib.Path(__file__).resolve().parent

Plain = dict[str, Any]


class Switch(Node):
    """FRR, and the realiser as its main program."""

    def __init__(self, name: str, number: int, folder: pathlib.Path) -> None:
        mac = f"44:38:39:00:00:{number:02x}"
        own = f"SPX_DEVICE={name} SPX_MAC={mac} SPX_RUN='env PYTHONPATH={TARGET} /usr/bin/python3 {HERE}/switch.py'"
        run = f"export {own}; "
        super().__init__(name, f"{GATE}{run}sh {TARGET}/start.sh", folder / f"{name}.log")
        self.files = pathlib.Path(f"/proc/{self.pid}/root/run")

    def put(self, document: Plain) -> None:
        """Have a document realised."""
        (self.files / "report.json").unlink(missing_ok=True)
        part = self.files / "document.part"
        part.write_text(json.dumps(document), encoding="utf-8")
        part.rename(self.files / "document.json")

    def report(self, seconds: float = 120) -> Plain:
        """Return the realiser's report of the document; in a guest it needs half a minute."""
        answer = self.files / "report.json"
        assert eventually(answer.exists, seconds), f"{self.name}: {self.log.read_text()[-2000:]}"
        return json.loads(answer.read_text(encoding="utf-8"))


def looks(switches: dict[str, Switch]) -> str:
    """Return the switches' reports of their sessions, VRFs, routes and neighbours."""
    commands = (
        "show bgp l2vpn evpn summary",
        "show bgp l2vpn evpn",
        "show vrf vni",
        "show ip route vrf all",
    )
    asked = [["vtysh", "-c", command] for command in commands]
    asked += [["ip", "neigh"], ["cat", "/run/report.json"]]
    return "\n".join(
        f"{name}# {' '.join(command)}\n{switch.run(*command).stdout}"
        for name, switch in switches.items()
        for command in asked
    )
