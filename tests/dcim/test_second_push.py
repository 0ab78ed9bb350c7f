# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of a DCIM and of a plan between two pushes, and the work of the second one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from dcim.project import SECONDS, Project, cables, devices, silent
from dcim.proxy import EXPIRED, Fault, Proxy
from dcim.rest import counts, done, every, one
from dcim.servers import Server

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.results import (
    Finding,
    Subject,
    failed,
    not_run,
    passed,
    write,
)

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


def stamps(server: Server, endpoint: str) -> dict[str, str]:
    """Return the time of the last change of each object, by id."""
    return {item["id"]: item["last_updated"] for item in every(server, endpoint)}


def names(server: Server, endpoint: str) -> list[str]:
    """Return the names of each object of an endpoint for people, sorted."""
    return sorted(str(item["display"]) for item in every(server, endpoint))


def finish(project: Project, most: int) -> None:
    """Push until all is written: `most` pushes may end before, and say that the next one goes on."""
    for _push in range(most):
        code, output = project.run("dcim_push")
        if not code:
            return
        assert "Traceback" not in output
        assert "again" in output
    project.push()


def test_an_su_that_is_added_costs_its_own_objects(
    project: Project, proxy: Proxy, server: Server
) -> None:
    project.build_without("su02")
    project.push()
    assert names(server, "dcim/devices") == sorted(devices(project.fabric()))
    kept = ("dcim/devices", "dcim/cables", "ipam/prefixes", "ipam/ip-addresses")
    before = {endpoint: stamps(server, endpoint) for endpoint in kept}
    project.build_without()
    project.push()
    for endpoint, old in before.items():
        assert stamps(server, endpoint).items() >= old.items(), endpoint
    assert names(server, "dcim/devices") == sorted(devices(project.fabric()))
    assert counts(server)["dcim/cables"] == len(cables(project.fabric()))
    silent(project, proxy)


def test_a_node_that_moved_changes_its_ports_and_no_cable(
    pushed: Project, proxy: Proxy, server: Server
) -> None:
    before, old_cables = counts(server), stamps(server, "dcim/cables")
    was = port(server)["vrf"]["name"]
    pushed.move({"acme": ["*/su02/h01"], "globex": ["*/*/h02", "*/su01/h01"]})
    pushed.push()
    assert counts(server) == before
    assert stamps(server, "dcim/cables") == old_cables
    assert {"PUT", "DELETE"} & {
        one.method for one in proxy.writes if "-assignments/" not in one.path
    } == set()
    now = port(server)["vrf"]["name"]
    assert now != was
    assert now == port(server, LEAF, "swp1s1")["vrf"]["name"]
    silent(pushed, proxy)


def test_what_is_stale_stays_until_its_end_is_allowed(
    pushed: Project, proxy: Proxy, server: Server
) -> None:
    before = counts(server)
    pushed.build_without("su02/h02")
    said = pushed.push()
    assert "device: 1 stale" in said
    assert "What is stale stays" in said
    assert counts(server) == before
    proxy.exchanges.clear()
    said = pushed.refused(spx_dcim_delete="true", spx_dcim_delete_most=1)
    assert "and 1 are allowed, so nothing was written" in said
    assert proxy.writes == []
    pushed.push(spx_dcim_delete="true")
    assert names(server, "dcim/devices") == sorted(devices(pushed.fabric()))
    assert counts(server)["dcim/cables"] == len(cables(pushed.fabric()))
    assert counts(server)["dcim/interfaces"] < before["dcim/interfaces"]
    silent(pushed, proxy)


def test_a_change_between_read_and_write_is_not_overwritten(
    pushed: Project, proxy: Proxy, server: Server
) -> None:
    item = port(server)
    address = next(
        one for one in every(server, "ipam/ip-addresses") if one["dns_name"].startswith(LEAF)
    )
    patch(server, "dcim/interfaces", item, mtu=1500)
    patch(server, "ipam/ip-addresses", address, dns_name="mine.example")
    pushed.connection["rules"] = {"interface.mtu": "plan", "address.dns_name": "plan"}
    late = {"dns_name": "late.example"}
    proxy.faults.append(Fault(act=lambda: patch(server, "ipam/ip-addresses", address, **late)))
    said = pushed.refused()
    assert "somebody changed it after it was read; run again." in said
    assert "written: 1, refused: 1" in said
    found = done(server, f"/api/ipam/ip-addresses/{address['id']}/")
    assert found["dns_name"] == "late.example"
    assert port(server)["mtu"] == item["mtu"]
    pushed.push()
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
    assert f"change: interface {LEAF} {PORT}: mtu from {wrong} to {item['mtu']}" in pushed.push(
        "--diff"
    )
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


