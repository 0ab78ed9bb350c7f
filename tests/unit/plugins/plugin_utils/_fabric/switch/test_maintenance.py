# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Graceful shutdown stands in a document only while it is asked for."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch.compose import (
    context,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch.maintenance import (
    maintenance,
)


@pytest.mark.parametrize("asked", [True, False, None])
def test_graceful_shutdown_follows_the_option(load, asked):
    options = {} if asked is None else {"maintenance": asked}
    made = maintenance(context(load(), "leaf-p1-su001-r1", options=options))
    expected = {"router": {"bgp": {"graceful-shutdown": "enabled"}}}
    assert made == (expected if asked else None)
