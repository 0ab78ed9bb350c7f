#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module `nic_config`."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: nic_config
short_description: Stage the non-volatile settings of NICs
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Compares the wanted settings with one full query of each card and writes those that differ in
    one C(mlxconfig set). A value is written to the next boot; the card is never reset here.
  - Names that the card does not show, or that this host may only read, are skipped and reported,
    except those in V(required) of an entry, which are an error.
  - Whenever settings are put back to defaults the operating mode is written again in the same step,
    since the defaults of a SuperNIC mean DPU mode.
options:
  reset_first:
    description:
      - Put all settings of a card back to their defaults before writing, if anything differs. The card is read again
        then, and what the defaults made right is not written.
      - Recommended before the first use for Spectrum-X and for a change of the plane mode.
    type: bool
    default: false
  after_reset:
    description: Treat a setting that is staged but not current as an error; for use after a reset.
    type: bool
    default: false
extends_documentation_fragment:
  - spectrum_x.fabric.nic
attributes:
  check_mode:
    description: Writes nothing in check mode and predicts exactly.
    support: full
  diff_mode:
    description: Shows each setting of the next boot before and after.
    support: full
seealso:
  - module: spectrum_x.fabric.nic_reset
"""

EXAMPLES = r"""
- name: Stage the settings of the RA profile
  spectrum_x.fabric.nic_config:
    nics:
      - pci: "0000:1a:00.0"
        device: a2dc
        nvconfig:
          ROCE_ADAPTIVE_ROUTING_EN: 1
          USER_PROGRAMMABLE_CC: 1
          INTERNAL_CPU_OFFLOAD_ENGINE: 1
        required: [ROCE_ADAPTIVE_ROUTING_EN, USER_PROGRAMMABLE_CC]
  register: staged

- name: Say which cards wait for a reset
  ansible.builtin.debug:
    msg: "{{ staged.nics | rejectattr('reset_needed', 'equalto', 'none') | map(attribute='pci') }}"
"""

RETURN = r"""
nics:
  description: One entry per card.
  returned: success
  type: list
  elements: dict
  contains:
    pci: {description: "PCI address.", type: str, returned: always}
    mode: {description: "Operating mode now.", type: str, returned: always}
    mode_next: {description: "Operating mode after the next reset.", type: str, returned: always}
    settings:
      description:
        - Per name V(wanted), V(current), V(next) and V(state), which is V(current), V(staged) or
          V(differs).
      type: dict
      returned: always
    skipped:
      description: Names that cannot be set, with the reason.
      type: dict
      returned: always
    reset_needed:
      description: V(none), V(reset) or V(power_cycle).
      type: str
      returned: always
commands:
  description: The commands that wrote, or would write.
  returned: success
  type: list
  elements: str
done:
  description: The commands that were run before an error.
  returned: failure
  type: list
  elements: str
queries:
  description: How many tools were run to read.
  returned: success
  type: int
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._nic.edge import COMMON, finish, wanted_nics
from ..module_utils._nic.nvconfig import apply_nvconfig


def main() -> None:
    """Entry of the module."""
    module = AnsibleModule(
        argument_spec={
            **COMMON,
            "reset_first": {"type": "bool", "default": False},
            "after_reset": {"type": "bool", "default": False},
        },
        supports_check_mode=True,
    )
    params = module.params
    finish(
        module,
        lambda host: apply_nvconfig(
            host,
            wanted_nics(module),
            reset_first=params["reset_first"],
            after_reset=params["after_reset"],
        ),
    )


if __name__ == "__main__":
    main()
