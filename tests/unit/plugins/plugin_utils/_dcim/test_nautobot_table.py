# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Words of the plan in Nautobot's words and back."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim import (
    nautobot_table as table,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.columns import MissingError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    Ref,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.index import RunIndex


def column(kind: str, field: str) -> table.Column:
    return next(each for each in table.ROWS[kind].columns if each.field == field)


@pytest.mark.parametrize(
    "kind, field, ours, sent, shown",
    [
        ("interface", "role", "uplink", {"name": "Uplink"}, {"name": "Uplink"}),
        ("interface", "role", "", None, None),
        ("address", "role", "vip", {"name": "VIP"}, {"name": "VIP"}),
        ("cable", "status", "wrong", {"name": "Invalid"}, {"name": "Invalid"}),
        ("device", "status", "failed", {"name": "Failed"}, {"name": "Failed"}),
        ("interface", "type", "400gbase-x-osfp", "400gbase-x-osfp", "A_400GBASE_X_OSFP"),
        ("interface", "type", "virtual", "virtual", "VIRTUAL"),
        ("device", "face", "front", "front", "FRONT"),
        ("prefix", "container", True, "container", "CONTAINER"),
        ("prefix", "container", False, "network", "NETWORK"),
        ("interface", "mac", "aa:bb:cc:00:00:01", "aa:bb:cc:00:00:01", "AA:BB:CC:00:00:01"),
        ("vrf", "rd", "", "", None),
        ("interface", "mtu", 9216, 9216, 9216),
    ],
)
def test_a_value_is_written_and_read_back(
    kind: str, field: str, ours: Any, sent: Any, shown: Any
) -> None:
    found = column(kind, field)
    assert found.write(ours, RunIndex()) == sent
    assert found.read(shown, RunIndex()) == ours


def test_a_word_that_is_not_ours_stays_as_it_is() -> None:
    assert column("device", "status").read({"name": "Staged"}, RunIndex()) == "Staged"


def test_references_are_ids_where_they_are_known_and_names_where_not() -> None:
    index = RunIndex()
    index.add("tenant", "lab/blue", "id-1")
    found = column("vrf", "tenant")
    assert found.write(Ref("tenant", "lab/blue"), index) == "id-1"
    assert found.write("", index) is None
    assert found.read({"id": "id-1", "name": "blue"}, index) == Ref("tenant", "lab/blue")
    assert found.read({"id": "id-2", "name": "red"}, index) == "red"
    with pytest.raises(MissingError, match="tenant 'lab/red' is not in the DCIM"):
        found.write(Ref("tenant", "lab/red"), index)
    with pytest.raises(TypeError, match="is not a reference"):
        found.write("red", index)


def test_several_references() -> None:
    index, found = RunIndex(), column("vrf", "imports")
    targets = tuple(Ref("route_target", f"lab/64512:{n}") for n in (1, 2))
    for number, target in enumerate(targets):
        index.add("route_target", target.key, f"id-{number}")
    assert found.write(targets, index) == ["id-0", "id-1"]
    assert found.read([{"id": "id-1"}, {"id": "id-0"}], index) == targets
    with pytest.raises(TypeError, match="is not a tuple of references"):
        found.write("64512:1", index)


def test_a_cable_has_its_lower_end_at_a() -> None:
    index = RunIndex()
    ends = tuple(Ref("interface", f"lab/leaf-{n}/swp1") for n in (1, 2))
    for number, end in enumerate(ends):
        index.add("interface", end.key, f"id-{number}")
    assert table.body("cable", {"ends": ends, "status": "planned", "label": None}, index) == {
        "status": {"name": "Planned"},
        "termination_a_type": "dcim.interface",
        "termination_a_id": "id-0",
        "termination_b_type": "dcim.interface",
        "termination_b_id": "id-1",
    }


def test_a_subinterface_is_on_its_port() -> None:
    """The parent is written and not asked for: the name of the subinterface says it."""
    index, parent = RunIndex(), Ref("interface", "lab/b/swp1")
    index.add("interface", parent.key, "id-7")
    values = {"type": "virtual", "parent": parent, "mode": "tagged"}
    assert table.body("interface", values, index) == {
        "type": "virtual",
        "parent_interface": "id-7",
        "mode": "tagged",
    }
    assert "parent" not in table.selection("interface")


def test_content_types() -> None:
    assert table.types_of("status", "planned") == ("dcim.cable", "dcim.device")
    assert table.types_of("status", "Staged") == ()
    assert table.types_of("manufacturer", "NVIDIA") is None
    asn = "nautobot_bgp_models.autonomoussystem"
    for kind, key in (("tag", "spectrum-x"), ("field", "spx_place"), ("status", "active")):
        assert asn not in (table.types_of(kind, key) or ())
        assert asn in (table.types_of(kind, key, asns=True) or ())
    assert table.types_of("status", "planned", asns=True) == ("dcim.cable", "dcim.device")
    assert table.types_of("manufacturer", "NVIDIA", asns=True) is None


@pytest.mark.parametrize(
    "values, held, tags",
    [
        ({}, {}, [{"name": "spectrum-x"}]),
        ({"dhcp": True}, {}, [{"name": "dhcp-subnet"}, {"name": "spectrum-x"}]),
        ({"dhcp": True}, {"spectrum-x": "1"}, [{"id": "1"}, {"name": "dhcp-subnet"}]),
        ({"dhcp": False}, {"spectrum-x": "1"}, []),
        ({"dhcp": False}, {"spectrum-x": "1", "dhcp-subnet": "2", "own": "3"}, [{"id": "1"}, {"id": "3"}]),
        ({}, {"spectrum-x": "1", "dhcp-subnet": "2"}, []),
    ],
)  # fmt: skip
def test_tags_of_others_are_repeated_where_ours_change(values: Any, held: Any, tags: Any) -> None:
    assert table.tags("prefix", values, held) == tags
    assert "dcim.device" in (table.types_of("role", "leaf") or ())


def test_what_graphql_is_asked_for() -> None:
    asked = table.selection("cable")
    assert asked.startswith("id status{name} type label interfaces{id name}")
    assert asked.endswith("tags{id name} _custom_field_data last_updated")
