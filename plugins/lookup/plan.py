# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: plan
short_description: Any value of a fabric's plan
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Returns the slice of a device, or a value inside it, computed from the description alone.
options:
  _terms:
    description:
      - Device names, or V(fabric) for counts, pools and releases of the fabric as a whole.
    required: true
    type: list
    elements: str
  key:
    description: Dotted path of a value inside the slice, such as V(mtu.host).
    type: str
  description:
    description: Path of the description; by default that of the inventory source or of the project.
    type: path
"""

EXAMPLES = r"""
- name: Show the links of a leaf
  ansible.builtin.debug:
    msg: "{{ lookup('spectrum_x.fabric.plan', 'leaf-p1-su001-r1', key='ports') }}"

- name: Show how many switches the fabric has
  ansible.builtin.debug:
    msg: "{{ lookup('spectrum_x.fabric.plan', 'fabric', key='switches') }}"
"""

RETURN = r"""
_raw:
  description: One slice or value for each term.
  type: list
  elements: raw
"""

import typing as t

from ansible.plugins.lookup import LookupBase

from ..plugin_utils._edge.project import fabric
from ..plugin_utils._edge.refusals import Refusal, sentences
from ..plugin_utils._fabric.description.errors import FabricError, nearest
from ..plugin_utils._fabric.report.report import facts


class LookupModule(LookupBase):
    """One slice for each term."""

    @sentences(Refusal)
    def run(self, terms: list[str], variables: t.Any = None, **kwargs: t.Any) -> list[t.Any]:
        """The values."""
        self.set_options(var_options=variables, direct=kwargs)
        plan = fabric(self.get_option("description"), variables)
        key = self.get_option("key")
        values = [facts(plan) if term == "fabric" else plan.slice(_name(term)) for term in terms]
        return [_at(value, key) if key else value for value in values]


def _name(term: t.Any) -> str:
    if not isinstance(term, str):
        raise FabricError.of(f"{term!r} is not a device name: pass each name as a text of its own.")
    return term


def _at(value: t.Any, key: str) -> t.Any:
    for part in str(key).split("."):
        if not isinstance(value, dict) or part not in value:
            known = list(value) if isinstance(value, dict) else []
            raise FabricError.of(
                f"key '{key}': '{part}' is not there{nearest(part, known)}: use {', '.join(known) or 'a shorter key'}."
            )
        value = value[part]
    return value
