# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

DOCUMENTATION = r"""
module: nvue_config
short_description: Bring the configuration of a Cumulus Linux switch to a wish, in one transaction
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Reads the release and the applied configuration of the switch once, compares, and applies the
    difference as one NVUE revision under a roll-back timer. Without a difference nothing is
    written.
  - The wish is spelled as in Cumulus Linux 5.15 and newer, whatever release the switch runs. For
    5.9 to 5.14 it is translated, and what such a release cannot express is refused.
  - The change is confirmed when the management address answers over a new connection and every BGP
    session that was Established before, and that the new configuration keeps, is Established again
    and stays so for O(settle_time). Otherwise the switch rolls back and the task fails, naming what
    was lost.
options:
  state:
    description:
      - V(merged) sets what O(config) names and leaves the rest; a null unsets.
      - V(replaced) makes the subtrees that O(owns) covers equal to O(config); what lies outside is
        never touched.
      - V(deleted) unsets the leaves that O(config) names, or everything that O(owns) covers.
    type: str
    choices: [merged, replaced, deleted]
    default: merged
  config:
    description:
      - NVUE document, spelled as in Cumulus Linux 5.15 and newer. Keys may be ranges such as
        C(swp1-64s0-1).
    type: dict
    default: {}
  path:
    description:
      - Place below which O(config) and O(owns) are meant, such as C(qos/roce). Keys are joined with
        C(/), a slash inside a key is written C(%2F).
      - Without O(owns), a V(replaced) owns this place.
    type: str
    default: ""
  owns:
    description:
      - Globs of the subtrees that O(config) describes completely, such as C(interface/swp*/qos).
    type: list
    elements: str
    default: []
  unmanaged:
    description:
      - Globs of places that are never changed, even inside of O(owns). Their leaves are counted in
        RV(foreign).
    type: list
    elements: str
    default: []
  rotate:
    description:
      - Globs of secrets that are sent although the switch has them already. Secrets are never
        compared; by default they are sent only when the switch lacks them.
    type: list
    elements: str
    default: []
  device:
    description:
      - Name of the device in sentences, reports and approvals; the inventory name by default.
    type: str
  expected:
    description:
      - Identity that the device must have. A serial number decides where one is given and reported by the switch;
        else the applied host name; else the neighbours that LLDP shows. Checked before the first
        write.
    type: dict
    default: {}
    suboptions:
      releases:
        description:
          - Accepted releases; C(5.16) accepts every 5.16.x. Empty accepts all.
        type: list
        elements: str
        default: []
      serial:
        description: Serial number.
        type: str
        default: ""
      hostname:
        description: Applied host name.
        type: str
        default: ""
      lldp:
        description:
          - Places that LLDP should show, as a mapping from a port to C(system) and C(port) of the
            other end.
          - Name ports towards switches alone. Where the planned place is one of several neighbours, the port
            shows nothing.
        type: dict
        default: {}
      factory:
        description:
          - Accept a switch without a host name of its own and without neighbours.
        type: bool
        default: false
      model:
        description:
          - Model such as C(SN5600). A switch that reports another one is refused; one that reports
            none, such as a simulated one, is not.
        type: str
        default: ""
  allow_disruptive:
    description:
      - Classes of disruption that are allowed on a switch in service. C(switchd_reload),
        C(frr_restart) and C(breakout) need to be allowed, the others are only announced. A switch
        without an Established session and without a used host port is not in service.
      - C(unread_sessions) allows a change although the switch does not report every BGP session that its
        applied configuration lists. Nobody would see the change end such a session. One that is reported
        in any state of FRR is read, be it up or down. The states are Idle, Connect, Active, OpenSent,
        OpenConfirm, Established, Clearing and Deleted, also with a reason behind it in brackets.
    type: list
    elements: str
    choices:
      - breakout
      - frr_restart
      - port_flap
      - renumber
      - session_flap
      - switchd_reload
      - telemetry_restart
      - unread_sessions
    default: []
  host_ports:
    description:
      - Patterns of the ports that face hosts, to check whether the switch is in service.
    type: list
    elements: str
    default: ["swp*"]
  confirm_timeout:
    description:
      - Roll-back timer in seconds. By default it follows from the class of the change, from 180 to
        600; V(0) does without.
      - With a timer the task answers a question of the switch, C(confirm) or C(ays), only after it has seen that
        nothing is lost. It answers none beforehand.
    type: int
  settle_time:
    description:
      - For how many seconds on end no session may be lost before the change is confirmed, at most half of
        the roll-back timer. A session that a change has cut off looks Established until its hold time is over.
      - By default it follows from the change. It is V(0) where nothing changes by which a session can be lost,
        such as a host name, or where no session was up; one second more than the detection time of BFD where
        every session has it and no ACL changes; else one second more than the longest hold time, which is 9 s
        unless stated. A time that is given may be too short to see a loss.
    type: int
  apply_timeout:
    description: Longest wait in seconds for the apply.
    type: int
    default: 900
  busy_timeout:
    description:
      - Longest wait in seconds for somebody else's apply, or for what a killed run left behind. The task says at
        once for whom it waits and until when.
    type: int
    default: 900
  approved:
    description:
      - A file made from reports, or its content. Only a device whose hashes are equal is changed.
    type: raw
  report_dir:
    description:
      - Folder on the controller in which C(changes/DEVICE.json) and C(diffs/DEVICE.diff) are
        written, also in check mode.
    type: path
  message:
    description:
      - Text that the switch keeps with the revision. The playbook of the command line, the git
        revision of the project and the job of AWX or GitLab, as far as they are known, follow it.
    type: str
    default: ""
  write:
    description:
      - V(false) only plans, as in check mode.
    type: bool
    default: true
  save:
    description:
      - Save the configuration for the next boot where the switch does not do so by itself. There an unchanged
        run reads what is saved as well, and saves what an earlier run could not.
    type: bool
    default: true
extends_documentation_fragment:
  - spectrum_x.fabric.nvue
seealso:
  - module: spectrum_x.fabric.nvue_info
  - module: spectrum_x.fabric.nvue_action
"""

