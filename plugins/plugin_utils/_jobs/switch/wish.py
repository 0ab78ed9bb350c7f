# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wish of the roles of a switch, from the description, the registry and their variables. Private.

Nothing is read from a switch here. Roles are named as in the description's `manage`.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ..._fabric.description.description import ROLES_THAT_WRITE
from ..._fabric.render.switch import change_conditions, compose, tenants_part
from ..._fabric.tenants.moves import jobs
from ..._fabric.tenants.moves.leaf import Job
from ..._fabric.tenants.registry import Registry
from ..._nvue.change.plan import RestoredSettings, Wish
from ..._nvue.document.tree import merge, normalise

if t.TYPE_CHECKING:
    from ....module_utils._json import Doc
    from ..._fabric.plan.fabric import Fabric
    from ..._fabric.render.switch.context import Context, Options

ROLES = tuple(role for role in compose.ROLES if role in ROLES_THAT_WRITE)
"""The roles that configure a switch. Maintenance is a state of it, and has a playbook."""
TENANTS = "switch_tenants"
# A setting that is called otherwise in the document's options than in the role's variables.
_CALLED = {("switch_adaptive_routing", "values"): "ar_values"}


@dataclasses.dataclass(frozen=True)
class SwitchWish:
    """Wishes of some roles for one switch: a context to render from, and the tenants' part of it.

    `beside` comes from a backup.
    """

    ctx: Context
    roles: tuple[str, ...]
    tenants: t.Mapping[str, t.Any] | None = None
    beside: RestoredSettings | None = None

    @property
    def unlisted(self) -> list[str]:
        """The roles that `manage` of the description does not list: they only plan."""
        return [role for role in self.roles if not change_conditions.may_write(self.ctx, role)]

    def wish(self, *, rotate: tuple[str, ...] = ()) -> Wish:
        """The whole of it, as one wish; `rotate` names secrets that are sent again."""
        others = [role for role in self.roles if role != TENANTS]
        part = self.tenants or {"config": {}, "owns": [], "guard": None}
        config = compose.render(self.ctx, others) if others else {}
        return Wish(
            normalise(merge(config, part["config"])),
            state="replaced",
            owns=(*(compose.owns(self.ctx, others) if others else ()), *part["owns"]),
            unmanaged=tuple(self.ctx.description.unmanaged),
            guard=part["guard"],
            rotate=rotate,
            beside=self.beside,
        )

    def features(self) -> dict[str, Doc]:
        """The document of each feature of the roles, in their order; one without a document is left out."""
        of = {one.name: one.of(self.ctx) for one in compose.chosen(self.roles)}
        return {name: normalise(document) for name, document in of.items() if document}

    def parts(self) -> dict[str, t.Mapping[str, t.Any]]:
        """Return the part of each role: {config, owns, role, managed, considered}."""
        return {
            role: self.tenants
            if role == TENANTS and self.tenants
            else change_conditions.part(self.ctx, role)
            for role in self.roles
        }


def due_roles(fabric: Fabric, roles: t.Iterable[str] = ()) -> tuple[str, ...]:
    """Return roles, or those that the description lets write; one that lists none plans them all."""
    manage = fabric.description.manage
    return tuple(roles) or tuple(role for role in ROLES if role in manage or not manage)


def of_roles(
    fabric: Fabric,
    device: str,
    settings: t.Mapping[str, t.Mapping[str, t.Any]],
    *,
    secret: Options,
    registry: str | None = None,
) -> SwitchWish:
    """Return the wish of roles by the typed values of their variables; `secret` are options that no log may show.

    FabricError for a wrong name or registry.
    """
    tenants = settings.get(TENANTS)
    values = {
        _CALLED.get((role, name), name): value
        for role, row in settings.items()
        if role != TENANTS
        for name, value in row.items()
    }
    ctx = compose.context(fabric, device, options=t.cast("Options", {**values, **secret}))
    if tenants is None:
        return SwitchWish(ctx, tuple(settings))
    ctx = compose.with_registry(ctx, Registry.load(fabric, registry))
    nodes = tenants["nodes"]
    job = Job(nodes=None if nodes is None else jobs.expand(fabric, nodes))
    return SwitchWish(ctx, tuple(settings), tenants_part.part(ctx, job))


def of_job(
    fabric: Fabric, device: str, registry: Registry, job: Job, *, options: Options | None = None
) -> SwitchWish:
    """Return the wish of a tenant's job for a leaf, with a registry that may be a step further than the file."""
    ctx = compose.context(fabric, device, tenants=registry, options=options)
    return SwitchWish(ctx, (TENANTS,), tenants_part.part(ctx, job))
