# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes on a host: replaced at once, and a damaged one is none."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.state import (
    boot_id,
    load,
    save,
)


def test_a_note_comes_back(world):
    assert load(world.host(), "cc") == {}
    save(world.host(), "cc", {"pid": 7})
    assert load(world.host(), "cc") == {"pid": 7}
    assert [path.name for path in (world.root / "run/spectrum-x").iterdir()] == ["cc.json"]
    save(world.host(), "cc", {"pid": 8}, "/var/lib/spectrum-x")
    assert load(world.host(), "cc") == {"pid": 7}


@pytest.mark.parametrize("content", ["{", "[1]", "7", ""])
def test_a_damaged_note_is_none(world, content):
    world.put("/run/spectrum-x/cc.json", content)
    assert load(world.host(), "cc") == {}


def test_check_mode_writes_none(world):
    save(world.host(check=True), "cc", {"pid": 7})
    assert not (world.root / "run/spectrum-x").exists()


def test_a_note_that_cannot_be_written_is_one_sentence(world):
    world.put("/run/spectrum-x", "a file where the folder belongs")
    with pytest.raises(NicError, match=r"^/run/spectrum-x/cc\.json: it cannot be written: "):
        save(world.host(), "cc", {})


def test_the_boot_has_a_name(world):
    assert boot_id(world.host()) == "b-1"
