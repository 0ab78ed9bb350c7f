#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: tenant_plan
short_description: Plan a job of a tenant
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Reads the leaves that a job concerns, and computes its steps from the description, the registry and what the leaves
    have. It changes nothing.
  - The plan is the fact C(spx_fact_job), which M(spectrum_x.fabric.tenant_step) carries out.
  - What may not be done fails the task, with one sentence for each reason.
  - Runs on the controller.
options:
  job:
    description:
      - V(onboard), V(resize), V(offboard) and V(move) are the playbooks of these names. A move is refused where a node
        would go to another customer, or to C(rest), without a wipe.
      - V(rest_health) shows what is in quarantine and in rest, and what is moving. It reads no leaf, and writes a
        report where C(spx_report) is set.
    type: str
    required: true
    choices: [onboard, resize, offboard, move, rest_health]
  tenant:
    description: Slug of the tenant; for V(move) also V(rest) or V(quarantine).
    type: str
  nodes:
    description: Nodes that enter, that the tenant is to have, or that move; as names, places or ranges of either.
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
  - module: spectrum_x.fabric.tenant_step
  - module: spectrum_x.fabric.tenant
"""

EXAMPLES = r"""
- name: Plan an onboarding
  spectrum_x.fabric.tenant_plan:
    job: onboard
    tenant: acme

- name: Bring the nodes into their VRF
  spectrum_x.fabric.tenant_step:
    step: enter
"""

RETURN = r"""
lines:
  description: The plan in words.
  returned: success
  type: list
  elements: str
  sample: ["onboard acme (id 21): 1 node into t21-acme, L3VNI 4000021, on 1 leaf"]
devices:
  description: What became of each leaf (C(state)) and its place (C(spx)), by name.
  returned: when the job is refused
  type: dict
ansible_facts:
  description: C(spx_fact_job), the plan, and C(spx_fact_done), the steps taken so far.
  returned: for jobs of tenants
  type: dict
"""
