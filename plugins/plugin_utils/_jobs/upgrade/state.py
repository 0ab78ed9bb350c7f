# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One switch of an upgrade: what it is, and what is read of it before anything is planned. Private."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._fabric.audit.switch import drained_by
from ..._fabric.catalog import upgrades
from ..._fabric.render.switch import change_conditions
from ..._fabric.tenants import audience
from ..._fabric.tenants.observed_ports import is_down
from ..._nvue.change import identity, known_bugs, report
from ..._nvue.change import plan as planning
from ..._nvue.change.converge import Terms, check_release
from ..._nvue.document.paths import Globs
from ..._nvue.document.release import parse
from ..._nvue.document.shapes import below
from ..._nvue.document.tree import get, merge, prune
from ..._nvue.wire import images, operational
from ..switch import change
from ..switch.maintenance import maintenance
from ..switch.wish import TENANTS
from .records import BOOTED, CHOSEN, INSTALLED, OLD, SwitchState

if t.TYPE_CHECKING:
    from ....module_utils._json import Doc
    from ..._fabric.plan.fabric import Fabric
    from ..._fabric.tenants.registry import Registry
    from ..._nvue.change.plan import Plan
    from ..._nvue.wire.api import Api
    from ..run_store import RunStore
    from ..switch.change import Conditions
    from ..switch.leaves import NvueLeaf
    from ..switch.wish import SwitchWish
    from .records import Target

OWN_SNIPPETS = ("spx-ar-profile", "adaptive_routing_conf-snippet")
MOST_NAMED = 3


@dataclasses.dataclass(frozen=True)
class UpgradeSwitch:
    """A switch in a task: its connection, what the roles want of it now, and the records of the run."""

    plan: Fabric
    registry: Registry
    api: Api
    leaf: NvueLeaf
    wanted: SwitchWish
    how: Conditions
    store: RunStore
    target: Target

    @property
    def name(self) -> str:
        """Name the switch."""
        return self.leaf.name

    @property
    def host_ports(self) -> list[str]:
        """Return its ports towards nodes that are in service."""
        ctx = self.wanted.ctx
        return [row["port"] for row in ctx.host_ports if not ctx.shut(row)]

    def compare(self) -> Plan:
        """Return the difference between the switch and what the roles want; NvueError where it is another switch."""
        made = self.difference()
        self.identify(made)
        return made

    def difference(self) -> Plan:
        """Return the difference between a switch, which may be another one, and what the roles want."""
        expected = change_conditions.terms(self.wanted.ctx)["expected"]["releases"]
        terms = Terms(device=self.name, releases=tuple(expected))
        release = check_release(operational.about(self.api).release, terms)
        return planning.make(operational.applied(self.api), self.wanted.wish(), release)

    def identify(self, made: Plan) -> None:
        """NvueError unless it is this switch that was read."""
        expected = change.identity(self.wanted.ctx, self.how)
        identity.check(self.api, expected, made.hostname, device=self.name)

    def ports_shut(self, applied: Doc) -> bool:
        """Check whether every port towards nodes is shut; false where there is none."""
        interfaces = below(applied, "interface")
        return bool(self.host_ports) and all(
            is_down(below(interfaces, port)) for port in self.host_ports
        )

    def bring(self, wanted: SwitchWish) -> dict[str, object]:
        """Bring the switch to a wish, and return the result of the change."""
        return change.run(self.api, wanted, self.how)

    @property
    def tenancy(self) -> SwitchWish:
        """Return the wish of the tenants' role alone."""
        return dataclasses.replace(self.wanted, roles=(TENANTS,))

    @property
    def closed(self) -> SwitchWish:
        """Return the tenants' wish with every port towards nodes shut."""
        part = dict(self.wanted.tenants or {})
        down: Doc = {port: {"link": {"state": {"down": {}}}} for port in self.host_ports}
        others = prune(part["config"], Globs([f"interface/{port}/link/state" for port in down]))
        config = merge(others, {"interface": down})
        return dataclasses.replace(self.tenancy, tenants={**part, "config": config})

    def drain(self, *, enter: bool) -> SwitchWish:
        """Return the wish that drains the switch, or gives it back."""
        return maintenance(self.plan, self.name, enter=enter)


def look(switch: UpgradeSwitch) -> SwitchState:
    """Read a switch in three requests, and in two more where it is to be upgraded."""
    try:
        made = switch.difference()
        found = images.state(switch.api)
        stage = _stage(switch, found)
        state = SwitchState(
            str(made.release),
            stage,
            drained=bool(drained_by(made.before)),
            shut=switch.ports_shut(made.before),
        )
        refusals = _strange(switch, found, made)
        if state.due:
            switch.identify(made)
            refusals += _refusals(switch, state, made)
    finally:
        switch.api.port.close()
    named = [f"{switch.name}: {text}" for text in refusals]
    remarks = _remarks(made) if state.due else []
    return dataclasses.replace(state, refusals=named, remarks=remarks)


