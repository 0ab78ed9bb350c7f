#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module `host`."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: host
short_description: Read a host, plan its steps, and keep what they need
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - V(look) reads packages, NICs, interfaces, files and units of a host in one execution, and compares them with the
    plan by the functions that the other modules for hosts use in check mode. It writes nothing.
  - The variables of the roles are read as the roles would have them, with their defaults and types.
  - V(look) contacts no host that is rented or out of service; the task is skipped then.
options:
  do:
    description:
      - V(look) reads the host and plans its steps. The other words work on what it returned, registered as
        C(dpu_state_look).
      - V(keep) keeps the tool, the desired state from which it applies settings again that a reboot loses, the units
        that do it, and the timer of the watchdog, by M(spectrum_x.fabric.host_files). The variables of role
        P(spectrum_x.fabric.dpu_agent#role) count. Parts of roles that the description does not manage are left out.
      - V(gate) says whether congestion control may begin on the host. A rack where only some NICs run the algorithm
        performs worse than one where none does. A host of the rack that the run leaves out is not contacted and
        counts as one that cannot, unless the algorithm runs here already. Rented hosts and those out of service never
        count.
      - V(batches) divides hosts into batches that never span two racks unless whole racks fit, for a play that takes
        hosts out of work.
      - V(wait) fails where a host of an earlier batch of the play did not come to its end.
    type: str
    choices: [look, keep, gate, batches, wait]
    default: look
  hosts:
    description:
      - With V(gate) the hosts of the rack that are looked at, all by default; empty for none.
      - With V(batches) the hosts that are divided, those of the play by default.
    type: list
    elements: str
  done:
    description: With V(wait), the variable that a host sets, or a task of it registers, at the end of its batch.
    type: str
  most:
    description: Most hosts of a batch.
    type: int
    default: 1
  known:
    description: With V(look), whether what an earlier task of this run found will do, registered as C(dpu_state_look).
    type: bool
    default: false
  preflight:
    description: With V(look), fail where playbook C(dpus) leaves the host as it is, and say why.
    type: bool
    default: false
  description:
    description: Path of the description; by default as the variable C(spx_description) or the project folder says.
    type: path
  tenants:
    description: Path of the tenants' registry; the file beside the description by default.
    type: path
  wanted:
    description: The desired state of the host. The action fills it in.
    type: dict
    default: {}
  asked:
    description: What the variables of the roles say. The action fills it in.
    type: dict
    default: {}
  probe:
    description: What the host tries for M(spectrum_x.fabric.validate), which fills it in.
    type: dict
attributes:
  check_mode:
    description: Can run in check mode and writes nothing then.
    support: full
  diff_mode:
    description: Shows the text of each file that V(keep) writes.
    support: full
seealso:
  - module: spectrum_x.fabric.host_network
  - module: spectrum_x.fabric.host_files
"""

EXAMPLES = r"""
- name: Look at the host
  spectrum_x.fabric.host:
  register: dpu_state_look

- name: Set the QoS only where it differs
  ansible.builtin.include_role:
    name: spectrum_x.fabric.dpu_qos
  when: "'dpu_qos' in dpu_state_look.plan.steps"
"""

RETURN = r"""
wanted:
  description: The desired state of the host.
  returned: always
  type: dict
plan:
  description:
    - V(steps) are the roles that have something to do, and V(return) where the host has to be given back. What could
      not be read counts as something to do.
    - V(group) is V(done), V(steady) (nothing disturbs the host) or V(rolling) (it is drained first).
    - V(refusals) are reasons to leave the host as it is. V(sentence) says what waits for leave to disturb it, and
      V(waits_for) what interfaces, QoS and congestion control need first.
  returned: success
  type: dict
doca:
  description: What role P(spectrum_x.fabric.dpu_doca#role) has to install, from where, and what has to go before.
  returned: success
  type: dict
mixed:
  description: Sentences on versions outside the validated set, by the role that refuses them.
  returned: success
  type: dict
asked:
  description: V(doca) (a version) and V(packages) that the site asks for beside the plan.
  returned: success
  type: dict
packages:
  description: Version of each installed package by name, of those that matter.
  returned: success
  type: dict
  sample: {doca-all: 3.3.0-088000}
system:
  description: Distribution, kernel, what an installation needs, and the notes that earlier runs left.
  returned: success
  type: dict
nics:
  description: The cards and their verdict; only V(error) where the NICs cannot be read.
  returned: success
  type: dict
  contains:
    nics:
      description:
        - The planned cards with model, mode, PSID, firmware (V(running) works now, V(burned) is in the flash, V(stored)
          is what C(devlink) says the next reset loads), settings and ports.
        - A part of a port that cannot be read is absent, and V(errors) of the port has its sentence.
      type: list
      elements: dict
      returned: when they could be read
    verdict:
      description:
        - V(current), V(staged), V(differs) or V(blocked) for each of V(nvconfig), V(firmware), V(qos) and V(roce).
          V(blocked) means that the module would refuse.
      type: dict
      returned: when they could be read
network:
  description: What M(spectrum_x.fabric.host_network) returns in check mode, with V(error) and V(due).
  returned: success
  type: dict
agent:
  description: What M(spectrum_x.fabric.host_files) returns for the files of role dpu_agent, with V(error) and
    V(due). RV(ignore:facts) has the same of the files that a scheduler reads, and of lldpd.
  returned: success
  type: dict
opens:
  description: Whether the algorithm may begin.
  returned: with O(do=gate)
  type: bool
keeps:
  description: Whether it runs and goes on although other hosts are in the way.
  returned: with O(do=gate)
  type: bool
sentence:
  description: The hosts that are in the way, and what to do; empty where none is.
  returned: with O(do=gate)
  type: str
back:
  description: Why what this run began in a rack has to end again, where it could not begin everywhere in it.
  returned: with O(do=gate)
  type: str
batches:
  description: Names of hosts, batch by batch.
  returned: with O(do=batches)
  type: list
  elements: list
  sample: [[a, b], [c]]
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._host.look import look
from ..module_utils._host.probe import probe
from ..module_utils._nic.errors import NicError
from ..module_utils._nic.tools import Host


def main() -> None:
    """Entry of the module."""
    module = AnsibleModule(
        argument_spec={
            "do": {
                "type": "str",
                "choices": ["look", "keep", "gate", "batches", "wait"],
                "default": "look",
            },
            "hosts": {"type": "list", "elements": "str"},
            "done": {"type": "str"},
            "most": {"type": "int", "default": 1},
            "known": {"type": "bool", "default": False},
            "preflight": {"type": "bool", "default": False},
            "description": {"type": "path"},
            "tenants": {"type": "path"},
            "wanted": {"type": "dict", "default": {}},
            "asked": {"type": "dict", "default": {}},
            "probe": {"type": "dict"},
        },
        supports_check_mode=True,
    )
    wanted, asked, tries = (module.params[name] for name in ("wanted", "asked", "probe"))
    host = Host(check_mode=True, sysfs=asked["sysfs"])
    try:
        found = look(host, wanted, asked) if wanted else {}
    except NicError as exc:
        module.fail_json(msg=str(exc))
    if tries is not None:
        found["probe"] = probe(host, tries)
    for part, key in (("nics", "warnings"), ("network", "left")):
        for sentence in found.get(part, {}).get(key, ()):
            module.warn(sentence)
    module.exit_json(changed=False, **found)


if __name__ == "__main__":
    main()
