# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes of a host, and what the kernel did with its devices since."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.state import (
    boot_id,
    life,
    load,
    note_lives,
    note_seen,
    renewed,
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


CARD = "0000:1a:00"
INDEX = "/sys/class/net/rail1p1/ifindex"


def test_a_life_is_a_boot_and_a_number_of_the_kernel(world):
    world.put(INDEX, "5\n")
    assert life(world.host(), {"netdev": "rail1p1"}) == "b-1 5"
    world.put("/proc/sys/kernel/random/boot_id", "b-2\n")
    assert life(world.host(), {"netdev": "rail1p1"}) == "b-2 5"


def test_a_card_with_another_device_is_new_once(world):
    world.put(INDEX, "5\n")
    assert renewed(world.host()) == set(), "a card without a note is not new"
    note_lives(world.host())
    assert renewed(world.host()) == set()
    world.put(INDEX, "9\n")
    assert renewed(world.host()) == {CARD}
    note_lives(world.host(), only={"0000:2a:00"})
    assert renewed(world.host()) == {CARD}
    note_lives(world.host(), only={CARD})
    assert renewed(world.host()) == set()


def test_the_watchdog_leaves_new_devices_to_the_unit_of_the_card_for_one_look(world):
    world.put(INDEX, "5\n")
    note_seen(world.host())
    for number in ("9\n", "12\n"):
        world.put(INDEX, number)
        assert renewed(world.host()) == {CARD}, "a card without a note is noted at once"
        note_seen(world.host())
        assert renewed(world.host()) == {CARD}, "other devices than at the last look"
    note_seen(world.host())
    assert renewed(world.host()) == set()


def test_new_devices_are_noted_at_once_where_the_watchdog_cannot_remember_them(world):
    world.put(INDEX, "5\n")
    note_seen(world.host())
    (world.root / "run/spectrum-x/new-devices.json").unlink()
    (world.root / "run/spectrum-x").rmdir()
    world.put("/run/spectrum-x", "a file where the folder belongs")
    world.put(INDEX, "9\n")
    assert renewed(world.host()) == {CARD}
    note_seen(world.host())
    assert renewed(world.host()) == set()


def test_a_note_that_cannot_be_written_leaves_the_card_an_old_one(world):
    world.put("/var/lib/spectrum-x", "a file where the folder belongs")
    note_lives(world.host())
    assert renewed(world.host()) == set()
