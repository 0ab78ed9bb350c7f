#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module `nic_qos`."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: nic_qos
short_description: Set the runtime QoS of NIC ports for RoCE
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Sets DSCP trust, the map from DSCP to priority, PFC, the DSCP of congestion notifications, the
    traffic class of RDMA_CM and of all queue pairs, and where wanted cable length, buffers and the
    guard against pause storms, on every port of the cards of O(nics).
  - A map that somebody changed is repaired, which asking for DSCP trust alone does not do.
  - V(qos.tos) and V(qos.traffic_class) must be equal, and the value 106 of classic RoCE is refused.
  - These settings vanish with a reboot, a reset or a reload of the driver; the unit of the
    collection sets them again.
  - Begins when nobody else sets the NICs of the host, such as its unit at boot or its watchdog, and waits
    three minutes for that at most.
options:
  tolerate_conflicts:
    description:
      - Report a running C(lldpad), which rewrites PFC by DCBX, instead of failing.
    type: bool
    default: false
extends_documentation_fragment:
  - spectrum_x.fabric.nic
attributes:
  check_mode:
    description: Writes nothing in check mode and predicts exactly.
    support: full
  diff_mode:
    description: Shows each setting of each port before and after.
    support: full
seealso:
  - module: spectrum_x.fabric.nic_roce
"""

EXAMPLES = r"""
- name: Set the QoS of the RA profile
  spectrum_x.fabric.nic_qos:
    nics:
      - pci: "0000:1a:00.0"
        qos:
          trust: dscp
          pfc: [0, 0, 0, 1, 0, 0, 0, 0]
          cnp_dscp: 48
          tos: 96
          traffic_class: 96
          dcbx: os
          pfc_prevention_timeout: auto
"""

RETURN = r"""
commands:
  description: The commands that wrote, or would write.
  returned: success
  type: list
  elements: str
skipped:
  description: Wanted settings that a port does not offer, with the reason; what it should offer is warned of too.
  returned: when there are some
  type: list
  elements: str
conflicts:
  description: Programs that fight these settings.
  returned: when there are some
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
from ..module_utils._nic.lock import alone
from ..module_utils._nic.runtime import apply_qos


def main() -> None:
    """Entry of the module."""
    module = AnsibleModule(
        argument_spec={**COMMON, "tolerate_conflicts": {"type": "bool", "default": False}},
        supports_check_mode=True,
    )
    params = module.params
    finish(
        module,
        alone(
            lambda host: apply_qos(
                host, wanted_nics(module), tolerate=params["tolerate_conflicts"]
            ).as_result()
        ),
    )


if __name__ == "__main__":
    main()
