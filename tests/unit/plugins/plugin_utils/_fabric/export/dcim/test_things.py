# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds, and how a thing that is not ours is found."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    KINDS,
    LENT,
    NATURAL,
    SHARED,
)

from .wishes import NAMES, fabric_of, things


def test_every_kind_has_a_nature():
    assert set(NATURAL) == set(KINDS)
    assert not SHARED & LENT
    assert set(KINDS) >= SHARED | LENT


def test_the_nature_of_a_thing_is_made_of_its_fields():
    for name in NAMES[:2]:
        for thing in things(fabric_of(name)):
            assert all(field in thing.values for field in NATURAL[thing.kind])


def test_the_key_of_a_shared_thing_is_its_name():
    for thing in things(fabric_of("lab")):
        assert (thing.key == thing.name) is (thing.kind in SHARED)
