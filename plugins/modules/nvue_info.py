# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

DOCUMENTATION = r"""
module: nvue_info
short_description: Read places of the NVUE object model of a switch
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Reads one or more places of a switch over one connection. Never writes. Secrets are masked.
options:
  path:
    description:
      - Place to read, keys joined with C(/), a slash inside a key written C(%2F). V(/) is the root.
    type: str
  paths:
    description: Several places to read, one request each.
    type: list
    elements: str
  rev:
    description:
      - Which state is read, such as V(operational), V(applied), V(startup), or the id of a
        revision.
    type: str
    default: operational
  params:
    description:
      - More parameters of the request, such as C(view), C(include), C(omit), C(filled) or C(diff). A list repeats
        its parameter.
      - The operational state of V(interface) or V(/) needs C(include) or C(view), since whole answers have crashed
        switches with many interfaces.
    type: dict
    default: {}
  neutral:
    description:
      - With the root as O(path), return the document spelled as in Cumulus Linux 5.15 and newer,
        ranges written out, whatever release the switch runs.
    type: bool
    default: false
  missing_ok:
    description: Return null for a place that does not exist instead of failing.
    type: bool
    default: false
extends_documentation_fragment:
  - spectrum_x.fabric.nvue
seealso:
  - module: spectrum_x.fabric.nvue_config
"""

EXAMPLES = r"""
- name: Read the BGP neighbours
  spectrum_x.fabric.nvue_info:
    path: vrf/default/router/bgp/neighbor
  register: neighbours

- name: Read health and platform at once
  spectrum_x.fabric.nvue_info:
    paths:
      - system/health
      - platform

- name: Read which interfaces are up
  spectrum_x.fabric.nvue_info:
    path: interface
    params:
      include: [/*/link/oper-status, /*/link/state]

- name: Read the applied configuration without defaults
  spectrum_x.fabric.nvue_info:
    path: /
    rev: applied
    params:
      filled: "false"
    neutral: true
"""

RETURN = r"""
data:
  description: The data at O(path); with O(paths), a mapping from each path to its data.
  returned: success
  type: raw
  sample:
    swp1s0:
      state: established
release:
  description: Release of the switch.
  returned: with O(neutral)
  type: str
  sample: 5.16.1
requests:
  description: HTTP requests sent.
  returned: success
  type: int
  sample: 1
"""
