# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches and the tenants of leaves: read whole, or not at all; what becomes of one that is not read."""

from __future__ import annotations

import json
import shutil
from typing import Any
from urllib.parse import urlencode

import pytest
import yaml
from nvue_double.testing import running_double
from playing import play

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.switch_view import (
    SwitchReading,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.connection import Endpoint
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.reply import Reply
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.validate import switch
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import parse
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    ApiError,
    UnfitError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.api import Api, Clock
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.auth import Auth
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.port import (
    HttpsPort,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.sessions import Peer
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

LEAF = "leaf-p1-su001-r1"

NEIGHBOR = {"spine-01": {"chassis": {"system-name": "spine-01"}, "port": {"name": "swp3"}}}
GOOD: dict[str, Any] = {
    "system": {"build": "Cumulus Linux 5.16.1"},
    "": {"system": {"hostname": "leaf-01"}},
    "interface": {
        "swp1": {"lldp": {"neighbor": NEIGHBOR}},
        "swp2": {"link": {"mtu": 9216}},
        "swp3": {"link": {"oper-status": "up", "mtu": 9216}},
    },
    "vrf/default/router/bgp/neighbor": {"swp1": {"state": "established", "address-family": {}}},
    "qos/roce": {"state": "enabled"},
}
ABSENT = Reply(404, {"content-type": "application/json"}, b'{"title": "Not Found"}')


class Switch:
    """Answers every place from a table."""

    target = "leaf-01:8765"

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = answers
        self.log: list[str] = []

    def request(self, _method: str, path: str, params: Any, *_rest: Any) -> Reply:
        self.log.append(
            f"{path.removeprefix('/nvue_v1')}?{urlencode(params, doseq=True, safe='/*')}"
        )
        answer = self.answers[path.removeprefix("/nvue_v1").strip("/")]
        if isinstance(answer, Reply):
            return answer
        return Reply(200, {"content-type": "application/json"}, json.dumps(answer).encode())

    def certificate(self) -> bytes:
        return b"certificate"

    def close(self) -> None:
        """Nothing is open."""


def read(**changes: Any) -> SwitchReading:
    answers = {**GOOD, **{place.replace("__", "/"): answer for place, answer in changes.items()}}
    clock = Clock(sleep=lambda _seconds: None)
    return switch.read(Api(Switch(answers), Auth("u", "p"), clock=clock))


PARTS = (
    "include=/*/link/oper-status&include=/*/link/state&include=/*/link/stats/in-errors"
    "&include=/*/link/stats/out-errors&include=/*/link/stats/carrier-transitions",
    "include=/*/link/phy/health/effective-ber&include=/*/qos/pfc-watchdog",
    "include=/*/lldp/neighbor",
)
REQUESTS = [
    "/system?rev=operational",
    "/?rev=applied&filled=false",
    *(f"/interface?rev=operational&{part}" for part in PARTS),
    "/vrf/default/router/bgp/neighbor?rev=operational",
    "/qos/roce?rev=operational",
]


HEALTH = "system/telemetry/health"


class Counting(Switch):
    """A switch that exports with each reading of its health from some reading on."""

    def __init__(self, rises: int) -> None:
        super().__init__(GOOD)
        self.rises = rises

    def request(self, method: str, path: str, params: Any, *rest: Any) -> Reply:
        asked = sum(HEALTH in line for line in self.log)
        row = {"connectivity": "Pass", "counter": max(7, 8 + asked - self.rises), "drop-counter": 0}
        self.answers = {**GOOD, HEALTH: {"export-destination-status": {"192.0.2.30:4317": row}}}
        return super().request(method, path, params, *rest)


@pytest.mark.parametrize(
    ("wait", "rises", "readings"), [(False, 99, 2), (True, 1, 2), (True, 4, 5), (True, 99, 12)]
)
def test_the_health_of_telemetry_is_read_first_and_last(wait, rises, readings) -> None:
    """Where it is asked for by name, it is waited for, but not for long."""
    passed = [0.0]
    clock = Clock(now=lambda: passed[0], sleep=lambda s: passed.__setitem__(0, passed[0] + s))
    dialled = Counting(rises)
    found = switch.read(
        Api(dialled, Auth("u", "p"), clock=clock), ["192.0.2.30:4317"], wait=wait
    ).health
    assert len(found) == readings
    assert HEALTH in dialled.log[1]


def test_a_release_without_health_of_telemetry_is_asked_once() -> None:
    dialled = Switch({**GOOD, HEALTH: Reply(404, {}, b"{}")})
    assert switch.read(Api(dialled, Auth("u", "p")), ["192.0.2.30"], wait=True).health == []


def test_the_requests_of_a_switch_are_these_and_no_others() -> None:
    """A summary without address families costs one more, and so does nothing else."""
    dialled = Switch(GOOD)
    switch.read(Api(dialled, Auth("u", "p")))
    assert sorted(dialled.log) == sorted(REQUESTS)
    short = {**GOOD, "vrf/default/router/bgp/neighbor": {"swp1": {"state": "established"}}}
    dialled = Switch(short)
    switch.read(Api(dialled, Auth("u", "p")))
    assert {*dialled.log} - {*REQUESTS} == {f"{REQUESTS[-2]}&view=detail"}
    assert len(dialled.log) == len(REQUESTS) + 1


def test_an_answer_with_more_than_was_asked_for_is_read_for_no_more() -> None:
    assert read().interfaces == {"swp3": {"link": {"oper-status": "up"}}}


def test_everything_is_read() -> None:
    found = read()
    assert {port: [one[:2] for one in heard] for port, heard in found.lldp.items()} == {
        "swp1": [("spine-01", "swp3")]
    }
    assert found.neighbors == {"swp1": Peer("established", {})}
    assert found.roce == {"state": "enabled"}
    assert found.certificate == b"certificate"


def test_what_the_switch_does_not_have_is_empty() -> None:
    assert read(qos__roce=ABSENT).roce == {}
    assert read(vrf__default__router__bgp__neighbor=ABSENT).neighbors == {}


@pytest.mark.parametrize("place", ["interface", "vrf__default__router__bgp__neighbor"])
@pytest.mark.parametrize("answer", [None, [], "up", {"swp1": "up"}, Reply(200, {}, b""),
                                    Reply(302, {}, b""), Reply(404, {}, b"<h1>Not Found</h1>")])  # fmt: skip
def test_what_is_no_answer_is_not_read_as_nothing(place: str, answer: Any) -> None:
    with pytest.raises(UnfitError):
        read(**{place: answer})


def test_a_place_that_is_not_in_the_answer_is_not_known() -> None:
    assert read(interface={"swp1": {"lldp": "none"}}).lldp == {}


@pytest.mark.parametrize("lldp", [{"neighbor": ["spine-01"]}, {"neighbor": {"a": 1}}])
def test_neighbours_of_another_shape(lldp: Any) -> None:
    with pytest.raises(UnfitError):
        read(interface={"swp1": {"lldp": lldp}})


def test_a_refusal_stays_a_refusal() -> None:
    with pytest.raises(ApiError):
        read(qos__roce=Reply(500, {}, b'{"title": "Internal Server Error"}'))


def test_a_switch_that_is_not_meant_or_gives_no_answer(project, results):
    task = {"of": "switch", "device": LEAF, "report": str(project / "report")}
    elsewhere, refused, silent = results(
        {"spectrum_x.fabric.validate": {**task, "where": ["leaf-p1-su001-r2"]}},
        {"spectrum_x.fabric.validate": {**task, "fail": True}},
        {
            "spectrum_x.fabric.validate": {**task, "host": "127.0.0.1", "port": 1, "timeout": 1},
            "vars": {"spx_nvue_user": "cumulus", "spx_nvue_password": "secret"},
        },
    )
    assert elsewhere["msg"] == f"{LEAF} is not in leaf-p1-su001-r2."
    assert elsewhere["skipped"]
    assert refused["failed"]
    assert "No credentials" in refused["msg"]
    assert refused["counts"]["fail"] == 1
    assert silent["unreachable"]
    (row,) = json.loads((project / "report" / "results" / f"{LEAF}.json").read_text())
    assert row["state"] == "not_run"


def test_a_certificate_that_nobody_trusts_is_judged_all_the_same(project, results):
    """That it has expired is what has to be known where it is not trusted for that reason."""
    with running_double(release="5.16.1", step_seconds=0.002) as double:
        here = {"host": double.host, "port": double.port, "user": "cumulus", "password": "s3cret"}
        task = {"of": "switch", "device": LEAF, "report": str(project / "report"), **here}
        (found,) = results({"spectrum_x.fabric.validate": task})
        assert not double.log.requests
    assert found["untrusted"]
    rows = json.loads((project / "report" / "results" / f"{LEAF}.json").read_text())
    assert {row["id"]: row["state"] for row in rows} == {
        "switch.reachable": "not_run",
        "switch.certificate": "pass",
    }


def test_a_leaf_whose_ports_cannot_be_compared_with_hosts_fails_in_a_sentence(project, results):
    document = {
        "system": {"hostname": LEAF},
        "router": {"bgp": {"autonomous-system": 4200000001}},
        "interface": {"swp1s0": {"type": "swp", "link": {"mtu": "jumbo"}}},
    }
    with running_double(release="5.16.1", document=document, step_seconds=0.002) as double:
        here = {"host": double.host, "port": double.port, "validate_certs": False}
        task = {"of": "switch", "device": LEAF, "report": str(project / "report"), **here}
        (found,) = results(
            {
                "spectrum_x.fabric.validate": task,
                "vars": {"spx_nvue_user": double.username, "spx_nvue_password": double.password},
            }
        )
    assert not found.get("failed"), found
    rows = json.loads((project / "report" / "results" / f"{LEAF}.json").read_text())
    assert [row["sentence"] for row in rows if "of another kind" in row["sentence"]] == [
        f"{LEAF}: qos and interface of its applied configuration have a value of another kind: check it with nv "
        "config show."
    ]


def test_a_leaf_that_lets_nobody_read_is_a_result_and_not_the_end_of_the_run(tmp_path):
    """Whatever checks are asked for; here it is refused before anything is dialled."""
    folder = shutil.copytree(INVENTORIES / "lab", tmp_path / "lab")
    task = {"of": "tenants", "report": "report", "checks": ["tenant.routes"]}
    book = [
        {
            "hosts": LEAF,
            "gather_facts": False,
            "any_errors_fatal": True,
            "tasks": [{"spectrum_x.fabric.validate": task}],
        }
    ]
    (folder / "book.yml").write_text(yaml.safe_dump(book), encoding="utf-8")
    code, output = play(folder, "-i", folder / "hosts.fabric.yml", folder / "book.yml")
    assert code == 0, output
    (row,) = json.loads((folder / "report" / "results" / f"{LEAF}.tenants.json").read_text())
    assert (row["id"], row["state"]) == ("tenant.readable", "fail")
    assert row["sentence"].startswith(f"{LEAF} could not be read: No credentials")


# Probes for rented hosts, against the double: client and double know the published text apart

RED, BLUE = "t21-red", "t22-blue"
DOCUMENT = {
    "vrf": {RED: {}, BLUE: {}},
    "interface": {
        "swp1": {"type": "swp", "vrf": RED, "ipv4": {"address": {"172.16.0.1/31": {}}}},
        "swp2": {"type": "swp", "vrf": BLUE, "ipv4": {"address": {"172.16.0.3/31": {}}}},
    },
}
ROW = {"node": "h01", "port": "rail1p1", "vrf": RED, "address": "172.16.0.0", "whom": "h02 of blue"}


def tried(stranger: str, release: str = "5.16.1", rows: int = 1, why: str = "", **options):
    given = {"release": release, "document": DOCUMENT, "step_seconds": 0.002, **options}
    with running_double(**given) as double:
        endpoint = Endpoint(double.host, double.port, timeout=5, ca=double.ca_file)
        api = Api(HttpsPort(endpoint), Auth(double.username, double.password))
        told = [{**ROW, "stranger": stranger, "node": f"h{n}"} for n in range(rows)]
        found = switch.tried(api, parse(release), told, why=why)
    return found["h0"]["own"], found["h0"]["other"], found[f"h{rows - 1}"]["reason"], api.writes


@pytest.mark.parametrize(
    ("stranger", "release", "options", "expected"),
    [
        ("172.16.0.2", "5.16.1", {}, (True, False, "", 2)),
        ("172.16.0.2", "5.12.0", {}, (True, False, "", 2)),
        # A stranger whose port stands in the tenant's VRF answers.
        ("172.16.0.1", "5.16.1", {}, (True, True, "", 2)),
        ("172.16.0.2", "5.16.1", {"link_state": "down"}, (False, False, "", 2)),
        ("", "5.16.1", {}, (True, None, "", 1)),
    ],
)
def test_what_is_found(stranger, release, options, expected):
    assert tried(stranger, release, **options) == expected


def test_an_older_release_is_not_asked():
    own, other, why, writes = tried("172.16.0.2", "5.11.0")
    assert (own, other, writes) == (None, None, 0)
    assert why == "Cumulus Linux 5.11.0 has no ping over NVUE: it came with 5.12."


def test_a_switch_that_shall_not_be_asked_is_not():
    assert tried("172.16.0.2", why="with --check.") == (None, None, "with --check.", 0)


def test_a_switch_that_refuses_is_asked_once():
    document = {**DOCUMENT, "vrf": {BLUE: {}}, "interface": {}}
    own, other, why, writes = tried("172.16.0.2", rows=4, document=document)
    assert (own, other, writes) == (None, None, 1)
    assert why.endswith(f"ended as action_error: VRF {RED} does not exist.")
