# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Our field: a key, and a digest of what was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.mark import (
    digest,
    mark,
    parted,
    tail,
    token,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    Ref,
    Thing,
)

KEYS = st.text(alphabet="abc-#/.:0123", min_size=1).map(lambda rest: f"lab/{rest}")


@given(KEYS)
def test_a_mark_can_be_read_back(key):
    thing = Thing("device", key, "leaf", {"name": "leaf"})
    assert parted(mark(thing)) == (key, digest("device", thing.values))


@pytest.mark.parametrize("text", ["", "su01/h01", "leaf#12345678", "#", "lab/leaf"])
def test_what_others_write_into_the_field_is_no_mark(text):
    assert parted(text) == ("", "")


def test_the_digest_is_of_what_the_plan_owns():
    """A serial, a unit and a description belong to others: they change nothing."""
    own = {"name": "leaf", "role": Ref("role", "leaf")}
    same = {**own, "serial": "SN1", "unit": 12, "status": "active", "platform": None}
    assert digest("device", own) == digest("device", same)
    assert digest("device", own) != digest("device", {**own, "name": "spine"})


def test_a_reference_is_the_same_as_its_name():
    """Check values of a DCIM as a reference or text, and a set in any order."""
    one = {"vrf": Ref("vrf", "lab/t21-acme"), "interfaces": (Ref("x", "lab/a"), Ref("x", "lab/b"))}
    two = {"vrf": "t21-acme", "interfaces": ("b", "a")}
    assert digest("address", one) == digest("address", two)
    assert token(()) == token(None) == token("") == ""
    assert tail("lab/leaf/swp1") == "leaf/swp1"
