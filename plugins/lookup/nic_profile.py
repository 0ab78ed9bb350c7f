# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: nic_profile
short_description: NIC parameters and validated versions of a Spectrum-X release
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Resolves a release of the Spectrum-X reference architecture (RA) to the settings of one kind of
    NIC, as plain data for the option O(ignore:nics) of the NIC modules.
  - Parameter sets that are not public are refused, unless O(site_file) supplies them.
options:
  _terms:
    description: Releases such as V(2.1).
    required: true
    type: list
    elements: str
  device:
    description: PCI device id of the NIC, such as V(a2dc) for BlueField-3 or V(1023) for ConnectX-8.
    type: str
    required: true
  mode:
    description: Plane mode of the NIC.
    type: str
    choices: [none, swplb, hwplb, uniplane]
    default: none
  planes:
    description: Planes per NIC.
    type: int
    default: 1
  overlay:
    description: Does an EVPN overlay add headers? Picks the inter-packet gap.
    type: bool
    default: false
  platform:
    description: Server platform, such as V(h200), where the validated versions differ by it.
    type: str
  site_file:
    description: A site's own parameter and version sets, in the schema of the shipped ones.
    type: path
seealso:
  - module: spectrum_x.fabric.nic_info
  - module: spectrum_x.fabric.nic_info
"""

EXAMPLES = r"""
- name: Stage the settings of RA 2.1 on a BlueField-3
  spectrum_x.fabric.nic_config:
    nics:
      - "{{ profile.nic | combine({'pci': '0000:1a:00.0', 'mode': 'nic'}) }}"
  vars:
    profile: "{{ lookup('spectrum_x.fabric.nic_profile', '2.1', device='a2dc', overlay=true) }}"
"""

RETURN = r"""
_raw:
  description:
    - For each release V(nic) (to be merged into an entry of O(ignore:nics)), V(ra), V(profile),
      V(status), V(cc_package), V(order), V(resets), V(sources) and V(versions), which maps
      components to the accepted versions and is null where no validated set is public.
  type: list
  elements: dict
"""

import typing as t

from ansible.plugins.lookup import LookupBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.wrappers import (
    Refusal,
    sentences,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import ra


class LookupModule(LookupBase):
    """One profile for each release."""

    @sentences(Refusal)
    def run(self, terms: list[str], variables: t.Any = None, **kwargs: t.Any) -> list[t.Any]:
        """The profiles."""
        self.set_options(var_options=variables, direct=kwargs)
        return [self._profile(term) for term in terms]

    def _profile(self, release: str) -> dict[str, t.Any]:
        site = self.get_option("site_file")
        profile = ra.load_profile(
            release,
            self.get_option("device"),
            self.get_option("mode"),
            site,
            planes=self.get_option("planes"),
            overlay=self.get_option("overlay"),
        )
        known = ra.version_id(release, site) is not None
        found = ra.version_set(release, site, platform=self.get_option("platform")) if known else {}
        return {**profile, "versions": found.get("versions")}
