# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The REST surface of the switch double: what it accepts, refuses, and answers."""

from __future__ import annotations

import http.client
import json
import subprocess
import time
import urllib.error
from typing import Any

import pytest
from nvue_double import web

YES = {"auto-prompt": {"ays": "ays_yes"}}
MTU = {"interface": {"swp1": {"link": {"mtu": 9000}}}}


def patiently(client: Any, number: str, state: str) -> bool:
    """Wait until the revision reaches a state although the switch is away at times."""
    for dummy in range(60):
        try:
            if client("GET", f"/revision/{number}")[1]["state"] == state:
                return True
        except (urllib.error.URLError, http.client.HTTPException, OSError):
            pass
        time.sleep(0.05)
    return False


def test_a_change_is_applied_saved_and_shown(start: Any) -> None:
    client = start()
    number = client.revision(MTU)
    assert client.apply(number)["state"] == "apply"
    client.until(number, "applied_and_saved")
    assert client.applied("/interface/swp1") == {"link": {"mtu": 9000}, "type": "swp"}
    assert client("GET", "/interface/swp1/link/mtu?rev=startup") == (200, 9000)


def test_the_states_come_in_the_documented_order(start: Any) -> None:
    client = start(step_seconds=0.05)
    number = client.revision(MTU)
    client.apply(number)
    seen: list[str] = []
    while not seen or seen[-1] != "applied_and_saved":
        state = client("GET", f"/revision/{number}")[1]["state"]
        if seen[-1:] != [state]:
            seen.append(state)
    order = [
        "apply",
        "checking",
        "checked",
        "readying",
        "ready",
        "verifying",
        "verified",
        "reloading",
        "reloaded",
        "applied",
        "auto_save",
        "auto_saving",
        "applied_and_saved",
    ]
    assert [state for state in order if state in seen] == seen
    assert len(seen) > 6


LISTED = {"action": {"permit": {}}, "match": {"ip-prefix-list": "GONE"}}
PEER = {"remote-as": "external"}
DANGLING = {
    **PEER,
    "address-family": {"ipv4-unicast": {"policy": {"inbound": {"route-map": "GONE"}}}},
}
WATCHED = {**PEER, "bfd": {"profile": "GONE"}}
UPSIDE_DOWN = {"ecn": "enable", "min-threshold": 2000, "max-threshold": 1000}
ADAPTIVE = {"router": {"adaptive-routing": {"state": "enabled"}}}
TRACKED = {"resolved-via-default": "enabled"}


@pytest.mark.parametrize(
    "release, document, says",
    [
        ("5.16.1", {"interfaces": {}}, "unknown key 'interfaces'"),
        ("5.16.1", {"interface": {"swp1": {"link": {"mtu": "9000"}}}}, "integer 552..9216"),
        ("5.16.1", {"interface": {"swp1": {"link": {"mtu": 9217}}}}, "integer 552..9216"),
        ("5.16.1", {"interface": {"swp1": {"ip": {"vrf": "RED"}}}}, "unknown key 'ip'"),
        ("5.14.0", {"interface": {"swp1": {"vrf": "RED"}}}, "unknown key 'vrf'"),
        ("5.16.1", {"evpn": {"enable": "on"}}, "unknown key 'enable'"),
        ("5.14.0", {"evpn": {"state": "enabled"}}, "unknown key 'state'"),
        ("5.14.0", {"evpn": {"enable": True}}, "one of 'on', 'off'"),
        ("5.16.1", {"vrf": {"a-name-of-17-long": {}}}, "unknown key"),
        ("5.16.1", {"interface": {"swp1": {"qos": {"pfc-watchdog": {"state": "enabled"}}}}}, "'en"),
        ("5.16.1", {"system": {"docker": {}}, "qos": []}, "expected an object"),
        ("5.18.0", {"system": {"docker": {"state": "disabled"}}}, "unknown key 'state'"),
        ("5.16.1", {"system": {"aaa": {"user": {"a": {"password": "x"}}}}}, "use hashed-password"),
    ],
)
def test_shape_errors_are_refused(start: Any, release: str, document: Any, says: str) -> None:
    client = start(release=release)
    number = next(iter(client("POST", "/revision")[1]))
    status, problem = client("PATCH", f"/?rev={number}", document)
    assert status == 400
    assert problem["title"] == "Bad Request"
    assert says in str(problem)


