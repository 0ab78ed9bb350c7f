# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nautobot: a story recorded from a real one, and answers that no Nautobot should give.

``recorded/nautobot-3.2.7.jsonl`` is what Nautobot 3.2.7 answered; see ``served.py`` for how to make it.
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
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.dialect import NOT_WRITTEN
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.nautobot import Nautobot
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.nautobot_table import LEFT
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.port import (
    DcimError,
    WriteResult,
)
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
    TAG,
    DcimObject,
    Ref,
    Thing,
    Value,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.index import RunIndex

from .example import SCOPE, bad, devices, interface, push, thing, things
from .served import HANG_UP, Answer, Request, answering, once, page, recording, served

TAPE = Path(__file__).parent / "recorded" / "nautobot-3.2.7.jsonl"
LOST = "lab/leaf-1/lost"
STATUSES = ("active", "planned", "failed", "offline", "connected", "disconnected", "wrong")


def client_of(url: str, token: str) -> Client:
    return Client(Server(url), f"Token {token}", pause=lambda _seconds: None)


def everything() -> list[Thing]:
    """The example, and what only Nautobot needs."""
    named = [("namespace", "Global"), ("location_type", "Site")]
    named += [("status", each) for each in STATUSES]
    return [*(thing(kind, name, name=name) for kind, name in named), *map(whole, things())]


def whole(one: Thing) -> Thing:
    """An address or a prefix with all that the plan knows of each: a begun one is known by all its fields."""
    more: dict[str, Value] = {}
    if one.kind == "address":
        more = {"tenant": "", "dns_name": "", "dhcp": one.key.endswith("eth0")}
    elif one.kind == "prefix":
        more = {"dhcp": True}
    return one._replace(values={**more, **one.values})


class Story(NamedTuple):
    """Story of the real server, step by step."""

    name: str
    first: list[WriteResult]
    second: tuple[list[WriteResult], list[DcimObject]]
    updates: dict[str, WriteResult]
    user: Mapping[str, Any]
    lists: list[WriteResult]
    lost: list[WriteResult]
    there: list[str]
    ended: dict[str, list[WriteResult]]
    third: tuple[list[WriteResult], list[DcimObject]]
    moved: list[DcimObject]
    unreserved: list[DcimObject]
    refused: dict[str, WriteResult]
    deleted: dict[str, list[WriteResult]]


@pytest.fixture(scope="module")
def story() -> Story:
    with recording(TAPE, lost=once(LOST)) as (url, token):
        client = client_of(url, token)
        return tell(Nautobot(client, workers=1), client)


def tell(nautobot: Nautobot, client: Client) -> Story:
    nautobot.check()
    wanted = everything()
    first, _none = push(nautobot, RunIndex(), wanted)
    index = RunIndex()
    second = push(nautobot, index, wanted)
    updates, user = changed(nautobot, client, index)
    lists = nautobot.create("interface", list(bad()), index)
    lost = [interface("lab/leaf-1", name) for name in ("lost", "lost2")]
    lost_done = nautobot.create("interface", lost, index)
    read = nautobot.read("interface", SCOPE, index)
    there = [each.name for each in read if each.name.startswith("lost")]
    begin(client)
    ended = {kind: end(nautobot, kind, index) for kind in ("cable", "address", "prefix")}
    third = push(nautobot, index, wanted)
    ended["unseen"] = unseen(nautobot, client, index)
    moved = move(nautobot, index)
    begin_again(client)
    ended["again"] = [*end(nautobot, "address", index), *end(nautobot, "prefix", index)]
    unreserved = unreserve(nautobot, client, index)
    found = {kind: list(nautobot.read(kind, SCOPE, index)) for kind in nautobot.kinds}
    refused = refusals(nautobot, client, found, index)
    order = ("primary", "cable", "address", "interface", "device", "prefix", "vlan", "asn", "vrf")
    deleted = {kind: nautobot.delete(kind, found[kind], index) for kind in order}
    return Story(
        nautobot.name, first, second, updates, user, lists, lost_done, there, ended, third,
        moved, unreserved, refused, deleted,
    )  # fmt: skip


