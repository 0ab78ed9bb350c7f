#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: switch
short_description: Bring a switch to the plan, in one transaction
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Renders what the roles of a switch want from the description and the registry, reads the switch once, compares, and
    applies the difference as M(spectrum_x.fabric.nvue_config) does. A switch that is as planned costs two requests.
  - The variables of the roles are read as the roles would have them, with their defaults and types, such as
    C(switch_roce_pfc) or C(switch_apply_confirm_timeout). See the README of each role.
  - Nothing is written when the description's C(manage) does not list each of the roles; RV(ignore:changed) is then true
    in check mode only.
  - O(do) is about all switches of a play instead, and not about one.
options:
  do:
    description:
      - V(apply) compares one switch with the plan, and applies the difference.
      - V(empty) removes the changes of earlier runs from O(report). It refuses to remove O(approved).
      - V(batches) divides the switches of O(hosts) that differ into batches, plane by plane, tier by tier, a first
        switch of each role before the others. It shows what each batch may disturb. No batch has two switches that
        relay EVPN in one pod or super-spine group, switches of two planes, or a whole tier of a pod or plane.
      - V(wait) fails where a switch of an earlier batch did not finish.
      - V(join) joins the changes of O(hosts) in C(changes.json), shows them to people as C(changes.txt),
        C(changes.html) and C(changes.md), and fails with what is refused or drifts.
      - V(plan) shows the steps of O(job) for O(hosts), and what their loss may disturb. With O(job=enter) it reads the
        switches that do the same work, and fails where none of them is in service. See O(window).
      - V(backup) keeps the applied configuration of a switch in O(backup), with the SHA-256 of its API certificate.
        Secrets are masked. A file with the same bytes is left alone.
      - V(commit) commits the backups of O(hosts) with git, where O(backup) is in a work tree.
      - V(prove) fails where a switch is not drained with O(job=enter), or is with O(job=leave). With O(job=enter) it
        counts the packets of each port twice too, and fails where one passes more than O(most) a second, or reports
        none. It reads nothing in check mode.
      - V(silence) silences the alerts of a switch in Alertmanager of the description's C(monitoring) for O(hours) with
        O(job=enter), and lifts that with O(job=leave). The far ends of its cables are silent too. It warns where
        Alertmanager does not answer.
    type: str
    choices: [apply, backup, batches, commit, empty, join, plan, prove, silence, wait]
    default: apply
  job:
    description:
      - V(roles) is about the configuration of O(roles).
      - V(enter) is about the start of maintenance, by which neighbours prefer every other way, V(leave) about its end.
      - V(replace) is about a switch that takes the place of another one. It is applied as V(roles).
    type: str
    choices: [roles, enter, leave, replace]
    default: roles
  window:
    description:
      - Last day and reason of a window in which the traffic of O(hosts) may stop in V(plan), as C(spx_window).
      - Without it, and without a window of the description that is open, other switches must reach all whom each of
        O(hosts) reaches, unless nobody rents a node there. These are leaves of the same rails in other planes, spines
        of the pod, or super-spines of the plane, and such that relay EVPN routes if it does.
      - A switch is in service when it answers, is not drained, and has a BGP session that is Established. One that is
        listed in C(out_of_service), is among O(hosts), or could not be read counts as not in service.
    type: str
  hours:
    description: Hours after which a silence of V(silence) ends by itself.
    type: int
    default: 8
  most:
    description: Packets a second that a port may see in V(prove), such as those of BGP and LLDP.
    type: float
    default: 20
  seconds:
    description: Time between both readings of V(prove); physical ports count every 2 seconds.
    type: int
    default: 10
  backup:
    description:
      - Folder of backups, a file for each switch, for V(backup) and V(commit).
      - With O(job=replace) the switch takes from it what no role of the run owns, except VRFs of tenants and interfaces
        in them. A secret that neither the switch nor C(spx_backup_secrets) has is refused by its place.
    type: path
  hosts:
    description: Switches that V(batches), V(commit), V(join) and V(plan) are about.
    type: list
    elements: str
    default: []
  compared:
    description:
      - Variable in which each of O(hosts) kept the result of its comparison. While one has no such result, or would be
        refused, V(batches) returns no switches.
    type: str
    default: switch_apply_result
  done:
    description: Variable in which a switch kept the result of the last task of its batch, for V(wait).
    type: str
    default: switch_apply_result
  first:
    description: Switches before those of this play, which must be done too, for V(wait).
    type: list
    elements: str
    default: []
  report:
    description: Folder of the report, for V(empty), V(batches) and V(join).
    type: path
  approved:
    description: Approved changes of the run. A host that was refused, as it has others, holds up nobody then.
    type: path
  roles:
    description:
      - Roles whose part of the configuration is meant. Other places of the switch are not touched.
      - By default the roles that C(manage) of the description lists; all of them when it lists none.
    type: list
    elements: str
    choices:
      - switch_bootstrap
      - switch_base
      - switch_underlay
      - switch_roce
      - switch_adaptive_routing
      - switch_tenants
    default: []
  write:
    description: Whether the difference is applied. With V(false) it is compared and reported, see RV(due).
    type: bool
    default: true
  device:
    description: Name of the switch in the plan; the inventory name by default.
    type: str
  description:
    description: Path of the description; by default that of the inventory source or of the project.
    type: path
  tenants:
    description: Path of the tenants' registry; the file beside the description by default.
    type: path
