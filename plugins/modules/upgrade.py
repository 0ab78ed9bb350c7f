#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: upgrade
short_description: Plan an upgrade of switches, and take its steps
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Brings switches to the release of C(release.cumulus) by the optimised image of C(release.images). The playbook
    C(upgrade) lists the steps.
  - What is done is read from the switches, so that a run after a killed one goes on where they are.
options:
  do:
    description:
      - V(look) reads release, partitions and configuration of a switch, and what forbids its upgrade.
      - V(plan) shows who notices, when and in which order, and keeps the batches of O(hosts) for the run.
      - V(ready) fails where a batch may not begin, and returns the nodes that the hook C(drain) is for.
      - V(gate) fails where a switch of the batch has no good result in the variable O(done).
      - V(step) takes O(step) on one switch.
      - V(report) fails with the batches that could not begin in this run.
    type: str
    choices: [look, plan, ready, gate, step, report]
    required: true
  step:
    description:
      - V(try) chooses the other partition for the next boot, and takes that back.
      - V(install) fetches the image and installs it into the other partition, and V(boot_next) chooses that one.
      - V(drain) asks the neighbours for other ways, V(shut) shuts the ports towards nodes, and V(quiet) counts packets.
      - V(reboot) boots, and waits until the switch is back.
      - V(booted) reads what the boot kept. V(tenancy) brings the tenants of today with ports shut, V(open) opens the
        ports, V(switches) brings the rest, and V(prove) judges it all.
      - V(leave) gives the switch back, and V(soak) waits.
      - Where one from V(booted) to V(prove) fails, the old partition is booted again, brought to the plan, and proven.
    type: str
    choices: [try, install, boot_next, drain, shut, quiet, reboot, booted, tenancy, open, switches, prove, leave, soak]
  hosts:
    description: Switches of the run, for V(plan).
    type: list
    elements: str
    default: []
  canary:
    description: Switch that goes first, for V(plan); else a leaf in an SU that nobody rents.
    type: str
  window:
    description: Last day and reason of a window in which rails of rented nodes may stop, as C(spx_window).
    type: str
  issu:
    description: Whether the upgrade is to run in service, for V(plan). It is refused for a path that is not eligible.
    type: bool
    default: false
  done:
    description: Variable in which a switch kept the result of the step before, for V(gate).
    type: str
    default: __upgrade_installed
  seconds:
    description: Time between two readings of counters; physical ports count every 2 seconds.
    type: int
    default: 10
  most:
    description: Packets a second that a port of a drained switch may see.
    type: float
    default: 20
  apply_wait:
    description: Seconds between the last apply and a reboot, for releases with bug 4501632.
    type: int
    default: 60
  soak:
    description: Seconds of V(soak).
    type: int
    default: 60
  description:
    description: Path of the description; by default that of the inventory source or of the project.
    type: path
extends_documentation_fragment:
  - spectrum_x.fabric.nvue
seealso:
  - module: spectrum_x.fabric.switch
"""

EXAMPLES = r"""
- name: Read the switch
  spectrum_x.fabric.upgrade:
    do: look

- name: Install the image while the switch is in service
  spectrum_x.fabric.upgrade:
    do: step
    step: install
"""

RETURN = r"""
state:
  description: What was read of the switch, with the reasons that forbid its upgrade.
  returned: with O(do=look)
  type: dict
batches:
  description: The batches in their order, with class, SU and switches.
  returned: with O(do=plan)
  type: list
  elements: dict
deferred:
  description: Batches that may not begin now, one sentence each.
  returned: with O(do=plan)
  type: list
  elements: str
switches:
  description: Switches of the batch.
  returned: with O(do=ready)
  type: list
  elements: str
nodes:
  description: Nodes that the hook drains, each with its tenant.
  returned: with O(do=ready)
  type: list
  elements: dict
rates:
  description: Packets a second by port, both directions together.
  returned: with O(step=quiet)
  type: dict
"""