def changed(
    nautobot: Nautobot, client: Client, index: RunIndex
) -> tuple[dict[str, WriteResult], Any]:
    """A user edits a device between our read and our write, then we read again."""
    wanted = next(devices())
    old = {each.key: each for each in nautobot.read("device", SCOPE, index)}[wanted.key]
    path = f"/api/dcim/devices/{old.id}/"
    types = ["dcim.device", "ipam.ipaddress"]
    client.write("POST", "/api/extras/tags/", {"name": "mine", "content_types": types})
    edits: Any = {"tags": [{"name": "mine"}], "comments": "hello", "status": "Offline"}
    client.write("PATCH", path, edits)
    late = nautobot.update("device", [Update(wanted, old, {"status": ("failed", "active")})], index)
    new = {each.key: each for each in nautobot.read("device", SCOPE, index)}[wanted.key]
    good = nautobot.update(
        "device", [Update(wanted, new, {"status": ("failed", "offline")})], index
    )
    after = {each.key: each for each in nautobot.read("device", SCOPE, index)}[wanted.key]
    user = {"row": client.read(path), "found": after, "untagged": new.owned}
    return {"late": late[0], "good": good[0]}, user


def begin(client: Client) -> None:
    """Leave a cable, an address and a prefix as a run leaves them that is killed in between."""
    cable = new_id("cable", "lab/leaf-1/swp1")
    body = {"tags": [], "custom_fields": {"spx_place": "lab/leaf-1/swp1#"}}
    client.write("PATCH", f"/api/dcim/cables/{cable}/", body)
    address, prefix = new_id("address", "lab/anycast"), new_id("prefix", "lab/net")
    cut(client, "ip-address-to-interface", ("ip_address", address))
    cut(client, "vrf-prefix-assignments", ("prefix", prefix))


def unseen(nautobot: Nautobot, client: Client, index: RunIndex) -> list[WriteResult]:
    """Create an address that a killed run left without an interface: the read of a part does not find it."""
    cut(client, "ip-address-to-interface", ("ip_address", new_id("address", "lab/anycast")))
    wanted = nautobot.fit(next(each for each in everything() if each.key == "lab/anycast"))
    done = nautobot.create("address", [wanted], index)
    found = {each.key: each for each in nautobot.read("address", SCOPE, index)}[wanted.key]
    assert found.values["interfaces"] == wanted.values["interfaces"]
    return done


def begin_again(client: Client) -> None:
    """Leave an address and a prefix as a run leaves them that is killed while it moves them: the mark has no digest."""
    for path, kind, key in (
        ("ip-addresses", "address", "lab/anycast"),
        ("prefixes", "prefix", "lab/net"),
    ):
        body: Any = {"custom_fields": {"spx_place": f"{key}#"}}
        client.write("PATCH", f"/api/ipam/{path}/{new_id(kind, key)}/", body)


def cut(client: Client, path: str, asked: tuple[str, str]) -> None:
    """Delete the assignments of an object."""
    page = client.read(f"/api/ipam/{path}/", (asked,))
    assert isinstance(page, dict)
    rows = page["results"]
    assert isinstance(rows, list)
    assert rows
    for row in rows:
        assert isinstance(row, dict)
        client.write("DELETE", f"/api/ipam/{path}/{row['id']}/")


def end(nautobot: Nautobot, kind: str, index: RunIndex) -> list[WriteResult]:
    """Return the work of the next push for things of a kind."""
    wanted = [nautobot.fit(each) for each in everything() if each.kind == kind]
    changes = list(difference(wanted, list(nautobot.read(kind, SCOPE, index))))
    assert not [each for each in changes if isinstance(each, Conflict)]
    return nautobot.update(kind, [each for each in changes if isinstance(each, Update)], index)


def move(nautobot: Nautobot, index: RunIndex) -> list[DcimObject]:
    """Change a VRF, the carrier of an address and a primary address; what is read then."""
    found = {
        kind: {each.key: each for each in nautobot.read(kind, SCOPE, index)}
        for kind in ("interface", "address", "primary")
    }
    port, address = "lab/leaf-1/swp2", "lab/anycast"
    ends = tuple(Ref("interface", f"lab/leaf-2/swp{n}") for n in (1, 2))
    device, other = Ref("device", "lab/leaf-2"), Ref("address", address)
    changes = {
        "interface": (thing("interface", port, device=Ref("device", "lab/leaf-1"), vrf=""), "vrf"),
        "address": (thing("address", address, interfaces=ends), "interfaces"),
        "primary": (thing("primary", device.key, device=device, address=other), "address"),
    }
    read = []
    for kind, (wanted, field) in changes.items():
        old = found[kind][wanted.key]
        pair = (wanted.values[field], old.values[field])
        done = nautobot.update(kind, [Update(wanted, old, {field: pair})], index)
        assert done == [WriteResult(wanted.key, old.id)]
        read += [x for x in nautobot.read(kind, SCOPE, index) if x.key == wanted.key]
    return read