def test_shape_errors_can_wait_for_the_apply(start: Any) -> None:
    client = start(schema_errors="apply")
    number = client.revision({"interface": {"swp1": {"mtu": 1}}})
    client.apply(number)
    view = client.until(number, "invalid")
    (issue,) = view["transition"]["issue"].values()
    assert issue["data"]["location"] == "interface.swp1.mtu"


BGP = {"state": "enabled", "autonomous-system": 65001, "router-id": "10.0.0.1"}


@pytest.mark.parametrize(
    "document, location",
    [
        ({"router": {"bgp": {"state": "enabled"}}}, "router.bgp.state"),
        (
            {"evpn": {"state": "enabled"}, "nve": {"vxlan": {"mac-learning": "enabled"}}},
            "nve.vxlan.mac-learning",
        ),
        (
            {
                "qos": {
                    "traffic-pool": {
                        "default-lossy": {"memory-percent": 20},
                        "roce-lossless": {"memory-percent": 90},
                    }
                }
            },
            "qos.traffic-pool",
        ),
        ({"qos": {"traffic-pool": {"default-lossy": {}}}}, "qos.traffic-pool.default-lossy"),
        (
            {
                "qos": {
                    "roce": {"state": "enabled"},
                    "pfc": {"default-global": {"switch-priority": {"3": {}}, "xon-threshold": 1}},
                }
            },
            "qos.pfc.default-global",
        ),
        (
            {"qos": {"egress-scheduler": {"P": {"traffic-class": {"0": {"mode": "dwrr"}}}}}},
            "qos.egress-scheduler.P.traffic-class.0",
        ),
        ({"interface": {"swp1": {"vrf": "RED"}}}, "interface.swp1.vrf"),
        ({"interface": {"swp1s0": {"link": {"mtu": 9216}}}}, "interface.swp1s0"),
        ({"interface": {"swp99": {}}}, "interface.swp99"),
        (
            {
                "router": {"bgp": BGP},
                "vrf": {"default": {"router": {"bgp": {"neighbor": {"swp1": {}}}}}},
            },
            "vrf.default.router.bgp.neighbor.swp1",
        ),
        ({"vrf": {"A": {"evpn": {"vni": {"1": {}, "2": {}}}}}}, "vrf.A.evpn.vni"),
        (
            {"router": {"policy": {"route-map": {"M": {"rule": {"10": LISTED}}}}}},
            "router.policy.route-map.M.rule.10.match.ip-prefix-list",
        ),
        (
            {
                "router": {"bgp": BGP},
                "vrf": {"default": {"router": {"bgp": {"neighbor": {"swp1": DANGLING}}}}},
            },
            "vrf.default.router.bgp.neighbor.swp1.address-family.ipv4-unicast.policy.inbound.route-map",
        ),
        (
            {
                "router": {"bgp": BGP},
                "vrf": {"default": {"router": {"bgp": {"neighbor": {"swp1": WATCHED}}}}},
            },
            "vrf.default.router.bgp.neighbor.swp1.bfd.profile",
        ),
        (
            {"qos": {"congestion-control": {"P": {"traffic-class": {"3": UPSIDE_DOWN}}}}},
            "qos.congestion-control.P.traffic-class.3.min-threshold",
        ),
        ({"nve": {"vxlan": {"state": "enabled"}}}, "nve.vxlan.source.address"),
        (
            {"nve": {"vxlan": {"state": "enabled", "source": {"address": "10.9.9.9"}}}},
            "nve.vxlan.source.address",
        ),
        ({"interface": {"foo0": {"description": "x"}}}, "interface.foo0"),
        ({"interface": {"swp1": {"type": "bond"}}}, "interface.swp1.type"),
        (
            {"vrf": {"A": {}}, "interface": {"swp1": {"vrf": "A", **ADAPTIVE}}},
            "interface.swp1.router.adaptive-routing.state",
        ),
        ({"interface": {"vlan10": ADAPTIVE}}, "interface.vlan10.router.adaptive-routing.state"),
    ],
)
def test_rules_make_the_revision_invalid(start: Any, document: Any, location: str) -> None:
    client = start()
    number = client.revision(document)
    client.apply(number, **YES)
    view = client.until(number, "invalid", "applied_and_saved")
    assert view["state"] == "invalid"
    assert view["transition"]["progress"] == "Invalid config"
    places = [issue["data"]["location"] for issue in view["transition"]["issue"].values()]
    assert location in places
    assert all(issue["code"] == "config_invalid" for issue in view["transition"]["issue"].values())


