# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A batch waits for the batches before it."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import batch_order
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)


@pytest.mark.parametrize(
    "kept, undone",
    [
        ({"x": {"changed": True}, "a": {"changed": False}, "b": True}, ""),
        ({"x": {"changed": True}, "a": {"changed": False}}, "b"),
        ({"x": {"failed": True}, "a": {"unreachable": True}, "b": True}, "x, a"),
        ({"x": {}, "a": True, "b": True}, "x"),
    ],
)
def test_who_is_not_done_is_named(kept, undone):
    """a and b were the first batch, x is of an earlier play; c begins."""
    stated = {
        "ansible_play_hosts_all": ["a", "b", "c", "d"],
        "ansible_play_batch": ["c", "d"],
        "hostvars": {name: {"done": kept[name]} if name in kept else {} for name in "xabcd"},
    }
    if not undone:
        batch_order.wait(stated, "done", ["x"])
        return
    with pytest.raises(FabricError, match=f"^{undone} did not finish their batch"):
        batch_order.wait(stated, "done", ["x"])