def unreserve(nautobot: Nautobot, client: Client, index: RunIndex) -> list[DcimObject]:
    """Both addresses at eth0 after DHCP must not reserve the first one any more, which somebody tagged."""
    wanted = thing("address", "lab/leaf-1/eth0", dhcp=False)
    path = f"/api/ipam/ip-addresses/{new_id('address', wanted.key)}/"
    held = client.read(path)
    assert isinstance(held, dict)
    assert isinstance(held["tags"], list)
    client.write("PATCH", path, {"tags": [*held["tags"], {"name": "mine"}]})
    old = {each.key: each for each in nautobot.read("address", SCOPE, index)}[wanted.key]
    done = nautobot.update("address", [Update(wanted, old, {"dhcp": (False, True)})], index)
    assert done == [WriteResult(wanted.key, old.id)]
    found = nautobot.read("address", SCOPE, index)
    return sorted((each for each in found if each.key.endswith("eth0")), key=lambda x: x.key)


def refusals(
    nautobot: Nautobot, client: Client, found: Mapping[str, list[DcimObject]], index: RunIndex
) -> dict[str, WriteResult]:
    """Ask for deletes that would take more away than what is ours."""
    by = {kind: {each.key: each for each in rows} for kind, rows in found.items()}
    foreign = by["interface"][LOST]
    no_place: Any = {"custom_fields": {"spx_place": None}}
    client.write("PATCH", f"/api/dcim/interfaces/{foreign.id}/", no_place)
    asked = {
        "device": ("device", by["device"]["lab/leaf-1"]),
        "interface": ("interface", by["interface"]["lab/leaf-1/eth0"]),
        "foreign": ("interface", foreign),
        "vrf": ("vrf", by["vrf"]["lab/blue"]),
        "cabled": ("interface", by["interface"]["lab/leaf-1/swp1"]),
    }
    said = {name: nautobot.delete(kind, [each], index)[0] for name, (kind, each) in asked.items()}
    said["nat"] = behind(nautobot, client, by["address"]["lab/anycast"], index)
    path = f"/api/dcim/devices/{by['device']['lab/leaf-1'].id}/"
    held: Any = client.read(path)
    client.write("PATCH", path, {"tags": []})
    (said["untagged"],) = nautobot.delete("interface", [by["interface"]["lab/leaf-1/lost2"]], index)
    client.write("PATCH", path, {"tags": [{"id": each["id"]} for each in held["tags"]]})
    keep(client, by["device"]["lab/leaf-1"], by["interface"][KEPT])
    return said


def behind(nautobot: Nautobot, client: Client, address: DcimObject, index: RunIndex) -> WriteResult:
    """Somebody has an address outside of NAT for ours, for a moment; what is said to the end of ours then."""
    place: Any = {"namespace": {"name": "Global"}, "status": {"name": "Active"}}
    outside: Any = {"address": "10.0.9.200/32", "nat_inside": address.id, **place}
    made = client.write("POST", "/api/ipam/ip-addresses/", outside)
    row: Any = client.decode(made, "a write")
    (done,) = nautobot.delete("address", [address], index)
    assert client.write("DELETE", f"/api/ipam/ip-addresses/{row['id']}/").status == 204
    return done


KEPT = "lab/leaf-1/good"


def keep(client: Client, device: DcimObject, port: DcimObject) -> None:
    """Somebody makes a subinterface on a port."""
    active: Any = {"status": {"name": "Active"}, "type": "virtual"}
    below = {"device": device.id, "name": "good.7", "parent_interface": port.id, **active}
    assert client.write("POST", "/api/dcim/interfaces/", below).status == 201


def test_a_push_creates_everything_and_then_nothing(story: Story) -> None:
    assert story.name == "Nautobot 3.2.7"
    assert [each for each in story.first if each.error or not each.id] == []
    assert {each.key for each in story.first} >= {"lab/leaf-1", "lab/leaf-1/swp1", "lab/anycast"}
    assert story.second == ([], [])


def test_the_ids_are_ours(story: Story) -> None:
    made = {each.id for each in story.first}
    assert new_id("device", "lab/leaf-1") in made
    assert new_id("cable", "lab/leaf-1/swp1") in made


def test_a_change_that_somebody_overtook_is_refused_and_users_keep_what_is_theirs(
    story: Story,
) -> None:
    assert story.updates["late"].error == "somebody changed it after it was read; run again."
    assert story.updates["good"].error == ""
    assert not story.user["untagged"]
    assert story.user["row"]["comments"] == "hello"
    assert story.user["row"]["custom_fields"]["spx_place"] == mark(next(devices()))
    assert story.user["found"].values["status"] == "failed"
    assert set(story.user["found"].tags) == {"mine", "spectrum-x"}


