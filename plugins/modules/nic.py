#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module `nic`."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: nic
short_description: Set one part of the NICs of a host, such as firmware, settings, QoS or RoCE
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Compares one part of the wanted state with the cards, and writes what differs. One of O(config), O(firmware),
    O(qos), O(reset) and O(roce) names the part; an empty mapping leaves all its options at their defaults.
options:
  nics:
    description:
      - The wanted state of the NICs of the host. Each part reads its own keys of an entry.
      - An entry names a card by V(pci), the PCI address of its first function, and may hold
        V(device), V(mode), V(psid), V(multiplane), V(planes), V(firmware), V(nvconfig),
        V(required), V(qos), V(roce) and V(ports). A part that is absent is not managed.
      - The RA profiles of the collection yield V(device), V(multiplane), V(planes), V(nvconfig),
        V(required), V(qos) and V(roce) of an entry.
    type: list
    elements: dict
    required: true
  config:
    description:
      - Compares the wanted non-volatile settings with one full query of each card and writes those that differ in
        one C(mlxconfig set). A value is written to the next boot; the card is never reset here.
      - Names that the card does not show, or that this host may only read, are skipped and reported,
        except those in V(required) of an entry, which are an error.
      - Whenever settings are put back to defaults the operating mode is written again in the same step,
        since the defaults of a SuperNIC mean DPU mode.
    type: dict
    suboptions:
      reset_first:
        description:
          - Put all settings of a card back to their defaults before writing, if anything differs. The card is read
            again then, and what the defaults made right is not written.
          - Recommended before the first use for Spectrum-X and for a change of the plane mode.
        type: bool
        default: false
      after_reset:
        description: Treat a setting that is staged but not current as an error; for use after a reset.
        type: bool
        default: false
  firmware:
    description:
      - Compares the wanted version with the one in the flash and installs it only where they differ,
        by C(flint) (V(firmware.image)), C(mlxfwmanager) (V(firmware.images), a folder) or
        C(bfb-install) (V(firmware.bundle), BlueField only, with V(firmware.config) for C(bf.cfg)).
      - An image is asked for its board and version before it is burned, C(mlxfwmanager) for what it would take of a
        folder; V(psid) of an entry is compared with the card, which is all that guards a bundle.
      - An exit code proves nothing here. The flash is read again, and the log of C(bfb-install), which
        has neither a time limit nor a failing exit code of its own, is searched for its failure texts.
      - Cards are served one after the other and the first failure ends the run.
    type: dict
    suboptions:
      install_timeout:
        description: Seconds after which an installation that does not end is stopped and judged.
        type: int
        default: 2400
      brought:
        description:
          - Files that an earlier task of the play writes. Check mode does not write them, and so does not
            look for them.
        type: list
        elements: path
        default: []
  qos:
    description:
      - Sets DSCP trust, the map from DSCP to priority, PFC, the DSCP of congestion notifications, the
        traffic class of RDMA_CM and of all queue pairs, and where wanted cable length, buffers and the
        guard against pause storms, on every port.
      - A map that somebody changed is repaired, which asking for DSCP trust alone does not do.
      - V(qos.tos) and V(qos.traffic_class) must be equal, and the value 106 of classic RoCE is refused.
      - These settings vanish with a reboot, a reset or a reload of the driver; the unit of the
        collection sets them again.
    type: dict
    suboptions:
      tolerate_conflicts:
        description:
          - Report a running C(lldpad), which rewrites PFC by DCBX, instead of failing.
        type: bool
        default: false
  reset:
    description:
      - Finds out what is pending on each card (settings, firmware, operating mode) and which reset
        activates it, from a live patch over C(mlxfwreset) and a reboot to a power cycle.
      - A reset in place is only done with O(reset.allow=true), and only for ConnectX unless O(reset.level)
        insists. A BlueField may lose its NIC mode by it, and in DPU mode does not reload its firmware
        for a reset of the host.
      - A reboot or power cycle is never done. It is returned as RV(required), for the play to collect.
      - Settings that a reboot left staged, as C(/etc/spectrum-x/rebooted.json) shows, needs a power cycle.
      - After a reset the card must answer again, in its mode, with those of the wanted settings current
        that waited for it.
    type: dict
    suboptions:
      allow:
        description: Reset the cards that need it. Otherwise it is only said what they need.
        type: bool
        default: false
      level:
        description:
          - Insist on this level of C(mlxfwreset), on every card of O(nics).
          - V(0) is a live patch, V(1) resets the Arm side only, V(3) restarts driver and PCI. Level 4
            would reboot the host and is not offered.
        type: int
        choices: [0, 1, 3]
      minimum:
        description:
          - Do not go below the most disruptive of these, for example because O(config) and O(firmware) said so
            (C(reset_needed)) when they staged something.
          - V(reset) leaves it to the card which reset it is.
        type: list
        elements: str
        choices: [none, reset, live_patch, mlxfwreset, reboot, power_cycle]
        default: []
      timeout:
        description: Seconds for a reset, and as many for the card to answer again.
        type: int
        default: 300
  roce:
    description:
      - Sets the fields of the register ROCE_ACCL, the DCQCN points, the slots and parameters of the
        programmable congestion control, the maximum read request of PCI Express and the inter-packet gap,
        in this order, on every port.
      - The maximum read request is read and written with C(setpci) of the package C(pciutils). Where it cannot be
        read, the task fails.
      - A field of ROCE_ACCL that the firmware does not offer now is an error and no silent no-op.
        V(adaptive_routing_forced_en) for example needs ROCE_ADAPTIVE_ROUTING_EN to be current.
      - Parameters are written once the algorithm is active. Where V(roce.cc.unit) of an entry names a
        systemd unit (C({rdma}) is the RDMA device), it is started and waited for. One that runs and is
        not active in that time is started again once.
      - The inter-packet gap takes a link toggle, which is done with O(roce.maintenance=true) only and
        reported as RV(deferred) otherwise.
    type: dict
    suboptions:
      sections:
        description: The parts to set.
        type: list
        elements: str
        choices: [accl, dcqcn, cc, max_read_request, inter_packet_gap]
        default: [accl, dcqcn, cc, max_read_request, inter_packet_gap]
      maintenance:
        description: The host is drained, links may be toggled.
        type: bool
        default: false
      deep:
        description: Read each congestion control parameter from the card instead of trusting the note.
        type: bool
        default: false
      cc_timeout:
        description: Seconds until the congestion control algorithm must be active.
        type: int
        default: 60
  sysfs_path:
    description: Mount point of the kernel's sysfs.
    type: path
    default: /sys
  timeout:
    description: Seconds after which a tool that does not end is stopped.
    type: int
    default: 60