NONE = {
    "action": {"permit": {}},
    "set": {"large-community": {"none": {}}, "community": {"65100": {}}},
}
INNER = {
    "type": "ipv4",
    "rule": {"1": {"match": {"inner-ip": {"ecn": {}}}, "action": {"permit": {}}}},
}


@pytest.mark.parametrize(
    "release, document",
    [
        ("5.16.1", {"vrf": {"default": {"router": {"nexthop-tracking": {"ipv4": TRACKED}}}}}),
        ("5.15.0", {"system": {"ssh-server": {"ciphers": ["aes256-ctr"]}}}),
        ("5.16.1", {"acl": {"A": INNER}}),
        (
            "5.14.0",
            {"interface": {"vlan10": {"ip": {"vrr": {"enable": "on", "state": {"up": {}}}}}}},
        ),
        ("5.15.0", {"interface": {"vlan10": {"ipv4": {"vrr": {"vrr-state": {"up": {}}}}}}}),
        ("5.15.0", {"router": {"vrr": {"state": "enabled"}}}),
        ("5.14.0", {"router": {"vrr": {"enable": "on"}}}),
        ("5.16.1", {"router": {"policy": {"route-map": {"M": {"rule": {"10": NONE}}}}}}),
        (
            "5.16.1",
            {"service": {"dhcp-relay": {"A": {"source-ip": "giaddress"}}}, "vrf": {"A": {}}},
        ),
    ],
)
def test_what_the_pages_and_goldens_have_is_accepted(
    start: Any, release: str, document: Any
) -> None:
    client = start(release=release)
    number = client.revision(document)
    client.apply(number, **YES)
    view = client.until(number, "invalid", "applied_and_saved")
    assert view["state"] == "applied_and_saved", view


@pytest.mark.parametrize(
    "release, document",
    [
        ("5.14.0", {"system": {"ssh-server": {"ciphers": ["aes256-ctr"]}}}),
        ("5.15.0", {"acl": {"A": INNER}}),
        ("5.16.1", {"vrf": {"A": {"loopback": {"ipv4": {"address": {"10.0.0.1/32": {}}}}}}}),
        ("5.16.1", {"service": {"dhcp-relay": {"A": {"source-ip": "gateway"}}}}),
    ],
)
def test_a_key_is_refused_before_its_release(start: Any, release: str, document: Any) -> None:
    client = start(release=release)
    number = client.revision({})
    assert client("PATCH", f"/?rev={number}", document)[0] == 400


def test_older_releases_name_enable_in_their_errors(start: Any) -> None:
    client = start(release="5.14.0")
    number = client.revision({"router": {"bgp": {"enable": "on"}}})
    client.apply(number)
    issue = client.until(number, "invalid")["transition"]["issue"]["0"]
    assert issue["message"].startswith("Config invalid at router.bgp.enable: BGP requires")


@pytest.mark.parametrize(
    "release, patched, deleted",
    [
        ("5.9.1", {"swp1", "eth0"}, (200, {})),
        ("5.10.0", {"swp1"}, (204, None)),
        ("5.16.1", {"swp1"}, (204, None)),
    ],
)
def test_answers_to_writes_by_release(
    start: Any, release: str, patched: set[str], deleted: Any
) -> None:
    client = start(release=release)
    number = next(iter(client("POST", "/revision")[1]))
    answer = client("PATCH", f"/?rev={number}", MTU)[1]
    assert set(answer["interface"]) == patched
    assert answer["interface"]["swp1"]["type"] == "swp"
    assert client("DELETE", f"/interface/swp1?rev={number}") == deleted
    assert client("GET", f"/interface/swp1?rev={number}")[0] == 404