def test_bad_items_of_a_list_are_dropped_and_reported(story: Story) -> None:
    errors = {each.key: each.error for each in story.lists}
    assert errors.pop("lab/leaf-1/good") == ""
    assert errors.pop("lab/leaf-9/gone") == "device 'lab/leaf-9' is not in the DCIM."
    assert "nonsense" in errors.pop("lab/leaf-1/odd")
    assert "unique" in errors.pop("lab/leaf-1/twin")
    assert errors == {}


def test_a_list_whose_answer_was_lost_is_not_sent_twice(story: Story) -> None:
    assert [each.error for each in story.lost] == ["", ""]
    assert sorted(story.there) == ["lost", "lost2"]


def test_what_a_killed_run_began_is_ended(story: Story) -> None:
    assert {kind: [each.key for each in done] for kind, done in story.ended.items()} == {
        "cable": ["lab/leaf-1/swp1"],
        "address": ["lab/anycast"],
        "prefix": ["lab/net"],
        "again": ["lab/anycast", "lab/net"],
        "unseen": ["lab/anycast"],
    }
    assert {each.error for done in story.ended.values() for each in done} == {""}
    done, differs = story.third
    assert done == []
    assert [each.key for each in differs] == ["lab/leaf-1"]


def test_assignments_follow_the_plan(story: Story) -> None:
    port, address, primary = story.moved
    assert port.values["vrf"] == ""
    ends = tuple(Ref("interface", f"lab/leaf-2/swp{n}") for n in (1, 2))
    assert address.values["interfaces"] == ends
    assert primary.values["address"] == Ref("address", "lab/anycast")


def test_dhcp_reserves_what_the_plan_says_and_tags_of_others_stay(story: Story) -> None:
    first, second = story.unreserved
    assert (first.values["dhcp"], set(first.tags)) == (False, {"mine", "spectrum-x"})
    assert (second.values["dhcp"], set(second.tags)) == (True, {"dhcp-reserve", "spectrum-x"})


def test_what_would_take_something_else_away_is_not_deleted(story: Story) -> None:
    said = {kind: each.error for kind, each in story.refused.items()}
    assert said["device"].startswith("Nautobot would delete its interfaces (8) too")
    assert said["interface"].startswith("Nautobot would delete its ip addresses (1) too")
    assert said["vrf"].startswith("Nautobot would delete its interfaces (3) too")
    assert said["cabled"].startswith("Nautobot would delete its end of cable ")
    assert said["nat"].startswith("Nautobot would delete its nat outside list (1) too")
    assert said["foreign"].endswith("on a device with tag spectrum-x; it was left alone.")
    assert said["untagged"].startswith(
        "it no longer carries the key 'lab/leaf-1/lost2' on a device"
    )


def test_what_is_ours_is_deleted_from_the_end(story: Story) -> None:
    errors = {
        each.key: each.error for part in story.deleted.values() for each in part if each.error
    }
    assert set(errors) == {LOST, KEPT, "lab/leaf-1"}
    assert errors[KEPT].startswith("Nautobot would delete its child interfaces (1) too")
    assert errors["lab/leaf-1"].startswith("Nautobot would delete its interfaces (3) too")


def asked(answers: Mapping[str, Any], work: Callable[[Nautobot], Any]) -> Any:
    """Work on a Nautobot that answers by method and path; a list of answers is given in turn."""
    with answering(answers) as url:
        return work(Nautobot(client_of(url, "t"), workers=1))


def graph(**lists: list[Any]) -> Answer:
    """An answer of GraphQL."""
    return Answer(body={"data": lists})


def status(version: str, *apps: str) -> Answer:
    return Answer(body={"nautobot-version": version, "nautobot-apps": dict.fromkeys(apps, "1")})


@pytest.mark.parametrize("version", ["3.2.0", "3.2.7", "3.10.1b1"])
def test_known_versions(version: str) -> None:
    asked({"GET status": status(version)}, lambda nautobot: nautobot.check())


@pytest.mark.parametrize(
    "answers, said",
    [
        ({"GET status": status("3.1.9")}, "this is Nautobot 3.1.9; 3.2.0 or newer"),
        ({"GET status": status("4.0.0")}, "this is Nautobot 4.0.0; 3.2.0 or newer"),
        ({"GET status": Answer(body={"netbox-version": "4.7.3"})}, "this is NetBox: set kind"),
        ({"GET status": Answer(body=[])}, "no version of Nautobot: correct url"),
        ({"GET status": Answer(404, b"Not Found")}, ": correct url of spx_dcim."),
        ({"GET status": Answer(500, b"no")}, ": see the log of the server, and run again."),
        ({"GET status": Answer(200, b"<h1>Welcome</h1>")}, "in place of JSON"),
        ({"GET status": Answer(302, b"", {"Location": "/login/"})}, "redirect to '/login/'"),
        ({"GET status": Answer(401, {"detail": "Token expired"})}, "Token expired"),
        (
            {"GET status": status("3.2.7"), "GET extras/tags": Answer(403, {"detail": "No."})},
            "answered 403: No; check that the token",
        ),
    ],
)
def test_what_is_no_nautobot_to_write_to(answers: Any, said: str) -> None:
    with pytest.raises(DcimError) as found:
        asked(answers, lambda nautobot: nautobot.check())
    assert said in str(found.value)