attributes:
  check_mode:
    description: Writes nothing in check mode and predicts exactly. Files and boards of O(firmware) are checked all the
      same, and a service C(rshim) that does not run is taken for one that the play starts.
    support: full
  diff_mode:
    description: Shows each setting, field, parameter and version before and after, and what a reset activates.
    support: full
seealso:
  - module: spectrum_x.fabric.host
notes:
  - Runs on the host as root and needs the standard library of Python 3.9 or later only, beside the
    NVIDIA tools that it calls.
  - Both builds of the firmware tools serve, that of MFT (C(mlxconfig)) and the open source one
    (C(mstconfig)).
  - O(qos) and O(roce) begin when nobody else sets the NICs of the host, such as its unit at boot or its watchdog,
    and wait three minutes for that at most.
"""

EXAMPLES = r"""
- name: Bring a BlueField-3 to the firmware of the RA
  spectrum_x.fabric.nic:
    nics:
      - pci: "0000:1a:00.0"
        device: a2dc
        psid: MT_0000001069
        firmware:
          version: 32.48.1000
          bundle: /var/tmp/bf-fwbundle-3.3.0-202_26.01-prod.bfb
    firmware: {}

- name: Stage the settings of the RA profile
  spectrum_x.fabric.nic:
    nics:
      - pci: "0000:1a:00.0"
        device: a2dc
        nvconfig:
          ROCE_ADAPTIVE_ROUTING_EN: 1
          USER_PROGRAMMABLE_CC: 1
          INTERNAL_CPU_OFFLOAD_ENGINE: 1
        required: [ROCE_ADAPTIVE_ROUTING_EN, USER_PROGRAMMABLE_CC]
    config: {reset_first: true}

