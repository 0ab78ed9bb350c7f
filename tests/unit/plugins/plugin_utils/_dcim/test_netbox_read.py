# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions to NetBox, and the use of its rows; ``test_netbox.py`` has the refusals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim import netbox_read as reading
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.client import Client, Server
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.netbox_table import (
    FIELD_TYPES,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.port import Scope
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    DcimObject,
    Ref,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.index import RunIndex

from .example import SCOPE
from .served import Answer, Request, served

FIELD = {"id": 1, "name": "spx_place", "object_types": list(FIELD_TYPES)}
Rows = Mapping[str, list[dict[str, Any]]]


def read(
    kinds: str, scope: Scope, rows: Rows, index: RunIndex
) -> tuple[list[DcimObject], list[str]]:
    """Read kinds of a NetBox of which every row is of the fabric; what was asked."""
    seen: list[str] = []

    def answer(request: Request) -> Answer:
        path, _mark, query = request.path.removeprefix("/api/").partition("?")
        usual = ("fields", "limit", "offset", "ordering")
        params = [f"{name}={value}" for name, value in parse_qsl(query) if name not in usual]
        seen.append(f"{path.rstrip('/')} {' '.join(params)}".strip())
        foreign_only = "__nisw" in query
        found = [] if foreign_only else rows.get(path.rstrip("/"), [])
        return Answer(body={"count": len(found), "next": None, "results": found})

    with served(answer) as url:
        client = Client(Server(url), "t", pause=lambda _seconds: None)
        reader = reading.Reader(client)
        found = [each for kind in kinds.split() for each in reader.read(kind, scope, index)]
        client.close()
    return found, seen


def device(id_: int, key: str) -> dict[str, Any]:
    return {
        "id": id_,
        "name": f"n{id_}",
        "site": {"id": 7},
        "tags": [{"slug": "spectrum-x"}],
        "custom_fields": {"spx_place": f"{key}#0"},
    }


def index() -> RunIndex:
    made = RunIndex()
    made.add("location", "site-0", "7")
    return made


DEVICES = {
    "extras/custom-fields": [FIELD],
    "dcim/devices": [device(1, "lab/leaf-1"), device(2, "lab/leaf-2")],
}


def test_what_hangs_on_devices_is_asked_for_by_their_ids() -> None:
    found, seen = read("device interface address cable primary", SCOPE, DEVICES, index())
    assert [each.key for each in found] == ["lab/leaf-1", "lab/leaf-2"]
    assert seen == [
        "extras/custom-fields name=spx_place",
        "dcim/devices site_id=7 cf_spx_place__nisw=lab/",
        "dcim/devices cf_spx_place__isw=lab/",
        "dcim/interfaces device_id=1 device_id=2",
        "ipam/ip-addresses parent=10.0.0.0/16 cf_spx_place__nisw=lab/",
        "ipam/ip-addresses device_id=1 device_id=2 cf_spx_place__nisw=lab/",
        "ipam/ip-addresses cf_spx_place__isw=lab/",
        "dcim/cables device_id=1 device_id=2 cf_spx_place__nisw=lab/",
        "dcim/cables cf_spx_place__isw=lab/",
        "dcim/devices id=1 id=2",
    ]


@pytest.mark.parametrize("taken_over", [False, True])
def test_a_port_has_the_tag_of_its_device(taken_over: bool) -> None:
    """Check a device that lost our tag: its ports are neither read nor ends of our cables, unless it is taken over."""
    rows = {
        "extras/custom-fields": [FIELD],
        "dcim/devices": [device(1, "lab/leaf-1"), {**device(2, "lab/leaf-2"), "tags": []}],
        "dcim/interfaces": [
            {**device(number, f"lab/leaf-{number}/swp1"), "device": {"id": number}, "tags": []}
            for number in ((1, 2) if taken_over else (1,))
        ],
    }
    known = index()
    if taken_over:
        known.add("device", "lab/leaf-2", "2")
    found, _seen = read("device interface", SCOPE, rows, known)
    assert [(each.kind, each.owned) for each in found] == [
        ("device", True),
        ("device", False),
        ("interface", True),
        *([("interface", False)] if taken_over else []),
    ]
    assert known.id_of(Ref("interface", "lab/leaf-1/swp1")) == "1"
    assert known.id_of(Ref("interface", "lab/leaf-2/swp1")) == ("2" if taken_over else None)


def test_addresses_of_all_networks_are_one_question_and_prefixes_one_each() -> None:
    scope = SCOPE._replace(networks=("10.0.0.0/16", "2001:db8::/32"))
    _found, seen = read("prefix address", scope, {}, RunIndex())
    assert [each for each in seen if each.startswith("ipam")] == [
        "ipam/prefixes within_include=10.0.0.0/16",
        "ipam/prefixes within_include=2001:db8::/32",
        "ipam/ip-addresses parent=10.0.0.0/16 parent=2001:db8::/32",
    ]


def test_a_part_is_asked_for_by_names_and_keys() -> None:
    scope = SCOPE._replace(devices={"lab/leaf-1": "n1", "lab/leaf-2": "n2"})
    _found, seen = read("device address cable", scope, DEVICES, index())
    assert seen == [
        "extras/custom-fields name=spx_place",
        "dcim/devices site_id=7 name=n1 name=n2",
        "dcim/devices cf_spx_place__isw=lab/leaf-1# cf_spx_place__isw=lab/leaf-2#",
        "ipam/ip-addresses device_id=1 device_id=2",
        "dcim/cables device_id=1 device_id=2",
    ]


def test_of_a_device_beyond_the_part_only_the_ports_of_its_cables_are_read() -> None:
    own, beyond = {"lab/leaf-1": "leaf-1"}, {"lab/leaf-2": "leaf-2"}
    scope = SCOPE._replace(devices=own, beyond=beyond, ports=("swp5", "swp6"))
    _found, seen = read("device interface cable", scope, DEVICES, index())
    assert seen == [
        "extras/custom-fields name=spx_place",
        "dcim/devices site_id=7 name=leaf-1 name=leaf-2",
        "dcim/devices cf_spx_place__isw=lab/leaf-1# cf_spx_place__isw=lab/leaf-2#",
        "dcim/interfaces device_id=2 name=swp5 name=swp6",
        "dcim/interfaces device_id=1",
        "dcim/cables device_id=1",
    ]


def test_the_prefixes_of_a_part_are_asked_for_by_their_keys_and_those_of_others_by_networks() -> (
    None
):
    scope = SCOPE._replace(
        devices={"lab/leaf-1": "leaf-1"}, keys=("lab/pool/",), exact=("10.0.0.0/8",)
    )
    _found, seen = read("prefix", scope, DEVICES, index())
    assert [each for each in seen if each.startswith("ipam")] == [
        "ipam/prefixes within_include=10.0.0.0/16 cf_spx_place__nisw=lab/",
        "ipam/prefixes prefix=10.0.0.0/8 cf_spx_place__nisw=lab/",
        "ipam/prefixes cf_spx_place__isw=lab/pool/ cf_spx_place__isw=lab/leaf-1/",
    ]


def test_a_part_is_asked_for_the_networks_of_addresses_that_are_on_no_device() -> None:
    both = {"lab/leaf-1": "n1", "lab/leaf-2": "n2"}
    scope = SCOPE._replace(devices=both, loose=("10.216.0.0/20", "10.216.32.0/23"))
    _found, seen = read("device address", scope, DEVICES, index())
    assert seen[-2:] == [
        "ipam/ip-addresses parent=10.216.0.0/20 parent=10.216.32.0/23",
        "ipam/ip-addresses device_id=1 device_id=2",
    ]


def test_a_netbox_without_our_field_and_site_is_asked_for_neither() -> None:
    found, seen = read("device rack cable prefix", SCOPE, {}, RunIndex())
    assert found == []
    assert seen == ["extras/custom-fields name=spx_place"] * 4 + [
        "ipam/prefixes within_include=10.0.0.0/16",
    ]


def end(cable: int, side: str, interface: int, kind: str = "dcim.interface") -> dict[str, Any]:
    return {
        "id": f"{cable}{side}",
        "cable": cable,
        "cable_end": side,
        "termination_type": kind,
        "termination_id": interface,
    }


def test_cables_have_the_ends_that_the_index_knows() -> None:
    known = index()
    known.add("interface", "lab/leaf-1/swp1", "11")
    rows = {
        **DEVICES,
        "dcim/cables": [
            {"id": 1, "label": "", "status": {"value": "decommissioning"}},
            {"id": 2, "label": "ours", "custom_fields": {"spx_place": "lab/leaf-1/swp2#12"}},
            {"id": 3, "label": "foreign"},
        ],
        "dcim/cable-terminations": [
            end(1, "B", 11),
            end(1, "A", 99, "dcim.frontport"),
            end(3, "A", 98),
        ],
    }
    rows["dcim/cables"] = [
        {**row, "custom_fields": row.get("custom_fields", {"spx_place": ""})}
        for row in rows["dcim/cables"]
    ]
    found, _seen = read(
        "device cable",
        SCOPE._replace(devices={"lab/leaf-1": "n1", "lab/leaf-2": "n2"}),
        rows,
        known,
    )
    cables = {each.id: each for each in found if each.kind == "cable"}
    assert set(cables) == {"1", "2"}
    assert cables["1"].values["ends"] == ("dcim.frontport 99", Ref("interface", "lab/leaf-1/swp1"))
    assert (cables["1"].values["status"], cables["1"].name) == ("wrong", "cable 1")
    assert (cables["2"].key, cables["2"].digest, cables["2"].name) == (
        "lab/leaf-1/swp2",
        "12",
        "ours",
    )


def test_an_address_of_somebody_else_on_our_device_is_read_only_where_we_know_the_interface() -> (
    None
):
    known = index()
    known.add("interface", "lab/leaf-1/swp1", "11")
    row = {"assigned_object_type": "dcim.interface", "custom_fields": {}, "address": "192.0.2.1/24"}
    rows = {
        **DEVICES,
        "ipam/ip-addresses": [
            {**row, "id": 1, "assigned_object_id": 11},
            {**row, "id": 2, "assigned_object_id": 12},
        ],
    }
    scope = SCOPE._replace(networks=(), devices={"lab/leaf-1": "n1", "lab/leaf-2": "n2"})
    found, _seen = read("device address", scope, rows, known)
    assert [(each.id, each.owned) for each in found if each.kind == "address"] == [("1", False)]


@pytest.mark.parametrize(
    "changed, tag",
    [
        ("2026-11-25T08:57:52.392527Z", 'W/"2026-11-25T08:57:52.392527+00:00"'),
        ("2026-11-25T10:57:52+02:00", 'W/"2026-11-25T08:57:52+00:00"'),
        (None, ""),
    ],
)
def test_the_etag_of_an_object_is_the_time_of_its_last_change(changed: Any, tag: str) -> None:
    assert reading.etag({"last_updated": changed}) == tag


@pytest.mark.parametrize(
    "row, said",
    [
        ({"tags": [], "custom_fields": {"spx_place": "lab/leaf-1#0"}}, "no longer carries the key"),
        ({"tags": [{"slug": "spectrum-x"}], "custom_fields": {}}, "no longer carries the key"),
        (
            {"tags": [{"slug": "spectrum-x"}], "custom_fields": {"spx_place": "lab/leaf-2#0"}},
            "no longer carries the key",
        ),
        (
            {
                "tags": [{"slug": "spectrum-x"}],
                "custom_fields": {"spx_place": "lab/leaf-1#0"},
                "interface_count": 3,
            },
            "would delete or change its interfaces with it (3)",
        ),
        (
            {
                "tags": [{"slug": "spectrum-x"}],
                "custom_fields": {"spx_place": "lab/leaf-1#0"},
                "interface_count": 0,
            },
            "would delete or change its console ports with it (number not known)",
        ),
    ],
)
def test_why_an_object_is_not_deleted(row: Any, said: str) -> None:
    found = DcimObject("device", "1", "lab/leaf-1", "leaf-1", {}, True, (), "")
    why = reading.not_to_delete("device", found, row, reading.tags_of(row))
    assert said in why


def test_members_of_a_bond_are_as_planned_on_a_device_that_is_taken_over() -> None:
    """The bond carries our key, though its device lost our tag, and its members refer to it."""
    known = index()
    known.add("device", "lab/leaf-1", "1")
    port = {"device": {"id": 1}, "lag": None}
    rows = {
        **DEVICES,
        "dcim/devices": [{**device(1, "lab/leaf-1"), "tags": []}],
        "dcim/interfaces": [
            {**device(1, "lab/leaf-1/bond3"), **port},
            {**device(2, "lab/leaf-1/swp3"), **port, "lag": {"id": 1, "name": "bond3"}},
        ],
    }
    found, _seen = read("device interface", SCOPE, rows, known)
    bond = Ref("interface", "lab/leaf-1/bond3")
    assert [each.values.get("lag") for each in found] == [None, "", bond]
