# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: rack_gate
short_description: Whether congestion control may begin on a host
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - A rack where only some NICs run the algorithm performs worse than one where none does. The role
    P(spectrum_x.fabric.dpu_congestion_control#role) asks here before it begins.
  - What this run knows of the hosts comes from the facts of P(spectrum_x.fabric.dpu_state#role); a
    host of the rack that the run leaves out is not contacted and counts as one that cannot, unless the
    algorithm runs here already. Rented hosts and those out of service never count.
options:
  _terms:
    description: Names of nodes; the inventory name by default.
    type: list
    elements: str
  hosts:
    description: The hosts of the rack that are looked at, all by default; empty for none.
    type: list
    elements: str
  description:
    description: Path of the description; by default as O(ignore:spx_description) or the project folder says.
    type: path
  tenants:
    description: Path of the tenants' registry; by default the file beside the description.
    type: path
seealso:
  - plugin: spectrum_x.fabric.host_desired
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Say what stands in the way of congestion control
  ansible.builtin.debug:
    msg: "{{ lookup('spectrum_x.fabric.rack_gate', 'worker-su01-rack01-h01').sentence }}"
"""

RETURN = r"""
_raw:
  description:
    - For each node V(opens) (the algorithm may begin), V(keeps) (it runs and goes on although others
      are in the way) and V(sentence), which names those and says what to do.
    - V(back) is a sentence where this run began in a rack and could not begin everywhere in it, else empty.
  type: list
  elements: dict
"""

import typing as t

from ansible.plugins.lookup import LookupBase

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.look import runs
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.project import fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.wrappers import (
    Refusal,
    sentences,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.host import gate
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)


class LookupModule(LookupBase):
    """One answer for each node."""

    @sentences(Refusal)
    def run(self, terms: list[str], variables: t.Any = None, **kwargs: t.Any) -> list[t.Any]:
        """The answers."""
        self.set_options(var_options=variables, direct=kwargs)
        stated = variables or {}
        plan = fabric(self.get_option("description"), variables)
        registry = Registry.load(plan, self.get_option("tenants"))
        names = [str(name) for name in terms or [stated.get("inventory_hostname")]]
        among = self.get_option("hosts")
        made = []
        for name in names:
            rack = gate.of_rack(plan, registry, name)
            seen = {other: state for other in rack if (state := _seen(stated, other))}
            made.append(gate.gate(plan, registry, name, seen, among=among))
        return made


def _seen(stated: t.Mapping[str, t.Any], name: str) -> gate.Seen | None:
    """What this run knows of a host; None when it has not looked at it."""
    hostvars = stated.get("hostvars") or {}
    if name not in hostvars or "dpu_state_look" not in hostvars[name]:
        return None
    known = hostvars[name]
    look = known["dpu_state_look"]
    nics, planned = look.get("nics") or {}, look.get("plan") or {}
    active = runs(nics)
    current = (nics.get("verdict") or {}).get("nvconfig") == "current"
    waits = bool(planned.get("waits_for")) and not active
    # A host with nothing to do is in no play but the first.
    there = name in stated.get("ansible_play_hosts", ()) or planned.get("group") == "done"
    return gate.Seen(
        able=there and current and not waits,
        runs=active or bool(nics.get("algorithm")),
        failed=_failed(known, there=there),
    )


def _failed(known: t.Mapping[str, t.Any], *, there: bool) -> bool:
    """Whether the role that began on a host, which notes it, failed there or lost it."""
    noted = "dpu_congestion_control_failed"
    return noted in known and (bool(known[noted]) or not there)
