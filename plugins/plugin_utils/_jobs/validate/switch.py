# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One switch, and the tenants of one leaf or of all: what is read, compared with the plan. Never writes."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._fabric.audit import (
    host_pairs,
    isolation,
    isolation_leaf,
    rented_hosts,
    switch,
    switch_neighbours,
    switch_reports,
    switch_telemetry,
)
from ..._fabric.audit.results import Subject, failed, not_run
from ..._fabric.audit.switch_view import SwitchReading, View
from ..._fabric.catalog.data import wanted
from ..._fabric.catalog.telemetry import INTERVAL
from ..._fabric.plan.topology.cabling import Switch
from ..._fabric.render.host.identity import macs_of
from ..._fabric.render.switch import compose, oob
from ..._fabric.tenants.moves import tables
from ..._nvue.document import ranges
from ..._nvue.document.dialect import from_release
from ..._nvue.document.paths import parse
from ..._nvue.document.shapes import mapping
from ..._nvue.document.tree import merge
from ..._nvue.errors import NvueError, TransportError, UntrustedError
from ..._nvue.wire import operational, ping, sessions
from ..._nvue.wire.operational import Neighbour
from .. import clock
from ..switch.failure import ended
from . import networks
from .records import LEAF, LeafFacts
from .request import Plain, Request

if t.TYPE_CHECKING:
    from ....module_utils._json import Doc
    from ..._fabric.audit.results import Finding, Result
    from ..._fabric.render.switch.change_conditions import Part
    from ..._nvue.document.release import Release
    from ..._nvue.wire.api import Api

PARTS: tuple[operational.Include, ...] = (
    (*operational.STATE, *(f"/*/link/stats/{name}" for name in switch_reports.COUNTERS)),
    ("/*/link/phy/health/effective-ber", "/*/qos/pfc-watchdog"),
)
"""Parts of the interfaces beside their neighbours: what every switch has, and what not every release has."""
_PAUSE = 2
"""Seconds between two readings while exports are waited for."""


def validate(asked: Request) -> Plain:
    """Judge the switch; what a leaf said for the checks of others is kept in the run's store."""
    rows, ending = _judged(asked)
    return {**ending, **asked.answer(asked.device, rows)}


def _judged(asked: Request) -> tuple[list[Result], Plain]:
    """Return results, and what the task adds where the switch could not be read."""
    ctx = compose.context(asked.fabric, asked.device, tenants=asked.registry)
    name, about = asked.device, Subject.of(ctx.fabric, ctx.device)

    def reachable(finding: Finding) -> list[Result]:
        return [about.result("switch.reachable", finding)]

    if name in ctx.fabric.resting:
        return reachable(not_run(f"{name} is out of service.")), {}
    try:
        parts, api = asked.wish().parts(), asked.connect()
        ends = ctx.description.management.telemetry
        wait = switch_telemetry.CHECK in asked.options.checks
        reading = read(api, ends, wait=wait, vrf=oob.VRF if ctx.oob else "default")
    except TransportError as exc:
        return reachable(not_run(f"{name} did not answer: {exc}")), ended(exc)
    except UntrustedError as exc:
        unread = reachable(not_run(f"{name} was not read: {exc}"))
        return [*unread, *_shown(asked, api, about)], ended(exc)
    except NvueError as exc:
        return reachable(failed(f"{name} could not be read: {exc}")), {}
    view = View(
        **vars(reading), ctx=ctx, parts=t.cast("dict[str, Part]", parts), today=clock.today()
    )
    if silent := switch_neighbours.unproven(view):
        view = dataclasses.replace(view, resolved=_resolved(api, silent, view.lldp))
    found = switch.check(view, asked.options.checks)
    if switch.unconfigured(reading.applied):
        asked.run.store.put(LEAF, LeafFacts(), of=name)
        return found, {}
    document = from_release(reading.applied, reading.release)
    # For the checks of hosts: what a leaf's applied configuration says of its host ports.
    facts = LeafFacts(unproven=view.resolved)
    if ports := {row["port"]: row["speed"] for row in ctx.host_ports}:
        try:
            leaf_ports = host_pairs.leaf_ports(document, ports)
            facts = dataclasses.replace(facts, host_ports=leaf_ports)
        except ValueError:
            odd = "qos and interface of its applied configuration have a value of another kind"
            found = [*found, *reachable(failed(f"{name}: {odd}: check it with nv config show."))]
    if asked.options.probes and wanted(rented_hosts.CHECK, asked.options.checks):
        rows = rented_hosts.probes(asked.fabric, asked.registry, ctx.device, chosen=asked.meant)
        check = asked.run.check
        why = "with --check no action of a switch is started." if check else ""
        facts = dataclasses.replace(facts, rented=tried(api, reading.release, rows, why=why))
    if networks.due(asked, ctx.device):
        drained = bool(switch.drained(view))
        try:
            more, segments = networks.judge(
                *(asked, ctx.device, api, reading.interfaces),
                applied=document,
                maintenance=drained,
            )
        except NvueError as exc:
            return [*found, *reachable(failed(f"{name} could not be read: {exc}"))], {}
        found, facts = [*found, *more], dataclasses.replace(facts, segments=segments)
    asked.run.store.put(LEAF, facts, of=name)
    return found, {}


def _shown(asked: Request, api: Api, about: Subject) -> list[Result]:
    """Judge the certificate of a switch that is not trusted, by a handshake in which nothing is sent."""
    try:
        der = api.port.shown()
    except NvueError:
        return []
    row = about.result("switch.certificate", switch.expiry(asked.device, der, clock.today()))
    return asked.due([row])


