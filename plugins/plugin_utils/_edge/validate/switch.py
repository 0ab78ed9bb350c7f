# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One switch: what it reports, compared with the plan and with the variables of its roles."""

from __future__ import annotations

import typing as t

from ..._fabric.switch import compose
from ..._fabric.validate import host_pairs, rented, switch
from ..._fabric.validate.results import Subject, failed, not_run, wanted
from ..._fabric.validate.switch_view import View, resting_devices
from ..._nvue.connect import open_api
from ..._nvue.dialect import from_release
from ..._nvue.errors import NvueError, TransportError, UntrustedError
from .. import switch_reader, switch_wish, vrf_probes
from ..wrappers import ended
from .question import Plain, Question, today

if t.TYPE_CHECKING:
    from ..._fabric.topology.cabling import Switch
    from ..._fabric.validate.results import Finding, Result
    from ..._nvue.api import Api
    from ..._nvue.release import Release


def validate(asked: Question) -> Plain:
    """Results of the switch; of a leaf also facts for the checks of hosts."""
    rows, read = _judged(asked)
    found = asked.answer(asked.device, rows)
    if found.get("failed"):
        # Who reads a failure reads sentences; the facts are for checks that follow.
        found["ansible_facts"] = {}
    return {**read, **found}


def _judged(asked: Question) -> tuple[list[Result], Plain]:
    """Results, and what the task adds: facts of what was read, or that nothing could be."""
    ctx = compose.context(asked.fabric, asked.device, tenants=asked.registry)
    name, about = asked.device, Subject.of(ctx.fabric, ctx.device)

    def reachable(finding: Finding) -> list[Result]:
        return [about.result("switch.reachable", finding)]

    if name in resting_devices(ctx):
        return reachable(not_run(f"{name} is out of service.")), {}
    try:
        parts: Plain = switch_wish.wanted(
            *(asked.fabric, asked.device, asked.stated, asked.template),
            registry=asked.args["tenants"],
        ).parts()
        api = open_api(asked.args, asked.stated, asked.template)
        reading = switch_reader.read(api)
    except TransportError as exc:
        return reachable(not_run(f"{name} did not answer: {exc}")), ended(exc)
    except UntrustedError as exc:
        return reachable(not_run(f"{name} was not read: {exc}")), ended(exc)
    except NvueError as exc:
        return reachable(failed(f"{name} could not be read: {exc}")), {}
    unmanaged = tuple(ctx.description.unmanaged)
    view = View(**vars(reading), ctx=ctx, parts=parts, today=today(), unmanaged=unmanaged)
    found = switch.check(view, asked.args["checks"])
    # For the checks of hosts: what a leaf's applied configuration says of its host ports.
    facts: Plain = {}
    if ports := {row["port"]: row["speed"] for row in ctx.host_ports}:
        document = from_release(reading.applied, reading.release)
        facts[host_pairs.FACT] = host_pairs.leaf_ports(document, ports)
    if asked.args["probes"] and wanted(rented.CHECK, asked.args["checks"]):
        facts[rented.FACT] = _tried(asked, ctx.device, api, reading.release)
    return found, {"ansible_facts": facts}


def _tried(asked: Question, leaf: Switch, api: Api, release: Release) -> Plain:
    """For the checks of rented hosts: what pings from their VRFs on this leaf found."""
    rows = rented.probes(asked.fabric, asked.registry, leaf, chosen=asked.meant)
    why = "with --check no action of a switch is started." if asked.action._task.check_mode else ""
    return vrf_probes.run(api, release, rows, why=why)
