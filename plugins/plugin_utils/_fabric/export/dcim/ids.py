# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ids that things of the plan have in every Nautobot, whether a push or an import file brought them there.

Nautobot takes the id of a new object from who makes it, and refuses one that it has.
"""

from __future__ import annotations

import uuid

_OURS = uuid.uuid5(uuid.NAMESPACE_URL, "https://galaxy.ansible.com/spectrum_x/fabric")
"""The namespace of our ids. It never changes: ids that a DCIM has are made of it."""


def new_id(kind: str, key: str) -> str:
    """Return the id that a thing of the plan has in every Nautobot."""
    fabric = key.partition("/")[0]
    return str(uuid.uuid5(_OURS, f"{fabric}/{kind}/{key}"))


def link_id(path: str, *ends: str) -> str:
    """Return the id of an assignment, such as of an address to an interface."""
    return str(uuid.uuid5(_OURS, "/".join((path, *ends))))
