#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: tenant_step
short_description: Take one step of a tenant's job
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Takes one step of the job that M(spectrum_x.fabric.tenant_plan) has planned, on all of its leaves, as many at a time
    as Ansible has forks.
  - A step of a move first notes itself in the registry, where C(spx_registry_write) is set. A run after a killed one
    repeats that step.
  - The connection options of each leaf are its own variables, as those of M(spectrum_x.fabric.nvue_config).
  - Runs on the controller.
options:
  step:
    description:
      - The steps of a move have the names that they have in the registry.
      - V(enter) brings nodes into their tenant's VRF, waits for its routes, and writes the hand-over file and a report.
      - V(report) writes the report of a job whose nodes enter no tenant.
      - V(end) fails where a step of the plan was not taken, or where the registry is not committed.
    type: str
    required: true
    choices:
      [drain, shut, quarantine, withdraw, open, wipe, rest, accept, join, verify, release, enter, report, end]
  part:
    description: V(begin) and V(end) are the parts of a step before and after its hooks.
    type: str
    choices: [begin, end, whole]
    default: whole
  failed:
    description: Sentences by node about which a hook of V(accept) failed; these nodes go back into quarantine.
    type: dict
    default: {}
  wiped:
    description: Nodes of which the hook of V(wipe) reported that it erased them; no other node goes on.
    type: list
    elements: str
    default: []
  uncommitted:
    description: The edit of the registry that is not committed, for V(end).
    type: str
    default: ""
  committed:
    description: Whether the hook C(registry_commit) says that the registry is committed, for V(end).
    type: bool
    default: false
  description:
    description: Path of the description; by default as the variable C(spx_description) or the project folder says.
    type: path
  registry:
    description: Path of the registry; by default C(tenants.yml) beside the description.
    type: path
extends_documentation_fragment:
  - spectrum_x.fabric.controller
seealso:
  - module: spectrum_x.fabric.tenant_plan
"""

EXAMPLES = r"""
- name: "Shut: bring the ports of the nodes down on all of their leaves"
  spectrum_x.fabric.tenant_step:
    step: shut
  when: "'shut' in ansible_facts.spx_fact_job.steps"
"""

RETURN = r"""
devices:
  description: What became of each leaf (C(state)) and its place (C(spx)), by name.
  returned: always
  type: dict
  sample: {leaf-p1-su001-r1: {state: changed, spx: {role: leaf, plane: 0, pod: 0, su: 0}}}
proof:
  description: What shows that the step is done, as words.
  returned: when the step is done
  type: str
  sample: its ports are in quarantine and shut
"""
