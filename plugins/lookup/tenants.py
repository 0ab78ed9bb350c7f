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
  - Computes, from the description, the registry and what was read of a leaf, whether a step of a move is done.
    Nothing is read from a switch and nothing is changed.
  - The plans of the tenant playbooks, which may be refused, come from M(spectrum_x.fabric.tenant_plan).
options:
  _terms:
    description:
      - V(withdrawn), V(arrived) and V(resolved) are the gates of a move on one leaf; each returns a mapping
        from nodes that may not go on to sentences. V(placed) and V(entered) (of an onboarding) return
        sentences, none when the gate is open; V(taken_on) does about ports that another run moves.
        V(reads) are the operational places that they need, and V(untold) names the leaf with its release where
        that cannot be asked for its forwarding table, and V(mute) where it does not report whether it resolves
        the hosts. V(pings) are the actions C(ping) of the leaf by which it asks for hosts that it does not resolve.
    required: true
    type: list
    elements: str
  device:
    description: Name of the leaf; the inventory name by default.
    type: str
  tenant:
    description: Slug of the tenant.
    type: str
  nodes:
    description: Nodes that the question is about, as names.
    type: list
    elements: str
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
    description: What was read of the leaf, by path; for V(placed) and V(taken_on) its applied document.
    type: dict
    default: {}
  rows:
    description: What the plan of the move has as C(nodes), or some of them.
    type: dict
    default: {}
  step:
    description: Step of the move that V(taken_on) is about.
    type: str
  description:
    description: Path of the description; by default as O(ignore:spx_description) or the project folder says.
    type: path
  registry:
    description: Path of the registry; by default C(tenants.yml) beside the description.
    type: path
"""

EXAMPLES = r"""
- name: Show which tables of a VRF a leaf is asked for
  ansible.builtin.debug:
    msg: "{{ lookup('spectrum_x.fabric.tenants', 'reads', vrfs=['t21-acme'], release='5.16.1') }}"
"""

RETURN = r"""
_raw:
  description: One mapping or list of sentences for each term.
  type: list
  elements: raw
"""

import typing as t
from functools import partial

from ansible.plugins.lookup import LookupBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy import desk
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
    "applied",
    "vrfs",
    "release",
    "read",
    "step",
    "rows",
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


_MADE_HERE: dict[str, t.Callable[..., t.Any]] = {"pings": _pings}