def tried(
    api: Api, release: Release, rows: t.Iterable[rented_hosts.Probe], *, why: str = ""
) -> dict[str, rented_hosts.ProbeAnswer]:
    """{node: its row of `rented.probes` with own, other and reason}.

    `own` and `other` are whether the node and its stranger answered. Where the switch must not be
    asked (`why`), refuses, or says what cannot be read, both stay None, and it is not asked again.
    """
    why = why or ping.unpublished(release)
    made: dict[str, rented_hosts.ProbeAnswer] = {}
    try:
        for row in rows:
            heard: list[bool | None] = [None, None]
            for who, address in enumerate((row["address"], row["stranger"])):
                if address and not why:
                    echo = ping.ping(api, row["vrf"], address)
                    heard[who], why = echo.answered, echo.reason
            made[row["node"]] = {**row, "own": heard[0], "other": heard[1], "reason": why}
    finally:
        api.port.close()
    return made


def read(
    api: Api, collectors: t.Sequence[str] = (), *, wait: bool = False, vrf: str = "default"
) -> SwitchReading:
    """Read one switch, with the sessions of a VRF; NvueError as the client raises it.

    Seven requests: release, applied configuration, three parts of the interfaces, BGP sessions, RoCE; one more where
    the sessions come without their address families, and one for host ports that LLDP leaves unproven. With
    `collectors` the health of telemetry is read first and last; with `wait` until the exports rise.
    """
    try:
        about = operational.about(api)
        health = _health(api) if collectors else []
        applied = ranges.expand(operational.applied(api))
        interfaces: Doc = {}
        for part in PARTS:
            interfaces = merge(interfaces, {**operational.interfaces(api, part)})
        return SwitchReading(
            release=about.release,
            uptime=about.uptime,
            applied=applied,
            interfaces=interfaces,
            neighbors=sessions.peers(api, vrf, families=True),
            lldp=operational.neighbours_by_port(api),
            roce=operational.read(api, ("qos", "roce"), mapping) or {},
            certificate=api.port.certificate(),
            health=_until_it_rises(api, health, collectors, wait=wait),
        )
    finally:
        api.port.close()


def _health(api: Api) -> list[Doc]:
    """Read the health of telemetry; releases before 5.12 have none."""
    found = operational.read(api, switch_telemetry.PLACE, mapping)
    return [found] if found else []


def _until_it_rises(
    api: Api, before: list[Doc], collectors: t.Sequence[str], *, wait: bool
) -> list[Doc]:
    """Read it again, with `wait` for two intervals at most, until more was exported than before."""
    until = api.clock.now() + 2 * INTERVAL
    readings = [*before, *(_health(api) if before else [])]
    while wait and len(readings) > 1 and api.clock.now() < until:
        if switch_telemetry.rises(readings[0], readings[-1], collectors):
            break
        api.clock.sleep(_PAUSE)
        readings += _health(api)
    return readings


def _resolved(
    api: Api, ports: t.Sequence[str], heard: t.Mapping[str, t.Sequence[tuple[str, ...]]]
) -> dict[str, list[str]]:
    """Read the MAC addresses at host ports by ARP and ND, with those by which LLDP names the ports themselves."""
    try:
        found = operational.interfaces(api, operational.RESOLVED)
    finally:
        api.port.close()
    named = {port: [Neighbour(*one).port for one in heard.get(port, ())] for port in ports}
    return {port: sorted(macs_of([found.get(port, {}), *named[port]])) for port in ports}


# Tenants


def tenants(asked: Request) -> Plain:
    """Results of a leaf and what it runs, as `document`; with option `leaves` of all that were read."""
    if asked.options.leaves is not None:
        found = isolation.graph(asked.fabric, asked.registry, asked.documents)
        return asked.answer("tenants", asked.due([*found, *networks.pairs(asked)]))
    name = asked.device
    leaf = asked.fabric.known(name)
    if not isinstance(leaf, Switch) or leaf.role != "leaf":
        return {"skipped": True, "msg": f"{name} is not a leaf."}
    file = f"{name}.tenants"
    try:
        api = asked.connect()
        view, routes = _running(api, asked, leaf)
        if switch.unconfigured(view.applied):
            row = Subject.of(asked.fabric, leaf).result("tenant.readable", not_run(switch.NEVER))
            return asked.answer(file, [row])
    except (TransportError, UntrustedError) as exc:
        return ended(exc)
    except NvueError as exc:
        # A row, not a failed task: the results of all other devices are still to be summed up.
        wrong = failed(f"{name} could not be read: {exc}")
        row = Subject.of(asked.fabric, leaf).result("tenant.readable", wrong)
        return asked.answer(file, [row])
    rows = asked.due([*isolation_leaf.static(view), *isolation.live(view, routes)])
    return {**asked.answer(file, rows), "document": isolation.for_graph(view)}


def _running(
    api: Api, asked: Request, leaf: Switch
) -> tuple[isolation_leaf.LeafView, dict[str, set[str] | None]]:
    """The leaf's configuration in neutral spelling, and the prefixes of each VRF; None where it reports none."""
    try:
        release = operational.about(api).release
        applied = from_release(ranges.expand(operational.applied(api)), release)
        view = isolation_leaf.LeafView(asked.fabric, asked.registry, leaf, applied)
        routes: dict[str, set[str] | None] = {}
        for vrf in (row["vrf"] for row in view.vrfs):
            place = parse(tables.places(asked.fabric.addresses.version, vrf)["rib"])
            found = operational.read(api, place, mapping)
            routes[vrf] = None if tables.routes(found) is None else tables.prefixes_in(found)
    finally:
        api.port.close()
    return view, routes
