# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that both dialects write in the same way."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.columns import (
    MissingError,
    id_in,
    id_of,
    order,
    referred,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    Ref,
    Thing,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.index import RunIndex

LEAF = Ref("device", "lab/leaf-1")


@pytest.fixture
def index() -> RunIndex:
    made = RunIndex()
    made.add("device", "lab/leaf-1", "7")
    return made


def test_a_reference_is_the_id_of_what_is_there(index: RunIndex) -> None:
    assert referred(LEAF, index) == "7"
    assert referred("", index) is None
    assert id_of(Thing("interface", "", "", {"device": LEAF}), "device", index) == "7"
    assert id_of(Thing("interface", "", "", {"device": ""}), "device", index) == ""


def test_what_is_not_there_is_named(index: RunIndex) -> None:
    with pytest.raises(MissingError, match="device type 'SN5600' is not in the DCIM"):
        referred(Ref("device_type", "SN5600"), index)
    with pytest.raises(TypeError):
        referred("leaf-1", index)


def test_ids_are_text_and_texts_come_first() -> None:
    assert [id_in({"id": 7}), id_in({"id": None}), id_in("7")] == ["7", "", ""]
    assert sorted([LEAF, "z"], key=order) == ["z", LEAF]
