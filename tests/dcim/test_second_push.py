# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens to a DCIM and to a plan between two pushes, and what the second one does then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from dcim.project import Project, cables, devices
from dcim.proxy import Fault, Proxy
from dcim.rest import counts, done, every, one
from dcim.servers import Server

pytestmark = pytest.mark.slow
LEAF = "leaf-p1-su001-r1"
PORT = "swp1s0"


def stamps(server: Server, endpoint: str) -> dict[str, str]:
    """When each object was changed last, by id."""
    return {item["id"]: item["last_updated"] for item in every(server, endpoint)}


def patch(server: Server, endpoint: str, item: dict[str, Any], **values: Any) -> None:
    """Change an object as a person does."""
    done(server, f"/api/{endpoint}/{item['id']}/", method="PATCH", body=values)


def port(server: Server, device: str = LEAF, name: str = PORT) -> dict[str, Any]:
    """An interface."""
    (found,) = every(server, "dcim/interfaces", device=device, name=name)
    return found


def names(server: Server, endpoint: str) -> list[str]:
    """What people read of each object of an endpoint, sorted."""
    return sorted(str(item["display"]) for item in every(server, endpoint))


def silent(project: Project, proxy: Proxy) -> None:
    """The next push writes nothing."""
    before = len(proxy.writes)
    assert "no difference, nothing to write" in project.push()
    assert proxy.writes[before:] == []


def test_an_su_that_is_added_costs_its_own_objects(
    project: Project, proxy: Proxy, server: Server
) -> None:
    absent = yaml.safe_load((project.folder / "model" / "fabric.yml").read_text(encoding="utf-8"))[
        "absent"
    ]
    project.change("fabric.yml", absent=[*absent, "pod01/su02"])
    project.push()
    assert {device["name"] for device in every(server, "dcim/devices")} == devices(project.fabric())
    before = stamps(server, "dcim/devices")
    old_cables = stamps(server, "dcim/cables")
    project.change("fabric.yml", absent=absent)
    project.push()
    after = stamps(server, "dcim/devices")
    assert {item: after[item] for item in before} == before
    assert stamps(server, "dcim/cables").items() >= old_cables.items()
    assert {device["name"] for device in every(server, "dcim/devices")} == devices(project.fabric())
    assert counts(server)["dcim/cables"] == len(cables(project.fabric()))
    silent(project, proxy)


def test_a_node_that_moved_changes_its_ports_and_no_cable(
    pushed: Project, proxy: Proxy, server: Server
) -> None:
    before, old_cables = counts(server), stamps(server, "dcim/cables")
    path = pushed.folder / "model" / "tenants.yml"
    tenants = yaml.safe_load(path.read_text(encoding="utf-8"))["tenants"]
    acme, globex = tenants
    acme["nodes"], globex["nodes"] = ["*/su01/h01"], ["*/*/h02", "*/su02/h01"]
    pushed.change("tenants.yml", tenants=[acme, globex])
    pushed.push()
    methods = {exchange.method for exchange in proxy.writes}
    assert methods == {"PATCH"} or methods == {"PATCH", "POST"}
    assert counts(server)["dcim/interfaces"] == before["dcim/interfaces"]
    assert stamps(server, "dcim/cables") == old_cables
    vrfs = {
        port(server, "leaf-p1-su002-r1")["vrf"]["name"],
        port(server, "leaf-p1-su001-r1")["vrf"]["name"],
    }
    assert len(vrfs) == 2
    silent(pushed, proxy)