def test_null_unsets_and_root_delete_replaces(start: Any) -> None:
    client = start()
    number = client.revision({"interface": {"swp1": {"link": {"mtu": 9000}}, "swp2": {}}})
    client("PATCH", f"/interface?rev={number}", {"swp2": None})
    assert set(client("GET", f"/interface?rev={number}&filled=false")[1]) == {"eth0", "swp1"}
    client("DELETE", f"/?rev={number}")
    assert client("GET", f"/?rev={number}&filled=false") == (200, {})
    client.apply(number)
    assert "logged in" in str(client.until(number, "invalid"))


def test_a_disruptive_change_must_be_answered(start: Any) -> None:
    client = start(answer_seconds=0.05)
    change = {"router": {"adaptive-routing": {"state": "enabled"}}}
    number = client.revision(change)
    client.apply(number)
    view = client.until(number, "ays_fail")
    assert view["transition"]["progress"] == "Aborted apply after warnings"
    assert view["transition"]["issue"]["0"]["code"] == "client_timeout"
    client.apply(number, **YES)
    client.until(number, "applied_and_saved")


def test_confirm_yes_keeps_and_silence_rolls_back(start: Any) -> None:
    client = start()
    first = client.revision(MTU)
    client.apply(first, **{"state-controls": {"confirm": 30}})
    client.until(first, "confirm")
    assert "swp1" not in client.applied("/interface")
    client("PATCH", f"/revision/{first}", {"state": "confirm_yes"})
    client.until(first, "applied_and_saved")

    second = client.revision({"interface": {"swp1": {"link": {"mtu": 1500}}}})
    client.apply(second, **{"state-controls": {"confirm": 1}})
    client.until(second, "confirm")
    client.until(second, "confirm_fail")
    assert client.applied("/interface/swp1/link/mtu") == 9000

    third = client.revision({"interface": {"swp1": {"link": {"mtu": 1500}}}})
    client.apply(third, **{"state-controls": {"confirm": 30}})
    client.until(third, "confirm")
    client("PATCH", f"/revision/{third}", {"state": "confirm_no"})
    client.until(third, "confirm_fail")


def test_dry_run_needs_its_release_and_changes_nothing(start: Any) -> None:
    control = {"state": "apply", "state-controls": {"dry-run": "brief"}}
    old = start(release="5.16.1")
    assert old("PATCH", f"/revision/{old.revision(MTU)}", control)[0] == 400
    client = start(release="5.18.0")
    number = client.revision(MTU)
    client("PATCH", f"/revision/{number}", control)
    client.until(number, "dry_run_complete")
    assert "swp1" not in client.applied("/interface")
    bad = client.revision({"interface": {"swp99": {}}})
    client("PATCH", f"/revision/{bad}", control)
    client.until(bad, "invalid")


@pytest.mark.parametrize("release, state", [("5.16.1", "pending"), ("5.18.0", "detached")])
def test_applying_nothing(start: Any, release: str, state: str) -> None:
    client = start(release=release)
    number = client.revision({"system": {"hostname": "cumulus"}})
    answer = client.apply(number)
    assert (answer["state"], answer["transition"]["progress"]) == ("pending", "no config diff")
    assert client("GET", f"/revision/{number}")[1]["state"] == state


def test_a_second_apply_waits_for_the_first(start: Any) -> None:
    client = start(step_seconds=0.02)
    client.double.control.busy(2.0)
    states = {item["state"] for item in client("GET", "/revision")[1].values()}
    assert "reloading" in states
    number = client.revision(MTU)
    client.apply(number)
    assert client("GET", f"/revision/{number}")[1]["state"] == "apply"
    assert "5118919" in client.double.violations[0]
    client.until(number, "applied_and_saved")


def test_two_controllers_merge_or_collide(start: Any) -> None:
    client = start()
    mine, theirs = client.revision(MTU), client.revision({"system": {"hostname": "other"}})
    client.apply(theirs)
    client.until(theirs, "applied_and_saved")
    client.apply(mine)
    client.until(mine, "applied_and_saved")
    assert client.applied("/system/hostname") == "other"
    left = client.revision({"system": {"hostname": "left"}})
    right = client.revision({"system": {"hostname": "right"}})
    client.apply(left)
    client.until(left, "applied_and_saved")
    client.apply(right)
    assert "system.hostname" in str(client.until(right, "invalid")["transition"])