- name: Reset what can be reset in place
  spectrum_x.fabric.nic:
    nics: "{{ planned_nics }}"
    reset: {allow: true}
  register: reset

- name: Reboot where the cards need it
  ansible.builtin.reboot:
  when: reset.required == 'reboot'

- name: Set the QoS of the RA profile
  spectrum_x.fabric.nic:
    nics:
      - pci: "0000:1a:00.0"
        qos:
          trust: dscp
          pfc: [0, 0, 0, 1, 0, 0, 0, 0]
          cnp_dscp: 48
          tos: 96
          traffic_class: 96
          dcbx: os
          pfc_prevention_timeout: auto
    qos: {}

- name: Set RoCE of the RA profile, the gap waits for maintenance
  spectrum_x.fabric.nic:
    nics:
      - pci: "0000:1a:00.0"
        roce:
          accl:
            roce_adp_retrans_en: 1
            roce_tx_window_en: 1
            roce_slow_restart_en: 0
            roce_slow_restart_idle_en: 0
            adaptive_routing_forced_en: 1
          dcqcn: {rp: true, np: true}
          cc:
            unit: spx-cc@{rdma}.service
            slots: {0: {enabled: true, counters: true}, 15: {enabled: false}}
            params: {0: {4: 96, 5: 1700}}
          max_read_request: 4096
          inter_packet_gap: 33
    roce: {}
"""

RETURN = r"""
nics:
  description: One entry per card; with O(firmware) one per card that was looked at, after a failure too.
  returned: with O(config), O(firmware) and O(reset)
  type: list
  elements: dict
  contains:
    pci: {description: "PCI address.", type: str, returned: always}
    mode: {description: "Operating mode now.", type: str, returned: with O(config)}
    mode_next: {description: "Operating mode after the next reset.", type: str, returned: with O(config)}
    settings:
      description:
        - Per name V(wanted), V(current), V(next) and V(state), which is V(current), V(staged) or
          V(differs).
      type: dict
      returned: with O(config)
    skipped:
      description: Names that cannot be set, with the reason.
      type: dict
      returned: with O(config)
    state:
      description: V(matches) (the version runs), V(staged) (it is in the flash and runs after a reset or a power cycle)
        or V(failed) (it did not get there).
      type: str
      returned: with O(firmware)
    wanted: {description: "Version wanted.", type: str, returned: with O(firmware)}
    running: {description: "Version that runs.", type: str, returned: with O(firmware)}
    burned: {description: "Version in the flash.", type: str, returned: with O(firmware)}
    psid: {description: "Board id.", type: str, returned: with O(firmware)}
    reset_needed:
      description: V(none), V(reset) or V(power_cycle), the latter for firmware of BlueField and for downgrades.
      type: str
      returned: with O(config) and O(firmware)
    notes: {description: "What was unusual.", type: list, elements: str, returned: with O(firmware)}
    sentence: {description: "Why it failed.", type: str, returned: with O(firmware)}
    needed: {description: "The reset that activates what is pending.", type: str, returned: with O(reset)}
    performed: {description: "What was done, empty for nothing.", type: str, returned: with O(reset)}
    required: {description: "What is still to be done.", type: str, returned: with O(reset)}
    reasons: {description: "What is pending.", type: list, elements: str, returned: with O(reset)}
    waits: {description: "The same by name, with the values that wait.", type: dict, returned: with O(reset)}
required:
  description:
    - The most disruptive that is still to be done, V(none), V(live_patch), V(mlxfwreset), V(reboot) or
      V(power_cycle).
  returned: with O(reset)
  type: str
skipped:
  description: Wanted settings that a port does not offer, with the reason; what it should offer is warned of too.
  returned: with O(qos), when there are some
  type: list
  elements: str
