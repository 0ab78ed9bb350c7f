# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: switch_document
short_description: The planned configuration of a switch, by feature or role
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Renders a part of a switch's configuration from the description of the fabric, and names the
    places that belong to the role it is of. Nothing is read from the switch.
  - The document is spelled as in Cumulus Linux 5.15 and newer; M(spectrum_x.fabric.nvue_config)
    translates it for older releases.
options:
  _terms:
    description:
      - Features (such as V(bgp) or V(roce)) or roles (such as V(switch_roce)).
      - V(all) means every feature.
      - V(terms) returns what a change of the switch has to respect instead of a document.
      - V(ztp) returns the least that a switch from the factory needs, in the spelling of the fabric's
        release.
    required: true
    type: list
    elements: str
  device:
    description: Name of the switch; the inventory name by default.
    type: str
  settings:
    description: Additions of a role to the plan, such as users or PFC constants.
    type: dict
    default: {}
  description:
    description: Path of the description; by default that of the inventory source or of the project.
    type: path
  tenants:
    description:
      - Path of the tenants' registry, needed for V(tenants), V(switch_tenants) and V(all) only; by
        default the file beside the description.
    type: path
seealso:
  - module: spectrum_x.fabric.nvue_config
"""

EXAMPLES = r"""
- name: Show the QoS of a leaf
  ansible.builtin.debug:
    msg: "{{ lookup('spectrum_x.fabric.switch_document', 'roce', device='leaf-p1-su001-r1').config }}"

- name: Make the QoS of a switch as the plan says
  spectrum_x.fabric.nvue_config:
    state: replaced
    config: "{{ part.config }}"
    owns: "{{ part.owns }}"
  vars:
    part: "{{ lookup('spectrum_x.fabric.switch_document', 'switch_roce') }}"
"""

RETURN = r"""
_raw:
  description:
    - For each feature or role a mapping of C(config) (the document), C(owns) (globs of the places
      that its role owns), C(role), C(managed) (whether the description lets the role write) and
      C(considered) (managed, or nothing is and everything is planned only).
    - For V(ztp) a mapping of C(config).
    - For V(terms) a mapping of C(device), C(expected), C(unmanaged), C(host_ports) and C(manage),
      as options of M(spectrum_x.fabric.nvue_config) are called.
  type: list
  elements: dict
"""

import typing as t

from ansible.plugins.lookup import LookupBase

from ..plugin_utils._edge.project import fabric
from ..plugin_utils._edge.refusals import Refusal, sentences
from ..plugin_utils._edge.switch import passwords
from ..plugin_utils._fabric.render.switch import change_conditions as switch_terms
from ..plugin_utils._fabric.render.switch import compose
from ..plugin_utils._fabric.render.switch.context import Context
from ..plugin_utils._fabric.tenants.registry import Registry
from ..plugin_utils._nvue.document.dialect import to_release
from ..plugin_utils._nvue.document.release import parse

WITH_TENANTS = {"all", "tenants", "switch_tenants"}


class LookupModule(LookupBase):
    """One document for each term."""

    @sentences(Refusal)
    def run(self, terms: list[str], variables: t.Any = None, **kwargs: t.Any) -> list[t.Any]:
        """The documents and what they own."""
        self.set_options(var_options=variables, direct=kwargs)
        plan = fabric(self.get_option("description"), variables)
        device = self.get_option("device") or (variables or {}).get("inventory_hostname")
        registry = None
        if WITH_TENANTS & set(terms):
            registry = Registry.load(plan, self.get_option("tenants"))
        settings = {
            **passwords(variables or {}, self._templar.template),
            **(self.get_option("settings") or {}),
        }
        ctx = compose.context(plan, device, options=settings, tenants=registry)
        return [_answer(ctx, term) for term in terms]


def _answer(ctx: Context, term: str) -> t.Any:
    if term == "terms":
        return switch_terms.terms(ctx)
    if term == "ztp":
        release = parse(ctx.description.release.cumulus)
        return {"config": to_release(switch_terms.first(ctx), release)}
    return switch_terms.part(ctx, term)