def test_an_older_revision_can_be_applied_again(start: Any) -> None:
    client = start()
    number = client.revision(MTU)
    client.apply(number)
    client.until(number, "applied_and_saved")
    client.apply("1")
    client.until("1", "applied_and_saved")
    assert "swp1" not in client.applied("/interface")


def test_ranges_are_kept_and_expanded_on_request(start: Any) -> None:
    client = start()
    number = client.revision({"interface": {"swp1-2": {"link": {"breakout": {"2x": {}}}}}})
    client("PATCH", f"/interface?rev={number}", {"swp1-2s0-1": {"link": {"mtu": 9216}}})
    client.apply(number)
    client.until(number, "applied_and_saved")
    assert set(client.applied("/interface")) == {"eth0", "swp1-2", "swp1-2s0-1"}
    expanded = client("GET", "/interface?rev=applied&filled=false&expand=true")[1]
    assert {"swp1", "swp1s0", "swp1s1", "swp2", "swp2s0", "swp2s1"} < set(expanded)
    again = client.revision({"interface": {"swp2s1": {"link": {"mtu": 9216}}}})
    assert client.apply(again)["transition"]["progress"] == "no config diff"
    gone = client.revision({"swp2s1": None}, "/interface")
    assert "swp2s1" not in client("GET", f"/interface?rev={gone}&expand=true")[1]
    assert "swp2s0" in client("GET", f"/interface?rev={gone}")[1]


def test_get_parameters(start: Any) -> None:
    client = start()
    assert "mtu" not in str(client.applied("/interface"))
    assert client("GET", "/interface?rev=applied")[1]["eth0"]["ipv4"]["forward"] == "enabled"
    document = client("GET", "/?rev=applied&filled=false&include=/system/*/user")[1]
    assert list(document) == ["system"]
    assert "user" not in str(client("GET", "/system?rev=applied&omit=/aaa")[1])
    assert client("GET", "/interface?rev=applied&filter=type=svi") == (200, {})
    assert client("GET", "/interface?view=nonsense&rev=operational")[0] == 400
    assert client("GET", "/interface?view=lldp&include=/x&rev=operational")[0] == 400
    assert client("GET", "/interface?rev=applied&speed=1")[0] == 400
    number = client.revision(MTU)
    difference = client("GET", f"/?rev={number}&diff=applied")[1]
    assert difference == {"interface": {"swp1": {"link": {"mtu": 9000}, "type": "swp"}}}
    client.double.control.options(diff_reply="list")
    assert client("GET", f"/?rev=applied&diff={number}")[1] == [{"set": difference}]
    assert client("GET", "/?rev=empty&filled=false") == (200, {})
    assert client("GET", "/system?rev=77")[0] == 404
    assert "without rev" in (client("GET", "/system") and client.double.violations[-1])


@pytest.mark.parametrize(
    ("body", "mixed"),
    [
        ({"swp1": {"mtu": None, "speed": None}, "swp2": None}, False),
        ({"swp1": {"link": {"mtu": None}}, "swp2": {"type": "swp"}}, False),
        ({"swp1": None, "swp2": {"link": {"mtu": 9000}}}, True),
        ({"swp1": {"mtu": None, "vrf": {}}}, True),
    ],
)
def test_unsets_alone_are_no_mixed_patch(body: Any, mixed: bool) -> None:
    """Whatever their depth; of two objects one may be set and the other unset."""
    assert web._mixed(body) is mixed


def test_text_patch(start: Any) -> None:
    client = start()
    number = next(iter(client("POST", "/revision")[1]))
    text = (
        "nv set interface swp1 link mtu 9000\nnv set interface lo ipv4 address 10.0.0.1/32\n"
        "nv unset system wjh\n"
    )
    assert client("PATCH", f"/?rev={number}", text, "text/plain")[0] == 200
    document = client("GET", f"/?rev={number}&filled=false")[1]
    assert document["interface"]["lo"]["ipv4"] == {"address": {"10.0.0.1/32": {}}}
    assert "wjh" not in document["system"]
    wrong = client("PATCH", f"/?rev={number}", "nv set interface swp1 speed 1", "text/plain")
    assert wrong[0] == 400
    assert "line 1" in wrong[1]["detail"]


