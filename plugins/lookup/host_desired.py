# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: host_desired
short_description: The desired state of a host, from the plan and the RA profile
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Returns the desired state of a node as plain data. Nothing is read from the host.
  - The NICs are entries as M(spectrum_x.fabric.nic_config) and its siblings take them.
options:
  _terms:
    description: Names of nodes; the inventory name by default.
    type: list
    elements: str
  settings:
    description:
      - What a site adds. V(platform) (such as V(h200)) picks among validated versions; V(qos) and
        V(inter_packet_gap) win over the RA profile, V(versions) over its validated set;
        V(table_base) is the number below the first routing table of the rails (1000).
    type: dict
    default: {}
  description:
    description: Path of the description; by default as O(ignore:spx_description) or the project folder says.
    type: path
  tenants:
    description: Path of the tenants' registry; by default the file beside the description.
    type: path
seealso:
  - module: spectrum_x.fabric.nic_info
  - module: spectrum_x.fabric.host_network
"""

EXAMPLES = r"""
- name: Show the addresses of this node
  ansible.builtin.debug:
    msg: "{{ lookup('spectrum_x.fabric.host_desired').interfaces | map(attribute='address') }}"
"""

RETURN = r"""
_raw:
  description:
    - For each node a mapping of V(name), V(place), V(rack), V(tenant), V(access) (V(managed), or
      V(none) for a rented host that no play may touch), V(manage) (host roles that may write),
      V(ra), V(versions), V(own_versions), V(doca), V(nics), V(interfaces), V(fabric_prefixes), V(path_mtu), V(nccl),
      V(agent) (version of the tool that belongs on the host) and V(agent_sha256) (its digest).
  type: list
  elements: dict
"""

import typing as t

from ansible.plugins.lookup import LookupBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import unread
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.project import fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.wrappers import (
    Refusal,
    sentences,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.host.desired import desired
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nicdata.zipapp import (
    zipapp_digest,
    zipapp_version,
)


class LookupModule(LookupBase):
    """One desired state for each node."""

    @sentences(Refusal)
    def run(self, terms: list[str], variables: t.Any = None, **kwargs: t.Any) -> list[t.Any]:
        """The states."""
        self.set_options(var_options=variables, direct=kwargs)
        unread.warn(variables or {})
        plan = fabric(self.get_option("description"), variables)
        registry = Registry.load(plan, self.get_option("tenants"))
        names = terms or [str((variables or {}).get("inventory_hostname"))]
        settings = self.get_option("settings")
        agent = {"agent": zipapp_version(), "agent_sha256": zipapp_digest()}
        return [
            {**desired(plan, name, registry=registry, settings=settings), **agent} for name in names
        ]
