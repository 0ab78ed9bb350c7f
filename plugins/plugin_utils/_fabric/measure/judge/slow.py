# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Suspects of a job that is slow, from the counters that rose at the ports of its nodes while it ran.

Only a fault, a pause or a drop makes a suspect. A node that sends less than the others is uneven: expert and pipeline
parallel jobs are, and are healthy. Peers separate a slow node from a bad path: what several ports of a leaf
count is the leaf's, and what one port counts is the node's, the cable's or the path's.
"""

from __future__ import annotations

import dataclasses
import statistics
import typing as t

from ...catalog.data import table
from ...plan.topology.cabling import HOST, UP, Node, Port, Switch
from . import counters as counting

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ...plan.fabric import Fabric
    from ...tenants.registry import Registry
    from .counters import Counters, Sign

CABLE, NIC, LEAF, PATH, CONGESTION = KINDS = ("cable", "nic", "leaf", "path", "congestion")
"""Kinds of suspects, the one to look at first ahead."""
BYTES = ("in-bytes", "out-bytes")
PAUSES = "rx-pfc-stats/pause-packets"
_NEEDED = frozenset({PAUSES, "in-errors", "in-drops", "out-drops"})
"""Counters of a port without which nobody knows whether it is healthy."""
_LEAST_PORTS = 3
"""Ports of a leaf that drop packets before the leaf itself is a suspect."""
_EVEN = 0.5
"""Share of the typical traffic below which a node is called uneven [ours]."""
_COMMANDS = {
    CABLE: "ansible-playbook spectrum_x.fabric.validate -e spx_where={switch} -e spx_checks=switch.link,switch.lldp",
    NIC: "ansible-playbook spectrum_x.fabric.validate -e spx_where={device} -e spx_checks=host,pair",
    LEAF: "ansible-playbook spectrum_x.fabric.validate -e spx_where={device}",
    PATH: "ansible-playbook spectrum_x.fabric.validate -e spx_where={switch} -e spx_checks=switch.link,switch.pfc",
    CONGESTION: "ansible-playbook spectrum_x.fabric.validate -e spx_where={switch} -e spx_checks=switch.ecn,"
    "switch.adaptive_routing",
}


@dataclasses.dataclass(frozen=True)
class SlowSuspect:
    """A part that may slow the job: `counter` rose by `rose`, and is unusual from `limit` on."""

    kind: str
    device: str
    port: str
    far_device: str
    far_port: str
    tenant: str
    counter: str
    rose: int
    limit: int
    sentence: str
    command: str


@dataclasses.dataclass(frozen=True)
class SlowAnswer:
    """Suspects, the likeliest first; what is healthy, uneven and unknown, as sentences."""

    suspects: list[SlowSuspect]
    healthy: list[str]
    uneven: list[str]
    unknown: list[str]


@dataclasses.dataclass(frozen=True)
class Job:
    """The nodes of a job, and the switches that were to be read."""

    fabric: Fabric
    registry: Registry
    nodes: Sequence[str]

    def tenant(self, name: str) -> str:
        """Return the tenant of a node; empty for a switch."""
        device = self.fabric.known(name)
        return self.registry.holding(device).slug if isinstance(device, Node) else ""

    def ports(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield (node, NIC port, leaf, its port) of each rail and plane of the nodes."""
        for name in self.nodes:
            node = t.cast("Node", self.fabric.known(name))
            for nic in self.fabric.cabling.nic_ports():
                leaf, index = self.fabric.cabling.leaf_of(node, nic)
                there = self.fabric.port_name(leaf, Port(HOST, index))
                yield name, self.fabric.port_name(node, nic), self.fabric.name(leaf), there


def judge(
    job: Job, counters: Counters, *, silent: Sequence[str] = (), hosts: bool = False
) -> SlowAnswer:
    """Return the answer; `silent` says which switches were not read, `hosts` whether counters of NICs are there."""
    found = list(_suspects(job, counters))
    suspects = sorted(
        found, key=lambda row: (KINDS.index(row.kind), -row.rose / row.limit, row.device)
    )
    named = {name for row in suspects for name in (row.device, row.far_device)}
    return SlowAnswer(
        suspects,
        list(_healthy(job, counters, named)),
        list(_uneven(job, counters, named)),
        list(_unknown(job, counters, silent, hosts=hosts)),
    )


def _suspects(job: Job, counters: Counters) -> Iterator[SlowSuspect]:
    """Yield a suspect for each unusual counter at the job's ports and above its leaves; drops of a leaf once."""
    known = {(leaf, port) for _node, _nic, leaf, port in job.ports()}
    known |= {(node, nic) for node, nic, _leaf, _port in job.ports()}
    leaves = {leaf for _node, _nic, leaf, _port in job.ports()}
    drops: dict[str, list[Sign]] = {}
    own = {f"{name}:{port}" for name, port in known}
    # What is typical of hosts is what hosts count: other ports have hardly a pause.
    rows = {
        where: row if where in own else {key: n for key, n in row.items() if key != PAUSES}
        for where, row in counters.items()
    }
    for signs in counting.signs(job.fabric, rows).values():
        for sign in signs:
            name, port = job.fabric.name(sign.device), job.fabric.port_name(sign.device, sign.port)
            inside = _between(sign) and (name in leaves or _far(job, name, port)[0] in leaves)
            if (name, port) not in known and not inside:
                continue  # of others, who are nobody's business here
            if sign.shows in (counting.SHOWS_CABLE, counting.SHOWS_HOST):
                kind = CABLE if sign.shows == counting.SHOWS_CABLE else NIC
                yield _suspect(job, kind, sign)
            elif sign.shows == counting.SHOWS_PATH:
                drops.setdefault(name, []).append(sign)
    for name, signs in drops.items():
        yield from _lost(job, name, signs)
    yield from _paused(job, counters, leaves)