conflicts:
  description: Programs that fight these settings.
  returned: with O(qos), when there are some
  type: list
  elements: str
deferred:
  description: Changes that wait for maintenance.
  returned: with O(roce), when there is something
  type: list
  elements: str
commands:
  description: The commands that wrote, installed or reset, or would.
  returned: success
  type: list
  elements: str
done:
  description: The commands that were run before an error.
  returned: failure
  type: list
  elements: str
queries:
  description: Number of tools that were run to read.
  returned: success
  type: int
"""

import typing as t
from contextlib import nullcontext

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._nic.desired import nics_from
from ..module_utils._nic.edge import finish
from ..module_utils._nic.firmware import apply_firmware
from ..module_utils._nic.lock import writing
from ..module_utils._nic.nvconfig import apply_nvconfig
from ..module_utils._nic.plan.base import Plan
from ..module_utils._nic.plan.reset import ANY, COST, NONE
from ..module_utils._nic.records import Answer
from ..module_utils._nic.reset import apply_reset
from ..module_utils._nic.runtime import ROCE_SECTIONS, apply_qos, apply_roce
from ..module_utils._nic.tools import Host

JOBS: dict[str, t.Callable[..., Plan | Answer]] = {
    "config": apply_nvconfig,
    "firmware": apply_firmware,
    "qos": apply_qos,
    "reset": apply_reset,
    "roce": apply_roce,
}
ALONE = ("qos", "roce")
"""Parts that the unit at boot and the watchdog set too."""

OPTIONS: dict[str, dict[str, Answer]] = {
    "config": {
        "reset_first": {"type": "bool", "default": False},
        "after_reset": {"type": "bool", "default": False},
    },
    "firmware": {
        "install_timeout": {"type": "int", "default": 2400},
        "brought": {"type": "list", "elements": "path", "default": []},
    },
    "qos": {"tolerate_conflicts": {"type": "bool", "default": False}},
    "reset": {
        "allow": {"type": "bool", "default": False},
        "level": {"type": "int", "choices": [0, 1, 3]},
        "minimum": {
            "type": "list",
            "elements": "str",
            "choices": [NONE, ANY, *COST[1:]],
            "default": [],
        },
        "timeout": {"type": "int", "default": 300},
    },
    "roce": {
        "sections": {
            "type": "list",
            "elements": "str",
            "choices": list(ROCE_SECTIONS),
            "default": list(ROCE_SECTIONS),
        },
        "maintenance": {"type": "bool", "default": False},
        "deep": {"type": "bool", "default": False},
        "cc_timeout": {"type": "int", "default": 60},
    },
}


def work(module: AnsibleModule, host: Host) -> Answer:
    """The result of the one part that the task names, or the end of the module where a card failed."""
    part = next(name for name in JOBS if module.params[name] is not None)
    nics = nics_from(module.params["nics"])
    with writing(host) if part in ALONE else nullcontext():
        made = JOBS[part](host, nics, **module.params[part])
    result = made.as_result() if isinstance(made, Plan) else made
    if result.get("failed_nics"):
        if not result["changed"]:
            del result["diff"]
        module.fail_json(msg=result["nics"][-1]["sentence"], **result)
    return {**result, "queries": len(host.reads)}


def main() -> None:
    """Entry of the module."""
    parts = {name: {"type": "dict", "options": options} for name, options in OPTIONS.items()}
    module = AnsibleModule(
        argument_spec={
            "nics": {"type": "list", "elements": "dict", "required": True},
            "sysfs_path": {"type": "path", "default": "/sys"},
            "timeout": {"type": "int", "default": 60},
            **parts,
        },
        mutually_exclusive=[list(parts)],
        required_one_of=[list(parts)],
        supports_check_mode=True,
    )
    sysfs, limit = module.params["sysfs_path"], float(module.params["timeout"])
    host = Host(check_mode=module.check_mode, sysfs=sysfs, timeout=limit)
    finish(module, host, lambda: work(module, host))


if __name__ == "__main__":
    main()
