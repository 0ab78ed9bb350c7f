# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The columns of NetBox: what is written of a value, and what is read of it."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim import netbox_table as table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.columns import MissingError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    KINDS,
    Ref,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.index import RunIndex

from .example import things


def index() -> RunIndex:
    made = RunIndex()
    for at, each in enumerate(things(), 1):
        made.add(each.kind, each.key, str(at))
    return made


LEAF = index().id_of(Ref("role", "leaf")) or ""


def test_every_row_is_a_kind_and_every_field_is_asked_for() -> None:
    assert set(table.ROWS) <= set(KINDS)
    assert table.columns("role") == "id,name"
    assert table.columns("address").split(",")[-5:] == [
        "assigned_object_type", "assigned_object_id", "tags", "custom_fields", "last_updated",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "field, column, found, value",
    [
        ("name", "name", "leaf-1", "leaf-1"),
        ("unit", "position", 12.0, 12),
        ("unit", "position", 12.5, "12.5"),
        ("unit", "position", None, None),
        ("face", "face", None, ""),
        ("face", "face", {"value": "front", "label": "Front"}, "front"),
        ("rack", "rack", None, ""),
        ("rack", "rack", {"id": 99, "name": "somebody's"}, "somebody's"),
        ("role", "role", {"id": int(LEAF), "name": "leaf"}, Ref("role", "leaf")),
    ],
)
def test_what_is_read_of_a_device(field: str, column: str, found: Any, value: Any) -> None:
    each = {one.field: one for one in table.ROWS["device"].columns}[field]
    assert each.column == column
    assert each.read(found, index()) == value


def test_what_is_written_and_read_back_is_the_same() -> None:
    """Of every field of the example that is a plain value or one reference."""
    ids = index()
    for thing in things():
        columns = {one.field: one for one in table.ROWS[thing.kind].columns}
        for field, value in thing.values.items():
            if value is None or (isinstance(value, tuple) and not isinstance(value, Ref)):
                continue
            if field not in columns or (thing.kind, field) in table.READ_ONLY:
                continue
            sent = columns[field].write(value, ids)
            shown = {"id": sent} if isinstance(value, Ref) else sent
            assert columns[field].read(shown, ids) == value, (thing.kind, field)


def test_fields_that_are_several_columns() -> None:
    ids = RunIndex()
    ids.add("interface", "lab/a", "1")
    ids.add("interface", "lab/b", "2")
    low, high = Ref("interface", "lab/a"), Ref("interface", "lab/b")
    assert table.body("cable", {"ends": (low, high), "status": "wrong"}, ids) == {
        "status": "decommissioning",
        "a_terminations": [{"object_type": "dcim.interface", "object_id": 1}],
        "b_terminations": [{"object_type": "dcim.interface", "object_id": 2}],
    }
    assert table.body("address", {"interfaces": ()}, ids) == {
        "assigned_object_type": None,
        "assigned_object_id": None,
    }
    assert table.body("address", {"interfaces": (high,), "vrf": ""}, ids) == {
        "vrf": None,
        "assigned_object_type": "dcim.interface",
        "assigned_object_id": 2,
    }


def test_a_subinterface_is_on_its_port_and_its_vlan_is_tagged() -> None:
    """The parent is written and not asked for: the name of the subinterface says it."""
    ids = RunIndex()
    ids.add("interface", "lab/b/swp1", "7")
    ids.add("vlan", "lab/vlan/border/3021", "9")
    values = {
        "type": "virtual",
        "parent": Ref("interface", "lab/b/swp1"),
        "mode": "tagged",
        "untagged_vlan": "",
        "tagged_vlans": (Ref("vlan", "lab/vlan/border/3021"),),
    }
    assert table.body("interface", values, ids) == {
        "type": "virtual",
        "parent": 7,
        "mode": "tagged",
        "untagged_vlan": None,
        "tagged_vlans": [9],
    }
    assert "parent" not in table.columns("interface").split(",")


def test_what_netbox_does_not_have_is_named() -> None:
    with pytest.raises(MissingError, match="device type 'SN5600' is not in the DCIM"):
        table.body("device", {"device_type": Ref("device_type", "SN5600")}, RunIndex())


@pytest.mark.parametrize("value", [("a",), Ref("role", "leaf"), 1.5])
def test_a_value_of_another_shape_is_our_mistake(value: Any) -> None:
    with pytest.raises(TypeError):
        table.body("device", {"name": value}, RunIndex())
    with pytest.raises(TypeError):
        table.body("vrf", {"imports": Ref("route_target", "lab/1:1")}, RunIndex())
    with pytest.raises(TypeError):
        table.body("device", {"role": "leaf"}, RunIndex())


@pytest.mark.parametrize(
    "name, slug",
    [("RFC 6996", "rfc-6996"), ("NVIDIA SN5600", "nvidia-sn5600"), ("--a__b--", "a__b"), ("x" * 120, "x" * 100)],
)  # fmt: skip
def test_slugs(name: str, slug: str) -> None:
    assert table.slug(name) == slug


def test_a_write_is_answered_with_what_was_written_alone() -> None:
    """NetBox takes no other column of the body either, so that each column of each body is there."""
    bodies = [{"name": "swp1", "tags": [1], "custom_fields": {}}, {"name": "swp2", "mtu": 9216}]
    assert table.answered(bodies) == "id,custom_fields,mtu,name,tags"
    assert table.answered([{"add_tags": [1]}]) == "id,custom_fields"