def test_a_device_that_lost_our_tag_is_no_end_of_our_cables(
    pushed: Project, proxy: Proxy, server: Server
) -> None:
    theirs = one(server, "dcim/devices", LEAF)
    patch(server, "dcim/devices", theirs, tags=[], name="mine")
    before = counts(server)
    assert "somebody removed it" in pushed.refused()
    assert (proxy.writes, counts(server)) == ([], before)
    pushed.connection["rules"] = {"device": "plan"}
    pushed.push()
    assert one(server, "dcim/devices", LEAF)["id"] == theirs["id"]
    assert counts(server) == before
    silent(pushed, proxy)


@pytest.mark.parametrize("after", [1, 12, 18])
def test_the_push_after_a_killed_one_writes_the_rest(
    project: Project, proxy: Proxy, server: Server, after: int
) -> None:
    run = project.begin()
    proxy.faults.append(Fault(after=after, act=lambda: run.kill("all")))
    code, output = run.end(SECONDS)
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
    finish(project, most=len(proxy.faults))
    assert not proxy.faults
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


def test_what_a_validation_found_is_written_as_statuses(
    pushed: Project, proxy: Proxy, server: Server
) -> None:
    """A leaf answers and hears somebody else at one port, a node gives no answer; then all is well again."""
    fabric, report, node = pushed.fabric(), pushed.folder / "report", "worker-su01-rack01-h02"

    def found(of_port: list[Finding], of_node: Finding) -> None:
        leaf = Subject.of(fabric, fabric.known(LEAF))
        rows = [leaf.result("switch.reachable", passed())]
        rows += [leaf.result("switch.lldp.neighbour", each) for each in of_port]
        rows += [leaf.result("switch.lldp.swap", passed())]
        write(str(report), LEAF, rows)
        host = Subject.of(fabric, fabric.known(node))
        write(str(report), node, [host.result("host.reachable", of_node)])

    def statuses() -> tuple[str, str]:
        key = "value" if server.kind == "netbox" else "name"
        device = one(server, "dcim/devices", node)
        (cable,) = every(server, "dcim/cables", id=str(port(server)["cable"]["id"]))
        return device["status"][key].lower(), cable["status"][key].lower()

    patch(server, "dcim/devices", one(server, "dcim/devices", node), status=_active(server))
    found([failed("another one", port=PORT, found="other swp9")], not_run("no answer"))
    pushed.push(spx_dcim_results=str(report))
    wrong = {"netbox": "decommissioning", "nautobot": "invalid"}[server.kind]
    assert statuses() == ("failed", wrong)
    found([passed()], passed())
    pushed.push(spx_dcim_results=str(report))
    assert statuses() == ("active", "connected")
    silent(pushed, proxy)


def _active(server: Server) -> str:
    return {"netbox": "active", "nautobot": "Active"}[server.kind]


@pytest.mark.parametrize("after", [1, 4, 7])
@pytest.mark.parametrize("how", ["killed", "expired", "bad gateway"])
def test_a_change_that_was_broken_off_is_ended_and_no_conflict(
    pushed: Project, proxy: Proxy, server: Server, how: str, after: int
) -> None:
    before = counts(server)
    pushed.move({"acme": ["*/su02/h01"], "globex": ["*/*/h02", "*/su01/h01"]})
    proxy.exchanges.clear()
    if how == "killed":
        run = pushed.begin()
        proxy.faults.append(Fault(after=after, act=lambda: run.kill("all")))
        code, output = run.end(SECONDS)
        assert code < 0, output
    else:
        proxy.faults.append(
            Fault(after=after, answer=EXPIRED) if how == "expired" else Fault(after)
        )
        said = " ".join(pushed.run("dcim_push")[1].split())
        if how == "expired":
            assert "Token expired" in said
            assert "dcim: written: at least" in said
    assert not proxy.faults
    finish(pushed, most=1)
    assert counts(server) == before
    silent(pushed, proxy)


def test_a_part_is_pushed_and_compared_alone(
    project: Project, proxy: Proxy, server: Server
) -> None:
    """An SU, then all, then one whose node is gone: another SU hears nothing of it."""
    said = project.push(spx_where="su01")
    assert "wait for devices outside of this run" in said
    everything = devices(project.fabric())
    first = {name for name in everything if "su01" in name or "su001" in name}
    assert names(server, "dcim/devices") == sorted(first)
    assert "nothing to write" in project.push(spx_where="su01")
    project.push()
    silent(project, proxy)
    project.build_without("su02/h02")
    assert "no difference" in project.push("--limit", LEAF)
    project.push("--limit", "leaf-p1-su002-r1", spx_dcim_delete="true")
    assert names(server, "dcim/devices") == sorted(devices(project.fabric()))
    silent(project, proxy)


