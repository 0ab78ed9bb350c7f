#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module `host_packages`."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: host_packages
short_description: Read distribution, kernel and some packages of a host
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Answers in one execution what the roles of hosts have to know before they install anything.
options:
  names:
    description: Names of packages, or globs.
    type: list
    elements: str
    required: true
attributes:
  check_mode:
    description: Can run in check mode and reads only.
    support: full
  diff_mode:
    description: Has nothing to show as a difference.
    support: none
"""

EXAMPLES = r"""
- name: See which DOCA packages there are
  spectrum_x.fabric.host_packages:
    names: ["doca*"]
  register: found
"""

RETURN = r"""
packages:
  description: Version of each installed package by name.
  returned: success
  type: dict
  sample: {doca-all: 3.3.0-088000}
held:
  description: Those of them that are on hold (of the Debian family).
  returned: success
  type: list
  elements: str
system:
  description:
    - V(distribution), V(distribution_version), V(distribution_major_version), V(pkg_mgr), V(kernel)
      and V(architecture), with the words of Ansible's facts.
    - V(headers) and V(keyrings) say whether the headers of the running kernel and the folder of
      repository keys are there; V(uninstaller) is the path of OFED's own, or empty.
    - V(hpcx) lists the versions of HPC-X whose archives were unpacked in C(/opt).
  returned: success
  type: dict
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.packages import look
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host


def main() -> None:
    """Entry of the module."""
    module = AnsibleModule(
        argument_spec={"names": {"type": "list", "elements": "str", "required": True}},
        supports_check_mode=True,
    )
    try:
        found = look(Host(), module.params["names"])
    except NicError as exc:
        module.fail_json(msg=str(exc))
    module.exit_json(changed=False, **found)


if __name__ == "__main__":
    main()
