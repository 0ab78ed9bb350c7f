# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the roles of a switch want of it, from the description, the registry and their variables. Private.

Nothing is read from a switch here. Roles are named as in the description's `manage`.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils import _role_variables
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch import compose, terms
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy import desk
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

ROLES = (
    "switch_bootstrap",
    "switch_base",
    "switch_underlay",
    "switch_roce",
    "switch_adaptive_routing",
    "switch_tenants",
)
"""The roles that configure a switch. Maintenance is a state of it, and has a playbook."""
TENANTS = "switch_tenants"
# A setting that is called otherwise in the document's options than in the role's variables.
_CALLED = {"switch_adaptive_routing": {"values": "ar_values"}}

Variables = t.Mapping[str, t.Any]
Template = t.Callable[[t.Any], t.Any]


@dataclasses.dataclass(frozen=True)
class Wanted:
    """What some roles want of one switch: a context to render from, and the rules of what stays."""

    ctx: Context
    roles: tuple[str, ...]
    rules: tuple[t.Mapping[str, t.Any], ...] = ()

    @property
    def unlisted(self) -> list[str]:
        """The roles that `manage` of the description does not list: they only plan."""
        return [role for role in self.roles if not terms.may_write(self.ctx, role)]

    def wish(self, **more: t.Any) -> Wish:
        """The whole of it, as one wish; `more` are further fields of it."""
        return Wish(
            normalise(compose.render(self.ctx, self.roles)) if self.roles else {},
            state="replaced",
            owns=tuple(compose.owns(self.ctx, self.roles)) if self.roles else (),
            unmanaged=tuple(self.ctx.description.unmanaged),
            guard=self.rules,
            **more,
        )

    def parts(self) -> dict[str, dict[str, t.Any]]:
        """What each role contributes: {config, owns, role, managed, considered}."""
        return {role: terms.part(self.ctx, role) for role in self.roles}


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
    settings: dict[str, t.Any] = {}
    tenants: dict[str, t.Any] = {}
    asked = tuple(roles) or _considered(fabric)
    for role in asked:
        found = _plain(_role_variables.values(role, variables, template))
        if role == TENANTS:
            tenants = found
            continue
        called = _CALLED.get(role, {})
        settings |= {called.get(name, name): value for name, value in found.items()}
    listed, question = None, {**tenants, "device": device}
    if TENANTS in asked:
        listed = desk.as_asked(fabric, Registry.load(fabric, registry), question)
    ctx = compose.context(fabric, device, options=settings, tenants=listed)
    rules: tuple[t.Any, ...] = ()
    if listed is not None and ctx.role == "leaf":
        rules = tuple(desk.answer(fabric, "guard", question, registry))
    return Wanted(ctx, asked, rules)


def _considered(fabric: Fabric) -> tuple[str, ...]:
    manage = fabric.description.manage
    return tuple(role for role in ROLES if role in manage or not manage)


def _plain(value: t.Any) -> t.Any:
    """A value without Ansible's lazy containers, which the core would read past."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value
