# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole document of a switch: every feature in order, each the work of one role.

    document(fabric, "leaf-p1-su001-r1")                    all features
    document(fabric, "leaf-p1-su001-r1", features=["roce"])  one

What comes out shares no mapping with anything else: it may be changed.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ...._nvue.document.tree_edit import lay
from ...description.errors import FabricError, nearest
from ...plan.topology.cabling import Switch
from ...tenants.vrfs import of_leaf
from . import (
    adaptive_routing,
    bgp,
    control_plane_acl,
    converged_acl,
    converged_interfaces,
    evpn,
    interfaces,
    oob,
    ownership,
    policy,
    roce,
    system,
    tenants,
)
from .context import Context, Options

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .....module_utils._json import Doc
    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Device
    from ...tenants.registry import Registry


class Feature(t.NamedTuple):
    """One subtree: its name, the role that carries it, and the function that renders it.

    `converged` renders it on the switches of the converged fabric, where that is another function. On those of the
    out-of-band network `oob` does, and a feature without it is not there.
    """

    name: str
    role: str
    render: Callable[[Context], Doc | None]
    converged: Callable[[Context], Doc | None] | None = None
    oob: Callable[[Context], Doc | None] | None = None

    def of(self, ctx: Context) -> Doc | None:
        """The subtree of one switch."""
        if ctx.oob:
            return self.oob(ctx) if self.oob else None
        own = self.converged if ctx.converged else None
        return (own or self.render)(ctx)


FEATURES = (
    Feature("api", "switch_bootstrap", system.api, oob=system.api),
    Feature("system", "switch_base", system.system, oob=system.system),
    Feature(
        "interfaces",
        "switch_underlay",
        interfaces.interfaces,
        converged_interfaces.interfaces,
        oob.interfaces,
    ),
    Feature("loopback", "switch_underlay", interfaces.loopback),
    Feature("policy", "switch_underlay", policy.policy),
    Feature("bgp", "switch_underlay", bgp.bgp, oob=oob.bgp),
    Feature("forwarding", "switch_underlay", bgp.forwarding),
    Feature("evpn", "switch_underlay", evpn.evpn, oob=oob.relay),
    Feature(
        "control_plane_acl",
        "switch_underlay",
        control_plane_acl.control_plane_acl,
        converged_acl.control_plane_acl,
        oob.lists,
    ),
    Feature("roce", "switch_roce", roce.roce),
    Feature("adaptive_routing", "switch_adaptive_routing", adaptive_routing.adaptive_routing),
    Feature("tenants", "switch_tenants", tenants.tenants),
    Feature("maintenance", "switch_maintenance", bgp.maintenance, oob=bgp.maintenance),
)
# The order of roles in a playbook.
ROLES = tuple(dict.fromkeys(feature.role for feature in FEATURES))


def document(
    fabric: Fabric,
    device: Device | str,
    features: Iterable[str] | None = None,
    *,
    options: Options | None = None,
    tenants: Registry | None = None,
) -> Doc:
    """The release-neutral document of a switch (spelled as Cumulus Linux 5.15 and newer)."""
    return render(context(fabric, device, options=options, tenants=tenants), features)


def render(ctx: Context, features: Iterable[str] | None = None) -> Doc:
    """Render a document for a context that exists already."""
    made: Doc = {}
    for feature in chosen(features):
        part = feature.of(ctx)
        if part:
            lay(made, part)
    return made


def context(
    fabric: Fabric,
    device: Device | str,
    *,
    options: Options | None = None,
    tenants: Registry | None = None,
) -> Context:
    """The context of a switch; FabricError when the name is no switch's."""
    found = fabric.known(device) if isinstance(device, str) else device
    if not isinstance(found, Switch):
        raise FabricError.of(f"'{fabric.name(found)}' is a node: name a switch.")
    ctx = Context(fabric, found, fabric.slice(found), options or {})
    return ctx if tenants is None else with_registry(ctx, tenants)


def with_registry(ctx: Context, registry: Registry) -> Context:
    """A context with what the registry says of the switch."""
    rows = of_leaf(ctx.fabric, registry, ctx.device) if ctx.converged else None
    return dataclasses.replace(ctx, tenants=registry, networks=rows)


def chosen(features: Iterable[str] | None) -> list[Feature]:
    """Features by name or by role, in their own order; all when nothing is asked for."""
    if features is None:
        return list(FEATURES)
    wanted = set(features)
    known = {feature.name for feature in FEATURES} | set(ROLES)
    for name in sorted(wanted - known):
        raise FabricError.of(
            f"'{name}' is not a feature of a switch{nearest(name, known)}: use one of "
            f"{', '.join(feature.name for feature in FEATURES)}, or a role such as switch_roce."
        )
    return [feature for feature in FEATURES if wanted & {feature.name, feature.role}]


def owns(ctx: Context, features: Iterable[str] | None = None) -> list[str]:
    """The path globs that belong to the roles of these features."""
    return ownership.owned(ctx, {feature.role for feature in chosen(features)})