def test_keys_in_paths_are_percent_encoded(start: Any) -> None:
    client = start()
    number = client.revision({"10.0.0.1/31": {}}, "/interface/swp1/ipv4/address")
    assert client("DELETE", f"/interface/swp1/ipv4/address/10.0.0.1/31?rev={number}")[0] == 404
    path = "/interface/swp1/ipv4/address/10.0.0.1%2F31"
    assert client("DELETE", f"{path}?rev={number}")[0] == 204
    assert client("GET", f"/interface/swp1/ipv4/address?rev={number}") == (200, {})


def test_credentials_and_roles(start: Any) -> None:
    client = start(users={"watcher": ("secret-word", "nvue-monitor")})
    client.log_in("cumulus", "wrong")
    status, page = client("GET", "/system?rev=operational")
    assert (status, page.startswith("<html>")) == (401, True)
    client.log_in("watcher", "secret-word")
    assert client("GET", "/system?rev=operational")[0] == 200
    assert client("POST", "/revision")[0] == 403
    assert [request.status for request in client.double.log.writes] == [403]


def test_the_factory_password_forbids_everything(start: Any) -> None:
    client = start(factory_default_password=True)
    client.log_in("cumulus", "cumulus")
    assert client("GET", "/system?rev=operational")[0] == 403
    client.double.control.password("cumulus", "Better-1!")
    client.log_in("cumulus", "Better-1!")
    assert client("GET", "/system?rev=operational")[0] == 200


def test_tokens(start: Any) -> None:
    assert start(release="5.13.0")("GET", "/api-token")[0] == 404
    client = start(boot_seconds=0.05)
    token = client("GET", "/api-token")[1]["token"]
    client.authorization = f"Bearer {token}"
    assert client("GET", "/system?rev=operational")[0] == 200
    client.double.control.restart_service()
    assert client("GET", "/system?rev=operational")[0] == 401


def test_hashed_passwords_of_an_applied_document_work(start: Any) -> None:
    client = start(login_scale=0)
    made = subprocess.run(
        ["openssl", "passwd", "-6", "-salt", "saltsalt", "Rack-and-Row"],
        capture_output=True,
        text=True,
        check=True,
    )
    hashed = made.stdout.strip()
    users = {"ops": {"hashed-password": hashed, "role": "nvue-admin"}}
    number = client.revision(users, "/system/aaa/user")
    client.apply(number)
    client.until(number, "applied_and_saved")
    shown = client.applied("/system/aaa/user/ops/hashed-password")
    assert shown.startswith("$nvsec$")
    assert hashed not in str(client.applied())
    again = client.revision({"hashed-password": shown}, "/system/aaa/user/ops")
    assert client.apply(again)["transition"]["progress"] == "no config diff"
    client.log_in("ops", "Rack-and-Rows")
    assert client("GET", "/revision")[0] == 401
    client.log_in("ops", "Rack-and-Row")
    assert client("POST", "/revision")[0] == 200


@pytest.mark.parametrize("kind", ["bare", "wrapped"])
def test_both_forms_of_a_revision(start: Any, kind: str) -> None:
    client = start(revision_reply=kind)
    number = client.revision(MTU)
    answer = client("GET", f"/revision/{number}")[1]
    assert ("state" in answer) == (kind == "bare")
    assert ("state" in answer.get(number, {})) == (kind == "wrapped")


def test_actions(start: Any) -> None:
    client = start()
    status, number = client("POST", "/interface/swp1/counters", {"@clear": {"state": "start"}})
    assert (status, number) == (200, 1)
    for dummy in range(200):
        job = client("GET", f"/action/{number}")[1]
        if job["state"] not in ("", "start", "running"):
            break
    assert (job["state"], job["http_status"]) == ("action_success", 200)
    assert client("POST", "/interface/swp1", {"@explode": {"state": "start"}})[0] == 404


RED = {
    "vrf": {"red": {}},
    "interface": {
        "swp1": {"type": "swp", "vrf": "red", "ipv4": {"address": {"10.10.10.1/31": {}}}}
    },
}


def pinged(client: Any, **parameters: Any) -> Any:
    """The ended job of a ping, or the status of its refusal."""
    order = {"@ping": {"state": "start", "parameters": parameters}}
    status, number = client("POST", "/system", order)
    job = {"state": "start"} if status == 200 else {"state": status}
    while job["state"] in ("start", "running"):
        job = client("GET", f"/action/{number}")[1]
    return job


