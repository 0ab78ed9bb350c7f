#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: guard
short_description: Stop a play whose description, variables or inventory cannot be right
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Every playbook of the collection begins with it. It loads the description itself, so that an inventory source
    that failed to parse cannot pass for an empty fabric.
  - It types and checks every variable that begins with C(spx_), refuses unknown ones, and compares the groups of
    the inventory with the description.
  - The variable C(spx_device), where it is given, must be the name of one switch that is built.
  - The variable C(spx_hooks), where it is given, must be a folder.
  - The registry must load where C(spx_tenant) or C(spx_nodes) is given, and know the tenant and the nodes.
  - Where a playbook needs devices, Ansible's strategy must not let hosts run ahead of one another, as V(free) does.
  - A run that leaves out tasks (C(--tags), C(--skip-tags), C(--step)) is refused, but for the tags that Molecule
    skips. So is a variable of C(-e) that playbooks set themselves, such as C(hook_node), and a word of C(-e) that has
    no name.
  - Runs on the controller.
options:
  description:
    description: Path of the description; by default that of the inventory source or of the project.
    type: path
  require:
    description: Variables that the playbook needs.
    type: list
    elements: str
    default: []
  inventory:
    description: Whether the playbook needs the devices in the inventory.
    type: bool
    default: true
  fabric:
    description: Whether the description must load. Without it only the variables are typed and checked.
    type: bool
    default: true
  limit:
    description: Whether the playbook may run on some hosts only (C(--limit)).
    type: bool
    default: true
  meets:
    description:
      - Devices that the playbook meets, of which the first one in the inventory and the limit shows what all lack.
      - V(switches) need credentials, V(hosts) need the PCI addresses of their NICs in the description.
    type: list
    elements: str
    choices: [switches, hosts]
    default: []
extends_documentation_fragment:
  - spectrum_x.fabric.controller
"""

EXAMPLES = r"""
- name: Check the description, the variables and the inventory
  spectrum_x.fabric.guard:
    require: [spx_tenant]
"""

RETURN = r"""
fabric:
  description: The facts of the fabric, which the lookup P(spectrum_x.fabric.run#lookup) returns as V(fabric).
  returned: with O(fabric)
  type: dict
variables:
  description: The typed variables, which the lookup P(spectrum_x.fabric.run#lookup) returns as V(variables).
  returned: success
  type: dict
remarks:
  description: Warnings, such as that no role may write.
  returned: success
  type: list
  elements: str
"""
