# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A port whose network device is another one has lost what was written to its card."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.life import (
    life,
    note_lives,
    renewed,
)

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


def test_a_note_that_cannot_be_written_leaves_the_card_an_old_one(world):
    world.put("/var/lib/spectrum-x", "a file where the folder belongs")
    note_lives(world.host())
    assert renewed(world.host()) == set()
