# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens to a DCIM and to a plan between two pushes, and what the second one does then."""

from __future__ import annotations

from typing import Any

import pytest
from dcim.project import Project, cables, devices
from dcim.proxy import Fault, Proxy
from dcim.rest import counts, done, every, one
from dcim.servers import Server

pytestmark = pytest.mark.slow
LEAF = "leaf-p1-su001-r1"
PORT = "swp1s0"


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
