#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: dcim
short_description: Bring the plan to NetBox or Nautobot, and propose what they know better
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Reads what the DCIM has, compares it with the plan, and writes the difference by lists.
  - A thing is the fabric's where it has the tag C(spectrum-x) and the custom field C(spx_place). A port is, where it
    has the field and its device has the tag. Nothing else is changed or deleted. Tags, comments and further fields of
    people stay.
  - A conflict, or more stale things than O(delete_most), refuses the run before anything is written.
  - Every run begins with what the DCIM has. The same command therefore goes on where an earlier run was ended.
  - Runs on the controller.
options:
  state:
    description:
      - V(pushed) brings the plan to the DCIM.
      - V(pulled) writes what the DCIM says of the fabric as diff files into O(dest), for a person to review and apply.
    type: str
    choices: [pushed, pulled]
    default: pushed
  connection:
    description: Connection of the DCIM, its names of things, and the owners of fields.
    type: dict
    required: true
    suboptions:
      kind:
        description: The product; it is needed.
        type: str
        choices: [netbox, nautobot]
      url:
        description: Its address, such as V(https://netbox.example); it is needed.
        type: str
      ca:
        description: File of the certificates that its own one is checked with; those of the system by default.
        type: path
      validate_certs:
        description: Whether its certificate is checked.
        type: bool
        default: true
      timeout:
        description: Seconds for one request, from 1 to 3600.
        type: int
        default: 120
      workers:
        description: Requests at once, from 1 to 16. More than the server has workers only wait there.
        type: int
        default: 2
      location:
        description:
          - Name of the NetBox site or Nautobot location of the fabric; by default the name of the fabric.
          - It is created where it does not exist.
        type: str
        default: ''
      location_type:
        description: Location type of a location that Nautobot gets.
        type: str
        default: Site
      namespace:
        description: Namespace of Nautobot that prefixes, addresses and VRFs are in.
        type: str
        default: Global
      rir:
        description: RIR of the private AS numbers.
        type: str
        default: RFC 6996
      rd:
        description:
          - Whether VRFs get a route distinguisher. A switch has one of its own for each VRF, so that there is no single
            right value.
          - V(target) gives the number of the route targets and the L3VNI, which no switch uses.
        type: str
        choices: [none, target]
        default: none
      link_vrfs:
        description:
          - Whether the link prefixes of nodes are in the VRF of who holds the node. Without it they have the tenant
            alone, and the VRF is that of the interface of the leaf.
          - Nautobot 3.2.7 records a whole VRF again for each prefix that comes into it, which takes hours for a tenant
            with thousands of links.
        type: bool
        default: true
      rules:
        description:
          - Owner, where the table of owners is not what a site wants - V(plan) or V(dcim), by kind or by kind and
            field, such as C(interface.mtu=dcim).
          - A rule for a kind is for the fields of which the plan decides. Serials, racks and statuses have rules of
            their own, such as C(device.status=plan).
          - C(device=plan) also takes over devices of the same name and location that do not have the custom field, and
            those that lost the tag.
        type: dict
        default: {}
  token:
    description:
      - Token of the DCIM, from a vault. It is never shown.
      - Without it the environment variable E(SPX_DCIM_TOKEN) is used.
    type: str
  description:
    description: Path of the description; by default that of the inventory source or of the project.
    type: path
  where:
    description:
      - Places, devices and tenants to push; everything by default.
      - They mean the whole SU of each node and leaf, the whole pod of each spine, and what belongs to no pod where
        there is a super-spine or a converged switch.
    type: list
    elements: str
    default: []
  hosts:
    description: The hosts of a limit, which mean what they do in O(where).
    type: list
    elements: str
  results:
    description: Folder of a report of the playbook C(validate), whose results become statuses of devices and cables.
    type: path
  delete:
    description: Whether stale things are deleted, which an earlier push created and the plan does not have any more.
    type: bool
    default: false
  delete_most:
    description: Things that one run may delete.
    type: int
    default: 100
  dest:
    description: Folder for the diff files of O(state=pulled).
    type: path
attributes:
  check_mode:
    support: full
    description: Reads and compares, and writes nothing.
  diff_mode:
    support: partial
    description:
      - Three names of each kind are shown in any case. With C(--diff) each thing is named, and each field of a change
        with both values.
extends_documentation_fragment:
  - spectrum_x.fabric.controller
"""

EXAMPLES = r"""
- name: Bring the plan to NetBox
  spectrum_x.fabric.dcim:
    connection:
      kind: netbox
      url: https://netbox.example
      location: dc1
    token: "{{ vault_netbox_token }}"
"""

RETURN = r"""
dcim:
  description: Product and version of the DCIM.
  returned: success
  type: str
  sample: NetBox 4.7.3
counts:
  description: Number of different things of each kind, by the required change.
  returned: with O(state=pushed)
  type: dict
  sample: {Create: {device: 12}}
created:
  description: Things that were created; none in check mode.
  returned: with O(state=pushed)
  type: int
updated:
  description: Things that were changed.
  returned: with O(state=pushed)
  type: int
deleted:
  description: Things that were deleted.
  returned: with O(state=pushed)
  type: int
files:
  description: The diff files that have a proposal.
  returned: with O(state=pulled)
  type: list
  elements: str
lines:
  description: The same as sentences.
  returned: success
  type: list
  elements: str
"""