def test_a_ping_answers_as_published(start: Any) -> None:
    client = start(document=RED)
    job = pinged(client, destination="10.10.10.0", vrf="red")
    told = json.loads(job["status"])
    assert (job["state"], told["sent"], told["received"]) == ("action_success", 3, 3)
    packet = {"bytes": 64, "source": "10.10.10.0", "ttl": 64, "time": told["max_time"]}
    assert told["packets_info"] == {str(number): packet for number in (1, 2, 3)}
    assert client.double.log.writes == []


@pytest.mark.parametrize(
    "destination, vrf, link, words",
    [
        ("10.10.10.0", "red", "down", "1 packets transmitted, 0 received, 100% packet loss"),
        ("10.10.10.0", "default", "up", "Network is unreachable"),
        ("10.10.10.0", "blue", "up", "VRF blue does not exist"),
    ],
)
def test_a_ping_without_an_answer_fails(
    start: Any, destination: str, vrf: str, link: str, words: str
) -> None:
    client = start(document=RED, link_state=link)
    job = pinged(client, destination=destination, vrf=vrf, count=1, wait=0.1)
    assert job["state"] == "action_error"
    assert words in job["issue"][0]["message"]


@pytest.mark.parametrize(
    "release, parameters, status",
    [
        ("5.11.1", {"destination": "10.10.10.0"}, 404),
        ("5.16.1", {"vrf": "red"}, 400),
        ("5.16.1", {"destination": "10.10.10.0", "count": 11}, 400),
        ("5.16.1", {"destination": "10.10.10.0", "wait": "long"}, 400),
        ("5.16.1", {"destination": "10.10.10.0", "colour": "red"}, 400),
    ],
)
def test_a_ping_that_is_refused(start: Any, release: str, parameters: Any, status: int) -> None:
    assert pinged(start(release=release), **parameters) == {"state": status}


@pytest.mark.parametrize(
    "fault, state",
    [
        ({"kind": "apply_fail", "message": "frr says no"}, "apply_fail"),
        ({"kind": "apply_fail", "state": "verify_error", "at": "verifying"}, "verify_error"),
    ],
)
def test_failing_applies_leave_the_old_configuration(start: Any, fault: Any, state: str) -> None:
    client = start()
    client.double.control.fault(**fault)
    number = client.revision(MTU)
    client.apply(number)
    view = client.until(number, state)
    assert fault.get("message", "") in str(view)
    assert "swp1" not in client.applied("/interface")
    client.apply(number)
    client.until(number, "applied_and_saved")


def test_an_ignorable_failure_asks(start: Any) -> None:
    client = start(answer_seconds=0.05)
    client.double.control.fault("apply_fail", count=2, ignorable=True)
    number = client.revision(MTU)
    client.apply(number)
    client.until(number, "apply_fail")
    client.apply(number, **{"auto-prompt": {"ignore_fail": "ignore_fail_yes"}})
    client.until(number, "applied_and_saved")


def test_an_apply_that_never_ends_holds_up_others_until_its_fault_is_cleared(start: Any) -> None:
    client = start()
    client.double.control.fault("apply_never_ends", at="reloading")
    number = client.revision(MTU)
    client.apply(number)
    assert client.until(number, "reloading")["state"] == "reloading"
    client.double.control.clear_faults()
    assert client.until(number, "pending")["state"] == "pending"
    client.apply(number)
    client.until(number, "applied_and_saved")


@pytest.mark.parametrize(
    "fault, status",
    [({"status": 502}, 502), ({"status": 401}, 401), ({"status": 500, "html": False}, 500)],
)
def test_http_faults(start: Any, fault: Any, status: int) -> None:
    client = start()
    client.double.control.fault("http", **fault)
    answer = client("GET", "/system?rev=operational")
    assert answer[0] == status
    assert isinstance(answer[1], dict) == (fault.get("html") is False)
    assert client("GET", "/system?rev=operational")[0] == 200


def test_connections_are_dropped(start: Any) -> None:
    client = start()
    client.double.control.fault("drop_connection", method="POST")
    with pytest.raises((urllib.error.URLError, http.client.HTTPException, OSError)):
        client("POST", "/revision")
    assert client("GET", "/revision")[0] == 200


