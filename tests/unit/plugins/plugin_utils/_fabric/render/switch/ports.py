# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports of a document."""

from __future__ import annotations


def ports_with(document, *path):
    """The ports that have something at a path."""
    found = set()
    for name, row in document["interface"].items():
        node = row
        for key in path:
            node = node.get(key) if isinstance(node, dict) else None
        if node is not None:
            found.add(name)
    return found
