# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of a registry."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)

ACME = "tenants: [{id: 21, slug: acme, nodes: [su01/h01]}, {id: 22, slug: globex}]\n"


def refused(registry, text, **where):
    """Return the sentences with which a registry is refused."""
    with pytest.raises(FabricError) as caught:
        registry(text, **where)
    return caught.value.sentences
