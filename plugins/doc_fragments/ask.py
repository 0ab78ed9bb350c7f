# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Options for somebody who has no description yet."""

    DOCUMENTATION = r"""
options:
  gpus:
    description: GPUs of the first day. Designs hold at least as many.
    type: int
    required: true
  final_gpus:
    description: GPUs that the fabric has to hold in the end, without moving a cable. By default those of O(gpus).
    type: int
  switch:
    description: Switch model, such as V(SN5600). By default the first of the catalog.
    type: str
  nic:
    description: NIC model of the rails, such as V(ConnectX-8). By default the first of the catalog that fits.
    type: str
  rails:
    description: NICs of a node on this fabric, 1 to 8. By default one for each GPU of a node.
    type: int
  planes:
    description: Parallel fabrics, V(1), V(2), V(4) or V(8).
    type: int
    default: 1
  gpus_per_node:
    description: GPUs of a node. By default as many as O(rails), or 8.
    type: int
"""
