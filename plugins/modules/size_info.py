#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: size_info
short_description: Compute designs for a number of GPUs
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Computes up to three designs for a number of GPUs and prints them side by side. It needs no description.
  - The first design has the fewest switches. Where rails share its leaves, the next one has one rail on a leaf. The
    others have room for two and four times the nodes.
  - Options that are not given come from the catalogs - the newest validated release, and the fastest speeds that break
    no rule.
  - All figures come from the plan of each design.
  - Runs on the controller.
extends_documentation_fragment:
  - spectrum_x.fabric.ask
  - spectrum_x.fabric.controller
"""

EXAMPLES = r"""
- name: Compare designs
  spectrum_x.fabric.size_info:
    gpus: 2048
    switch: SN5600
"""

RETURN = r"""
designs:
  description: The figures of each design. Those with two values have the first day, then the capacity.
  returned: success
  type: list
  elements: dict
lines:
  description: The same as a table for a person.
  returned: success
  type: list
  elements: str
"""
