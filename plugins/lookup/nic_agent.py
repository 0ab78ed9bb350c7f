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
  - Writes the NIC package of the collection as one executable zip file on the controller, to be
    copied to the hosts, where it re-applies and watches their runtime settings.
  - The same collection yields the same bytes, so that a copy is unchanged on the second run.
options:
  _terms:
    description: Paths to write to on the controller.
    required: true
    type: list
    elements: path
seealso:
  - plugin: spectrum_x.fabric.nic_profile
    plugin_type: lookup
  - module: spectrum_x.fabric.nic_info
"""

EXAMPLES = r"""
- name: Copy the tool to the host
  ansible.builtin.copy:
    src: "{{ agent.path }}"
    dest: /usr/local/lib/spectrum-x/spx-nic.pyz
    mode: "0755"
  vars:
    agent: "{{ lookup('spectrum_x.fabric.nic_agent', '/tmp/spx-nic.pyz') }}"
"""

RETURN = r"""
_raw:
  description: V(path) and V(version) of each file.
  type: list
  elements: dict
"""

import typing as t

from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nicdata.zipapp import build_zipapp


class LookupModule(LookupBase):
    """One file for each path."""

    def run(self, terms: list[str], variables: t.Any = None, **kwargs: t.Any) -> list[t.Any]:
        """The files written."""
        self.set_options(var_options=variables, direct=kwargs)
        return [{"path": term, "version": self._build(term)} for term in terms]

    def _build(self, path: str) -> str:
        try:
            return build_zipapp(path)
        except OSError as exc:
            raise AnsibleLookupError(
                f"{path}: the tool for the hosts cannot be written: {exc.strerror}."
            ) from exc
