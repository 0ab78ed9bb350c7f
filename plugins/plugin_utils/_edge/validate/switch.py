# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One switch: what it reports, compared with the plan and with the variables of its roles."""

from __future__ import annotations

from ..._fabric.switch import compose
from ..._fabric.switch.context import Context
from ..._fabric.validate import host_pairs, rented, results, switch
from ..._fabric.validate.results import failed, not_run
from ..._fabric.validate.switch_view import Reading, View, resting_devices
from ..._nvue.api import Api
from ..._nvue.connect import open_api
from ..._nvue.dialect import from_release
from ..._nvue.errors import NvueError, TransportError, UntrustedError
from .. import switch_reader, switch_wish, vrf_probes
from ..wrappers import ended
from .question import Plain, Question, today

REACHABLE = "switch.reachable"


def validate(asked: Question) -> Plain:
    """Results of the switch; of a leaf also facts for the checks of hosts."""
    ctx = compose.context(asked.fabric, asked.device, tenants=asked.registry)
    if not asked.means(asked.device):
        where = asked.args["where"]
        return {"skipped": True, "msg": f"{asked.device} is not in {where}."}
    rows, read = _judged(asked, ctx)
    found = asked.answer(asked.device, rows)
    if found.get("failed"):
        # Who reads a failure reads sentences; the facts are for checks that follow.
        found["ansible_facts"] = {}
    return {**read, **found}


def _judged(asked: Question, ctx: Context) -> tuple[list[results.Result], Plain]:
    """Results, and what the task adds: facts of what was read, or that nothing could be."""
    name, about = asked.device, results.Subject.of(ctx.fabric, ctx.device)
    if name in resting_devices(ctx):
        return [about.result(REACHABLE, not_run(f"{name} is out of service."))], {}
    try:
        parts: Plain = switch_wish.wanted(
            *(asked.fabric, asked.device, asked.stated, asked.template),
            registry=asked.args["tenants"],
        ).parts()
        api = open_api(asked.args, asked.stated, asked.template)
        reading = switch_reader.read(api)
    except TransportError as exc:
        return [about.result(REACHABLE, not_run(f"{name} did not answer: {exc}"))], ended(exc)
    except UntrustedError as exc:
        return [about.result(REACHABLE, not_run(f"{name} was not read: {exc}"))], ended(exc)
    except NvueError as exc:
        return [about.result(REACHABLE, failed(f"{name} could not be read: {exc}"))], {}
    view = View(
        **vars(reading),
        ctx=ctx,
        parts=parts,
        today=today(),
        unmanaged=tuple(ctx.description.unmanaged),
    )
    found = switch.check(view, asked.args["checks"])
    facts = _host_ports(ctx, reading)
    if asked.args["probes"] and results.wanted(rented.CHECK, asked.args["checks"]):
        facts[rented.FACT] = _tried(asked, ctx, api, reading)
    return found, {"ansible_facts": facts}


def _tried(asked: Question, ctx: Context, api: Api, reading: Reading) -> Plain:
    """For the checks of rented hosts: what pings from their VRFs on this leaf found."""
    rows = rented.probes(ctx.fabric, asked.registry, ctx.device, chosen=asked.meant)
    why = "with --check no action of a switch is started." if asked.action._task.check_mode else ""
    return vrf_probes.run(api, reading.release, rows, why=why)


def _host_ports(ctx: Context, reading: Reading) -> Plain:
    """For the checks of hosts: what a leaf's applied configuration says of its host ports."""
    ports = {row["port"]: row["speed"] for row in ctx.ports if row["kind"] == "host"}
    if not ports:
        return {}
    document = from_release(reading.applied, reading.release)
    return {host_pairs.FACT: host_pairs.leaf_ports(document, ports)}