extends_documentation_fragment:
  - spectrum_x.fabric.nvue
seealso:
  - module: spectrum_x.fabric.nvue_config
  - module: spectrum_x.fabric.validate
"""

EXAMPLES = r"""
- name: Bring the switch to the plan
  spectrum_x.fabric.switch:

- name: See what would change in the QoS of the switch
  spectrum_x.fabric.switch:
    roles: [switch_roce]
    write: false
"""

RETURN = r"""
backup:
  description: Path of the backup of the switch.
  returned: with O(do=backup), and after a change with C(spx_backup_after)
  type: str
masked:
  description: Places of secrets that the backup does not have.
  returned: with O(do=backup)
  type: list
  elements: str
  sample: [system/aaa/user/cumulus/hashed-password]
rates:
  description: Packets a second by port, both directions together.
  returned: with O(do=prove) and O(job=enter)
  type: dict
  sample: {swp1s0: 1.2}
batches:
  description:
    - The order. C(first) in batches of C(first_sizes), C(rest) in batches of C(sizes), C(resting) out of service.
      In check mode, C(first) and C(rest) are empty.
    - C(lines) say what the loss of each batch would disturb.
  returned: with O(do=batches)
  type: dict
foretold:
  description: Warnings of the devices that are about to change, as the lines above had them, each with its device.
  returned: with O(do=batches)
  type: list
  elements: str
devices:
  description: Number of devices in C(changes.json).
  returned: with O(do=join) and O(report)
  type: int
differing:
  description: Devices that differ from the plan.
  returned: with O(do=join) and O(report)
  type: list
  elements: str
path:
  description: Path of C(changes.json).
  returned: with O(do=join) and O(report)
  type: str
changes:
  description: Leaves that differ, sorted by path, secrets masked; null is an absent leaf.
  returned: when the switch was compared
  type: list
  elements: dict
  sample:
    - path: system/hostname
      before: cumulus
      after: leaf-01
drained:
  description: Whether the switch asks its neighbours for other ways, as in maintenance.
  returned: when the switch was compared
  type: bool
due:
  description: Whether the switch differs, and may be written - with O(write=false) a later task is to change it.
  returned: when the switch was compared
  type: bool
  sample: true
only_planned:
  description: Whether there is something to write and C(manage) of the description does not list the roles that would.
  returned: without check mode, where C(manage) lists too few roles
  type: bool
held:
  description: Places that stay for now, as a node is moving or one apply deletes a limited number of VRFs, one sentence
    each.
  returned: when the switch was compared
  type: list
  elements: str
  sample: []
drift:
  description: Places that stay because a tenant has them, and that somebody has to settle, one sentence each.
  returned: when the switch was compared
  type: list
  elements: str
  sample: []
report:
  description: Files of the report, where C(switch_apply_report) or C(spx_report) names its folder.
  returned: with a report
  type: list
  elements: str
"""
