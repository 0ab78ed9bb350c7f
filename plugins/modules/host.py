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
    plan by the functions that O(do=files), O(do=network) and M(spectrum_x.fabric.nic) use in check mode. It writes
    nothing.
  - The variables of the roles are read as the roles would have them, with their defaults and types.
  - V(look) contacts no host that is rented or out of service; the task is skipped then.
options:
  do:
    description:
      - V(look) reads the host and plans its steps. The other words work on what it returned, registered as
        C(dpu_state_look).
      - V(keep) keeps the tool, the desired state from which it applies settings again that a reboot loses, the units
        that do it, and the timer of the watchdog, as V(files) does. The variables of role
        P(spectrum_x.fabric.dpu_agent#role) count. Parts of roles that the description does not manage are left out.
      - V(gate) says whether congestion control may begin on the host. A rack where only some NICs run the algorithm
        performs worse than one where none does. A host of the rack that the run leaves out is not contacted and
        counts as one that cannot, unless the algorithm runs here already. Rented hosts and those out of service never
        count.
      - V(plan) says what playbook C(dpus) does to which hosts of the play, and divides those that it takes out of work
        into batches. A batch never spans two racks unless whole racks fit.
      - V(cards) is for playbooks of tenants alone. Delegated to a node whose wipe is confirmed, it reads its cards, and
        keeps whether firmware, mode and settings are as wanted; the step fails at its end where they are not.
      - V(wait) fails where a host of an earlier batch of the play did not finish, which V(ready) notes.
      - V(files) compares O(files) with the host, replaces at once those that differ, and reloads systemd or udev where
        one of theirs changed. Then it enables, starts, stops or restarts O(units). Every file belongs to root and has
        the given mode.
      - With V(files) and V(network), a file beside ours that changes what ours means is removed, such as a drop-in of
        one of our units, also below V(/usr/lib), or a file of the same name in a folder that systemd, udev, netplan
        or NetworkManager search too. A drop-in of all units of a kind, and a C(sysctl) file that wins over ours, are
        reported and left.
        Folders named C(spectrum-x) that others can write are given back to root. Below any other such folder nothing
        is written.
      - V(network) gives each port its stable name by a udev rule on its PCI address, and keeps addresses, MTU, rail
        routes and policy rules in the files of what the host uses, C(netplan), C(systemd-networkd) or
        C(NetworkManager). Where the plan names RDMA devices (C(nics.rdma_names)), they are renamed too, and the
        congestion control that has the former name is stopped first. A port keeps what it is given while it has no
        carrier, whichever of these the host uses.
      - V(network) compares both the files and the live state. What is wrong is written, made effective on the
        interfaces where it is wrong, and read again. With C(netplan), whose file is one for all, new text is made
        effective on all of them. A route of another interface into the prefixes of the fabric is refused before
        anything is written.
      - V(identify) proves that the host is the planned one, and fails where it is not. Evidence is what the leaves hear
        of its MAC addresses, and the serial number or MAC address of C(devices.csv); a host that has a rail address of
        another node is that node. Without O(outside) also the leaves that the host hears by LLDP on two rails, and its
        own rail address. A hook that logs in to a node uses it before it changes anything there.
      - V(tools) runs each tool that the collection reads once, about the first NIC, and says what its parser misses.
      - V(links) waits after a boot until the rails that are set up have a link, and goes on without one 180 seconds
        after the boot. Optics train in that time, and leaves hear nothing by LLDP.
    type: str
    choices: [look, keep, gate, cards, plan, wait, ready, files, network, tools, identify, links]
    default: look
  device:
    description: With V(identify), name of the node in the plan where the task is delegated; the host by default.
    type: str
  outside:
    description:
      - With V(identify), whether evidence has to come from outside of the host, as before a wipe. The leaves are asked.
    type: bool
    default: false
  hosts:
    description: With V(gate), the hosts of the rack that are looked at, all by default; empty for none.
    type: list
    elements: str
  done:
    description: With V(wait), the variable that a host sets, or a task of it registers, at the end of its batch.
    type: str
  most:
    description: With V(plan), the most hosts of a batch.
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
    description: Path of the description; by default that of the inventory source or of the project.
    type: path
  tenants:
    description: Path of the tenants' registry; the file beside the description by default.
    type: path
  files:
    description: With V(files), the wanted content of each file.
    type: list
    elements: dict
    default: []
    suboptions:
      path:
        description: Absolute path.
        type: str
        required: true
      content:
        description: The text.
        type: str
      base64:
        description: The bytes of a program or archive, which appear in no log.
        type: str
      sha256:
        description:
          - Digest of the content, where the file has it already and only its owner and mode may be wrong. A file with
            another content is an error.
        type: str
      mode:
        description: Permissions as octal text.
        type: str
        default: "0644"
      state:
        description: V(absent) removes the file.
        type: str
        choices: [present, absent]
        default: present
  units:
    description:
      - With V(files), name of a unit to V(enabled), V(running) and V(restart_for), a list of files of O(files) whose
        change restarts the unit. What is absent is left alone.
    type: dict
    default: {}
  interfaces:
    description:
      - With V(network), entries with V(name), V(pci), V(address), V(length), V(gateway), V(mtu), V(table) and
        V(routes), a list of V(to) and V(metric). Where another port of the same NIC has the rail's address,
        V(address), V(length), V(gateway), V(table) and V(routes) are absent, and the port gets its name and MTU.
      - RV(wanted) has them as V(interfaces).
    type: list
    elements: dict
  networks:
    description:
      - With V(network), ports of the front end and of storage, their bonds, and VLANs on these. A port has V(name),
        V(network), V(pci), V(mtu) and either V(bond) or what a port of O(interfaces) has. A bond has V(name),
        V(members), V(mtu) and V(metric), that of its default route, 0 for none. A VLAN has V(parent) and V(vlan)
        instead of V(members). Bonds and VLANs take their addresses by DHCP. They may have V(gateway) and V(routes)
        besides.
      - A bond uses LACP (802.3ad, fast), looks at its links every 100 ms and divides flows by layer 3 and 4.
      - RV(wanted) has them as V(networks).
    type: list
    elements: dict
    default: []
  attempt:
    description:
      - With V(network), seconds after which the host takes a change of its network back by itself, at least 10. The
        timer starts before anything is changed. The action ends it over a fresh connection when the change is made.
      - A host with O(networks) has the timer for every change; a host without them where the controller reaches it
        over one of O(interfaces). Where the timer does not start, nothing is changed.
    type: int
    default: 120
  take_over:
    description:
      - With V(network), move definitions of others that count for a port after a reload or at a boot aside, with a copy
        below C(/var/lib/spectrum-x/taken-over), instead of refusing them. One that means other devices of the host too
        is refused in any case.
      - The timer of O(attempt) runs for it, so that the host restores them unless it is reached again.
    type: bool
    default: false
  confirm:
    description: The change that may stay. The action fills it in.
    type: str
    default: ""
  prefixes:
    description: With V(network), prefixes of the fabric, into which no other interface may have a route.
    type: list
    elements: str
    default: []
  backend:
    description: With V(network), what keeps the network of the host; V(auto) takes what is there.
    type: str
    choices: [auto, netplan, networkd, networkmanager]
    default: auto
  arp:
    description:
      - With V(network), answer and announce ARP on the interface of the address only (C(arp_ignore), C(arp_announce)).
        Needed where several rails share a subnet. Rails with an IPv4 address have a loose C(rp_filter) in any case.
    type: bool
    default: false
  settle_timeout:
    description: With V(network), seconds until the live state must be as wanted.
    type: int
    default: 30
  sysfs_path:
    description: With V(network), where the kernel's sysfs is mounted.
    type: path
    default: /sys
  ports:
    description: With V(links), PCI addresses of the rails. The action fills it in.
    type: list
    elements: str
    default: []
  until:
    description: With V(links), seconds after the boot at which the wait ends. The action fills it in.
    type: int
    default: 0
  wanted:
    description: The desired state of the host. The action fills it in.
    type: dict
    default: {}
  asked:
    description: Variables of the roles. The action fills it in.
    type: dict
    default: {}
  probe:
    description: Attempts of the host for M(spectrum_x.fabric.validate), which fills it in.
    type: dict
attributes:
  check_mode:
    description: Writes nothing in check mode and predicts exactly.
    support: full
  diff_mode:
    description: Shows the text of each file before and after.
    support: full
seealso:
  - module: spectrum_x.fabric.nic
notes:
  - V(look), V(files), V(network) and V(identify) run on the host as root and need the standard library of Python 3.9
    or later; V(look), V(network) and V(identify) need iproute2.
"""

EXAMPLES = r"""
- name: Look at the host
  spectrum_x.fabric.host:
  register: dpu_state_look

- name: Set the QoS only where it differs
  ansible.builtin.include_role:
    name: spectrum_x.fabric.dpu_qos
  when: "'dpu_qos' in dpu_state_look.plan.steps"

- name: Prove in a hook that the node is the one to wipe
  spectrum_x.fabric.host:
    do: identify
    device: "{{ hook_node }}"
    outside: true
  delegate_to: "{{ hook_node }}"

- name: Configure the rails
  spectrum_x.fabric.host:
    do: network
    interfaces: "{{ dpu_state_look.wanted.interfaces }}"
    prefixes: "{{ dpu_state_look.wanted.fabric_prefixes }}"
"""

RETURN = r"""
wanted:
  description: The desired state of the host.
  returned: with O(do=look)
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
identity:
  description:
    - What distinguishes the host, V(serials), V(macs), V(addresses) and V(heard), the neighbours by
      LLDP; only V(error) where they cannot be read.
    - With O(do=identify) V(state), which is V(proven), or V(unknown) where this run accepts it, V(sentence), and
      V(by_leaves), true where leaves prove it and not what the host reports alone.
  returned: with O(do=look) and O(do=identify)
  type: dict
held:
  description: Packages that are on hold, by name.
  returned: with O(do=look)
  type: raw
facts:
  description: The files for NCCL and a scheduler, and lldpd, as C(files) of O(do=files).
  returned: with O(do=look)
  type: dict
probe:
  description: Attempts of the host, for M(spectrum_x.fabric.validate).
  returned: where M(spectrum_x.fabric.validate) asks for it
  type: dict
network:
  description: Result of O(do=network) in check mode, with V(error) and V(due).
  returned: success
  type: dict
agent:
  description: Result of O(do=files) for the files of role dpu_agent, with V(error) and V(due).
    RV(ignore:facts) has the same of the files that a scheduler reads, and of lldpd.
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
  description: The hosts, or the cards, that are in the way, and what to do; empty where none is.
  returned: with O(do=gate) and O(do=cards)
  type: str
back:
  description: Reason to revert a start of this run in a rack, where it did not start everywhere in it.
  returned: with O(do=gate)
  type: str
batches:
  description: Names of the hosts that go out of work, batch by batch.
  returned: with O(do=plan)
  type: list
  elements: list
  sample: [[a, b], [c]]
files:
  description: Paths of the files that were, or would be, written or removed.
  returned: with O(do=files), O(do=keep) and O(do=network)
  type: list
  elements: str
left:
  description: A sentence, also a warning, for each file of somebody else that changes what ours mean.
  returned: with O(do=files), O(do=keep) and O(do=network)
  type: list
  elements: str
commands:
  description: Commands that were, or would be, run to make it effective.
  returned: with O(do=files), O(do=keep) and O(do=network)
  type: list
  elements: str
wrong_files:
  description: A sentence for each file that was not as planned.
  returned: with O(do=files), O(do=keep) and O(do=network)
  type: list
  elements: str
wrong_units:
  description: A sentence for each unit that did not do what its file says, or that another file changes.
  returned: with O(do=files), O(do=keep) and O(do=network)
  type: list
  elements: str
backend:
  description: Backend that keeps the network of the host.
  returned: with O(do=network)
  type: str
drift:
  description: Differences of the live state from the wanted one, in sentences.
  returned: with O(do=network)
  type: list
  elements: str
addresses:
  description:
    - Of rails, V(name), V(planned), and the V(addresses) beside the planned one that they have now.
    - With V(file) and V(key) what a file of others says of a port after a reload or at a boot. O(do=network) refuses
      such a file, or with O(take_over) moves it aside.
  returned: with O(do=network)
  type: list
  elements: dict
taken:
  description: What O(take_over) moved, or would move, aside, as RV(addresses).
  returned: with O(do=network)
  type: list
  elements: dict
obstacles:
  description: Sentences on routes and rules that take packets of the fabric away. O(do=network) refuses them.
  returned: with O(do=network)
  type: list
  elements: str
writers:
  description: Who else sets the ports of a running host, V(sentence) by the V(role) whose work it undoes.
  returned: with O(do=network)
  type: list
  elements: dict
attempt:
  description: Name of the change that the host takes back unless it is confirmed; only where there was one.
  returned: with O(do=network)
  type: str
networks:
  description: The ports, bonds and VLANs of O(networks) as they were, in the words of iproute2.
  returned: with O(do=network)
  type: dict
default_by:
  description: The interface of the IPv4 default route that wins, empty for none; only with O(networks).
  returned: with O(do=network)
  type: str
renames_in_use:
  description:
    - Renames, such as C(enp24s0f0np0 to rail1p1), of ports that bore an address of the plan. They disturb what runs
      over them.
  returned: with O(do=network)
  type: list
  elements: str
late:
  description: PCI addresses of the rails without a link.
  returned: with O(do=links)
  type: list
  elements: str
tools:
  description: Of each tool V(tool), V(argv), V(version), V(rc), V(out), and what its parser V(lacks).
  returned: with O(do=tools)
  type: list
  elements: dict
interfaces:
  description: Of each interface V(name), V(pci), V(rdma) and V(gid_index).
  returned: with O(do=network)
  type: list
  elements: dict
"""

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._host.attempt import confirm
from ..module_utils._host.backends import NAMES
from ..module_utils._host.boot import wait_for_links
from ..module_utils._host.conformance import conformance
from ..module_utils._host.files import keep, wanted_from
from ..module_utils._host.identity import traces
from ..module_utils._host.interfaces import interfaces_from
from ..module_utils._host.look import look
from ..module_utils._host.network import apply_network
from ..module_utils._host.networks import networks_from
from ..module_utils._host.probe import probe
from ..module_utils._nic.edge import finish
from ..module_utils._nic.records import Answer
from ..module_utils._nic.tools import Host

FILE: dict[str, Answer] = {
    "path": {"type": "str", "required": True},
    "content": {"type": "str"},
    "base64": {"type": "str", "no_log": True},
    "sha256": {"type": "str"},
    "mode": {"type": "str", "default": "0644"},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
}


def work(host: Host, params: Mapping[str, Any]) -> Answer:
    """Do the work of option `do`, and return its `warnings`."""
    if params["do"] == "files":
        kept = keep(host, wanted_from(params["files"]), params["units"])
        return {**kept.as_result(), "warnings": kept.left}
    if params["confirm"]:
        confirm(host, params["confirm"])
        return {"changed": False}
    if params["do"] == "network":
        network = apply_network(
            host,
            interfaces_from(params["interfaces"]),
            backend=params["backend"],
            prefixes=params["prefixes"],
            arp=params["arp"],
            timeout=float(params["settle_timeout"]),
            others=networks_from(params["networks"]),
            attempt_seconds=params["attempt"],
            take_over=params["take_over"],
        )
        return {**network, "warnings": network["left"]}
    if params["do"] == "tools":
        return {"changed": False, "tools": conformance(host)}
    if params["do"] == "links":
        return {"changed": False, "late": wait_for_links(host, params["ports"], params["until"])}
    if params["do"] == "identify":
        return {"changed": False, "identity": traces(host)}
    found: dict[str, Any] = {"changed": False}
    if params["wanted"]:
        found |= look(host, params["wanted"], params["asked"])
    if params["probe"] is not None:
        found["probe"] = probe(host, params["probe"])
    parts = (("nics", "warnings"), ("network", "left"))
    said = [text for part, key in parts for text in found.get(part, {}).get(key, ())]
    return {**found, "warnings": said}


def main() -> None:
    """Entry of the module."""
    module = AnsibleModule(
        argument_spec={
            "do": {
                "type": "str",
                "choices": [
                    *("look", "keep", "gate", "cards", "plan", "wait", "ready"),
                    *("files", "network", "tools", "identify", "links"),
                ],
                "default": "look",
            },
            "hosts": {"type": "list", "elements": "str"},
            "done": {"type": "str"},
            "most": {"type": "int", "default": 1},
            "device": {"type": "str"},
            "outside": {"type": "bool", "default": False},
            "known": {"type": "bool", "default": False},
            "preflight": {"type": "bool", "default": False},
            "description": {"type": "path"},
            "tenants": {"type": "path"},
            "files": {"type": "list", "elements": "dict", "default": [], "options": FILE},
            "units": {"type": "dict", "default": {}},
            "interfaces": {"type": "list", "elements": "dict"},
            "networks": {"type": "list", "elements": "dict", "default": []},
            "attempt": {"type": "int", "default": 120},
            "take_over": {"type": "bool", "default": False},
            "confirm": {"type": "str", "default": ""},
            "prefixes": {"type": "list", "elements": "str", "default": []},
            "backend": {"type": "str", "choices": ["auto", *NAMES], "default": "auto"},
            "arp": {"type": "bool", "default": False},
            "settle_timeout": {"type": "int", "default": 30},
            "sysfs_path": {"type": "path", "default": "/sys"},
            "ports": {"type": "list", "elements": "str", "default": []},
            "until": {"type": "int", "default": 0},
            "wanted": {"type": "dict", "default": {}},
            "asked": {"type": "dict", "default": {}},
            "probe": {"type": "dict"},
        },
        required_if=[["do", "network", ["interfaces"]]],
        supports_check_mode=True,
    )
    params = module.params
    host = Host(
        check_mode=module.check_mode or params["do"] in ("look", "tools", "identify", "links"),
        sysfs=params["asked"].get("sysfs", params["sysfs_path"]),
        timeout=120 if params["do"] == "files" else 60,
    )
    finish(module, host, lambda: work(host, params))


if __name__ == "__main__":
    main()