def _between(sign: Sign) -> bool:
    """Check whether a sign is at a port between switches."""
    return isinstance(sign.device, Switch) and t.cast("Port", sign.port).kind != HOST


def _lost(job: Job, name: str, signs: Sequence[Sign]) -> Iterator[SlowSuspect]:
    """Yield the leaf itself where many of its ports lose packets, else each port."""
    ports = {sign.port for sign in signs}
    if isinstance(signs[0].device, Switch) and len(ports) >= _LEAST_PORTS:
        worst = max(signs, key=lambda sign: sign.rose)
        yield _suspect(job, LEAF, worst, why=f"{len(ports)} ports of {name} lose packets")
        return
    for sign in signs:
        yield _suspect(job, PATH, sign)


def _paused(job: Job, counters: Counters, leaves: set[str]) -> Iterator[SlowSuspect]:
    """Yield uplinks that their spine paused often: others fill the way, or a receiver behind it is slow."""
    least = int(table("performance_counters")["counters"][PAUSES]["least"])
    for leaf in sorted(leaves):
        device = t.cast("Switch", job.fabric.known(leaf))
        for port in job.fabric.cabling_of(device).ports(device):
            name = job.fabric.port_name(device, port)
            rose = counters.get(f"{leaf}:{name}", {}).get(PAUSES, 0)
            if port.kind == UP and rose >= least:
                yield _made(job, CONGESTION, leaf, name, PAUSES, rose, "pauses that the spine sent")


def _suspect(job: Job, kind: str, sign: Sign, *, why: str = "") -> SlowSuspect:
    name, port = job.fabric.name(sign.device), job.fabric.port_name(sign.device, sign.port)
    far, _there = _far(job, name, port)
    if kind == NIC and isinstance(sign.device, Switch):
        name, port = far, _there  # the leaf counts what its host does
    return _made(job, kind, name, port, sign.counter, sign.rose, sign.says, why=why)


def _made(
    job: Job, kind: str, name: str, port: str, counter: str, rose: int, says: str, *, why: str = ""
) -> SlowSuspect:
    far, there = _far(job, name, port)
    row = counting.catalog_row(counter) or {}
    tenant = job.tenant(name) or (job.tenant(far) if far else "")
    at = f"{name} port {port}" + (f" (to {far} {there})" if far else "")
    whose = f", tenant {tenant}" if tenant else ""
    switch = name if isinstance(job.fabric.known(name), Switch) else far
    return SlowSuspect(
        kind,
        *(name, port, far, there, tenant, counter, rose, int(row.get("least", 1))),
        sentence=f"{kind}: {at}{whose}: {why + ': ' if why else ''}{rose} {says} ({counter}).",
        command=_COMMANDS[kind].format(device=name, switch=switch),
    )


def _far(job: Job, name: str, port: str) -> tuple[str, str]:
    """Return the name and port at the other end of a cable, empty where there is none."""
    peer = job.fabric.peer(job.fabric.known(name), port)
    return (job.fabric.name(peer[0]), peer[1]) if peer else ("", "")


def _healthy(job: Job, counters: Counters, named: set[str]) -> Iterator[str]:
    read = [row for row in job.ports() if counters.get(f"{row[2]}:{row[3]}", {}).keys() >= _NEEDED]
    good = [row for row in read if row[0] not in named]
    if good:
        nodes = len({row[0] for row in good})
        yield f"{len(good)} ports of leaves to {nodes} nodes count no fault, no pause and no drop that is unusual."


def _uneven(job: Job, counters: Counters, named: set[str]) -> Iterator[str]:
    """Yield nodes without a suspect that send or receive far less than the typical one."""
    total: dict[str, int] = {}
    for node, _nic, leaf, port in job.ports():
        rows = counters.get(f"{leaf}:{port}", {})
        if any(name in rows for name in BYTES):
            total[node] = total.get(node, 0) + sum(rows.get(name, 0) for name in BYTES)
    usual = statistics.median(total.values()) if total else 0
    for node, count in sorted(total.items()):
        if node not in named and count < _EVEN * usual:
            yield f"{node} moves {count / usual:.0%} of the typical traffic: uneven, perhaps the job."


def _unknown(job: Job, counters: Counters, silent: Sequence[str], *, hosts: bool) -> Iterator[str]:
    """Yield what was not seen; no answer covers the GPUs."""
    yield "GPUs, their NVLink and the software of the job were not seen."
    if not hosts:
        yield "Counters of the NICs were not read: only their leaves' side was."
    unread = [
        f"{leaf} {port}"
        for _n, _i, leaf, port in job.ports()
        if not counters.get(f"{leaf}:{port}", {}).keys() >= _NEEDED
    ]
    if unread:
        more = f" and {len(unread) - 1} more" if len(unread) > 1 else ""
        yield f"Errors, drops and pauses of {unread[0]}{more} were not all read twice."
    yield from silent


def plain(answer: SlowAnswer) -> dict[str, t.Any]:
    """Return the answer as plain data."""
    return dataclasses.asdict(answer)


def lines(answer: SlowAnswer) -> list[str]:
    """Return the answer for a person: suspects with their next command, then the rest."""
    made: list[str] = []
    for row in answer.suspects:
        made += [row.sentence, f"  next: {row.command}"]
    if not made:
        seen = "Nothing of the network is a suspect, as far as it was seen."
        made.append(seen if answer.healthy else "No counter was read twice, so nothing is known.")
    parts: Mapping[str, list[str]] = {
        "healthy": answer.healthy,
        "uneven": answer.uneven,
        "unknown": answer.unknown,
    }
    return [*made, *(f"{word}: {text}" for word, texts in parts.items() for text in texts)]
