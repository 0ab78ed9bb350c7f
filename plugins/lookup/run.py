# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

DOCUMENTATION = r"""
name: run
short_description: A record that this run of a playbook keeps
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Returns a record of the run, such as the variables that the playbook began with, or the batches that it planned.
    Playbooks of this collection use it for C(hosts) and C(serial), and for the typed variables of the run.
  - Records are kept on the controller by actions of this collection. They are no facts, so that no answer of a device
    changes them. Each playbook of this collection begins with none but its variables and the facts of its fabric.
options:
  _terms:
    description:
      - Places of records, such as V(variables), V(variables.spx_nodes) or V(batches.first).
    required: true
    type: list
    elements: str
  default:
    description: Value that is returned for a place with nothing, or an empty list.
    type: raw
    default: {}
seealso:
  - plugin: spectrum_x.fabric.plan
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Show the nodes that the run was given
  ansible.builtin.debug:
    msg: "{{ lookup('spectrum_x.fabric.run', 'variables.spx_nodes', default=[]) }}"
"""

RETURN = r"""
_raw:
  description: Value at each place.
  type: list
  elements: raw
"""

import typing as t

from ansible.plugins.lookup import LookupBase

from ..plugin_utils._edge.refusals import Refusal, sentences
from ..plugin_utils._edge.run_store import store


class LookupModule(LookupBase):
    """Reads the store of the run."""

    @sentences(Refusal)
    def run(self, terms: list[str], variables: t.Any = None, **kwargs: t.Any) -> list[t.Any]:
        """Return what is at each place."""
        self.set_options(var_options=variables, direct=kwargs)
        default = self.get_option("default")
        found = [store.at(str(term)) for term in terms]
        return [default if one is None else one for one in found]
