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
options:
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
    description: Path of the description; by default as the variable C(spx_description) or the project folder says.
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
changes:
  description: Leaves that differ, sorted by path, secrets masked; null is an absent leaf.
  returned: when the switch was compared
  type: list
  elements: dict
  sample:
    - path: system/hostname
      before: cumulus
      after: leaf-01
due:
  description: Whether the switch differs, and may be written - with O(write=false) a later task is to change it.
  returned: when the switch was compared
  type: bool
  sample: true
drift:
  description: What stays because a tenant has it, and somebody has to settle, one sentence each.
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
