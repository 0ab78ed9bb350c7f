# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Suspects of a slow job, from counters of its leaves: read twice while it runs, or asked of Prometheus.

Nodes are never contacted: what their NICs count comes from Prometheus, where the hosts of the site show it.
"""

from __future__ import annotations

import datetime
import os
import time
import typing as t

from ... import _reports
from ..._fabric.audit import results, selection
from ..._fabric.audit.results import Subject, failed
from ..._fabric.catalog.data import table
from ..._fabric.description.errors import FabricError
from ..._fabric.description.words import some
from ..._fabric.export.monitoring import rules
from ..._fabric.measure.judge import counters as counting
from ..._fabric.measure.judge import slow
from ..._fabric.plan.topology.cabling import Node
from ..._fabric.tenants.registry import Registry
from ..._http.service import Service, ServiceError, of_site, samples
from .. import clock
from . import counters

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..._fabric.plan.fabric import Fabric
    from ..run import Result, Run

LONGEST = 7 * 24 * 3600
"""Seconds of a time that is asked about."""
SHORTEST = 30
_HOSTS_BACK = 600
"""Seconds that counters of NICs are looked back: the watchdog writes them every few minutes."""
_FOLDER, _FILE = "slow_job", "slow_job"
_PARTS = (*counting.PARTS, tuple(f"/*/link/stats/{name}" for name in slow.BYTES))
_PREFIX = "nvswitch_interface_"
_METRICS = {
    f"{_PREFIX}phy_stats_phy_symbol_errors": "symbol-errors",
    f"{_PREFIX}carrier_down_changes_total": "carrier-transitions",
    f"{_PREFIX}if_in_errors": "in-errors",
    f"{_PREFIX}if_in_discards": "in-drops",
    f"{_PREFIX}if_out_discards": "out-drops",
    f"{_PREFIX}if_out_octets": "out-bytes",
    f'{_PREFIX}sp_rx_pause{{sp="{{priority}}"}}': slow.PAUSES,
}
"""Metrics of switches, and the counters that they are."""
_NICS = "spx_nic_counter_total"

Rows = dict[str, dict[str, int]]
"""Rises by `device:port`."""


def answer(run: Run, args: Mapping[str, t.Any]) -> Result:
    """Return the suspects of a job; with a report, written as results and as JSON."""
    plan = run.fabric()
    registry = Registry.load(plan, args.get("tenants"))
    job = slow.Job(plan, registry, _nodes(plan, registry, args["nodes"] or _tenant(args)))
    span = _span(args.get("since"), args.get("before"), clock.now().timestamp())
    silent: list[str] = []
    if span:
        rows = _of_switches(plan, job.nodes, *span)
    else:
        rows, silent = _live(run, plan, job.nodes, int(args["seconds"]))
    until, back = span or (clock.now().timestamp(), _HOSTS_BACK)
    nics, why = _of_nics(plan, job.nodes, until, back)
    merged = {**rows, **{at: {**rows.get(at, {}), **row} for at, row in nics.items()}}
    found = slow.judge(job, merged, silent=[*silent, *why], hosts=bool(nics))
    run.show(f"  {line}" for line in slow.lines(found))
    made: Result = {"changed": False, **slow.plain(found)}
    if args.get("report") and not run.check:
        made["written"] = _write(str(args["report"]), job, found)
    return made


def _tenant(args: Mapping[str, t.Any]) -> list[str]:
    return [str(args["tenant"])] if args.get("tenant") else []


def _nodes(plan: Fabric, registry: Registry, words: Sequence[str]) -> list[str]:
    """Return the nodes that words mean; FabricError where there are none, or of more than one holder."""
    if not words:
        raise FabricError.of(
            "variable spx_nodes is missing: name the nodes of the job, or its tenant in spx_tenant."
        )
    names = sorted(
        name
        for name in selection.devices(plan, words, registry)
        if isinstance(plan.known(name), Node)
    )
    if not names:
        raise FabricError.of(f"spx_nodes: {', '.join(words)} has no node: name nodes or a tenant.")
    holders = sorted({registry.holding(t.cast("Node", plan.known(name))).slug for name in names})
    if len(holders) > 1:
        raise FabricError.of(
            f"spx_nodes: the nodes are of {', '.join(some(holders))}: name nodes of one tenant, as one job has."
        )
    return names


def _span(since: str | None, until: str | None, now: float) -> tuple[float, int] | None:
    """Return the end of a time and its seconds; None where the job is looked at while it runs."""
    if not since and not until:
        return None
    end = _moment("spx_to", until) if until else now
    begin = _moment("spx_from", since) if since else end - _HOSTS_BACK
    if end > now + 1:
        raise FabricError.of(
            f"spx_to: {until} is in the future: correct it, or the clock of this machine."
        )
    if not SHORTEST <= end - begin <= LONGEST:
        raise FabricError.of(
            f"spx_from, spx_to: {end - begin:.0f} s lie between them: use {SHORTEST} s to {LONGEST // 86400} days."
        )
    return end, int(end - begin)


def _moment(name: str, text: str) -> float:
    """Return the time of a text; one without a zone is UTC."""
    try:
        moment = datetime.datetime.fromisoformat(str(text))
    except ValueError:
        raise FabricError.of(
            f"{name}: '{text}' is not a time: write one such as 2026-11-30T12:00:00Z."
        ) from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)).timestamp()


# Live


def _live(run: Run, plan: Fabric, nodes: Sequence[str], seconds: int) -> tuple[Rows, list[str]]:
    """Read the switches twice; return the rises, and a sentence for each switch that was not read."""
    names, leaves = counters.switches(plan, nodes), run.leaves(plan)
    before, silent = counters.of_switches(plan, leaves, names, _PARTS)
    if run.check:
        return {}, [*silent, "With --check the counters are read once."]
    time.sleep(seconds)
    after, later = counters.of_switches(plan, leaves, names, _PARTS)
    return counting.differences(before, after), list(dict.fromkeys([*silent, *later]))


# Prometheus


def _service(plan: Fabric) -> Service | None:
    stated = plan.description.monitoring and plan.description.monitoring.prometheus
    return of_site(stated) if stated else None


def _of_switches(plan: Fabric, nodes: Sequence[str], until: float, seconds: int) -> Rows:
    """Ask Prometheus how far the counters of the leaves and spines rose."""
    service = _service(plan)
    if service is None:
        raise FabricError.of(
            "spx_from: the description states no monitoring.prometheus: state it, or leave spx_from and spx_to out."
        )
    metrics = {**_METRICS, str(rules.figures(plan)["octets_in"]): "in-bytes"}
    names, priority = counters.switches(plan, nodes), table("qos")["roce_priority"]
    made: Rows = {}
    try:
        for metric, counter in metrics.items():
            name = metric.replace("{priority}", str(priority))
            for labels, rose in _rises(service, name, names, until, seconds):
                where = f"{labels.get('device', '')}:{labels.get('interface', '')}"
                made.setdefault(where, {})[counter] = rose
    except ServiceError as exc:
        raise FabricError.of(str(exc)) from exc
    return made


def _of_nics(
    plan: Fabric, nodes: Sequence[str], until: float, seconds: int
) -> tuple[Rows, list[str]]:
    """Ask for the counters of NICs; return them, and why there are none."""
    service = _service(plan)
    if service is None:
        return {}, []
    made: Rows = {}
    try:
        for labels, rose in _rises(service, _NICS, nodes, until, seconds):
            where = f"{labels.get('device', '')}:{labels.get('interface', '')}"
            made.setdefault(where, {})[labels.get("counter", "")] = rose
    except ServiceError as exc:
        return {}, [str(exc)]
    return made, []


def _rises(
    service: Service, metric: str, names: Iterable[str], until: float, seconds: int
) -> Iterable[tuple[dict[str, str], int]]:
    """Yield labels and the rise of a counter on some devices; what is no whole rise is left out."""
    choice = "|".join(_quoted(name) for name in names)
    bare, _brace, rest = metric.partition("{")
    selector = f'{bare}{{device=~"{choice}"{"," + rest if rest else "}"}'
    query = f"increase({selector}[{seconds}s])"
    reply = service.form("/api/v1/query", {"query": query, "time": f"{until:.0f}"})
    for labels, value in samples(reply):
        if 0 <= value < 2**63:  # neither NaN nor infinite
            yield labels, round(value)


def _quoted(name: str) -> str:
    """Return a name for a regular expression in a string of PromQL."""
    plain = "".join(f"\\\\{char}" if char in r"\.+*?()|[]{}^$" else char for char in name)
    return plain.replace('"', "").replace("\n", "")


# Reports


def _write(report: str, job: slow.Job, found: slow.SlowAnswer) -> list[str]:
    """Write the suspects as results of the page, and the answer as JSON."""
    rows = []
    for row in found.suspects:
        device = job.fabric.known(row.device)
        about = Subject.of(job.fabric, device, row.tenant or None)
        rows.append(
            about.result(f"job.{row.kind}", failed(row.sentence, row.port, row.limit, row.rose))
        )
    where = os.path.join(report, _FOLDER, f"{clock.now():%Y%m%dT%H%M%SZ}.json")
    data = {
        "schema": 1,
        "fabric": job.fabric.description.name,
        "at": clock.stamp(),
        "nodes": list(job.nodes),
    }
    return [
        results.write(report, _FILE, rows),
        _reports.put_json(where, {**data, **slow.plain(found)}, FabricError.of),
    ]
