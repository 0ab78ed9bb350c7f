# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that the NIC modules share."""

from __future__ import annotations


class ModuleDocFragment:
    """Documentation fragments of the NIC modules."""

    DOCUMENTATION = r"""
options:
  nics:
    description:
      - The wanted state of the NICs of the host. Each module reads its own part of an entry.
      - An entry names a card by V(pci), the PCI address of its first function, and may hold
        V(device), V(mode), V(psid), V(multiplane), V(planes), V(firmware), V(nvconfig),
        V(required), V(qos), V(roce) and V(ports). A part that is absent is not managed.
      - The RA profiles of the collection yield V(device), V(multiplane), V(planes), V(nvconfig),
        V(required), V(qos) and V(roce) of an entry.
    type: list
    elements: dict
    required: true
  sysfs_path:
    description: Where the kernel's sysfs is mounted.
    type: path
    default: /sys
  timeout:
    description: Seconds after which a tool that does not end is stopped.
    type: int
    default: 60
notes:
  - Runs on the host as root and needs the standard library of Python 3.9 or later only, beside the
    NVIDIA tools that it calls.
  - Both builds of the firmware tools serve, that of MFT (C(mlxconfig)) and the open source one
    (C(mstconfig)).
"""
