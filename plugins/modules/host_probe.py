#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module `host_probe`."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: host_probe
short_description: Send whole packets over the rails and look at the counters
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Sends packets of a given size that no router may fragment, each from the address of its rail, and
    compares the counters of the NICs before and after.
  - Writes nothing.
options:
  pings:
    description: Entries with V(interface), V(source), V(to), V(size) (payload in bytes) and V(kind).
    type: list
    elements: dict
    default: []
  attempts:
    description:
      - What the host tries and must not achieve, entries with V(kind) (V(stranger), V(tcp), V(vxlan)), V(interface),
        V(source), V(to), V(port), V(vni) and V(whom).
    type: list
    elements: dict
    default: []
  nics:
    description: The NICs whose counters are looked at, as the NIC modules take them.
    type: list
    elements: dict
    required: true
  sysfs_path:
    description: Where the kernel's sysfs is mounted.
    type: path
    default: /sys
attributes:
  check_mode:
    description: Can run in check mode and reads only.
    support: full
  diff_mode:
    description: Has nothing to show as a difference.
    support: none
"""

EXAMPLES = r"""
- name: See whether the leaf answers to packets of the path MTU
  spectrum_x.fabric.host_probe:
    nics: "{{ wanted.nics }}"
    pings:
      - {kind: gateway, interface: rail1p1, source: 172.16.0.0, to: 172.16.0.1, size: 9138}
"""

RETURN = r"""
pings:
  description: The entries with V(ok) and V(reason).
  returned: success
  type: list
  elements: dict
attempts:
  description: The entries with V(answer), which is empty where nobody answered.
  returned: success
  type: list
  elements: dict
findings:
  description: What the counters show, each with V(target) and V(sentence).
  returned: success
  type: list
  elements: dict
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.attempts import attempt_all
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.probe import probe
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import nics_from
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host


def main() -> None:
    """Entry of the module."""
    module = AnsibleModule(
        argument_spec={
            "pings": {"type": "list", "elements": "dict", "default": []},
            "attempts": {"type": "list", "elements": "dict", "default": []},
            "nics": {"type": "list", "elements": "dict", "required": True},
            "sysfs_path": {"type": "path", "default": "/sys"},
        },
        supports_check_mode=True,
    )
    params = module.params
    host = Host(sysfs=str(params["sysfs_path"]))
    try:
        found = probe(host, params["pings"], nics_from(params["nics"]))
        found["attempts"] = attempt_all(host, params["attempts"])
    except NicError as exc:
        module.fail_json(msg=str(exc))
    module.exit_json(changed=False, **found)


if __name__ == "__main__":
    main()
