# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One host, its NICs with their leaf ports, and what it tries, compared with the plan."""

from __future__ import annotations

import typing as t

from ..._fabric.audit import host, host_tries, host_view, rented_hosts
from ..._fabric.audit.host_partners import Partner, partners
from ..._fabric.audit.results import Result, Subject, not_run
from ..._fabric.description.errors import FabricError
from ..._fabric.plan.topology.cabling import Node
from ..._fabric.render.host import addresses
from ..._fabric.render.host.desired import DesiredNode, desired
from ..host.form import in_form
from .records import LEAF, LeafFacts
from .request import Plain, Request

if t.TYPE_CHECKING:
    from ....module_utils._host.records import Definition, ProbeResult


def validate(asked: Request) -> Plain:
    """Results of the host; one that is rented or out of service is not contacted."""
    fabric, name = asked.fabric, asked.device
    node = fabric.known(name)
    if not isinstance(node, Node):
        raise FabricError.of(f"'{name}' is a switch: name a node.")
    about = Subject.of(fabric, node, asked.registry.holding(node).slug)
    try:
        return _judged(asked, node, about)
    except FabricError as exc:  # the report must not count the host as proven, or leave it out
        return _unmade(asked, about, str(exc))


def _unchecked(about: Subject, why: str) -> Result:
    return about.result(host.REACHABLE, not_run(why))


def _unmade(asked: Request, about: Subject, why: str) -> Plain:
    """The result of a host whose checks could not be made, in the report too; the task fails."""
    rows = [_unchecked(about, f"{about.device} was not checked: {why}")]
    return {**asked.answer(about.device, rows), "failed": True, "msg": why}


def _judged(asked: Request, node: Node, about: Subject) -> Plain:
    name = about.device
    wanted = desired(asked.fabric, name, registry=asked.registry)
    if wanted["resting"]:
        why = f"{name} is out of service: {wanted['resting']}"
        return asked.answer(name, [_unchecked(about, why)])
    if wanted["access"] != "managed":
        tried = _rented(about, _leaves(asked, wanted))
        why = f"{name} is rented to {about.tenant}: not touched."
        return asked.answer(name, [_unchecked(about, why), *asked.due(tried)])
    met = partners(asked.fabric, asked.registry, node)
    seen = _seen(asked, node, wanted, met)
    if seen.get("unreachable"):
        why = f"{name} did not answer: {seen['msg']}"
        rows = [_unchecked(about, why), *asked.due(host_tries.none(about, why))]
        return {**asked.answer(name, rows), "unreachable": True, "msg": str(seen["msg"])}
    if seen.get("failed"):
        return _unmade(asked, about, str(seen.get("msg") or "the module failed"))
    with in_form(name, "host"):
        return _checked(asked, node, wanted, about, seen, met)


def _checked(
    asked: Request,
    node: Node,
    wanted: DesiredNode,
    about: Subject,
    seen: Plain,
    met: t.Mapping[str, Partner],
) -> Plain:
    """The results of what the host showed."""
    probe = t.cast("Plain", seen.get("probe") or {})
    traces = t.cast("Plain | None", seen.get("identity"))
    rows = t.cast("dict[str, list[Definition]]", seen.get("network") or {}).get("addresses")
    held = t.cast("DesiredNode", seen.get("wanted") or wanted)
    whose = asked.host.identity(traces) if traces else None
    view = host_view.View(
        subject=about,
        wanted=held,
        look=t.cast("host_view.HostReading", seen),
        identity=whose,
        addresses=None
        if rows is None
        else addresses.sentences(asked.fabric, asked.registry, rows, manage=held["manage"]),
        allow=asked.options.allow_versions,
        probe=t.cast("ProbeResult", probe) if "pings" in probe else None,
        leaves={
            name: facts.host_ports
            for name, facts in _leaves(asked, wanted).items()
            if facts.host_ports is not None
        },
        others=met,
        macs=t.cast("list[tuple[str, str]]", (traces or {}).get("ports", ())),
        unproven={
            name: facts.unproven
            for name, facts in _leaves(asked, wanted).items()
            if facts.unproven is not None
        },
    )
    return asked.answer(about.device, host.check(view, asked.options.checks))


def _seen(asked: Request, node: Node, wanted: DesiredNode, met: t.Mapping[str, Partner]) -> Plain:
    """Return a look at the host, and `probe`; without the look where only the probe was required."""
    alone = host_tries.alone(asked.options.checks)

    def probe(planned: DesiredNode) -> Plain:
        return {
            "nics": [] if alone else planned["nics"],
            "pings": host_tries.pings(planned, {} if alone else met),
            "attempts": host_tries.attempts(asked.fabric, asked.registry, node, planned),
        }

    if alone:
        found = asked.host.run({"asked": {"sysfs": asked.host.sysfs}, "probe": probe(wanted)})
        return {**found, "wanted": wanted}  # the plan says it, not the host
    # What an earlier play of this run has read is no proof.
    return asked.host.look(probe=lambda planned: probe(t.cast("DesiredNode", planned)))


def _rented(about: Subject, leaves: t.Mapping[str, LeafFacts]) -> list[Result]:
    """Judge a rented host by the tests of its leaves; tests from the host itself are not run."""
    why = f"{about.device} is rented to {about.tenant}: nothing is tried from it."
    found = {name: facts.rented for name, facts in leaves.items() if facts.rented is not None}
    others = [row for row in host_tries.none(about, why) if row["id"] != rented_hosts.CHECK]
    return [*rented_hosts.judge(about, found), *others]


def _leaves(asked: Request, wanted: DesiredNode) -> dict[str, LeafFacts]:
    """Return what the run learnt of the host's leaves."""
    names = {row["peer"]["device"] for row in wanted["interfaces"]}
    return {name: asked.run.store.get(LEAF, of=name) for name in sorted(names)}
