# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs of each node in a round: its servers and clients, and the collectives that it starts.

    of_round(fabric, asked, parameters)    {"worker-...-h01": {"server": [...], "client": [...], "collective": [...]}}

The first of a pair sends, so that it is the client of perftest, which writes into its server's memory.
"""

from __future__ import annotations

import typing as t

from ...catalog.data import table
from ...render.host import nccl
from . import failover
from .records import BIDIRECTIONAL, BUSBW, CLIENT, LATENCY, SERVER, ends

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from .....module_utils._perf.records import Collective, Job, Port
    from ...plan.fabric import Fabric
    from ...plan.slices import Nic
    from ...plan.topology.cabling import Node
    from .records import Level, PlannedMeasurement

FIRST_PORT = 18515
"""TCP port of the first job of a node, the default of perftest (its manual page, option --port)."""
DSCP = int(nccl.ENVIRONMENT["NCCL_IB_TC"]) >> 2
"""DSCP of RoCE data: the traffic class of NCCL's jobs without its two bits of ECN."""
PRIORITY = int(table("qos")["roce_priority"])
SERVERS, CLIENTS, COLLECTIVES = "server", "client", "collective"
"""Parts of a node in a round."""

Parts = dict[str, dict[str, list[t.Any]]]
"""The tasks of module measure, by node and part."""


class Site(t.TypedDict):
    """Settings of the site: `launcher` starts collectives on several nodes, `command` measures in place of perftest.

    `launcher_options` are further words of the launcher, such as a partition of Slurm. `gpus_per_node` is 0 where
    nodes decide.
    """

    launcher: str
    gpus_per_node: int
    launcher_options: list[str]
    command: list[str]


SPEAKING = 256
"""Nodes whose addresses are given: of more ranks the first node alone says what it uses (`_perf.nccl.TALKING`)."""
HEAD = 3
"""Seconds by which a load begins before what it disturbs, and lasts longer (ours)."""


def of_round(
    fabric: Fabric,
    asked: Sequence[PlannedMeasurement],
    level: Level,
    site: Site,
    *,
    load: Iterable[PlannedMeasurement] = (),
) -> Parts:
    """The parts of all nodes in one round; `load` lasts longer than what it disturbs, at both ends."""
    made: Parts = {}
    ports: dict[str, int] = {}
    if level.cuts:  # one job is seen in all phases
        asked = asked[:1]
    longer = level._replace(seconds=seconds(level, asked) + 2 * HEAD)
    for one, how in [*((one, level) for one in asked), *((one, longer) for one in load)]:
        if one["kind"] == BUSBW and one["nodes"]:
            _part(made, one["first"], COLLECTIVES).append(_collective(fabric, one, how, site))
            continue
        ends = (one["first"], one["second"])
        port = max(ports.get(name, FIRST_PORT) for name in ends)
        ports.update(dict.fromkeys(ends, port + 1))
        client, server = _jobs(fabric, one, how, site, port)
        _part(made, one["first"], CLIENTS).append(client)
        _part(made, one["second"], SERVERS).append(server)
    return made


def _part(made: Parts, name: str, role: str) -> list[t.Any]:
    return made.setdefault(name, {}).setdefault(role, [])


def _jobs(
    fabric: Fabric, one: PlannedMeasurement, level: Level, site: Site, port: int
) -> tuple[Job, Job]:
    """Both sides of a pair: the client's job and the server's."""
    sender, receiver = (nic(fabric, *port) for port in ends(one))
    return (
        _job(one, level, site, (CLIENT, sender, receiver), port),
        _job(one, level, site, (SERVER, receiver, sender), port),
    )


def _job(
    one: PlannedMeasurement, level: Level, site: Site, ends: tuple[str, Nic, Nic], port: int
) -> Job:
    side, own, other = ends
    told, brief = level.parameters, one["kind"] == LATENCY
    return {
        "id": one["id"],
        "tool": "command" if site["command"] else _tool(one["kind"]),
        "side": side,
        "interface": own["port"],
        "address": own["address"],
        "peer": other["address"],
        "port": port,
        "size": int(told["latency_size" if brief else "size"]),
        "qps": int(told["qps"]),
        "seconds": int(told["latency_seconds"]) if brief else level.seconds,
        "dscp": DSCP,
        "priority": PRIORITY,
        "bidirectional": one["kind"] == BIDIRECTIONAL,
        "gpu": "auto",
        "command": site["command"],
    }


def _tool(kind: str) -> str:
    return "ib_write_lat" if kind == LATENCY else "ib_write_bw"


def nic(fabric: Fabric, name: str, rail: int | None, plane: int | None) -> Nic:
    """The port of a node that carries a rail in a plane.

    Where the NIC's hardware balances its planes, one address, that of the first port, is that of all.
    """
    ports = fabric.slice(t.cast("Node", fabric.known(name)))["ports"]
    of_rail = [port for port in ports if port["rail"] == rail]
    if fabric.description.planes.balancing == "hwplb":
        return of_rail[0]
    return next(port for port in of_rail if port["plane"] == plane)


def _collective(fabric: Fabric, one: PlannedMeasurement, level: Level, site: Site) -> Collective:
    """A run of nccl-tests; groups by MOD have one GPU of each node."""
    told: Mapping[str, t.Any] = level.parameters
    gpus = site["gpus_per_node"]
    by_rail = gpus and one["split"].startswith("MOD ")
    return {
        "id": one["id"],
        "operation": one["operation"],
        "nodes": list(one["nodes"]),
        "gpus_per_node": gpus,
        "launcher": site["launcher"] if len(one["nodes"]) > 1 else "",
        "options": list(site["launcher_options"]),
        "split": f"MOD {gpus}" if by_rail else one["split"],
        "smallest": str(told["smallest"]),
        "largest": str(told["largest"]),
        "iterations": int(told["iterations"]),
        "warmup": int(told["warmup"]),
        "seconds": level.seconds,
        "cycles": 0 if level.cuts else 1,
        "rails": rails_of(fabric, one["first"]),
        "addresses": [
            port["address"] for name in one["nodes"][:SPEAKING] for port in _addressed(fabric, name)
        ],
        "environment": {**_environment(fabric), **(told.get("environment") or {})},
    }


def rails_of(fabric: Fabric, name: str) -> list[Port]:
    """List the ports of a node that runs over RoCE have to use there."""
    return [
        {"interface": port["port"], "address": port["address"]} for port in _addressed(fabric, name)
    ]


def _addressed(fabric: Fabric, name: str) -> Iterator[Nic]:
    """Yield the ports of a node that have an address; where the NIC's hardware balances planes, one of each rail."""
    ports = fabric.slice(t.cast("Node", fabric.known(name)))["ports"]
    shared = fabric.description.planes.balancing == "hwplb"
    yield from (port for port in ports if not shared or port["plane"] == 0)


def _environment(fabric: Fabric) -> dict[str, str]:
    """NCCL's variables that follow from the plan, as hosts keep them for jobs of their own."""
    return nccl.facts(fabric, {})["env"]


def seconds(level: Level, asked: Iterable[PlannedMeasurement]) -> int:
    """Limit of a round's measurements in seconds, side by side; of collectives the time at which they are ended."""
    if level.cuts:
        return failover.lasts(level)
    brief = int(level.parameters.get("latency_seconds", level.seconds))
    return max((brief if one["kind"] == LATENCY else level.seconds for one in asked), default=0)