def test_a_part_that_was_broken_off_is_ended(
    project: Project, proxy: Proxy, server: Server
) -> None:
    """Nautobot has the addresses then, and none of them is on an interface: no device shows them."""
    made = {"netbox": "dcim/cables", "nautobot": "ip-address-to-interface"}[server.kind]
    proxy.faults.append(Fault(answer=EXPIRED, on=made))
    assert "Token expired" in project.refused(spx_where="su01")
    assert not proxy.faults
    project.push(spx_where="su01")
    assert "nothing to write" in project.push(spx_where="su01")
    project.push()
    silent(project, proxy)


def test_a_tenant_that_ends_takes_its_vrf_along_in_one_run(
    pushed: Project, proxy: Proxy, server: Server
) -> None:
    held = {one["name"] for one in every(server, "ipam/vrfs")}
    pushed.end("globex")
    pushed.push(spx_dcim_delete="true")
    left = {one["name"] for one in every(server, "ipam/vrfs")}
    assert len(held - left) == 1
    assert "globex" in next(iter(held - left))
    assert "globex" not in names(server, "tenancy/tenants")
    silent(pushed, proxy)


def test_a_cable_that_a_person_laid_holds_its_ports(
    pushed: Project, proxy: Proxy, server: Server
) -> None:
    """It is named where ours needs its port, and no end of it is deleted with a device of ours."""
    ours = port(server)["cable"]
    done(server, f"/api/dcim/cables/{ours['id']}/", method="DELETE")
    node = "worker-su02-rack01-h02"
    free = next(one for one in every(server, "dcim/interfaces", device=node) if not one["cable"])
    here, there = port(server)["id"], free["id"]
    lay = {
        "netbox": {
            f"{side}_terminations": [{"object_type": "dcim.interface", "object_id": end}]
            for side, end in (("a", here), ("b", there))
        },
        "nautobot": {
            "status": "Connected",
            **{f"termination_{side}_type": "dcim.interface" for side in "ab"},
            "termination_a_id": here,
            "termination_b_id": there,
        },
    }
    theirs = done(server, "/api/dcim/cables/", method="POST", body=lay[server.kind])
    said = pushed.refused()
    assert "it holds a port that our cable needs" in said
    assert proxy.writes == []
    pushed.build_without("su02/h02", "su01/h01")
    said = pushed.refused(spx_dcim_delete="true")
    assert "end of" in said
    assert "it was left alone" in said
    assert done(server, f"/api/dcim/cables/{theirs['id']}/")["id"] == theirs["id"]
    assert port(server, node, free["name"])["cable"]["id"] == theirs["id"]


def test_ports_that_a_device_type_brings_are_taken_over_by_the_second_push(
    project: Project, proxy: Proxy, server: Server
) -> None:
    project.build_without("su02")
    project.push()
    leaf = one(server, "dcim/devices", LEAF)["device_type"]["id"]
    kind = port(server)["type"]["value"]
    template = {"device_type": leaf, "name": PORT, "type": kind}
    done(server, "/api/dcim/interface-templates/", method="POST", body=template)
    project.build_without()
    project.connection["rules"] = {"interface": "plan"}
    said = project.refused()
    assert f"interface leaf-p1-su002-r1 {PORT}" in said or f"leaf-p1-su002-r1/{PORT}" in said
    project.push()
    assert counts(server)["dcim/cables"] == len(cables(project.fabric()))
    silent(project, proxy)


POOLS = {
    "loopback": "100.64.0.0/13",
    "vtep": "100.72.0.0/13",
    "dpu": "100.80.0.0/12",
    "storage": "100.96.0.0/12",
    "services": "100.112.0.0/12",
    "host_oob": "10.0.0.0/12",
    "switch_oob": "10.16.0.0/13",
}
"""Blocks of a second site, none of which the lab has."""


def test_two_fabrics_with_equal_names_know_their_own(
    pushed: Project, proxy: Proxy, server: Server, tmp_path: Path
) -> None:
    first = stamps(server, "dcim/devices")
    other = Project(tmp_path / "other", server, proxy.url, connection={"location": "hall-2"})
    said = other.refused()
    assert "the name of the fabric may be taken" in said
    assert proxy.writes == []
    numbers = {"profile": "nvidia-guide-v6", "pools": POOLS}
    other.change("fabric.yml", name="lab-2", site=1, addressing=numbers)
    other.push()
    assert stamps(server, "dcim/devices").items() >= first.items()
    both = sorted([*devices(pushed.fabric()), *devices(other.fabric())])
    assert sorted(one["name"] for one in every(server, "dcim/devices")) == both
    silent(pushed, proxy)
    silent(other, proxy)
