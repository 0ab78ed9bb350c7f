# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: nic_agent
short_description: Build the tool that hosts keep for their NICs
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Makes the NIC package of the collection one executable zip file, which re-applies and watches the
    runtime settings on the hosts.
  - The same collection yields the same bytes, so that a copy is unchanged on the second run.
options:
  _terms:
    description: Takes none.
seealso:
  - plugin: spectrum_x.fabric.nic_profile
    plugin_type: lookup
  - module: spectrum_x.fabric.host_files
"""

EXAMPLES = r"""
- name: Bring the tool to the host
  spectrum_x.fabric.host_files:
    files:
      - path: /usr/local/lib/spectrum-x/spx-nic.pyz
        base64: "{{ lookup('spectrum_x.fabric.nic_agent').base64 }}"
        mode: "0755"
"""

RETURN = r"""
_raw:
  description: V(version) of the tool, and V(base64), its content.
  type: list
  elements: dict
"""

import base64
import typing as t

from ansible.plugins.lookup import LookupBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nicdata.zipapp import (
    zipapp_bytes,
    zipapp_version,
)


class LookupModule(LookupBase):
    """One tool."""

    def run(self, terms: list[str], variables: t.Any = None, **kwargs: t.Any) -> list[t.Any]:
        """Version and content."""
        self.set_options(var_options=variables, direct=kwargs)
        return [{"version": zipapp_version(), "base64": base64.b64encode(zipapp_bytes()).decode()}]
