# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions of a change of a switch, and the parts that roles contribute to it."""

from __future__ import annotations

import typing as t

from ...._nvue.document.tree import merge
from . import compose, system

if t.TYPE_CHECKING:
    from .....module_utils._json import Doc
    from ...tenants.leaf_guard import Guard
    from .context import Context

# Places that identify a switch without serial and name: a few links show as much as all of them.
_PLACES = 4
# Roles that write under another role's permission.
_UNDER = {"switch_maintenance": "switch_underlay"}


class Part(t.TypedDict):
    """Part of a role on a switch: a document, and the places that are its own.

    `managed` says that the description lets the role write, `considered` that it is looked at.
    """

    config: Doc
    owns: list[str]
    role: str
    managed: bool
    considered: bool
    guard: t.NotRequired[Guard | None]


class ExpectedSwitch(t.TypedDict):
    """Identity of a switch that is checked before a change."""

    releases: list[str]
    serial: str
    hostname: str
    model: str
    lldp: dict[str, Place]


class Place(t.TypedDict):
    """The far end of a cable, as LLDP reports it."""

    system: str
    port: str


class Terms(t.TypedDict):
    """Identity, releases and limits of a change."""

    device: str
    expected: ExpectedSwitch
    unmanaged: list[str]
    host_ports: list[str]
    manage: list[str]


def part(ctx: Context, term: str) -> Part:
    """One role's or feature's contribution."""
    names = None if term == "all" else [term]
    role = "all" if term == "all" else compose.chosen(names)[0].role
    manage = ctx.description.manage
    managed = set(compose.ROLES) <= set(manage) if term == "all" else may_write(ctx, role)
    return {
        "config": compose.render(ctx, names),
        "owns": compose.owns(ctx, names),
        "role": role,
        "managed": managed,
        "considered": managed or not manage,
    }


def may_write(ctx: Context, role: str) -> bool:
    """Check whether the description lets a role write."""
    return _UNDER.get(role, role) in ctx.description.manage


def terms(ctx: Context) -> Terms:
    """Identity, releases and limits of a change."""
    d = ctx.description
    return {
        "device": ctx.slice["name"],
        "expected": {
            "releases": [d.release.cumulus, *d.accept_releases],
            "serial": ctx.slice.get("serial", ""),
            "hostname": ctx.slice["name"],
            "model": ctx.model,
            "lldp": places(ctx),
        },
        "unmanaged": list(d.unmanaged),
        "host_ports": [row["port"] for row in ctx.host_ports],
        "manage": [role for role in compose.ROLES if may_write(ctx, role)],
    }


def places(ctx: Context) -> dict[str, Place]:
    """A few switches that are heard, by port: what a host says of itself shows nothing of its leaf."""
    rows = [row for row in ctx.fabric_ports if row["present"] and not ctx.shut(row)]
    return {
        row["port"]: {"system": row["peer"]["device"], "port": row["peer"]["port"]}
        for row in rows[:_PLACES]
    }


def first(ctx: Context) -> Doc:
    """The least by which a switch from the factory can be managed: name, out-of-band port, API."""
    named: Doc = {
        "system": {"hostname": ctx.slice["name"]},
        "interface": {"eth0": system.eth0(ctx)},
    }
    return merge(system.api(ctx) or {}, named)