def tenant(number: int, name: str = "blue") -> dict[str, Any]:
    """A tenant as GraphQL shows it."""
    return {
        "id": f"id-{number}",
        "name": name,
        "description": "",
        "tags": [{"id": "t", "name": "spectrum-x"}],
        "_custom_field_data": {"spx_place": f"lab/{name}#12345678"},
        "last_updated": "2026-11-25T09:00:00.5+00:00",
    }


def tenants(nautobot: Nautobot) -> list[DcimObject]:
    return list(nautobot.read("tenant", SCOPE, RunIndex()))


@pytest.mark.parametrize(
    "answer, said",
    [
        (graph(tenants=[tenant(1)]), "counted 2 objects and sent 1"),
        (graph(tenants=[tenant(1), tenant(1)]), "counted 2 objects and sent 1"),
        ([graph(tenants=[tenant(n) for n in range(1000)])] * 9, "the DCIM changed during the read"),
        (graph(tenants=[{"name": "blue"}]), "an object without id"),
        (graph(tenants=["blue"]), "a list was expected"),
        (graph(), "a list was expected"),
        (Answer(body={"data": {"tenants": []}, "errors": [{"message": "Half."}]}), "Half"),
        (Answer(400, {"errors": [{"message": "Unknown argument 'x'."}]}), "Unknown argument 'x'"),
        (Answer(200, b"<html>"), "in place of JSON"),
        (Answer(302, b"", {"Location": "/login/"}), "redirect to '/login/'"),
        (Answer(403, {"detail": "Token expired"}), "Token expired"),
        ([Answer(502)] * 4, "502"),
    ],
)
def test_an_answer_that_is_no_list_is_never_read_as_one(answer: Any, said: str) -> None:
    answers = {"POST graphql": answer, "GET tenancy/tenants": page(count=2)}
    with pytest.raises(DcimError) as found:
        asked(answers, tenants)
    assert said in str(found.value)


def test_a_read_goes_on_after_a_bad_gateway_and_a_hang_up() -> None:
    graphs = [Answer(502), HANG_UP, graph(tenants=[tenant(1)])]
    found = asked({"POST graphql": graphs, "GET tenancy/tenants": page(count=1)}, tenants)
    assert [(each.id, each.key, each.owned) for each in found] == [("id-1", "lab/blue", True)]
    assert found[0].version == "2026-11-25T09:00:00.500000+00:00"


def test_a_full_page_is_followed_by_the_next() -> None:
    first = [tenant(number, f"t{number}") for number in range(1000)]
    graphs = [graph(tenants=first), graph(tenants=[first[-1], tenant(1000)])]
    found = asked({"POST graphql": graphs, "GET tenancy/tenants": page(count=1001)}, tenants)
    assert len(found) == 1001


ROLE = {"id": "r", "name": "leaf", "content_types": ["dcim.rack"]}


@pytest.mark.parametrize(
    "answer, said",
    [
        (page(*[ROLE] * 3, count=4), "the DCIM changed during the read"),
        (Answer(body=[ROLE]), "a page was expected"),
        (Answer(body={"count": 1, "results": ["leaf"]}), "a page was expected"),
    ],
)
def test_a_short_list_of_rest_is_no_list(answer: Answer, said: str) -> None:
    answers = {"GET extras/roles": [answer, page(count=4)]}
    with pytest.raises(DcimError) as found:
        asked(answers, lambda x: list(x.read("role", SCOPE, RunIndex())))
    assert said in str(found.value)