EXAMPLES = r"""
- name: Set the host name and unset a description
  spectrum_x.fabric.nvue_config:
    config:
      system:
        hostname: leaf-01
      interface:
        swp1:
          description: null

- name: Own the whole QoS of the switch and of its ports
  spectrum_x.fabric.nvue_config:
    state: replaced
    owns:
      - qos
      - interface/*/qos
    config:
      qos:
        roce:
          state: enabled
          mode: lossless
    expected:
      releases: ["5.16"]
      hostname: leaf-01
    allow_disruptive: [switchd_reload]
"""

RETURN = r"""
changes:
  description: Leaves that differ, sorted by path, secrets masked; null is an absent leaf.
  returned: success
  type: list
  elements: dict
  sample:
    - path: system/hostname
      before: cumulus
      after: leaf-01
release:
  description: Release that the switch runs.
  returned: success
  type: str
  sample: 5.16.1
revision:
  description: Revision that was applied, null when none was needed.
  returned: success
  type: str
  sample: "17"
foreign:
  description: Leaves of unmanaged places, left alone.
  returned: success
  type: int
  sample: 0
not_compared:
  description: Secrets that the switch has, which were neither compared nor sent; O(rotate) sends them.
  returned: success
  type: list
  elements: str
  sample: [system/aaa/user/ops/hashed-password]
would_refuse:
  description: Refusals of a run that writes, one sentence each.
  returned: when nothing may be written and a run that writes would refuse the change
  type: list
  elements: str
  sample: []
disruptions:
  description: Disturbances of the change, by class, with the places that cause it.
  returned: success
  type: list
  elements: dict
  sample:
    - class: switchd_reload
      effect: switchd reloads, short loss on every port
      places: [qos/roce/state]
impact:
  description: Ports that flap, BGP sessions that are reset, services that restart.
  returned: success
  type: dict
  sample:
    ports_flapped: []
    sessions_reset: []
    restarts: []
recognised_by:
  description: By what the device was recognised; empty when nothing was changed or expected.
  returned: success
  type: str
  sample: serial MT2345X00001
report:
  description: Files written below O(report_dir).
  returned: when O(report_dir) is set
  type: list
  elements: str
  sample: [report/changes/leaf-01.json, report/diffs/leaf-01.diff]
requests:
  description: HTTP requests sent, those for a token included.
  returned: success
  type: int
  sample: 2
writes:
  description: HTTP requests sent that are no GET.
  returned: success
  type: int
  sample: 0
"""