def test_what_people_add_stays(pushed: Project, proxy: Proxy, server: Server) -> None:
    extra = (
        {"slug": "mine"}
        if server.kind == "netbox"
        else {"content_types": ["dcim.interface", "dcim.device"]}
    )
    tag = done(server, "/api/extras/tags/", method="POST", body={"name": "mine", **extra})
    item = port(server)
    tags = [{"id": each["id"]} for each in (*item["tags"], tag)]
    patch(server, "dcim/interfaces", item, tags=tags, description="do not touch")
    silent(pushed, proxy)
    wrong = int(port(server)["mtu"]) - 1
    patch(server, "dcim/interfaces", item, mtu=wrong)
    said = pushed.refused()
    assert f"{LEAF} {PORT}" in said or f"{LEAF}/{PORT}" in said
    assert f"mtu is {item['mtu']} in the plan and {wrong} in the DCIM" in said
    assert proxy.writes == []
    pushed.connection["rules"] = {"interface.mtu": "dcim"}
    silent(pushed, proxy)
    pushed.connection["rules"] = {"interface.mtu": "plan"}
    pushed.push()
    found = port(server)
    assert (found["mtu"], found["description"]) == (item["mtu"], "do not touch")
    assert {each["id"] for each in tags} == {each["id"] for each in found["tags"]}
    silent(pushed, proxy)


def test_a_device_of_somebody_else_keeps_its_name(
    pushed: Project, proxy: Proxy, server: Server
) -> None:
    theirs = one(server, "dcim/devices", LEAF)
    patch(
        server, "dcim/devices", theirs, tags=[], custom_fields={"spx_place": None}, serial="theirs"
    )
    said = pushed.refused()
    assert f"device {LEAF}:" in said
    assert proxy.writes == []
    pushed.connection["rules"] = {"device": "plan", "primary": "plan"}
    pushed.push()
    assert one(server, "dcim/devices", LEAF)["id"] == theirs["id"]
    silent(pushed, proxy)


@pytest.mark.parametrize("after", [1, 12, 25])
def test_the_push_after_a_killed_one_writes_the_rest(
    project: Project, proxy: Proxy, server: Server, after: int
) -> None:
    run = project.begin()
    proxy.faults.append(Fault(after=after, act=lambda: run.kill("all")))
    code, output = run.end()
    assert code < 0, output
    assert not proxy.faults
    project.push()
    assert names(server, "dcim/devices") == sorted(devices(project.fabric()))
    assert counts(server)["dcim/cables"] == len(cables(project.fabric()))
    silent(project, proxy)


@pytest.mark.parametrize("late", [False, True])
def test_a_bad_gateway_in_the_middle_leaves_nothing_twice(
    project: Project, proxy: Proxy, server: Server, late: bool
) -> None:
    proxy.faults += [Fault(after=3, late=late), Fault(after=9, late=late)]
    code, output = project.run("dcim_push")
    assert "Traceback" not in output
    assert not proxy.faults
    if code:
        project.push()
    assert names(server, "dcim/devices") == sorted(devices(project.fabric()))
    assert counts(server)["dcim/cables"] == len(cables(project.fabric()))
    silent(project, proxy)


@pytest.mark.parametrize("token", ["expired", "reader"])
def test_a_token_that_may_not_write_ends_the_run_in_a_sentence(
    project: Project, proxy: Proxy, server: Server, token: str
) -> None:
    said = project.refused(token=getattr(server, token))
    assert "token" in said
    assert getattr(server, token) not in said
    assert all(exchange.status in (401, 403) for exchange in proxy.writes)
    assert counts(server)["dcim/devices"] == 0


def test_two_fabrics_with_equal_names_know_their_own(
    pushed: Project, proxy: Proxy, server: Server, tmp_path: Path
) -> None:
    first = stamps(server, "dcim/devices")
    place = {"location": "hall-2", "namespace": "hall-2"}
    other = Project(tmp_path / "other", server, proxy.url, connection=place)
    other.change("fabric.yml", name="lab-2")
    other.push()
    assert stamps(server, "dcim/devices").items() >= first.items()
    both = sorted([*devices(pushed.fabric()), *devices(other.fabric())])
    assert sorted(device["name"] for device in every(server, "dcim/devices")) == both
    silent(pushed, proxy)
    silent(other, proxy)