def test_the_mark_of_what_gets_another_assignment_has_no_digest_until_it_has_it() -> None:
    """Whoever is killed in between leaves what the next run ends, and takes for nobody's change."""
    wanted = thing("address", "lab/vip", interfaces=(Ref("interface", "lab/leaf-1/swp2"),))
    old = tuple(Ref("interface", f"lab/leaf-1/swp{number}") for number in (1,))
    row = {
        "id": "vip",
        "tags": [{"id": "t", "name": "spectrum-x"}],
        "_custom_field_data": {"spx_place": "lab/vip#0"},
        "last_updated": "2026-11-25T09:00:00+00:00",
    }
    seen: list[Any] = []

    def answer(request: Request) -> Answer:
        if "graphql" in request.path:
            return graph(ip_addresses=[row])
        if request.method == "GET":
            word = {"id": "w", "name": "spectrum-x", "content_types": ["ipam.ipaddress"]}
            tie = {"id": "tie", "interface": {"id": "port-1"}}
            return page(tie if "to-interface" in request.path else word)
        seen.append((request.method, request.path.split("/")[3], request.body))
        if request.method == "DELETE":
            return Answer(204)
        return Answer(201 if request.method == "POST" else 200, request.body)

    index = RunIndex()
    index.add("interface", "lab/leaf-1/swp1", "port-1")
    index.add("interface", "lab/leaf-1/swp2", "port-2")
    found = DcimObject(
        "address",
        "vip",
        "lab/vip",
        "vip",
        {"interfaces": old},
        True,
        (),
        "2026-11-25T09:00:00+00:00",
        "0",
    )
    update = Update(wanted, found, {"interfaces": (wanted.values["interfaces"], old)})
    with served(answer) as url:
        assert Nautobot(client_of(url, "t"), workers=1).update("address", [update], index) == [
            WriteResult("lab/vip", "vip")
        ]
    marks = [each[2][0]["custom_fields"]["spx_place"] for each in seen if each[1] == "ip-addresses"]
    assert marks == ["lab/vip#", mark(wanted)]
    assert [each[:2] for each in seen if each[1].startswith("ip-address")] == [
        ("PATCH", "ip-addresses"),
        ("POST", "ip-address-to-interface"),
        ("DELETE", "ip-address-to-interface"),
        ("PATCH", "ip-addresses"),
    ]


def test_a_role_for_other_objects_is_made_for_ours_too() -> None:
    seen: list[Any] = []

    def answer(request: Request) -> Answer:
        seen.append((request.method, request.body))
        return page(ROLE) if request.method == "GET" else Answer(200, {"id": "r"})

    wanted = thing("role", "leaf", name="leaf")
    with served(answer) as url:
        nautobot = Nautobot(client_of(url, "t"))
        assert list(nautobot.read("role", SCOPE, RunIndex())) == []
        assert nautobot.create("role", [wanted], RunIndex()) == [WriteResult("leaf", "r")]
    assert seen[-1] == ("PATCH", {"content_types": ["dcim.device", "dcim.rack"]})


ONE = thing("tenant", "lab/blue", name="blue")
TWO = thing("tenant", "lab/red", name="red")
IDS = [new_id("tenant", "lab/blue"), new_id("tenant", "lab/red")]
MADE = [{"id": IDS[0]}, {"id": IDS[1]}]


@pytest.mark.parametrize(
    "posts, errors",
    [
        ([Answer(201, MADE)], ["", ""]),
        ([Answer(400, [{}, {"name": ["Taken."]}]), Answer(201, MADE[:1])], ["", "name: Taken."]),
        (
            [
                Answer(400, {"detail": "no"}),
                Answer(201, MADE[:1]),
                Answer(400, [{"name": ["Bad"]}]),
            ],
            ["", "name: Bad."],
        ),
    ],
)
def test_bad_items_are_found_and_the_rest_is_written(posts: Any, errors: list[str]) -> None:
    answers = {
        "POST tenancy/tenants": posts,
        "POST graphql": graph(tenants=[]),
        "GET tenancy/tenants": Answer(body={"count": 0, "results": []}),
    }
    done = asked(answers, lambda x: x.create("tenant", [ONE, TWO], RunIndex()))
    said = {each.key: each.error for each in done}
    assert [said["lab/blue"], said["lab/red"]] == errors


OURS_THERE = {"_custom_field_data": {"spx_place": mark(ONE)}, "tags": [{"id": "t", "name": TAG}]}


@pytest.mark.parametrize(
    "more, error",
    [
        (OURS_THERE, ""),
        (OURS_THERE | {"tags": []}, "id: Taken."),
        (OURS_THERE | {"_custom_field_data": {"spx_place": "lab/blue#0"}}, "id: Taken."),
    ],
)
def test_what_is_there_as_it_was_sent_is_not_refused(more: Any, error: str) -> None:
    """A run made it and was killed, and the read of a part does not find it."""
    answers = {
        "POST tenancy/tenants": [Answer(400, [{"id": ["Taken."]}, {}]), Answer(201, MADE[1:])],
        "POST graphql": graph(tenants=[{"id": IDS[0], "name": "blue", **more}]),
    }
    done = asked(answers, lambda x: x.create("tenant", [ONE, TWO], RunIndex()))
    assert {each.key: each.error for each in done} == {"lab/blue": error, "lab/red": ""}


