# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One at a time sets the NICs of a host."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.lock import (
    Busy,
    writing,
)


def taken(world, **options):
    """Check whether somebody else has it."""
    try:
        with writing(world.host(), limit=0, **options):
            return False
    except Busy:
        return True


def test_whoever_holds_it_keeps_others_out(world):
    assert not taken(world)
    with writing(world.host()):
        assert taken(world)
        assert taken(world, shared=True)
    assert not taken(world)


def test_waiting_for_it_ends_in_one_sentence(world):
    expected = pytest.raises(Busy, match=r"another process sets the NICs .* for more than 30 s")
    with writing(world.host()), expected, writing(world.host(), limit=30):
        pytest.fail("two at once")


def test_units_of_several_cards_share_it(world):
    with writing(world.host(), shared=True):
        assert not taken(world, shared=True)
        assert taken(world)


def test_check_mode_takes_none(world):
    with writing(world.host(check=True)), writing(world.host(), limit=0):
        assert (world.root / "run/spectrum-x/lock").exists()


def test_a_folder_that_cannot_be_written_stops_nobody(world):
    world.put("/run/spectrum-x", "a file where the folder belongs")
    with writing(world.host()), writing(world.host(), limit=0):
        pass
