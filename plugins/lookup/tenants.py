# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: tenants
short_description: What the registry of tenants means for a job
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Computes, from the description and the registry alone, what a tenant playbook is about to do, what a
    leaf is to be configured with, and whether a step of a move is done. Nothing is read from a switch and
    nothing is changed.
options:
  _terms:
    description:
      - V(stage) is a leaf's part, with the guard that keeps other tenants where they are.
      - V(onboard), V(move), V(resize) and V(offboard) are the plans of the playbooks of these names.
      - V(withdrawn), V(arrived) and V(resolved) are the gates of a move on one leaf; each returns a mapping
        from nodes that may not go on to sentences. V(placed) and V(entered) (of an onboarding) return
        sentences, none when the gate is open; V(taken_on) does about ports that another run moves.
        V(reads) are the operational places that they need, and V(untold) names the leaf with its release where
        that cannot be asked for its forwarding table, and V(mute) where it does not tell whether it resolves
        the hosts. V(pings) are the actions C(ping) of the leaf by which it asks for hosts that it does not resolve.
      - V(hooks) are the names of the hooks of a move, by step.
      - V(drifting) returns sentences about nodes that switches have in another tenant's VRF, V(besides) lines about
        nodes of others that come into their VRFs on a leaf with those of O(tenant).
      - V(leaves) are the leaves that O(nodes) meet, and an error where they cannot move to O(tenant).
      - V(handover), V(prefixes), V(health), V(health_lines) and V(delta) are the data of these names.
    required: true
    type: list
    elements: str
  device:
    description: Name of the leaf; the inventory name by default.
    type: str
  tenant:
    description: Slug of the tenant; for V(move) also V(rest) or V(quarantine).
    type: str
  nodes:
    description: Nodes, as names, places or ranges of either.
    type: list
    elements: str
    default: []
  moves:
    description: Moving records by node name that stand in place of the registry's.
    type: dict
    default: {}
  leaving:
    description: Nodes that may be taken out of a tenant's VRF by this run.
    type: list
    elements: str
    default: []
  ending:
    description: VRFs that this run may delete.
    type: list
    elements: str
    default: []
  extra:
    description: Nodes that the tenant has besides those of the registry.
    type: list
    elements: str
    default: []
  gone:
    description: Nodes of the registry that are in quarantine by now.
    type: list
    elements: str
    default: []
  acceptance:
    description: Acceptance group of nodes that come to rest.
    type: str
  applied:
    description: Applied documents of leaves, by name.
    type: dict
    default: {}
  vrfs:
    description: VRFs whose tables V(reads) is about.
    type: list
    elements: str
    default: []
  release:
    description: Release that the leaf runs; without it the forwarding table is not asked for.
    type: str
  read:
    description: What was read of the leaf, by path; for V(placed), V(taken_on) and V(besides) its applied document.
    type: dict
    default: {}
  rows:
    description: What V(move) returned as C(nodes), or some of them.
    type: dict
    default: {}
  step:
    description: Step of the move that V(taken_on) is about.
    type: str
  hooks:
    description: Hooks that the site has of its own, for V(move); a step without one has checked nothing.
    type: list
    elements: str
    default: []
  written:
    description: Whether the registry may be written during V(move), as with O(ignore:spx_registry_write).
    type: bool
    default: false
  from:
    description: Whose nodes V(move) moves, where that is known.
    type: str
  description:
    description: Path of the description; by default as O(ignore:spx_description) or the project folder says.
    type: path
  registry:
    description: Path of the registry; by default C(tenants.yml) beside the description.
    type: path
"""

EXAMPLES = r"""
- name: Show which leaves an onboarding touches
  ansible.builtin.debug:
    msg: "{{ lookup('spectrum_x.fabric.tenants', 'onboard', tenant='acme').leaves }}"

- name: Show what waits in quarantine
  ansible.builtin.debug:
    msg: "{{ lookup('spectrum_x.fabric.tenants', 'health').quarantine }}"
"""

RETURN = r"""
_raw:
  description: One mapping or list of sentences for each term.
  type: list
  elements: raw
"""

import typing as t
from functools import cache, partial

from ansible.plugins.lookup import LookupBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils import _runs
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch import (
    terms as terms_of,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy import desk
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue import ping
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._project import fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._wrappers import (
    Refusal,
    sentences,
)

if t.TYPE_CHECKING:
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric

_OPTIONS = (
    "tenant",
    "nodes",
    "moves",
    "leaving",
    "ending",
    "extra",
    "gone",
    "acceptance",
    "applied",
    "vrfs",
    "release",
    "read",
    "step",
    "rows",
    "from",
    "hooks",
    "written",
)


PINGS = 3
"""Packets to a host that a gateway asks for: the first may be what resolves it."""


class LookupModule(LookupBase):
    """One answer for each term."""

    @sentences(Refusal)
    def run(self, terms: list[str], variables: t.Any = None, **kwargs: t.Any) -> list[t.Any]:
        """The answers."""
        self.set_options(var_options=variables, direct=kwargs)
        asked = {name: self.get_option(name) for name in _OPTIONS}
        asked |= {name: _plain(asked[name]) for name in ("moves", "rows")}
        asked["at_work"] = cache(_runs.at_work)
        asked["device"] = self.get_option("device") or (variables or {}).get("inventory_hostname")
        plan = fabric(self.get_option("description"), variables)
        path = self.get_option("registry")
        return [_MADE_HERE.get(term, partial(_desk, term))(plan, asked, path) for term in terms]


def _plain(value: t.Any) -> t.Any:
    """A value without Ansible's lazy containers, which what checks records would read past."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def _desk(term: str, plan: Fabric, asked: dict[str, t.Any], path: str | None) -> t.Any:
    return desk.answer(plan, term, asked, path)


def _pings(plan: Fabric, asked: dict[str, t.Any], path: str | None) -> list[dict[str, t.Any]]:
    """For each host that the leaf does not resolve: {port, parameters}."""
    return [
        {
            "port": row["port"],
            "parameters": ping.parameters(row["vrf"], row["address"], count=PINGS),
        }
        for row in desk.answer(plan, "silent", asked, path)
    ]


def _stage(plan: Fabric, asked: dict[str, t.Any], path: str | None) -> dict[str, t.Any]:
    """A leaf's part as roles stage it: {config, owns, role, managed, considered, guard}."""
    registry = desk.as_asked(plan, Registry.load(plan, path), asked)
    ctx = compose.context(plan, asked["device"], tenants=registry)
    guard = desk.answer(plan, "guard", asked, path) if ctx.role == "leaf" else []
    return {**terms_of.part(ctx, "switch_tenants"), "guard": guard}


_MADE_HERE: dict[str, t.Callable[..., t.Any]] = {"stage": _stage, "pings": _pings}
