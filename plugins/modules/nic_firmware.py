#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module `nic_firmware`."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: nic_firmware
short_description: Burn the firmware of NICs and report whether it is active
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Compares the wanted version with the one in the flash and installs it only where they differ,
    by C(flint) (V(firmware.image)), C(mlxfwmanager) (V(firmware.images), a folder) or
    C(bfb-install) (V(firmware.bundle), BlueField only, with V(firmware.config) for C(bf.cfg)).
  - The answer has three states. V(matches) means that the version runs, V(staged) that it is in
    the flash and runs after a reset or a power cycle, V(failed) that it did not get there.
  - An image is asked for its board and version before it is burned, C(mlxfwmanager) for what it would take of a folder;
    V(psid) of an entry is compared with the card, which is all that guards a bundle.
  - An exit code proves nothing here. The flash is read again, and the log of C(bfb-install), which
    has neither a time limit nor a failing exit code of its own, is searched for its failure texts.
  - Cards are served one after the other and the first failure ends the run.
options:
  install_timeout:
    description: Seconds after which an installation that does not end is stopped and judged.
    type: int
    default: 2400
  brought:
    description:
      - Files that an earlier task of the play writes. Check mode does not write them, and so does not
        look for them.
    type: list
    elements: path
    default: []
extends_documentation_fragment:
  - spectrum_x.fabric.nic
attributes:
  check_mode:
    description: Installs nothing in check mode; files and boards are checked all the same. A service C(rshim) that
      does not run is taken for one that the play starts.
    support: full
  diff_mode:
    description: Shows the version in the flash before and after.
    support: full
seealso:
  - module: spectrum_x.fabric.nic_reset
"""

EXAMPLES = r"""
- name: Bring a BlueField-3 to the firmware of the RA
  spectrum_x.fabric.nic_firmware:
    nics:
      - pci: "0000:1a:00.0"
        device: a2dc
        psid: MT_0000001069
        firmware:
          version: 32.48.1000
          bundle: /var/tmp/bf-fwbundle-3.3.0-202_26.01-prod.bfb
  register: firmware

- name: Bring a ConnectX-8 to the firmware of the RA
  spectrum_x.fabric.nic_firmware:
    nics:
      - pci: "0000:2a:00.0"
        firmware:
          version: 40.48.1120
          image: /var/tmp/fw-ConnectX8.bin
"""

RETURN = r"""
nics:
  description: One entry per card that was looked at.
  returned: always
  type: list
  elements: dict
  contains:
    pci: {description: "PCI address.", type: str, returned: always}
    state: {description: "V(matches), V(staged) or V(failed).", type: str, returned: always}
    wanted: {description: "Version wanted.", type: str, returned: always}
    running: {description: "Version that runs.", type: str, returned: always}
    burned: {description: "Version in the flash.", type: str, returned: always}
    psid: {description: "Board id.", type: str, returned: always}
    reset_needed:
      description: V(none), V(reset) or V(power_cycle), the latter for BlueField and downgrades.
      type: str
      returned: always
    notes: {description: "What was unusual.", type: list, elements: str, returned: always}
    sentence: {description: "Why it failed.", type: str, returned: always}
commands:
  description: The commands that installed, or would install.
  returned: success
  type: list
  elements: str
queries:
  description: How many tools were run to read.
  returned: success
  type: int
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._nic.edge import COMMON, finish, wanted_nics
from ..module_utils._nic.firmware import apply_firmware
from ..module_utils._nic.tools import Host


def install(module: AnsibleModule, host: Host) -> dict:
    """The result, or the end of the module where a card failed."""
    result = apply_firmware(
        host,
        wanted_nics(module),
        install_timeout=module.params["install_timeout"],
        brought=module.params["brought"],
    )
    if result["failed_nics"]:
        if not result["changed"]:
            del result["diff"]
        module.fail_json(msg=result["nics"][-1]["sentence"], **result)
    return result


def main() -> None:
    """Entry of the module."""
    module = AnsibleModule(
        argument_spec={
            **COMMON,
            "install_timeout": {"type": "int", "default": 2400},
            "brought": {"type": "list", "elements": "path", "default": []},
        },
        supports_check_mode=True,
    )
    finish(module, lambda host: install(module, host))


if __name__ == "__main__":
    main()
