# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the roles of a switch want of it, from the description, the registry and their variables. Private.

Nothing is read from a switch here. Roles are named as in the description's `manage`.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import role_variables
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model import (
    load,
    yaml_source,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.description import (
    ROLES_THAT_WRITE,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
    shown,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch import (
    compose,
    tenants_part,
    terms,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy import jobs, schema
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.leaf import Job
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.plan import Wish
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.tree import normalise

if t.TYPE_CHECKING:
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch.context import (
        Context,
    )
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.topology.cabling import (
        Node,
    )

ROLES = tuple(role for role in compose.ROLES if role in ROLES_THAT_WRITE)
"""The roles that configure a switch. Maintenance is a state of it, and has a playbook."""
TENANTS = "switch_tenants"
# A setting that is called otherwise in the document's options than in the role's variables.
_CALLED = {("switch_adaptive_routing", "values"): "ar_values"}

Variables = t.Mapping[str, t.Any]
Template = t.Callable[[t.Any], t.Any]


@dataclasses.dataclass(frozen=True)
class Wanted:
    """What some roles want of one switch: a context to render from, and the tenants' part of it."""

    ctx: Context
    roles: tuple[str, ...]
    tenants: t.Mapping[str, t.Any] | None = None

    @property
    def unlisted(self) -> list[str]:
        """The roles that `manage` of the description does not list: they only plan."""
        return [role for role in self.roles if not terms.may_write(self.ctx, role)]

    def wish(self, **more: t.Any) -> Wish:
        """The whole of it, as one wish; `more` are further fields of it."""
        others = [role for role in self.roles if role != TENANTS]
        part = self.tenants or {"config": {}, "owns": [], "guard": []}
        config = compose.render(self.ctx, others) if others else {}
        compose.lay(config, part["config"])
        return Wish(
            normalise(config),
            state="replaced",
            owns=(*(compose.owns(self.ctx, others) if others else ()), *part["owns"]),
            unmanaged=tuple(self.ctx.description.unmanaged),
            guard=tuple(part["guard"]),
            **more,
        )

    def parts(self) -> dict[str, t.Mapping[str, t.Any]]:
        """What each role contributes: {config, owns, role, managed, considered}."""
        return {
            role: self.tenants if role == TENANTS and self.tenants else terms.part(self.ctx, role)
            for role in self.roles
        }


def wanted(
    fabric: Fabric,
    device: str,
    variables: Variables,
    template: Template,
    *,
    roles: t.Iterable[str] = (),
    registry: str | None = None,
) -> Wanted:
    """What roles want of a switch; without `roles`, those that the description lets write.

    A description that lists none plans them all. FabricError for a wrong name, variable or registry.
    """
    asked = tuple(roles) or _considered(fabric)
    found = {
        role: role_variables.values(role, variables, template) for role in dict.fromkeys(asked)
    }
    tenants = found.pop(TENANTS, None)
    settings = {
        _CALLED.get((role, name), name): value
        for role, row in found.items()
        for name, value in row.items()
    }
    ctx = compose.context(fabric, device, options=settings)
    if tenants is None:
        return Wanted(ctx, asked)
    listed = _further(fabric, Registry.load(fabric, registry), tenants)
    ctx = dataclasses.replace(ctx, tenants=listed)
    return Wanted(ctx, asked, tenants_part.part(ctx, _job(fabric, tenants)))


def of_job(fabric: Fabric, device: str, registry: Registry, job: Job) -> Wanted:
    """What a tenant's job wants of a leaf, with a registry that may be a step further than the file."""
    ctx = compose.context(fabric, device, tenants=registry)
    return Wanted(ctx, (TENANTS,), tenants_part.part(ctx, job))


def _further(fabric: Fabric, registry: Registry, tenants: Variables) -> Registry:
    """The registry with the moves and nodes of the role's variables laid over it."""
    moves = {
        _node(fabric, str(name)): _moving(name, record) if record else None
        for name, record in tenants["moves"].items()
    }
    made = registry.with_moves(moves) if moves else registry
    gone, extra = (jobs.expand(fabric, tenants[key]) for key in ("gone", "extra"))
    made = made.with_nodes(schema.QUARANTINE, gone) if gone else made
    return made.with_nodes(tenants["tenant"], extra) if extra else made


def _moving(name: str, record: t.Any) -> schema.Moving:
    """A moving record; FabricError with a sentence for each wrong key."""
    if not isinstance(record, dict):
        raise FabricError.of(
            f"moving record of {name}: {shown(str(record))} is not allowed: use a mapping of keys."
        )
    return load.typed(
        schema.Moving, yaml_source.Source(f"moving record of {name}", dict(record), {})
    )


def _node(fabric: Fabric, name: str) -> Node:
    (node,) = jobs.expand(fabric, [name])
    return node


def _job(fabric: Fabric, tenants: Variables) -> Job:
    nodes = tenants["nodes"]
    return Job(
        nodes=None if nodes is None else jobs.expand(fabric, nodes),
        leaving=jobs.expand(fabric, tenants["leaving"]),
        ending=tenants["ending"],
    )


def _considered(fabric: Fabric) -> tuple[str, ...]:
    manage = fabric.description.manage
    return tuple(role for role in ROLES if role in manage or not manage)
