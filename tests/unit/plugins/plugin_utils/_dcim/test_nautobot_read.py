# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions to Nautobot for each part of a fabric, and the meaning of its answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.client import Client, Server
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.nautobot_read import (
    Reader,
    version,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.port import Scope
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.difference import (
    Conflict,
    Update,
    difference,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.ids import (
    new_id,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.mark import mark
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    DcimObject,
    Ref,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim_files import (
    owned,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.index import RunIndex

from .example import SCOPE, thing
from .served import Answer, Request, served

TAG_ROW = {"id": "t", "name": "spectrum-x", "content_types": []}


class Nautobot:
    """A server that has some rows, counts as many, and writes down what it is asked by GraphQL."""

    def __init__(self, **rows: list[dict[str, Any]]) -> None:
        self.rows = rows
        self.asked: list[str] = []

    def __call__(self, request: Request) -> Answer:
        if request.method == "POST":
            query = request.body["query"]
            self.asked.append(query.partition("){")[0].removeprefix("{").replace("limit:1000 ", ""))
            name = query[1:].partition("(")[0]
            return Answer(body={"data": {name: self.rows.get(name, [])}})
        name = request.path.partition("?")[0].rstrip("/").rpartition("/")[2].replace("-", "_")
        rows = self.rows.get(name, [])
        return Answer(body={"count": len(rows), "results": rows})

    def read(self, kind: str, scope: Scope, index: RunIndex, *before: str) -> list[DcimObject]:
        """Read a kind, after other kinds."""
        with served(self) as url:
            client = Client(Server(url), "Token t", pause=lambda _seconds: None)
            reader = Reader(client)
            for each in before:
                list(reader.read(each, scope, index))
            self.asked.clear()
            found = list(reader.read(kind, scope, index))
            client.close()
            return found


def row(kind: str, key: str, **more: Any) -> dict[str, Any]:
    """An object of ours as GraphQL shows it."""
    return {
        "id": new_id(kind, key),
        "name": key.rpartition("/")[2],
        "tags": [{"id": "t", "name": "spectrum-x"}],
        "_custom_field_data": {"spx_place": f"{key}#12345678"},
        "last_updated": "2026-11-25T09:00:00+00:00",
        **more,
    }


LEAF = new_id("device", "lab/leaf-1")
PART = SCOPE._replace(devices={"lab/leaf-1": "leaf-1"})


def known() -> RunIndex:
    index = RunIndex()
    index.add("location", "site-0", "s")
    index.add("namespace", "Global", "n")
    return index


@pytest.mark.parametrize(
    "kind, scope, questions",
    [
        ("tenant", SCOPE, ["tenants(offset:0"]),
        ("vrf", SCOPE, ['vrfs(offset:0 namespace:["Global"]']),
        ("rack", SCOPE, ['racks(offset:0 location:["s"]', 'racks(offset:0 tags:["spectrum-x"]']),
        ("device", SCOPE, ['devices(offset:0 location:["s"]', 'devices(offset:0 tags:["spectrum-x"]']),
        (
            "device",
            PART,
            ['devices(offset:0 location:["s"] name:["leaf-1"]', f'devices(offset:0 id:["{LEAF}"]'],
        ),
        ("interface", SCOPE, [f'interfaces(offset:0 device_id:["{LEAF}"]']),
        ("cable", PART, [f'cables(offset:0 device_id:["{LEAF}"]']),
        ("primary", PART, [f'devices(offset:0 id:["{LEAF}"]']),
        (
            "address",
            SCOPE,
            [
                'ip_addresses(offset:0 tags:["spectrum-x"]',
                'ip_addresses(offset:0 prefix:["10.0.0.0/16"] namespace:["Global"] '
                'tags__n:["spectrum-x"]',
            ],
        ),
        (
            "address",
            PART,
            [f'ip_addresses(offset:0 device_id:["{LEAF}"]'],
        ),
        (
            "address",
            PART._replace(loose=("10.216.0.0/20",)),
            [
                f'ip_addresses(offset:0 device_id:["{LEAF}"]',
                'ip_addresses(offset:0 prefix:["10.216.0.0/20"] namespace:["Global"]',
            ],
        ),
        (
            "prefix",
            PART,
            [
                'prefixes(offset:0 tags:["spectrum-x"]',
                'prefixes(offset:0 within_include:["10.0.0.0/16"] namespace:["Global"]',
            ],
        ),
        (
            "prefix",
            PART._replace(top=False, networks=("10.0.0.0/16", "172.16.0.0/12")),
            [
                'prefixes(offset:0 within_include:["10.0.0.0/16", "172.16.0.0/12"] namespace:["Global"]'
            ],
        ),
        (
            "prefix",
            PART._replace(top=False, exact=("10.0.0.0/8",)),
            [
                'prefixes(offset:0 within_include:["10.0.0.0/16"] namespace:["Global"]',
                'prefixes(offset:0 prefix:["10.0.0.0/8"] namespace:["Global"]',
            ],
        ),
    ],
)  # fmt: skip
def test_questions(kind: str, scope: Scope, questions: list[str]) -> None:
    server = Nautobot(devices=[row("device", "lab/leaf-1")], tags=[TAG_ROW])
    server.read(kind, scope, known(), "device")
    assert server.asked == questions


def test_a_port_has_the_tag_of_its_device() -> None:
    devices = [row("device", "lab/leaf-1"), row("device", "lab/leaf-2", tags=[])]
    ports = [
        row("interface", f"{key}/swp1", device={"id": new_id("device", key)}, tags=[])
        for key in ("lab/leaf-1", "lab/leaf-2")
    ]
    server = Nautobot(devices=devices, interfaces=ports, tags=[TAG_ROW])
    index = known()
    found = server.read("interface", SCOPE, index, "device")
    assert [each.owned for each in found] == [True, False]
    ids = [index.id_of(Ref("interface", f"lab/leaf-{n}/swp1")) for n in (1, 2)]
    assert ids == [new_id("interface", "lab/leaf-1/swp1"), None], "no end of our cables"


@pytest.mark.parametrize("kind", ["rack", "device", "vrf", "prefix", "address", "interface"])
def test_a_new_nautobot_is_asked_for_nothing_that_it_would_refuse(kind: str) -> None:
    """It refuses a filter by a tag, a location or a namespace that it does not have."""
    server = Nautobot()
    assert server.read(kind, SCOPE, RunIndex()) == []
    assert server.asked == []


def test_shared_things_are_found_under_the_words_of_the_plan() -> None:
    index = RunIndex()
    types = ["dcim.cable", "dcim.device"]
    statuses = [
        {"id": "1", "name": "Planned", "content_types": types},
        {"id": "2", "name": "Invalid", "content_types": ["dcim.device"]},
        {"id": "3", "name": "Staged", "content_types": []},
    ]
    found = Nautobot(statuses=statuses).read("status", SCOPE, index)
    assert [(each.key, each.values["name"]) for each in found] == [
        ("planned", "planned"),
        ("Staged", "Staged"),
    ]
    assert index.id_of(Ref("status", "planned")) == "1"


def cable(**more: Any) -> dict[str, Any]:
    ends = [{"id": new_id("interface", f"lab/leaf-{n}/swp1"), "name": "swp1"} for n in (2, 1)]
    types = dict.fromkeys(("termination_a_type", "termination_b_type"), "dcim.interface")
    given = {"interfaces": ends, **types, "status": {"name": "Planned"}, **more}
    return row("cable", "lab/leaf-1/swp1", **given)


def read_cable(found: Mapping[str, Any]) -> list[DcimObject]:
    index = known()
    for n in (1, 2):
        key = f"lab/leaf-{n}/swp1"
        index.add("interface", key, new_id("interface", key))
    server = Nautobot(devices=[row("device", "lab/leaf-1")], cables=[dict(found)])
    return server.read("cable", SCOPE, index, "device")


ENDS = tuple(Ref("interface", f"lab/leaf-{n}/swp1") for n in (1, 2))


def test_ends_of_a_cable() -> None:
    assert read_cable(cable())[0].values["ends"] == ENDS
    panel = cable(
        interfaces=[{"id": new_id("interface", ENDS[0].key)}], termination_b_type="dcim.frontport"
    )
    assert read_cable(panel)[0].values["ends"] == ("dcim.frontport", ENDS[0])


def test_a_cable_of_others_between_others_is_none_of_ours() -> None:
    foreign = {"_custom_field_data": {}, "tags": []}
    assert read_cable(cable(**foreign, interfaces=[{"id": "x"}, {"id": "y"}])) == []
    assert [each.owned for each in read_cable(cable(**foreign))] == [False]


@pytest.mark.parametrize(
    "more, owned, ends",
    [
        ({}, True, ENDS),
        ({"tags": []}, False, ENDS),
        ({"tags": [], "_custom_field_data": {"spx_place": "lab/leaf-1/swp1#"}}, True, ("not known",)),
        ({"tags": [], "_custom_field_data": {"spx_place": "lab/leaf-1/swp1#"}, "id": "x"}, False, ENDS),
    ],
)  # fmt: skip
def test_a_cable_that_was_begun_is_ours_and_one_whose_tag_was_taken_is_not(
    more: dict[str, Any], owned: bool, ends: Any
) -> None:
    found = read_cable(cable(**more))[0]
    assert (found.owned, found.values["ends"]) == (owned, ends)


VRF = Ref("vrf", "lab/blue")


def test_of_a_part_the_links_of_others_are_left_out() -> None:
    keys = ("lab/leaf-1/swp1", "lab/leaf-9/swp1", "lab/pool/10.0.0.0/8", "other/leaf-9/swp1")
    rows = [row("prefix", key, prefix="10.0.0.0/24", type="NETWORK", vrfs=[]) for key in keys]
    scope = PART._replace(keys=("lab/pool/",))
    found = Nautobot(prefixes=rows, tags=[TAG_ROW]).read("prefix", scope, known())
    assert [each.key for each in found] == [key for key in keys if key != "lab/leaf-9/swp1"]


def test_of_a_device_beyond_the_part_only_the_ports_of_its_cables_are_read() -> None:
    scope = PART._replace(beyond={"lab/spine-1": "spine-1"}, ports=("swp5", "swp6"))
    rows = [row("device", "lab/leaf-1"), row("device", "lab/spine-1")]
    server = Nautobot(devices=rows, tags=[TAG_ROW])
    server.read("interface", scope, known(), "device")
    spine = new_id("device", "lab/spine-1")
    assert server.asked == [
        f'interfaces(offset:0 device_id:["{LEAF}"]',
        f'interfaces(offset:0 device_id:["{spine}"] name:["swp5", "swp6"]',
    ]
    server.read("cable", scope, known(), "device")
    assert server.asked == [f'cables(offset:0 device_id:["{LEAF}"]']


def test_a_prefix_in_the_vrf_of_somebody_else_too_is_not_as_planned() -> None:
    both = [{"id": new_id("vrf", VRF.key)}, {"id": "red", "name": "red"}]
    prefix = row("prefix", "lab/net", prefix="10.0.0.0/24", type="NETWORK", vrfs=both)
    server = Nautobot(prefixes=[prefix], vrfs=[row("vrf", VRF.key)])
    found = server.read("prefix", SCOPE, known(), "vrf")[0]
    assert set(found.values["vrf"]) == {VRF, "red of somebody else"}


BEGUN = {
    "address": thing(
        *("address", "lab/leaf-1/eth0"),
        address="10.0.0.1/24", role="", dns_name="eth0.lab", tenant="", dhcp=False,
        interfaces=(Ref("interface", "lab/leaf-1/eth0"),),
    ),
    "prefix": thing(
        *("prefix", "lab/net"),
        prefix="10.0.0.0/24", tenant="", container=False, dhcp=False, vrf=VRF,
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "kind, more, what",
    [
        ("address", {}, Update),
        ("address", {"dns_name": "theirs"}, Conflict),
        ("prefix", {}, Update),
        ("prefix", {"type": "CONTAINER"}, Conflict),
    ],
)
def test_what_a_killed_run_began_is_known_by_all_that_it_wrote(
    kind: str, more: Mapping[str, Any], what: type
) -> None:
    """An address has no interface yet, and a prefix no VRF; where anything else differs, somebody changed it."""
    want = BEGUN[kind]
    found = row(kind, want.key, address="10.0.0.1/24", dns_name="eth0.lab", interfaces=[])
    found |= {"prefix": "10.0.0.0/24", "type": "NETWORK", "vrfs": [], **more}
    found["_custom_field_data"] = {"spx_place": mark(want)}
    server = begun(found)
    (change,) = difference([want], server.read(kind, SCOPE, known(), "vrf"))
    assert isinstance(change, what)


def begun(found: dict[str, Any]) -> Nautobot:
    return Nautobot(
        prefixes=[found], ip_addresses=[found], tags=[TAG_ROW], vrfs=[row("vrf", VRF.key)]
    )


@pytest.mark.parametrize(
    "kind, lacking",
    [
        ("address", {"vrf": None, "interfaces": (), "dhcp": False}),
        ("prefix", {"vrf": "", "dhcp": False}),
    ],
)
def test_a_push_goes_on_from_an_import_file(kind: str, lacking: Any) -> None:
    """Its rows have a digest of what the file cannot say: no interface, and no VRF."""
    want = BEGUN[kind]
    found = row(kind, want.key, address="10.0.0.1/24", dns_name="eth0.lab", interfaces=[])
    found |= {"prefix": "10.0.0.0/24", "type": "NETWORK", "vrfs": []}
    cell = owned(**lacking)["cf_spx_place"]
    found["_custom_field_data"] = {"spx_place": cell(None, want)}  # type: ignore[arg-type]
    (change,) = difference([want], begun(found).read(kind, SCOPE, known(), "vrf"))
    assert isinstance(change, Update)


def test_an_address_of_an_array_is_whole_without_an_interface() -> None:
    want = BEGUN["address"]
    want = want._replace(key="lab/vip/s21-a/10.0.0.1", values={**want.values, "interfaces": ()})
    found = row("address", want.key, address="10.0.0.1/24", dns_name="eth0.lab", interfaces=[])
    server = Nautobot(ip_addresses=[found], tags=[TAG_ROW])
    assert list(difference([want], server.read("address", SCOPE, known()))) == []


def test_the_primary_address_of_a_device() -> None:
    index = known()
    index.add("address", "lab/leaf-1/eth0", "a")
    bare = row("device", "lab/leaf-2")
    held = row("device", "lab/leaf-1", primary_ip4={"id": "a", "address": "10.0.0.1/24"})
    found = Nautobot(devices=[held, bare]).read("primary", SCOPE, index, "device")
    assert [(each.key, each.values["address"]) for each in found] == [
        ("lab/leaf-1", Ref("address", "lab/leaf-1/eth0"))
    ]


@pytest.mark.parametrize(
    "shown, said",
    [
        ("2026-11-25T09:13:01.145038Z", "2026-11-25T09:13:01.145038+00:00"),
        ("2026-11-25T10:13:01.145038+01:00", "2026-11-25T09:13:01.145038+00:00"),
        (None, ""),
    ],
)
def test_versions_of_rest_and_graphql_are_the_same(shown: Any, said: str) -> None:
    assert version({"last_updated": shown}) == said
