#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

DOCUMENTATION = r"""
module: tenant
short_description: Edit the registry of tenants
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Adds, changes or removes a tenant in C(tenants.yml), the file beside the description of the fabric,
    and moves nodes between its lists. Comments and the order of the file are kept.
  - The edited file is checked as a whole; an edit that would break a rule of the registry is refused
    and nothing is written. The file is replaced in one step, under a lock, so two runs at once never
    mix.
  - Nothing is sent to a switch. The playbooks C(tenant_onboard), C(tenant_move), C(tenant_resize) and
    C(tenant_offboard) do that.
options:
  description:
    description:
      - Path of the fabric's description; by default as O(ignore:spx_description) or the project folder says.
    type: path
  path:
    description: Path of the registry; by default C(tenants.yml) beside the description.
    type: path
  state:
    description:
      - V(present) makes the tenant have what is given; fields that are not given stay.
      - V(absent) removes a tenant that has no nodes, or none but O(remove_nodes); its id is kept under C(retired) and
        never given again, and fleet runs take what is left of its VRF off the switches.
    type: str
    choices: [present, absent]
    default: present
  slug:
    description: Short name of the tenant. Not needed when only O(moves) or O(health) are given.
    type: str
  id:
    description: Number of the tenant, 16 or more; by default the one after the highest.
    type: int
  nodes:
    description: All nodes of the tenant, as names, places or ranges of either.
    type: list
    elements: str
  add_nodes:
    description: Nodes that the tenant gets besides those it has. They may come from rest or quarantine.
    type: list
    elements: str
    default: []
  remove_nodes:
    description: Nodes that leave the tenant.
    type: list
    elements: str
    default: []
  take:
    description: Whether O(add_nodes) may be taken from another tenant, as at the end of a move.
    type: bool
    default: false
  acceptance:
    description: Acceptance group of O(add_nodes), with O(slug=rest).
    type: str
  networks:
    description: Networks that the tenant is entitled to.
    type: list
    elements: str
    choices: [east-west, storage, front-end]
  quotas:
    description: The most that the tenant may hold.
    type: dict
    suboptions:
      nodes:
        description: Most nodes.
        type: int
      gpus:
        description: Most GPUs.
        type: int
  shared:
    description: Services, or other tenants, that it may reach.
    type: list
    elements: str
  host_access:
    description: Whether playbooks log in to its hosts.
    type: str
    choices: [managed, none]
  routes:
    description: How its routes are carried.
    type: str
    choices: [exact, rail, leaf]
  since:
    description: Day of the onboarding, such as V(2026-11-21).
    type: str
  contact:
    description: Whom to notify.
    type: str
  moves:
    description:
      - Moving records by node name, each a mapping of C(from), C(to), C(step) and, if it has them, C(acceptance),
        C(clean), C(passed) and C(no_hook). An empty mapping removes the record.
    type: dict
    default: {}
  moves_at:
    description:
      - Steps at which the file must have the records of O(moves) before the edit, by node name, empty for a node
        without a record; otherwise another run has taken the move on, and nothing is edited.
    type: dict
    default: {}
    version_added: 1.0.0
  moves_of:
    description:
      - Runs from which records of O(moves) are taken over, by node name, empty for a record that names none. The
        record then names this run, as machine, process and a number. Nothing is edited when the file names
        another run, or when that one, or a hook of it, is still at work on this machine.
    type: dict
    default: {}
    version_added: 1.0.0
  health:
    description:
      - What is known of nodes that nobody rents, by name, each a mapping of C(since), C(had), the customer before,
        C(clean), what shows that the node was wiped, C(passed) and, for hooks that the site does not have, C(no_hook).
        An empty mapping removes it. A node that leaves a customer's list and has neither a record here nor one of
        O(moves) gets one with C(had), so that it is not given away unwiped.
    type: dict
    default: {}
  wait:
    description: Seconds to wait for another run that edits the file.
    type: int
    default: 30
attributes:
  check_mode:
    support: full
    description: Checks the edited file and writes nothing.
  diff_mode:
    support: full
    description: The whole file before and after.
extends_documentation_fragment:
  - spectrum_x.fabric.controller
notes:
  - Runs on the controller.
seealso:
  - plugin: spectrum_x.fabric.tenant_vrfs
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Add a tenant with sixteen nodes
  spectrum_x.fabric.tenant:
    slug: acme
    nodes: ["su02/[01-16]"]
    quotas: {nodes: 16}

- name: Show what giving back a node would change
  spectrum_x.fabric.tenant:
    slug: acme
    remove_nodes: [worker-su02-rack01-h03]
  check_mode: true
  diff: true
"""

RETURN = r"""
path:
  description: The registry.
  returned: success
  type: str
  sample: /srv/fabric/model/tenants.yml
id:
  description: Number of the tenant.
  returned: when O(slug) is given and the tenant is there afterwards
  type: int
  sample: 21
nodes:
  description: Names of its nodes.
  returned: when O(slug) is given and the tenant is there afterwards
  type: list
  elements: str
  sample: [worker-su01-rack01-h01]
text_diff:
  description: The change of the file, as a unified diff; empty when there is none.
  returned: success
  type: str
  sample: ""
"""