def _stage(switch: UpgradeSwitch, found: images.Images) -> str:
    target = switch.target
    if found.running.holds(target.release, target.build):
        return BOOTED
    if not found.waiting.holds(target.release, target.build):
        return OLD
    return CHOSEN if found.pending else INSTALLED


def _strange(switch: UpgradeSwitch, found: images.Images, made: Plan) -> list[str]:
    """Return what does not fit together: a partition that runs another release, a boot that nobody here planned."""
    target, said = switch.target, list[str]()
    if found.running.release and parse(found.running.release) != made.release:
        said.append(
            f"it runs {made.release}, and its partition {found.current} has {found.running.release}: find out which is "
            "true."
        )
    if made.release == target.release and not found.running.holds(target.release, target.build):
        said.append(
            f"it runs {target.release} of build {found.running.build or 'unknown'}, and release.images says "
            f"{target.build}: correct the description, or install that build by hand."
        )
    if found.pending and not found.waiting.holds(target.release, target.build):
        said.append(
            f"its next boot is {found.next}, which has {found.waiting.release or 'nothing'}: somebody else upgrades "
            f"it; set the next boot back to {found.current} (nv action boot-next system image)."
        )
    return said


def _refusals(switch: UpgradeSwitch, state: SwitchState, made: Plan) -> list[str]:
    """Return what forbids the upgrade; a switch that an earlier run left in the middle differs from the plan."""
    ctx, said = switch.wanted.ctx, list[str]()
    if not switch.api.auth.can_fetch:
        said.append("a token ends with the reboot: give user and password.")
    needed = ["switch_underlay", *([TENANTS] if ctx.host_ports else [])]
    if not switch.how.check and (lacking := [r for r in needed if r not in switch.wanted.roles]):
        said.append(f"manage of the description does not list {' and '.join(lacking)}: list it.")
    if nodes := audience.moving(switch.registry, ctx.device):
        names = ", ".join(map(switch.plan.name, nodes[:MOST_NAMED]))
        said.append(f"{names} is moving: finish that by tenant_move first.")
    said += made.held.drift
    if state.begun:
        return said
    target = str(switch.target.release)
    if state.stage != BOOTED and (why := upgrades.path_refusal(state.release, target, ctx.asic)):
        said.append(f"{why}: use another way, such as ONIE.")
    said += [
        f"known bug {bug.id}: {bug.what}: {bug.remedy}."
        for bug in known_bugs.of_upgrade(made.release, switch.target.release)
        if bug.upgrade == known_bugs.REFUSE and bug.hits(ctx.model, ctx.asic)
    ]
    if state.drained:
        said.append("it is in maintenance: give it back by playbook maintenance first.")
    if made.changes:
        places = ", ".join(str(one["path"]) for one in report.as_list(made.changes[:MOST_NAMED]))
        said.append(
            f"it differs from the plan in {len(made.changes)} places ({places}): run playbook switches first."
        )
    if operational.startup(switch.api) != made.found:
        said.append("its startup configuration is not the applied one: save it (nv config save).")
    return said


def _remarks(made: Plan) -> list[str]:
    """Return what an upgrade cannot judge: snippets of others, whose feature the new release may have itself."""
    snippets = below(made.before, "system", "config", "snippet").keys() - set(OWN_SNIPPETS)
    if not snippets:
        return []
    return [
        f"it has snippets of others ({', '.join(sorted(snippets)[:MOST_NAMED])}): remove those whose feature the new "
        "release has in NVUE."
    ]


def saved(switch: UpgradeSwitch) -> bool:
    """Check whether the next boot has what is applied."""
    return bool(operational.startup(switch.api) == operational.applied(switch.api))


def changes(switch: UpgradeSwitch, wanted: SwitchWish) -> Plan:
    """Return the difference between the switch and a wish."""
    release = operational.about(switch.api).release
    return planning.make(operational.applied(switch.api), wanted.wish(), release)


def drained(switch: UpgradeSwitch) -> bool:
    """Check whether the switch asks its neighbours for other ways."""
    return bool(drained_by(dict(switch.leaf.applied().document)))


def shut(switch: UpgradeSwitch) -> bool:
    """Check whether every port towards nodes is shut."""
    return switch.ports_shut(dict(switch.leaf.applied().document))


def kept(switch: UpgradeSwitch, made: Plan) -> list[str]:
    """Return what a boot did not keep of the configuration that was saved before it."""
    lost = []
    if get(made.before, ("system", "hostname")) != switch.name:
        lost.append("system/hostname")
    if not drained_by(made.before):
        lost.append("router/bgp/graceful-shutdown")
    if switch.host_ports and not switch.ports_shut(made.before):
        lost.append("interface/*/link/state")
    return lost
