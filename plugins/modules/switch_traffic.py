#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: switch_traffic
short_description: Packets that pass the ports of a switch, per second
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Reads the counters of ports twice and returns the rates, to prove that a switch is drained
    before work begins. Never writes.
options:
  ports:
    description: Ports to look at.
    type: list
    elements: str
    required: true
  seconds:
    description: Time between both readings; physical ports count every 2 seconds.
    type: int
    default: 10
  allowed:
    description: Packets a second that a port may see; the task fails when one sees more.
    type: float
extends_documentation_fragment:
  - spectrum_x.fabric.nvue
"""

EXAMPLES = r"""
- name: Wait until a spine is drained
  spectrum_x.fabric.switch_traffic:
    ports: [swp1s0, swp1s1]
    allowed: 100
  register: traffic
  until: traffic is success
  retries: 12
"""

RETURN = r"""
rates:
  description: Packets a second by port, both directions together.
  returned: success
  type: dict
  sample: {swp1s0: 1.2}
busiest:
  description: Port with the highest rate.
  returned: success
  type: str
  sample: swp1s0
most:
  description: Its rate.
  returned: success
  type: float
  sample: 1.2
"""