def test_lost_management_returns_with_the_roll_back(start: Any) -> None:
    client = start()
    client.double.control.fault("lost_management")
    number = client.revision(MTU)
    client.apply(number, **{"state-controls": {"confirm": 1}})
    with pytest.raises((urllib.error.URLError, http.client.HTTPException, OSError)):
        client.until(number, "never", seconds=2)
    assert patiently(client, number, "confirm_fail")
    assert "swp1" not in client.applied("/interface")


def test_a_reboot_in_the_middle_starts_from_startup(start: Any) -> None:
    client = start(boot_seconds=0.1)
    client.double.control.fault("reboot", at="reloading")
    number = client.revision(MTU)
    client.apply(number)
    assert patiently(client, number, "pending")
    assert "swp1" not in client.applied("/interface")


def test_misspelt_faults_and_options_are_refused(start: Any) -> None:
    client = start()
    with pytest.raises(ValueError, match="no fault"):
        client.double.control.fault("aply_fail")
    with pytest.raises(ValueError, match="no parameter"):
        client.double.control.fault("http", code=3)
    with pytest.raises(ValueError, match="no such option"):
        client.double.control.options(relase="5.17.0")


def test_release_and_serial_change(start: Any) -> None:
    client = start()
    client.double.control.options(release="5.18.0", serial="MT9")
    assert client("GET", "/system?rev=operational")[1]["version"]["product-release"] == "5.18.0"
    assert client("GET", "/platform?rev=operational")[1]["serial-number"] == "MT9"


@pytest.mark.parametrize(("release", "status"), [("5.15.3", 404), ("5.16.0", 200), ("5.18.0", 200)])
def test_the_fib_can_be_asked_from_its_release_on(start: Any, release: str, status: int) -> None:
    """The NVUE reference: `nv show vrf <vrf-id> router fib` came with Cumulus Linux 5.16.0."""
    client = start(release=release)
    table = {"ipv4": {"route": {"10.1.10.0/24": {"next-hop": "nhid 460", "protocol": "bgp"}}}}
    client.double.control.operational(["vrf", "BLUE", "router", "fib"], table)
    path = "/vrf/BLUE/router/fib/ipv4/route/10.1.10.0%2F24?rev=operational"
    assert client("GET", path)[0] == status
    client.double.control.operational(["vrf", "BLUE", "router", "rib"], {"ipv4": {}})
    assert client("GET", "/vrf/BLUE/router/rib/ipv4?rev=operational")[0] == 200


def test_simulated_sessions_are_idle_until_set(start: Any) -> None:
    bgp = {"state": "enabled", "neighbor": {"swp1": {"remote-as": 65002, "type": "unnumbered"}}}
    client = start()
    number = client.revision({"router": {"bgp": BGP}, "vrf": {"default": {"router": {"bgp": bgp}}}})
    client.apply(number)
    client.until(number, "applied_and_saved")
    path = "/vrf/default/router/bgp/neighbor?rev=operational"
    assert client("GET", path)[1]["swp1"]["session-state"] == "idle"
    client.double.control.sessions("established")
    assert client("GET", path)[1]["swp1"]["session-state"] == "established"
    client.double.control.fault("session_down", neighbor="swp*")
    second = client.revision(MTU)
    client.apply(second, **{"state-controls": {"confirm": 1}})
    client.until(second, "confirm")
    assert client("GET", path)[1]["swp1"]["session-state"] == "idle"
    client.until(second, "confirm_fail")
    assert client("GET", path)[1]["swp1"]["session-state"] == "established"


def test_known_issue_of_the_release(start: Any) -> None:
    client = start(release="5.16.1")
    tenant = {
        "evpn": {"vni": {"5001": {}}},
        "router": {"bgp": {"state": "enabled", "autonomous-system": 65001}},
    }
    number = client.revision({"router": {"bgp": BGP}, "vrf": {"RED": tenant}})
    client.apply(number)
    client.until(number, "applied_and_saved")
    second = client.revision({"autonomous-system": 65009}, "/vrf/RED/router/bgp")
    client.apply(second)
    assert "4871161" in str(client.until(second, "apply_fail"))
