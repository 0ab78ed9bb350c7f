#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: locate_info
short_description: Show where an address or a name is
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Prints one line for each place that carries an address, a device name, a port, a serial, a MAC or a place, over all
    fabrics given.
  - An address that belongs to a tenant gives the tenant, its network, VLAN, L2VNI and VRF, and the leaves that have it.
    Such are gateways, the addresses of its subnets and of storage arrays, and both ends of its sessions to the outside.
  - A tenant, VRF, VLAN, VNI or AS number, such as V(acme), V(vlan 21) or V(AS4220000000), gives the networks, the
    switches and the sessions that have it.
  - Text is taken as people paste it. Addresses may have a prefix length or be mapped into IPv6, as in a GID. Names may
    be in capitals and have a domain. MAC addresses may have any usual form. A near miss is suggested.
  - A line of a label of the export V(handover) gives both ends of its cable. The name of a rack gives its devices, from
    the top down.
  - A registry or another description that does not load hides no place; what is wrong with it is reported too.
  - Runs on the controller.
options:
  address:
    description: Address or name to find, such as V(172.18.1.2), V(leaf-p1-su001-r1:swp1s0), V(su01/h02),
      V(L1.1.1/05-N1.09/r1p1) or the name of a rack.
    type: str
    required: true
  descriptions:
    description: Descriptions to look in; by default the one of the project folder.
    type: list
    elements: path
extends_documentation_fragment:
  - spectrum_x.fabric.controller
"""

EXAMPLES = r"""
- name: Where is it
  spectrum_x.fabric.locate_info:
    address: 172.18.1.2
    descriptions: [model/fabric.yml]
"""

RETURN = r"""
places:
  description:
    - One entry for each place, as P(spectrum_x.fabric.locate#filter) gives it, with the tenant of a node, and with VRF,
      VLAN and L2VNI of its port on another network.
    - An address of a tenant has an entry with the kinds V(subnet_gateway), V(subnet_leaf), V(subnet_vip), V(subnet),
      V(session_leaf) and V(session_peer).
    - A tenant's network has an entry with the kind V(tenant), and its nodes as C(nodes).
  returned: success
  type: list
  elements: dict
lines:
  description: The same as sentences.
  returned: success
  type: list
  elements: str
remarks:
  description: Errors of loading, as sentences.
  returned: success
  type: list
  elements: str
"""