def test_a_list_that_nobody_answers_ends_the_run() -> None:
    answers = {"POST tenancy/tenants": Answer(502), "POST graphql": graph(tenants=[])}
    with pytest.raises(UnsureError, match="502"):
        asked(answers, lambda x: x.create("tenant", [ONE], RunIndex()))


def test_a_list_is_answered_with_its_own_ids() -> None:
    answers = {"POST tenancy/tenants": Answer(201, [{"id": "other"}])}
    with pytest.raises(DcimError, match="a list of 1 objects was answered with others"):
        asked(answers, lambda x: x.create("tenant", [ONE], RunIndex()))


PORT = {
    "id": "p",
    "name": "swp1",
    "device": {"id": "d", "name": "leaf-1"},
    "mtu": 1500,
    "_custom_field_data": {"spx_place": "lab/leaf-1/swp1#1"},
    "last_updated": "2026-11-25T09:00:00+00:00",
    **{each: None if each == "cable" else [] for each in LEFT["interface"]},
}
OURS = DcimObject(
    *("interface", "p", "lab/leaf-1/swp1", "swp1", {"name": "swp1", "mtu": 1500}, True),
    tags=("spectrum-x",),
    version="2026-11-25T09:00:00+00:00",
)
WITH_OUR_TAG = {"id": "d", "name": "leaf-1", "tags": [{"id": "t", "name": "spectrum-x"}]}


@pytest.mark.parametrize(
    "left",
    ["", "child_interfaces", "interface_redundancy_group_associations", "member_interfaces"],
)
def test_what_people_keep_on_a_port_keeps_the_port(left: str) -> None:
    """Nautobot deletes all of it with the port: on_delete=CASCADE in dcim/models/device_components.py."""
    answers = {
        "POST graphql": [
            graph(interfaces=[PORT | ({left: [{"id": "x"}]} if left else {})]),
            graph(devices=[WITH_OUR_TAG]),
        ],
        "DELETE dcim/interfaces/p": Answer(204),
    }
    (done,) = asked(answers, lambda x: x.delete("interface", [OURS], RunIndex()))
    words = f"Nautobot would delete its {left.replace('_', ' ')} (1) too; it was left alone."
    assert done.error == (words if left else "")


@pytest.mark.parametrize("lost", [False, True])
def test_a_port_whose_device_lost_our_tag_meanwhile_is_not_changed(lost: bool) -> None:
    """The time of the last change of the port does not say so."""
    device = WITH_OUR_TAG | ({"tags": []} if lost else {})
    answers = {
        "POST graphql": [graph(interfaces=[PORT]), graph(devices=[device])],
        "GET extras/roles": page(
            {"id": "r", "name": "Uplink", "content_types": ["dcim.interface"]}
        ),
        "PATCH dcim/interfaces": Answer(200, [{"id": "p"}]),
    }
    change = Update(thing("interface", "lab/leaf-1/swp1", mtu=9216), OURS, {"mtu": (9216, 1500)})

    def update(nautobot: Nautobot) -> list[WriteResult]:
        nautobot._offered.add("interface")
        return nautobot.update("interface", [change], RunIndex())

    (done,) = asked(answers, update)
    assert done.error == ("somebody changed it after it was read; run again." if lost else "")


LATER = tenant(1) | {"last_updated": "2026-11-25T09:00:01+00:00"}
WRITTEN = tenant(1) | {"_custom_field_data": {"spx_place": mark(ONE)}}


@pytest.mark.parametrize(
    "graphs, patches, error",
    [
        ([[tenant(1)]], Answer(200, [{"id": "id-1"}]), ""),
        (
            [[tenant(1) | {"last_updated": None, "description": "x"}]],
            Answer(200, [{"id": "id-1"}]),
            "",
        ),
        (
            [[LATER | {"description": "x", "tags": []}]],
            Answer(200, []),
            "somebody changed it after it was read; run again.",
        ),
        ([[]], Answer(200, []), "somebody deleted it after it was read; run again."),
        ([[LATER | {"description": "x"}]], Answer(200, [{"id": "id-1"}]), ""),
        (
            [[LATER | {"description": "y"}]],
            Answer(200, []),
            "somebody changed it after it was read; run again.",
        ),
        ([[tenant(1)]], Answer(400, {"name": ["Taken."]}), "name: Taken."),
        ([[tenant(1)], [WRITTEN]], HANG_UP, ""),
        ([[tenant(1)], [tenant(1)], [WRITTEN]], HANG_UP, ""),
        ([[tenant(1)]] * 4, Answer(502), NOT_WRITTEN),
    ],
)
def test_a_change(graphs: Any, patches: Answer, error: str) -> None:
    found = DcimObject(
        *("tenant", "id-1", "lab/blue", "blue", {"description": "x"}, True, ("spectrum-x",)),
        version="2026-11-25T09:00:00.500000+00:00",
    )
    change = Update(ONE, found, {"description": ("", "x")})
    answers = {
        "POST graphql": [graph(tenants=each) for each in graphs],
        "PATCH tenancy/tenants": patches,
    }
    done = asked(answers, lambda x: x.update("tenant", [change], RunIndex()))
    assert done == [WriteResult("lab/blue", "id-1", error)]


