#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module `nic_roce`."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: nic_roce
short_description: Set RoCE acceleration, congestion control and inter-packet gap of NIC ports
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Sets the fields of the register ROCE_ACCL, the DCQCN points, the slots and parameters of the
    programmable congestion control and the inter-packet gap, in this order, on every port of the
    cards of O(nics).
  - A field of ROCE_ACCL that the firmware does not offer now is an error and no silent no-op.
    V(adaptive_routing_forced_en) for example needs ROCE_ADAPTIVE_ROUTING_EN to be current.
  - Parameters are written once the algorithm is active. Where V(roce.cc.unit) of an entry names a
    systemd unit (C({rdma}) is the RDMA device), it is started and waited for. One that runs and is
    not active in that time is started again once.
  - The inter-packet gap takes a link toggle, which is done with O(maintenance=true) only and
    reported as RV(deferred) otherwise.
  - Begins when nobody else sets the NICs of the host, such as its unit at boot or its watchdog, and waits
    three minutes for that at most.
options:
  sections:
    description: The parts to set.
    type: list
    elements: str
    choices: [accl, dcqcn, cc, inter_packet_gap]
    default: [accl, dcqcn, cc, inter_packet_gap]
  maintenance:
    description: The host is drained, links may be toggled.
    type: bool
    default: false
  deep:
    description: Read each congestion control parameter from the card instead of trusting the note.
    type: bool
    default: false
  cc_timeout:
    description: Seconds until the congestion control algorithm must be active.
    type: int
    default: 60
extends_documentation_fragment:
  - spectrum_x.fabric.nic
attributes:
  check_mode:
    description: Writes nothing in check mode and predicts exactly.
    support: full
  diff_mode:
    description: Shows each field and parameter before and after.
    support: full
seealso:
  - module: spectrum_x.fabric.nic_qos
"""

EXAMPLES = r"""
- name: Set RoCE of the RA profile, the gap waits for maintenance
  spectrum_x.fabric.nic_roce:
    nics:
      - pci: "0000:1a:00.0"
        roce:
          accl:
            roce_adp_retrans_en: 1
            roce_tx_window_en: 1
            roce_slow_restart_en: 0
            roce_slow_restart_idle_en: 0
            adaptive_routing_forced_en: 1
          dcqcn: {rp: true, np: true}
          cc:
            unit: spx-cc@{rdma}.service
            slots: {0: {enabled: true, counters: true}, 15: {enabled: false}}
            params: {0: {4: 96, 5: 1700}}
          inter_packet_gap: 33
"""

RETURN = r"""
commands:
  description: The commands that wrote, or would write.
  returned: success
  type: list
  elements: str
deferred:
  description: What waits for maintenance.
  returned: when there is something
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
from ..module_utils._nic.runtime import ROCE_SECTIONS, apply_roce


def main() -> None:
    """Entry of the module."""
    module = AnsibleModule(
        argument_spec={
            **COMMON,
            "sections": {
                "type": "list",
                "elements": "str",
                "choices": list(ROCE_SECTIONS),
                "default": list(ROCE_SECTIONS),
            },
            "maintenance": {"type": "bool", "default": False},
            "deep": {"type": "bool", "default": False},
            "cc_timeout": {"type": "int", "default": 60},
        },
        supports_check_mode=True,
    )
    params = module.params
    finish(
        module,
        alone(
            lambda host: apply_roce(
                host,
                wanted_nics(module),
                sections=params["sections"],
                maintenance=params["maintenance"],
                deep=params["deep"],
                cc_timeout=params["cc_timeout"],
            ).as_result()
        ),
    )


if __name__ == "__main__":
    main()
