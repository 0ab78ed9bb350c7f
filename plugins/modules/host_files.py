#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module `host_files`."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: host_files
short_description: Keep several small files and the units that live by them
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Compares the files with the wanted ones, replaces at once those that differ, and reloads systemd
    or udev where one of theirs changed.
  - Then enables, starts, stops or restarts units. Everything is one execution on the host, where
    one task for each file would be a dozen.
  - Every file belongs to root and has the given mode. A file beside ours that changes what ours means is removed,
    such as a drop-in of one of our units, or a file of the same name in a folder that systemd, udev, netplan or
    NetworkManager search too. A drop-in of all units of a kind is reported and left.
  - Folders named C(spectrum-x) that others can write are given back to root. Below any other such folder nothing is
    written.
options:
  files:
    description:
      - The wanted content of each file.
    type: list
    elements: dict
    default: []
    suboptions:
      path:
        description: Absolute path.
        type: str
        required: true
      content:
        description: The text.
        type: str
      base64:
        description: The bytes of a program or archive, which appear in no log.
        type: str
      sha256:
        description:
          - Digest of the content, where the file has it already and only its owner and mode may be wrong. A file with
            another content is an error.
        type: str
      mode:
        description: Permissions as octal text.
        type: str
        default: "0644"
      state:
        description: V(absent) removes the file.
        type: str
        choices: [present, absent]
        default: present
  units:
    description:
      - Name of a unit to V(enabled), V(running) and V(restart_for), a list of files of O(files) whose
        change restarts the unit. What is absent is left alone.
    type: dict
    default: {}
  timeout:
    description: Seconds after which a command that does not end is stopped.
    type: int
    default: 120
attributes:
  check_mode:
    description: Writes nothing in check mode and predicts the files exactly.
    support: full
  diff_mode:
    description: Shows the text of each file before and after.
    support: full
seealso:
  - module: spectrum_x.fabric.host_network
notes:
  - Runs on the host as root and needs the standard library of Python 3.9 or later only.
"""

EXAMPLES = r"""
- name: Keep the timer of the watchdog
  spectrum_x.fabric.host_files:
    files:
      - path: /etc/systemd/system/example.timer
        content: "{{ timer }}"
    units:
      example.timer:
        enabled: true
        running: true
        restart_for: [/etc/systemd/system/example.timer]
"""

RETURN = r"""
files:
  description: Paths of the files that were, or would be, written or removed.
  returned: success
  type: list
  elements: str
left:
  description: A sentence, also a warning, for each file of somebody else that changes what ours mean.
  returned: success
  type: list
  elements: str
commands:
  description: What was, or would be, done to units.
  returned: success
  type: list
  elements: str
wrong_files:
  description: A sentence for each file that was not as planned.
  returned: success
  type: list
  elements: str
wrong_units:
  description: A sentence for each unit that did not do what its file says, or that another file changes.
  returned: success
  type: list
  elements: str
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._host.files import keep, wanted_from
from ..module_utils._nic.edge import partly
from ..module_utils._nic.errors import NicError
from ..module_utils._nic.tools import Host

FILE = {
    "path": {"type": "str", "required": True},
    "content": {"type": "str"},
    "base64": {"type": "str", "no_log": True},
    "sha256": {"type": "str"},
    "mode": {"type": "str", "default": "0644"},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
}


def main() -> None:
    """Entry of the module."""
    module = AnsibleModule(
        argument_spec={
            "files": {"type": "list", "elements": "dict", "default": [], "options": FILE},
            "units": {"type": "dict", "default": {}},
            "timeout": {"type": "int", "default": 120},
        },
        supports_check_mode=True,
    )
    params = module.params
    host = Host(check_mode=module.check_mode, timeout=float(params["timeout"]))
    try:
        outcome = keep(host, wanted_from(params["files"]), params["units"])
    except NicError as exc:
        module.fail_json(msg=str(exc), **partly(host))
    for sentence in outcome.left:
        module.warn(sentence)
    module.exit_json(**outcome.as_result())


if __name__ == "__main__":
    main()
