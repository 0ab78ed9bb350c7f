#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

DOCUMENTATION = r"""
module: tenant
short_description: Edit the registry of tenants, plan a tenant's job, and take its steps
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - With O(do=edit) adds, changes or removes a tenant in C(tenants.yml), the file beside the description of the fabric,
    and moves nodes between its lists. Comments and the order of the file are kept.
  - The edited file is checked as a whole; an edit that would break a rule of the registry is refused
    and nothing is written. The file is replaced in one step, under a lock, so two runs at once never
    mix.
  - An edit sends nothing to a switch. The playbooks C(tenant_onboard), C(tenant_move), C(tenant_resize) and
    C(tenant_offboard) do that, with O(do=plan), O(do=record) and O(do=step).
  - A plan is computed from the description, the registry and what the leaves have, and changes nothing. The run keeps
    it on the controller. What may not be done fails the task, with one sentence for each reason.
  - A step of a plan is taken on all of its leaves, as many at a time as Ansible has forks. A step of a move first
    notes itself in the registry, where C(spx_registry_write) is set. A run after a killed one repeats that step. A
    step that the plan does not have is skipped.
options:
  do:
    description:
      - V(edit) edits the registry, V(plan) plans a job of a tenant, V(step) takes a step of the planned job, and
        V(record) carries out one of its edits of the registry.
      - V(confirm) is for hooks alone. It keeps who says that the work of the hook is done. The node and the run are
        those of the hook.
    type: str
    choices: [edit, record, plan, step, confirm]
    default: edit
  job:
    description:
      - What to plan.
      - V(onboard), V(resize), V(offboard) and V(move) are the playbooks of these names. A move is refused where a node
        would go to another customer, or to C(rest), without a wipe.
      - V(rest_health) shows what is in quarantine and in rest, and what is moving. It reads no leaf, and writes a
        report where C(spx_report) is set.
    type: str
    choices: [onboard, resize, offboard, move, rest_health]
  step:
    description:
      - Which step to take.
      - The steps of a move have the names that they have in the registry.
      - V(enter) brings nodes into their tenant's VRF, waits for its routes, and writes the hand-over file and a report.
      - V(leave) takes the storage and the sessions to the outside of a tenant that is offboarded off their leaves.
      - V(report) writes the report of a job whose nodes enter no tenant.
      - V(end) fails where a step of the plan was not taken, or where the registry is not committed.
    type: str
    choices:
      [drain, shut, quarantine, withdraw, open, wipe, rest, accept, join, verify, release, enter, leave, report, end]
  part:
    description:
      - V(begin) and V(end) are the parts of a step before and after its hooks, V(hook) and V(ran) those before and
        after each hook. What a hook confirms counts between them.
      - V(stopped) fails, and says where the node is whose hook failed. With O(step=accept) it keeps the reason for
        V(end) instead, and with O(step=end) it is about the hook C(registry_commit).
    type: str
    choices: [begin, end, hook, ran, whole, stopped]
    default: whole
  hook:
    description: With V(hook), V(ran) and V(stopped) the hook, with its C(name) and C(node).
    type: dict
    default: {}
  failure:
    description: With V(stopped) the result of the task of the hook that failed.
    type: dict
    default: {}
  description:
    description:
      - Path of the fabric's description; by default that of the inventory source or of the project.
    type: path
  edit:
    description: With O(do=record), the edit by its name in the plan; an empty one asks about edits of earlier runs.
    type: str
  what:
    description:
      - With O(do=confirm), what is so. The hook C(wipe) confirms V(wiped), C(acceptance) V(accepted), and
        C(registry_commit) V(committed).
    type: str
    choices: [wiped, accepted, committed]
  by:
    description:
      - With O(do=confirm), who says so. V(wiped) is confirmed by the node's BMC (V(bmc)), by the service that installs
        its image (V(provisioner)), or by a person (V(hand)). V(accepted) is V(measured) or by V(hand), V(committed) by
        V(git) or V(hand).
      - A node's own report of its disks is not evidence, as its last tenant may have been root there.
    type: str
    choices: [bmc, provisioner, measured, git, hand]
  machine:
    description:
      - With O(do=confirm) and O(what=wiped), serial number or MAC address of the machine that was wiped, as its BMC or
        the service that installs its image answers. It is compared with C(devices.csv).
      - It is needed for a node of a tenant with C(host_access) C(none), to which no run logs in.
    type: str
    default: ""
  note:
    description: With O(do=confirm), a word for the report, such as the number of an erase job.
    type: str
    default: ""
  state:
    description:
      - V(present) makes the tenant have what is given; fields that are not given stay.
      - V(absent) removes a tenant that has no nodes, or none but O(remove_nodes); its id is kept under C(retired) and
        never given again, and fleet runs take what is left of its VRF off the switches.
    type: str
    choices: [present, absent]
    default: present
  slug:
    description:
      - Short name of the tenant. Not needed when only O(moves) or O(health) are given.
      - For O(job=move) also V(rest) or V(quarantine).
    type: str
  id:
    description: Number of the tenant, 16 or more; by default the one after the highest.
    type: int
  nodes:
    description:
      - All nodes of the tenant, as names, places or ranges of either.
      - With O(do=plan) the nodes that enter, that the tenant is to have, or that move.
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
    description: Login of playbooks to its hosts.
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
        C(clean), C(accepted), C(passed) and C(no_hook). An empty mapping removes the record.
    type: dict
    default: {}
  moves_at:
    description:
      - Steps at which the file must have the records of O(moves) before the edit, by node name, empty for a node
        without a record; otherwise another run has taken the move on, and nothing is edited.
    type: dict
    default: {}
  moves_of:
    description:
      - Runs from which records of O(moves) are taken over, by node name, empty for a record that names none. The
        record then names this run, as machine, process and a number. Nothing is edited when the file names
        another run, or when that one, or a hook of it, is still at work on this machine.
    type: dict
    default: {}
  health:
    description:
      - What is known of nodes that nobody rents, by name, each a mapping of C(since), C(had), the customer before,
        C(clean), what shows that the node was wiped, C(accepted), who says that it passed, C(passed) and, for hooks
        that the site does not have, C(no_hook). An empty mapping removes it. A node that leaves a customer's list and
        has neither a record here nor one of O(moves) gets one with C(had), so that it is not given away unwiped.
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
  - The connection options of each leaf are its own variables, as those of M(spectrum_x.fabric.nvue_config).
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

- name: Plan an onboarding
  spectrum_x.fabric.tenant:
    do: plan
    job: onboard
    slug: acme

- name: Bring the nodes into their VRF
  spectrum_x.fabric.tenant:
    do: step
    step: enter

- name: Confirm in the hook wipe that the BMC has erased the node
  spectrum_x.fabric.tenant:
    do: confirm
    what: wiped
    by: bmc
    machine: "{{ bmc_answer.json.SerialNumber }}"
    note: erase job 4711
"""

RETURN = r"""
path:
  description: The registry.
  returned: with O(do=edit) and O(do=record)
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
  returned: with O(do=edit)
  type: str
  sample: ""
lines:
  description: The plan in words, which the task shows.
  returned: with O(do=plan)
  type: list
  elements: str
  sample: ["onboard acme (id 21): 1 node into t21-acme, L3VNI 4000021, on 1 leaf"]
devices:
  description: Result of each leaf (C(state)) and its place (C(spx)), by name.
  returned: with O(do=step), and when a job is refused
  type: dict
  sample: {leaf-p1-su001-r1: {state: changed, spx: {role: leaf, plane: 0, pod: 0, su: 0}}}
proof:
  description: Proof that the step is done, in words.
  returned: when the step is done
  type: str
  sample: its ports are in quarantine and shut
commit:
  description: Whether the hook C(registry_commit) is to be asked.
  returned: with O(do=record)
  type: bool
  sample: true
"""
