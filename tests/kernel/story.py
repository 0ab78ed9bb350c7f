# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The story told inside a kernel that has VRFs; standard library only, so that any Python runs it.

    PYTHONPATH=tests python3 story.py ORDER.json

The order holds documents of switches, hosts with address, gateway and tenant, and cables; the answer
is one line of JSON on the standard output, after the word ANSWER.
"""

from __future__ import annotations

import itertools
import json
import pathlib
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent

from unit.targets.switch.namespaces import GATE, TARGET, Host, Node, cable, eventually

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
        """What the realiser says of the document; in a guest it needs half a minute."""
        answer = self.files / "report.json"
        assert eventually(answer.exists, seconds), f"{self.name}: {self.log.read_text()[-2000:]}"
        return json.loads(answer.read_text(encoding="utf-8"))


def build(order: Plain, folder: pathlib.Path) -> tuple[dict[str, Switch], dict[str, Host]]:
    """Machines, cables, host addresses, and each switch's document realised."""
    switches = {name: Switch(name, n, folder) for n, name in enumerate(order["switches"], 1)}
    hosts = {name: Host(name, folder) for name in order["hosts"]}
    for one, port, two, other in order["cables"]:
        cable({**switches, **hosts}[one], port, {**switches, **hosts}[two], other)
    for switch in switches.values():
        switch.go()
    for name, row in order["hosts"].items():
        hosts[name].sh(
            f"ip link set {row['port']} mtu {row['mtu']} up; "
            f"ip addr add {row['address']}/31 dev {row['port']}; "
            f"ip route add default via {row['gateway']}"
        )
    for name, document in order["switches"].items():
        switches[name].put(document)
    return switches, hosts


def heard(hosts: dict[str, Host], tries: list[tuple[str, str]]) -> list[bool]:
    """Whether each (host, address) answers; all at the same time."""
    with ThreadPoolExecutor(max_workers=16) as pool:
        return list(pool.map(lambda row: hosts[row[0]].ping(row[1]), tries))


def reached(order: Plain, hosts: dict[str, Host]) -> list[list[str]]:
    """The ordered pairs of hosts of which one hears the other."""
    pairs = [list(pair) for pair in itertools.permutations(hosts, 2)]
    answers = heard(hosts, [(one, order["hosts"][two]["address"]) for one, two in pairs])
    return [pair for pair, answer in zip(pairs, answers) if answer]


def say(begun: float, words: str) -> None:
    """A line for whoever looks at a story that does not end."""
    print(f"{time.monotonic() - begun:.1f} s: {words}", flush=True)


def looks(switches: dict[str, Switch]) -> str:
    """What the switches say of their sessions, VRFs, routes and neighbours."""
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


def own(order: Plain) -> list[list[str]]:
    """The ordered pairs of one tenant."""
    slugs = {name: row["tenant"] for name, row in order["hosts"].items()}
    return [[a, b] for a, b in itertools.permutations(slugs, 2) if slugs[a] == slugs[b]]


def tell(order: Plain, folder: pathlib.Path) -> Plain:
    """Everything that is asked, in order."""
    begun = time.monotonic()
    switches, hosts = build(order, folder)
    try:
        say(begun, "machines are there")
        backends = sorted({switch.report()["backend"] for switch in switches.values()})
        say(begun, "documents are realised")
        pairs = own(order)
        converged = eventually(
            lambda: all(hosts[a].ping(order["hosts"][b]["address"]) for a, b in pairs), 40
        )
        say(begun, "converged" if converged else f"not converged: {looks(switches)}")
        fits = order["path_mtu"] - 28
        underlay = [(name, to) for name in hosts for to in order["underlay"]]
        one, two = pairs[0]
        address = order["hosts"][two]["address"]
        answer = {
            "backends": backends,
            "converged": converged,
            "reached": reached(order, hosts),
            "underlay": [row for row, answer in zip(underlay, heard(hosts, underlay)) if answer],
            "whole": hosts[one].ping(address, "-M", "do", "-s", str(fits)),
            "one_byte_more": hosts[one].ping(address, "-M", "do", "-s", str(fits + 1)),
        }
        say(begun, "asked")
        for name, document in order["leaked"].items():
            switches[name].put(document)
            switches[name].report()
        wanted = order["leak"]
        eventually(lambda: hosts[wanted[0]].ping(order["hosts"][wanted[1]]["address"]), 15)
        answer["reached_when_leaked"] = reached(order, hosts)
        answer["seconds"] = round(time.monotonic() - begun, 1)
        return answer
    finally:
        for node in (*switches.values(), *hosts.values()):
            node.stop()


def main() -> None:
    """Read the order, tell, answer."""
    order = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        print("ANSWER", json.dumps(tell(order, pathlib.Path(folder))), flush=True)


if __name__ == "__main__":
    main()