@pytest.mark.parametrize(
    "held, error",
    [
        ({"id": "a-1", "address": "10.0.0.1/24"}, ""),
        ({"id": "a-2"}, NOT_WRITTEN),
        (None, NOT_WRITTEN),
    ],
)
def test_a_primary_address_without_an_answer_is_looked_for(held: Any, error: str) -> None:
    """It has no mark of its own."""
    index = RunIndex()
    index.add("device", "lab/n", "id-1")
    index.add("address", "lab/n/a", "a-1")
    ends = {"device": Ref("device", "lab/n"), "address": Ref("address", "lab/n/a")}
    rows = [{"id": "id-1", "name": "n", "primary_ip4": each} for each in (None, held, held, held)]
    answers = {
        "POST graphql": [graph(devices=[row]) for row in rows],
        "PATCH dcim/devices": HANG_UP,
    }
    wanted = thing("primary", "lab/n", **ends)
    done = asked(answers, lambda x: x.create("primary", [wanted], index))
    assert done == [WriteResult("lab/n", "id-1", error)]


@pytest.mark.parametrize("rows", [[], [{"id": "id-2"}], {}])
def test_a_change_is_answered_with_its_own_objects(rows: Any) -> None:
    found = DcimObject(
        "tenant",
        "id-1",
        "lab/blue",
        "blue",
        {},
        True,
        ("spectrum-x",),
        "2026-11-25T09:00:00.500000+00:00",
    )
    answers = {
        "POST graphql": graph(tenants=[tenant(1)]),
        "PATCH tenancy/tenants": Answer(200, rows),
    }
    with pytest.raises(DcimError, match="PATCH /api/tenancy/tenants/ was answered with"):
        asked(answers, lambda x: x.update("tenant", [Update(ONE, found, {})], RunIndex()))


@pytest.mark.parametrize(
    "graphs, answer, error",
    [
        ([[tenant(1)]] * 4, Answer(404), "it is still there; check whether the token may delete it."),
        ([[tenant(1)]], Answer(204), ""),
        ([[]], Answer(500), ""),
        ([[tenant(1)], []], HANG_UP, ""),
        ([[tenant(1)], [tenant(1)], []], HANG_UP, ""),
        ([[tenant(1)]] * 4, HANG_UP, "there was no answer; run again."),
        ([[tenant(1)]], Answer(409, {"detail": "Two devices refer to it."}), "Two devices refer to it."),
        (
            [[tenant(1, "red")]],
            Answer(204),
            "it no longer carries the key 'lab/blue' and tag spectrum-x; it was left alone.",
        ),
    ],
)  # fmt: skip
def test_a_delete(graphs: Any, answer: Answer, error: str) -> None:
    found = DcimObject("tenant", "id-1", "lab/blue", "blue", {}, True, ("spectrum-x",), "")
    answers = {
        "POST graphql": [graph(tenants=each) for each in graphs],
        "DELETE tenancy/tenants/id-1": answer,
    }
    done = asked(answers, lambda x: x.delete("tenant", [found], RunIndex()))
    assert done == [WriteResult("lab/blue", "id-1", error)]


@pytest.mark.parametrize("apps", [(), ("nautobot_bgp_models",)])
def test_as_numbers_belong_to_an_app(apps: tuple[str, ...]) -> None:
    def kinds(nautobot: Nautobot) -> Any:
        nautobot.check()
        return nautobot.kinds

    assert ("asn" in asked({"GET status": status("3.2.7", *apps)}, kinds)) is bool(apps)


def test_an_address_is_in_no_vrf_of_its_own() -> None:
    wanted = thing("address", "lab/a", vrf=Ref("vrf", "lab/blue"))
    assert asked({}, lambda nautobot: nautobot.fit(wanted)).values["vrf"] is None
