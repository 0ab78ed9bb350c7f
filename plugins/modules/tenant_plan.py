#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: tenant_plan
short_description: Plan what a tenant playbook does
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Computes what a tenant playbook is about to do, from the description, the registry and what was read of the leaves.
    It reads no switch and changes nothing.
  - What may not be done fails the task, with one sentence for each reason.
  - Runs on the controller.
options:
  question:
    description:
      - V(onboard), V(resize), V(offboard) and V(move) are the plans of the playbooks of these names. A move is refused
        where a node would go to another customer, or to C(rest), without a wipe.
      - V(leaves) are the leaves that O(nodes) meet; refused where they cannot move to O(tenant).
      - V(enter) is refused where O(nodes) may not enter the VRF of O(tenant) on a leaf. Its answer has C(waiting),
        lines about other nodes that the registry has in another VRF than the leaf, C(ending), VRFs that may go, and the
        nodes that the leaf has in quarantine or rest (C(from)) or in that VRF (C(in)).
      - V(known) is refused where the registry began late and has no record of O(nodes), which enter O(tenant).
      - V(handover) and V(health) are the data of these names.
      - V(hooks) are the hooks that the site has of its own in O(folders). A file without tasks, and a copy of a hook of
        this collection, which does nothing, is none.
    type: str
    required: true
    choices: [onboard, resize, offboard, leaves, move, enter, known, handover, health, hooks]
  tenant:
    description: Slug of the tenant; for V(move) also V(rest) or V(quarantine).
    type: str
  from:
    description: Whose nodes V(move) moves, where that is known.
    type: str
  nodes:
    description: Nodes, as names, places or ranges of either.
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
  hooks:
    description: Hooks that the site has of its own, for V(move); a step without one has done and checked nothing.
    type: list
    elements: str
    default: []
  written:
    description: Whether the registry may be written during the move, as with C(spx_registry_write).
    type: bool
    default: false
  device:
    description: Name of the leaf for V(enter); the inventory name by default.
    type: str
  folders:
    description: Folders with hooks of the site, for V(hooks).
    type: list
    elements: str
    default: []
  description:
    description: Path of the description; by default as the variable C(spx_description) or the project folder says.
    type: path
  registry:
    description: Path of the registry; by default C(tenants.yml) beside the description.
    type: path
extends_documentation_fragment:
  - spectrum_x.fabric.controller
seealso:
  - module: spectrum_x.fabric.tenant
  - plugin: spectrum_x.fabric.tenants
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Plan an onboarding
  spectrum_x.fabric.tenant_plan:
    question: onboard
    tenant: acme
  register: planned

- name: Show which leaves it touches
  ansible.builtin.debug:
    msg: "{{ planned.answer.leaves }}"
"""

RETURN = r"""
answer:
  description: The plan, or the data, that O(question) asks for.
  returned: success
  type: raw
  sample: {leaves: [leaf-p1-su001-r1], lines: ["onboard acme (id 21): 1 node into t21-acme, L3VNI 4000021, on 1 leaf"]}
"""
