# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NetBox: a story recorded from a real one, and answers that no NetBox should give.

``recorded/netbox-4.7.3.jsonl`` is what NetBox 4.7.3 answered; see ``served.py`` for how to make it. The looks for twins
after new VLAN groups, racks and VRFs were added by hand on 2026-11-30, with rows that it answered to later reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.client import (
    Client,
    Server,
    UnsureError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.connection import (
    netbox_authorization,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.dialect import (
    NOT_WRITTEN,
    OVERTAKEN,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.netbox import TWIN, NetBox
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.netbox_table import (
    FIELD_TYPES,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.port import (
    DcimError,
    WriteResult,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.difference import (
    Update,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.mark import mark
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    DcimObject,
    Ref,
    Thing,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.index import RunIndex

from .example import SCOPE, bad, devices, interface, push, thing, things
from .served import HANG_UP, Answer, answering, once, page, recording

TAPE = Path(__file__).parent / "recorded" / "netbox-4.7.3.jsonl"
LOST = "lab/leaf-1/lost"


def client_of(url: str, token: str) -> Client:
    return Client(Server(url), netbox_authorization(token), pause=lambda _seconds: None)


class Story(NamedTuple):
    """Story of the real server, step by step."""

    name: str
    first: list[WriteResult]
    second: tuple[list[WriteResult], list[DcimObject]]
    updates: dict[str, WriteResult]
    user: Mapping[str, Any]
    tagged: list[tuple[int, list[str]]]
    lists: list[WriteResult]
    lost: list[WriteResult]
    there: list[str]
    refused: dict[str, WriteResult]
    deleted: dict[str, list[WriteResult]]


@pytest.fixture(scope="module")
def story() -> Story:
    with recording(TAPE, lost=once(LOST)) as (url, token):
        client = client_of(url, token)
        return tell(NetBox(client, workers=1), client)


def tell(netbox: NetBox, client: Client) -> Story:
    netbox.check()
    wanted = list(things())
    first, _none = push(netbox, RunIndex(), wanted)
    index = RunIndex()
    second = push(netbox, index, wanted)
    updates, user = changed(netbox, client, index)
    tagged = [listed(netbox, client, index, edited=edited) for edited in (True, False)]
    lists = netbox.create("interface", list(bad()), index)
    lost = [interface("lab/leaf-1", name) for name in ("lost", "lost2")]
    lost_done = netbox.create("interface", lost, index)
    there = [
        each.name for each in netbox.read("interface", SCOPE, index) if each.name.startswith("lost")
    ]
    found = {kind: list(netbox.read(kind, SCOPE, index)) for kind in netbox.kinds}
    by = {kind: {each.key: each for each in rows} for kind, rows in found.items()}
    foreign = by["interface"]["lab/leaf-1/lost"]
    no_place: Any = {"custom_fields": {"spx_place": None}}
    client.write("PATCH", f"/api/dcim/interfaces/{foreign.id}/", no_place)
    asked = {
        "device": by["device"]["lab/leaf-1"],
        "interface": by["interface"]["lab/leaf-1/eth0"],
        "vrf": by["vrf"]["lab/blue"],
        "cabled": by["interface"]["lab/leaf-1/swp1"],
    }
    refused = {kind: netbox.delete(each.kind, [each], index)[0] for kind, each in asked.items()}
    refused["foreign"] = netbox.delete("interface", [foreign], index)[0]
    refused["nat"] = behind(netbox, client, by["address"]["lab/anycast"], index)
    refused["untagged"] = untagged(netbox, client, by, index)
    keep(client, by["interface"][KEPT])
    order = ("primary", "cable", "address", "interface", "device", "prefix", "vlan", "vrf")
    deleted = {kind: netbox.delete(kind, found[kind], index) for kind in order}
    return Story(
        *(netbox.name, first, second, updates, user, tagged, lists),
        *(lost_done, there, refused, deleted),
    )


def untagged(
    netbox: NetBox, client: Client, by: Mapping[str, Mapping[str, DcimObject]], index: RunIndex
) -> WriteResult:
    """Somebody takes our tag from a device for a moment; what is said to the end of its port then."""
    path, tag = f"/api/dcim/devices/{by['device']['lab/leaf-1'].id}/", {"slug": "spectrum-x"}
    client.write("PATCH", path, {"remove_tags": [tag]})
    (done,) = netbox.delete("interface", [by["interface"]["lab/leaf-1/lost2"]], index)
    client.write("PATCH", path, {"add_tags": [tag]})
    return done


def behind(netbox: NetBox, client: Client, address: DcimObject, index: RunIndex) -> WriteResult:
    """Somebody has an address outside of NAT for ours, for a moment; what is said to the end of ours then."""
    outside: Any = {"address": "192.0.2.200/32", "nat_inside": int(address.id)}
    row: Any = client.decode(client.write("POST", "/api/ipam/ip-addresses/", outside), "a write")
    (done,) = netbox.delete("address", [address], index)
    assert client.write("DELETE", f"/api/ipam/ip-addresses/{row['id']}/").status == 204
    return done


KEPT = "lab/leaf-1/good"


def keep(client: Client, port: DcimObject) -> None:
    """Somebody notes an optic on a port."""
    device = client.read(f"/api/dcim/interfaces/{port.id}/")["device"]  # type: ignore[index,call-overload]
    at: Any = {"component_type": "dcim.interface", "component_id": int(port.id)}
    item = {"device": device["id"], "name": "optic", **at}  # type: ignore[index,call-overload]
    assert client.write("POST", "/api/dcim/inventory-items/", item).status == 201


def changed(netbox: NetBox, client: Client, index: RunIndex) -> tuple[dict[str, WriteResult], Any]:
    """A user edits a device between our read and our write: something else, then the same field."""
    wanted = next(devices())
    path = ""
    done = {}
    client.write("POST", "/api/extras/tags/", {"name": "mine", "slug": "mine"})
    for name, edit, ours in (
        ("beside", {"add_tags": [{"slug": "mine"}], "comments": "hello"}, "failed"),
        ("same", {"status": "staged"}, "offline"),
    ):
        old = {each.key: each for each in netbox.read("device", SCOPE, index)}[wanted.key]
        path = f"/api/dcim/devices/{old.id}/"
        client.write("PATCH", path, edit)
        update = Update(wanted, old, {"status": (ours, old.values["status"])})
        done[name] = netbox.update("device", [update], index)[0]
    return done, client.read(path)


def listed(
    netbox: NetBox, client: Client, index: RunIndex, *, edited: bool
) -> tuple[int, list[str]]:
    """Change two devices as one list with the ETags that were read; a user has edited one of them meanwhile.

    The status, and the comments of both after that.
    """
    found = list(netbox.read("device", SCOPE, index))
    if edited:
        client.write("PATCH", f"/api/dcim/devices/{found[0].id}/", {"comments": "by hand"})
    bodies = [{"id": int(each.id), "comments": f"list {edited}"} for each in found]
    tags = ", ".join(each.version for each in found)
    reply = client.write("PATCH", "/api/dcim/devices/", bodies, match=tags)
    rows = [client.read(f"/api/dcim/devices/{each.id}/") for each in found]
    return reply.status, [str(row["comments"]) for row in rows if isinstance(row, dict)]


def test_a_push_creates_everything_and_then_nothing(story: Story) -> None:
    assert story.name == "NetBox 4.7.3"
    assert len(story.first) == len(list(things()))
    assert [each for each in story.first if each.error or not each.id] == []
    assert story.second == ([], [])


def test_a_change_that_somebody_overtook_is_refused_and_users_keep_what_is_theirs(
    story: Story,
) -> None:
    assert story.updates["beside"].error == ""
    assert story.updates["same"].error == "somebody changed it after it was read; run again."
    assert story.user["status"]["value"] == "staged"
    assert story.user["comments"] == "hello"
    assert [each["slug"] for each in story.user["tags"]] == ["mine", "spectrum-x"]
    assert story.user["custom_fields"]["spx_place"] == mark(next(devices()))


def test_bad_items_of_a_list_are_dropped_and_reported(story: Story) -> None:
    errors = {each.key: each.error for each in story.lists}
    assert errors == {
        "lab/leaf-1/odd": "type: nonsense is not a valid choice.",
        "lab/leaf-1/twin": "Interface with this Device and Name already exists.",
        "lab/leaf-9/gone": "device 'lab/leaf-9' is not in the DCIM.",
        "lab/leaf-1/good": "",
    }


def test_a_list_whose_answer_was_lost_is_not_sent_twice(story: Story) -> None:
    assert [each.error for each in story.lost] == ["", ""]
    assert story.there == ["lost", "lost2"]


def test_what_would_take_something_else_away_is_not_deleted(story: Story) -> None:
    said = {kind: each.error for kind, each in story.refused.items()}
    assert said["device"].startswith("NetBox would delete or change its interfaces with it (8)")
    assert said["interface"].startswith("NetBox would delete or change its addresses with it (1)")
    assert said["vrf"].startswith("NetBox would delete or change its interfaces with it (4)")
    assert said["cabled"].startswith("NetBox would delete or change its end of a cable with it (")
    assert said["nat"].startswith("NetBox would delete or change its NAT addresses with it (1)")
    assert said["foreign"].startswith("it no longer carries the key 'lab/leaf-1/lost' on a device")
    assert said["untagged"].endswith("on a device with tag spectrum-x; it was left alone.")


def test_what_is_ours_is_deleted_from_the_end(story: Story) -> None:
    errors = {
        each.key: each.error for part in story.deleted.values() for each in part if each.error
    }
    assert set(errors) == {"lab/leaf-1/lost", KEPT, "lab/leaf-1"}
    assert errors[KEPT].startswith("NetBox would delete or change its inventory items with it (1)")
    assert errors["lab/leaf-1"].startswith(
        "NetBox would delete or change its interfaces with it (2)"
    )
    assert {kind: len(part) for kind, part in story.deleted.items()} == {
        "primary": 2, "cable": 2, "address": 3, "interface": 11, "device": 2, "prefix": 2, "vlan": 2, "vrf": 1,
    }  # fmt: skip


FIELD_ROW = {"id": 1, "name": "spx_place", "object_types": list(FIELD_TYPES)}


def asked(answers: Mapping[str, Any], work: Callable[[NetBox], Any]) -> Any:
    """Work on a NetBox that answers by method and path; a list of answers is given in turn."""
    with answering(answers) as url:
        return work(NetBox(client_of(url, "t"), workers=1))


def status(version: str) -> Answer:
    return Answer(body={"netbox-version": version})


@pytest.mark.parametrize("version", ["4.6.2", "4.7.3", "4.7.3-Docker-3.4.0", "4.10.0"])
def test_known_versions(version: str) -> None:
    asked({"GET status": status(version)}, lambda netbox: netbox.check())


@pytest.mark.parametrize(
    "answers, said",
    [
        ({"GET status": status("4.6.1")}, "this is NetBox 4.6.1; 4.6.2 or newer"),
        ({"GET status": status("5.0.0")}, "this is NetBox 5.0.0; 4.6.2 or newer"),
        ({"GET status": Answer(body={"version": 1})}, "no version of NetBox: correct url"),
        ({"GET status": Answer(body=[])}, "no version of NetBox: correct url"),
        ({"GET status": Answer(200, b"<h1>Welcome</h1>")}, "in place of JSON"),
        ({"GET status": Answer(403, {"detail": "Token expired"})}, "Token expired"),
        (
            {
                "GET status": status("4.7.3"),
                "GET extras/custom-fields": page(FIELD_ROW | {"object_types": ["dcim.device"]}),
            },
            "custom field spx_place is not for dcim.cable, dcim.interface",
        ),
    ],
)
def test_what_is_no_netbox_to_write_to(answers: Any, said: str) -> None:
    with pytest.raises(DcimError) as found:
        asked(answers, lambda netbox: netbox.check())
    assert said in str(found.value)


ROLE = {"id": 1, "name": "leaf"}


@pytest.mark.parametrize(
    "answer, said",
    [
        (page(*(ROLE | {"id": n} for n in range(99)), count=100), "counted 100 objects and sent 99"),
        (page(ROLE, ROLE, count=2), "counted 2 objects and sent 1"),
        ([page(ROLE, count=2, more=True)] * 9, "counted 2 objects and sent 1"),
        (page(ROLE | {"id": None, "name": "x"}, {}), "sent an object without id"),
        (Answer(body=[ROLE]), "a page was expected"),
        (Answer(body={"count": 1, "results": ["leaf"]}), "a page was expected"),
        (Answer(302, b"", {"Location": "/login/"}), "redirect to '/login/'"),
        ([page(ROLE, count=2, more=True), Answer(502), Answer(502), Answer(502), Answer(502)], "502"),
    ],
)  # fmt: skip
def test_an_answer_that_is_no_list_is_never_read_as_one(answer: Any, said: str) -> None:
    with pytest.raises(DcimError) as found:
        asked({"GET dcim/device-roles": answer}, lambda x: list(x.read("role", SCOPE, RunIndex())))
    assert said in str(found.value)


def test_a_read_goes_on_after_a_bad_gateway() -> None:
    pages = [page(ROLE, count=2, more=True), Answer(502), page(ROLE, ROLE | {"id": 2}, count=2)]
    found = asked(
        {"GET dcim/device-roles": pages}, lambda x: list(x.read("role", SCOPE, RunIndex()))
    )
    assert [each.id for each in found] == ["1", "2"]


def device(id_: int, site: int, field: str = "") -> dict[str, Any]:
    return {
        "id": id_,
        "name": f"leaf-{id_}",
        "site": {"id": site, "name": f"site-{site}"},
        "tags": [{"slug": "spectrum-x"}] if field else [],
        "custom_fields": {"spx_place": field},
        "last_updated": "2026-11-25T10:00:00.5+01:00",
    }


def read_devices(netbox: NetBox) -> list[DcimObject]:
    index = RunIndex()
    index.add("location", "site-0", "7")
    return list(netbox.read("device", SCOPE, index))


@pytest.mark.parametrize(
    "row, asked_for", [(device(1, 8), "site_id"), (device(1, 7), "cf_spx_place__isw")]
)
def test_a_filter_that_is_ignored_is_noticed(row: Any, asked_for: str) -> None:
    pages = [page(row)] if asked_for == "site_id" else [page(), page(row)]
    answers = {"GET dcim/devices": pages, "GET extras/custom-fields": page(FIELD_ROW)}
    with pytest.raises(DcimError, match=f"filter {asked_for}.* should have left out"):
        asked(answers, read_devices)


def test_devices_are_read_at_the_site_and_by_key_each_once() -> None:
    mine = device(1, 7, "lab/leaf-1#12345678")
    moved = device(3, 9, "lab/leaf-3#12345678")
    answers = {
        "GET dcim/devices": [page(device(2, 7)), page(mine, moved)],
        "GET extras/custom-fields": page(FIELD_ROW),
    }
    found = asked(answers, read_devices)
    assert [(each.id, each.key, each.owned) for each in found] == [
        ("2", "", False),
        ("1", "lab/leaf-1", True),
        ("3", "lab/leaf-3", True),
    ]
    assert found[1].version == 'W/"2026-11-25T09:00:00.500000+00:00"'
    assert found[1].digest == "12345678"
    assert found[1].values["location"] == Ref("location", "site-0")


ONE = thing("role", "leaf", name="leaf")
TWO = thing("role", "spine", name="spine")


def test_a_list_that_is_refused_as_a_whole_is_halved() -> None:
    refused = Answer(400, {"detail": "no"})
    posts = [refused, Answer(201, [ROLE]), Answer(400, {"name": ["Bad."]})]
    done = asked(
        {"POST dcim/device-roles": posts}, lambda x: x.create("role", [ONE, TWO], RunIndex())
    )
    assert done == [WriteResult("leaf", "1"), WriteResult("spine", "", "name: Bad.")]


def test_a_list_that_got_lost_is_sent_once_more() -> None:
    posts = [HANG_UP, Answer(201, [ROLE])]
    done = asked({"POST dcim/device-roles": posts}, lambda x: x.create("role", [ONE], RunIndex()))
    assert done == [WriteResult("leaf", "1")]


def test_a_server_that_loses_every_list_ends_the_run() -> None:
    with pytest.raises(UnsureError, match="502"):
        asked(
            {"POST dcim/device-roles": Answer(502)}, lambda x: x.create("role", [ONE], RunIndex())
        )


@pytest.mark.parametrize("made", [[], [ROLE, ROLE]])
def test_an_answer_to_a_list_has_as_many_objects(made: Any) -> None:
    with pytest.raises(DcimError, match="a list of 1 was answered with"):
        asked(
            {"POST dcim/device-roles": Answer(201, made)},
            lambda x: x.create("role", [ONE], RunIndex()),
        )


def test_an_answer_with_another_key_is_refused() -> None:
    wanted = thing("tenant", "lab/blue", name="blue")
    row = {"id": 1, "custom_fields": {"spx_place": "lab/red#00000000"}}
    with pytest.raises(DcimError, match="'lab/blue' was answered with other objects; run again"):
        asked(
            {"POST tenancy/tenants": Answer(201, [row])},
            lambda x: x.create("tenant", [wanted], RunIndex()),
        )


def update_one(netbox: NetBox) -> WriteResult:
    wanted = thing("tenant", "lab/blue", name="blue")
    found = DcimObject("tenant", "1", "lab/blue", "red", {"name": "red"}, True, (), 'W/"1"')
    return netbox.update("tenant", [Update(wanted, found, {"name": ("blue", "red")})], RunIndex())[
        0
    ]


@pytest.mark.parametrize(
    "shown, error",
    [
        ([[{"id": 1, "name": "blue"}]], ""),
        ([[{"id": 1, "name": "red"}], [{"id": 1, "name": "blue"}]], ""),
        ([[{"id": 1, "name": "red"}]] * 3, NOT_WRITTEN),
        ([[]] * 3, NOT_WRITTEN),
    ],
)
def test_a_change_without_an_answer_is_looked_for(shown: list[Any], error: str) -> None:
    """A slow server writes it while one looks."""
    looks = [page(*rows) for rows in shown]
    answers = {"PATCH tenancy/tenants/1": HANG_UP, "GET tenancy/tenants": looks}
    assert asked(answers, update_one) == WriteResult("lab/blue", "1", error)


def test_what_netbox_refuses_of_a_change_is_its_own_sentence() -> None:
    answers = {"PATCH tenancy/tenants/1": Answer(400, {"slug": ["Taken."]})}
    assert asked(answers, update_one).error == "slug: Taken."


ON_A_DEVICE = (
    "interface",
    "console_port",
    "console_server_port",
    "power_port",
    "power_outlet",
    "front_port",
    "rear_port",
    "device_bay",
    "module_bay",
    "inventory_item",
)
"""Counts of NetBox for a device as `..._count`, which it deletes with the device (REST reference, dcim/devices)."""
NOTHING_ON_IT = {f"{each}_count": 0 for each in ON_A_DEVICE}


@pytest.mark.parametrize("what", ON_A_DEVICE)
@pytest.mark.parametrize("count", [2, None, "0"])
def test_what_is_on_a_device_goes_with_it_so_that_it_stays(what: str, count: Any) -> None:
    row = device(1, 7, "lab/leaf-1#12345678") | NOTHING_ON_IT | {f"{what}_count": count}
    found = DcimObject("device", "1", "lab/leaf-1", "leaf-1", {}, True, (), "")
    (done,) = asked(
        {"GET dcim/devices": page(row)}, lambda x: x.delete("device", [found], RunIndex())
    )
    assert done.error.startswith(
        f"NetBox would delete or change its {what.replace('_', ' ')}s with it ("
    )


PORT = {
    "id": 5,
    "name": "swp1",
    "device": {"id": 2},
    "custom_fields": {"spx_place": "lab/leaf-1/swp1#1"},
    "last_updated": "2026-11-25T09:00:00Z",
    "cable": None,
    "count_ipaddresses": 0,
    "count_fhrp_groups": 0,
    "l2vpn_termination": None,
}
OURS = DcimObject(
    *("interface", "5", "lab/leaf-1/swp1", "swp1", {"name": "swp1", "mtu": 1500}, True),
    tags=("spectrum-x",),
    version='W/"1"',
)


@pytest.mark.parametrize(
    "path, row, error",
    [
        ("nothing", {}, ""),
        ("dcim/interfaces", {}, "members of the bond"),
        ("dcim/inventory-items", {}, "inventory items"),
        ("vpn/tunnel-terminations", {}, "tunnels"),
        ("circuits/virtual-circuit-terminations", {}, "virtual circuits"),
        ("nothing", {"l2vpn_termination": {"id": 3}}, "L2VPN"),
    ],
)
def test_what_people_keep_on_a_port_keeps_the_port(path: str, row: Any, error: str) -> None:
    """NetBox deletes all of it with the port: its generic relations in dcim/models/device_components.py."""
    answers = {
        "GET dcim/devices": page({"id": 2, "tags": [{"slug": "spectrum-x"}]}),
        f"GET {path}": page({"id": 9}),
        "GET dcim/interfaces": [
            page(PORT | row),
            *([page({"id": 9})] if path == "dcim/interfaces" else [page(), page()]),
        ],
        "DELETE dcim/interfaces/5": Answer(204),
    }
    (done,) = asked(answers, lambda x: x.delete("interface", [OURS], RunIndex()))
    assert done.error.startswith(
        f"NetBox would delete or change its {error} with it (" if error else ""
    )
    assert bool(done.error) == bool(error)


@pytest.mark.parametrize(
    "kind, path, where",
    [
        ("vlan", "ipam/vlans", "dcim/interfaces"),
        ("vlan", "ipam/vlans", "virtualization/interfaces"),
        ("route_target", "ipam/route-targets", "ipam/vrfs"),
        ("vrf", "ipam/vrfs", "virtualization/interfaces"),
        ("address", "ipam/ip-addresses", "ipam/services"),
    ],
)
def test_what_others_use_stays(kind: str, path: str, where: str) -> None:
    row = TENANT | {"last_updated": "2026-11-25T09:00:00Z", "l2vpn_termination": None}
    answers = {f"GET {path}": page(row), f"GET {where}": page({"id": 9})}
    found = WITH_TAG._replace(kind=kind)
    (done,) = asked(answers, lambda x: x.delete(kind, [found], RunIndex()))
    assert "(1); it was left alone." in done.error


@pytest.mark.parametrize("tags, error", [([{"slug": "spectrum-x"}], ""), ([], OVERTAKEN)])
def test_a_port_whose_device_lost_our_tag_meanwhile_is_not_changed(tags: Any, error: str) -> None:
    """The ETag of the port does not say so."""
    answers = {
        "GET dcim/interfaces": page(PORT),
        "GET dcim/devices": page({"id": 2, "tags": tags}),
        "PATCH dcim/interfaces/5": Answer(200, {"id": 5}),
    }
    change = Update(thing("interface", "lab/leaf-1/swp1", mtu=9216), OURS, {"mtu": (9216, 1500)})
    (done,) = asked(answers, lambda x: x.update("interface", [change], RunIndex()))
    assert done.error == error


def test_a_port_of_a_device_that_the_same_run_took_over_is_changed() -> None:
    """It was read when its device had no tag."""
    answers = {
        "GET dcim/interfaces": page(PORT | {"custom_fields": {"spx_place": None}}),
        "GET dcim/devices": page({"id": 2, "tags": [{"slug": "spectrum-x"}]}),
        "PATCH dcim/interfaces/5": Answer(200, {"id": 5}),
    }
    read = OURS._replace(key="", owned=False, tags=())
    change = Update(thing("interface", "lab/leaf-1/swp1", mtu=9216), read, {"mtu": (9216, 1500)})
    (done,) = asked(answers, lambda x: x.update("interface", [change], RunIndex()))
    assert done.error == ""


def test_a_delete_that_finds_nothing_is_looked_for_too() -> None:
    """A NetBox answers 404 also to a user who may not delete this object."""
    row = device(1, 7, "lab/leaf-1#12345678") | NOTHING_ON_IT
    found = DcimObject("device", "1", "lab/leaf-1", "leaf-1", {}, True, (), "")
    answers = {"DELETE dcim/devices/1": Answer(404, {}), "GET dcim/devices": page(row)}
    (done,) = asked(answers, lambda x: x.delete("device", [found], RunIndex()))
    assert done.error == "it is still there; check whether the token may delete it."


TENANT = {
    "id": 1,
    "name": "red",
    "tags": [{"slug": "spectrum-x"}],
    "custom_fields": {"spx_place": "lab/blue#1"},
}
WITH_TAG = DcimObject("tenant", "1", "lab/blue", "red", {"name": "red"}, True, ("spectrum-x",), "")


@pytest.mark.parametrize(
    "row, error",
    [
        ({}, ""),
        ({"tags": []}, OVERTAKEN),
        ({"custom_fields": {"spx_place": None}}, OVERTAKEN),
        ({"custom_fields": {"spx_place": "other/blue#1"}}, OVERTAKEN),
        ({"name": "green"}, OVERTAKEN),
    ],
)
@pytest.mark.parametrize("version", ['W/"1"', ""])
def test_what_is_no_longer_ours_is_not_changed(row: Any, error: str, version: str) -> None:
    """Check whether NetBox reports that it changed, or does not report when."""
    now = TENANT | {"last_updated": "2026-11-25T09:00:00Z"} | row
    refusals = [Answer(412, {})] if version else []
    answers = {
        "GET tenancy/tenants": page(now),
        "PATCH tenancy/tenants/1": [*refusals, Answer(200, {"id": 1})],
    }
    wanted = thing("tenant", "lab/blue", name="blue")
    change = Update(wanted, WITH_TAG._replace(version=version), {"name": ("blue", "red")})
    (done,) = asked(answers, lambda x: x.update("tenant", [change], RunIndex()))
    assert done == WriteResult("lab/blue", "1", error)


def test_netbox_holds_each_object_of_a_list_against_the_etags(story: Story) -> None:
    """Of a list with one ETag of the past nothing is written."""
    assert story.tagged[0] == (412, ["by hand", ""])
    assert story.tagged[1] == (200, ["list False", "list False"])


def test_what_the_same_run_has_taken_over_is_ours() -> None:
    """A device first, then its primary address, which has the key and the tag of the device."""
    now = TENANT | {"last_updated": "2026-11-25T09:00:00Z"}
    answers = {"GET tenancy/tenants": page(now), "PATCH tenancy/tenants/1": Answer(200, {"id": 1})}
    read = WITH_TAG._replace(key="", tags=(), owned=False)
    change = Update(thing("tenant", "lab/blue", name="blue"), read, {"name": ("blue", "red")})
    (done,) = asked(answers, lambda x: x.update("tenant", [change], RunIndex()))
    assert done.error == ""


@pytest.mark.parametrize("answer", [{"id": 2}, {}, []])
def test_a_change_is_answered_with_its_own_object(answer: Any) -> None:
    done = asked({"PATCH tenancy/tenants/1": Answer(200, answer)}, update_one)
    assert done.error == "it was answered with another object; run again."


def test_objects_of_a_list_are_those_that_were_sent() -> None:
    """In their order: others would be taken for them."""
    wanted = [thing("role", name, name=name) for name in ("leaf", "spine")]
    rows = [{"id": 1, "name": "spine"}, {"id": 2, "name": "leaf"}]
    with pytest.raises(DcimError, match="'leaf' was answered with other objects"):
        asked(
            {"POST dcim/device-roles": Answer(201, rows)},
            lambda x: x.create("role", wanted, RunIndex()),
        )


def test_what_does_not_say_when_it_changed_is_not_written_and_not_deleted() -> None:
    """Without a time there is no ETag, and nothing would hold the write against another one."""
    found = DcimObject("device", "1", "lab/n", "n", {}, True, (), "")
    row = device(1, 7, "lab/n#12345678") | NOTHING_ON_IT | {"last_updated": None}
    answers = {
        "GET dcim/devices": page(row),
        "GET ipam/ip-addresses": page({"id": 5, "address": "192.0.2.1/24"}),
    }
    left = WriteResult(
        "lab/n", "1", "NetBox does not say when it was last changed; it was left alone."
    )
    assert asked(answers, lambda x: x.delete("device", [found], RunIndex())) == [left]
    assert asked(answers, primary("", "")) == left


@pytest.mark.parametrize("left, error", [([], ""), ([1], "there was no answer; run again.")])
def test_a_delete_without_an_answer_is_looked_for(left: list[int], error: str) -> None:
    row = device(1, 7, "lab/leaf-1#12345678") | NOTHING_ON_IT
    found = DcimObject("device", "1", "lab/leaf-1", "leaf-1", {}, True, (), "")
    answers = {
        "DELETE dcim/devices/1": HANG_UP,
        "GET dcim/devices": [page(row), *[page(*[row for _one in left])] * 3],
    }
    assert asked(answers, lambda x: x.delete("device", [found], RunIndex())) == [
        WriteResult("lab/leaf-1", "1", error)
    ]


def test_what_is_gone_needs_no_delete() -> None:
    found = DcimObject("device", "1", "lab/leaf-1", "leaf-1", {}, True, (), "")
    assert asked({}, lambda x: x.delete("device", [found], RunIndex())) == [
        WriteResult("lab/leaf-1", "1")
    ]


def primary(held: str, found: str) -> Callable[[NetBox], WriteResult]:
    """Write the primary address 5 of a device that has ``held`` now, and had ``found`` when it was read."""
    index = RunIndex()
    for kind, key, id_ in (
        ("device", "lab/n", "1"),
        ("address", "lab/n/a", "5"),
        ("address", "lab/b", "6"),
    ):
        index.add(kind, key, id_)
    device, address = Ref("device", "lab/n"), Ref("address", "lab/n/a")
    wanted = thing("primary", "lab/n", device=device, address=address)
    there = DcimObject(
        "primary", "1", "lab/n", "n", {"address": Ref("address", found)}, True, (), ""
    )

    def write(netbox: NetBox) -> WriteResult:
        if not found:
            return netbox.create("primary", [wanted], index)[0]
        update = Update(wanted, there, {"address": (address, Ref("address", found))})
        return netbox.update("primary", [update], index)[0]

    return write


@pytest.mark.parametrize(
    "held, found, error",
    [
        ("", "", ""),
        ("5", "", ""),
        ("6", "lab/b", ""),
        ("6", "", "it has another one by now; run again."),
        ("7", "lab/b", "it has another one by now; run again."),
    ],
)
def test_a_primary_address_that_somebody_else_chose_stays(
    held: str, found: str, error: str
) -> None:
    shown = {"id": int(held), "name": f"address {held}"} if held else None
    answers = {
        "GET dcim/devices": page(
            {"id": 1, "name": "n", "primary_ip4": shown, "last_updated": "2026-11-27T09:00:00Z"}
        ),
        "GET ipam/ip-addresses": page({"id": 5, "address": "192.0.2.1/24"}),
        "PATCH dcim/devices/1": Answer(body={"id": 1}),
    }
    assert asked(answers, primary(held, found)) == WriteResult("lab/n", "1", error)


PRIMARIES = {
    "GET dcim/devices": page(
        *(
            {"id": id_, "name": f"n{id_}", "last_updated": f"2026-11-27T09:00:0{id_}.5Z"}
            for id_ in (1, 2)
        )
    ),
    "GET ipam/ip-addresses": page(*({"id": id_, "address": f"192.0.2.{id_}/24"} for id_ in (1, 2))),
}


def both(netbox: NetBox) -> list[str]:
    """Write the primary addresses of two devices; why each was not written."""
    index, wanted = RunIndex(), []
    for id_ in ("1", "2"):
        index.add("device", f"lab/n{id_}", id_)
        index.add("address", f"lab/n{id_}/a", id_)
        ends = {"device": Ref("device", f"lab/n{id_}"), "address": Ref("address", f"lab/n{id_}/a")}
        wanted.append(thing("primary", f"lab/n{id_}", **ends))
    return [done.error for done in netbox.create("primary", wanted, index)]


def test_primary_addresses_are_one_list() -> None:
    answers = {"PATCH dcim/devices": Answer(body=[{"id": 2}, {"id": 1}])}
    assert asked(PRIMARIES | answers, both) == ["", ""]


@pytest.mark.parametrize("answer", [[{"id": 1}], [{"id": 1}, {"id": 3}]])
def test_a_list_of_primary_addresses_is_answered_with_each_device(answer: Any) -> None:
    other = "it was answered with another object; run again."
    assert asked(PRIMARIES | {"PATCH dcim/devices": Answer(body=answer)}, both) == ["", other]


@pytest.mark.parametrize("status", [412, 400, 413])
def test_a_refused_list_of_primary_addresses_is_written_one_by_one(status: int) -> None:
    answers = {
        "PATCH dcim/devices": Answer(status, {"detail": "no"}),
        "PATCH dcim/devices/1": Answer(body={"id": 1}),
        "PATCH dcim/devices/2": Answer(412, {"detail": "no"}),
    }
    assert asked(PRIMARIES | answers, both) == ["", OVERTAKEN]


HAS_ITS_OWN = {"id": 1, "name": "n1", "primary_ip4": {"id": 1}}


@pytest.mark.parametrize(
    "other, error", [({}, NOT_WRITTEN), ({"primary_ip4": {"id": 9}}, NOT_WRITTEN), (None, "")]
)
def test_a_list_of_primary_addresses_without_an_answer_is_looked_for(
    other: dict[str, Any] | None, error: str
) -> None:
    """Of two devices one has its address at the first look; the other never has it, or at the third look."""
    second = {"id": 2, "name": "n2"}
    last = second | ({"primary_ip4": {"id": 2}} if other is None else other)
    looks = [page(HAS_ITS_OWN, second), page(HAS_ITS_OWN, second), page(HAS_ITS_OWN, last)]
    answers = PRIMARIES | {
        "GET dcim/devices": [PRIMARIES["GET dcim/devices"], *looks],
        "PATCH dcim/devices": HANG_UP,
    }
    assert asked(answers, both) == ["", error]


def test_a_single_primary_address_without_an_answer_is_looked_for_too() -> None:
    answers = PRIMARIES | {
        "GET dcim/devices": [PRIMARIES["GET dcim/devices"], page(HAS_ITS_OWN)],
        "PATCH dcim/devices": Answer(412, {"detail": "no"}),
        "PATCH dcim/devices/1": HANG_UP,
        "PATCH dcim/devices/2": Answer(body={"id": 2}),
    }
    assert asked(answers, both) == ["", ""]


def test_netbox_holds_one_interface_of_an_address_and_three_states_of_a_cable() -> None:
    ends = tuple(Ref("interface", f"lab/leaf-1/swp{n}") for n in (1, 2, 3))

    def fit(netbox: NetBox) -> list[Thing]:
        return [
            netbox.fit(thing("address", "lab/a", interfaces=ends, description="rail 0")),
            netbox.fit(thing("cable", "lab/c", status="disconnected")),
            netbox.fit(interface("lab/leaf-1", "swp1", role="uplink")),
        ]

    address, cable, port = asked({}, fit)
    assert address.values["interfaces"] == ends[:1]
    assert address.values["description"] == "rail 0; also on leaf-1/swp2, leaf-1/swp3"
    assert cable.values["status"] == "planned"
    assert port.values["role"] is None


SLUGGED = {"id": 9, "name": "Leaf", "slug": "leaf", "parent": None}
NVIDIA: Any = {"manufacturer": Ref("manufacturer", "NVIDIA")}


def model(manufacturer: str) -> Any:
    return {"id": 9, "model": "LEAF", "slug": "leaf", "manufacturer": {"name": manufacturer}}


@pytest.mark.parametrize(
    "kind, path, row, values, held",
    [
        ("role", "dcim/device-roles", SLUGGED, {}, True),
        ("role", "dcim/device-roles", {**SLUGGED, "parent": {"id": 1, "name": "core"}}, {}, False),
        ("device_type", "dcim/device-types", model("NVIDIA"), NVIDIA, True),
        ("device_type", "dcim/device-types", model("Other"), NVIDIA, False),
        ("vlan_group", "ipam/vlan-groups", {**SLUGGED, "name": "Leaf"}, {}, False),
    ],
)  # fmt: skip
def test_an_object_that_holds_the_slug_of_a_new_thing(
    kind: str, path: str, row: Any, values: Any, *, held: bool
) -> None:
    """NetBox keeps a slug once: a role below its parent, a device type by its manufacturer."""
    new = Thing(kind, "leaf", "leaf", {"name": "leaf", **values})
    holders = asked(
        {f"GET {path}": page(row)}, lambda netbox: netbox.slug_holders(kind, [new], RunIndex())
    )
    assert [(key, one.id) for key, one in holders.items()] == ([("leaf", "9")] if held else [])


@pytest.mark.parametrize(
    "there, deleted, said",
    [
        ([5], Answer(204), ""),
        ([4, 5], Answer(204), f"{TWIN}: run again."),
        ([5, 6], Answer(404, {"detail": "gone"}), f"{TWIN}: run again."),
        ([4, 5], Answer(403, {"detail": "no"}), f"{TWIN}; delete object 5, which cannot be taken"),
    ],
)  # fmt: skip
def test_what_two_pushes_make_at_once_is_taken_back(
    there: list[int], deleted: Answer, said: str
) -> None:
    """NetBox takes racks, VRFs and VLAN groups with one name any number of times."""
    group = Thing("vlan_group", "lab storage", "lab storage", {"name": "lab storage"})
    rows = [{"id": number, "name": "lab storage"} for number in there]
    answers = {
        "POST ipam/vlan-groups": Answer(201, [{"id": 5, "name": "lab storage", "custom_fields": {}}]),
        "GET ipam/vlan-groups": page(*rows),
        "DELETE ipam/vlan-groups/5": deleted,
    }  # fmt: skip
    index = RunIndex()
    (done,) = asked(answers, lambda netbox: netbox.create("vlan_group", [group], index))
    assert done.error.startswith(said)
    assert bool(done.error) == bool(said)
    assert index.id_of(Ref("vlan_group", "lab storage")) == (None if said else "5")
