# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of the switch double about itself: sessions it withholds, and text that attacks a reader."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

BGP = {"state": "enabled", "autonomous-system": 65001, "router-id": "10.0.0.1"}
PEERS = {name: {"remote-as": 65002, "type": "unnumbered"} for name in ("swp1", "swp2")}
ROUTED = {
    "router": {"bgp": BGP},
    "vrf": {
        name: {"router": {"bgp": {"state": "enabled", "neighbor": PEERS}}}
        for name in ("default", "red")
    },
}
WHERE = "/vrf/{}/router/bgp/neighbor"


def neighbors(client: Any, vrf: str = "default", below: str = "") -> tuple[int, Any]:
    """(status, answer) of the neighbours of a VRF."""
    return client("GET", f"{WHERE.format(vrf)}{below}?rev=operational")


@pytest.fixture
def routed(start: Any) -> Any:
    """A double with two VRFs of two sessions that are up."""
    return start(document=ROUTED, session_state="established")


def test_sessions_without_a_state(routed: Any) -> None:
    routed.double.control.reports("no_state", vrf="default", neighbor="swp1")
    found = neighbors(routed)[1]
    assert "session-state" not in found["swp1"]
    assert found["swp1"]["remote-as"] == 65002
    assert found["swp2"]["session-state"] == "established"
    assert neighbors(routed, below="/swp1/session-state")[0] == 404
    assert neighbors(routed, "red")[1]["swp1"]["session-state"] == "established"


def test_sessions_whose_state_is_null(routed: Any) -> None:
    routed.double.control.reports("null_state", neighbor="swp2")
    assert neighbors(routed)[1]["swp2"]["session-state"] is None
    assert neighbors(routed, "red", "/swp2/session-state") == (200, None)
    assert neighbors(routed)[1]["swp1"]["session-state"] == "established"


def test_sessions_that_are_left_out(routed: Any) -> None:
    routed.double.control.reports("left_out", neighbor="swp1")
    assert set(neighbors(routed)[1]) == {"swp2"}
    assert neighbors(routed, below="/swp1")[0] == 404
    whole = routed("GET", "/vrf?rev=operational&include=/*/router/bgp/neighbor")[1]
    assert set(whole["red"]["router"]["bgp"]["neighbor"]) == {"swp2"}
    routed.double.control.reports("left_out")
    assert neighbors(routed) == (200, {})


def test_the_neighbours_of_a_vrf_are_not_found(routed: Any) -> None:
    routed.double.control.reports("not_found", vrf="red")
    assert neighbors(routed, "red")[0] == 404
    assert set(neighbors(routed)[1]) == {"swp1", "swp2"}
    assert "neighbor" not in routed("GET", "/vrf?rev=operational")[1]["red"]["router"]["bgp"]
    routed.double.control.reports("full")
    assert neighbors(routed, "red")[0] == 200


def test_reports_are_an_option_from_the_start(start: Any) -> None:
    client = start(document=ROUTED, session_report="left_out")
    assert neighbors(client) == (200, {})
    client.double.control.options(session_report="full")
    assert set(neighbors(client)[1]) == {"swp1", "swp2"}


def test_sessions_that_are_down_are_reported_so(routed: Any) -> None:
    routed.double.control.sessions("idle", vrf="red")
    assert {body["session-state"] for body in neighbors(routed, "red")[1].values()} == {"idle"}
    assert {body["session-state"] for body in neighbors(routed)[1].values()} == {"established"}


def test_a_misspelt_report_is_refused(routed: Any) -> None:
    with pytest.raises(ValueError, match="reports 'gone' is not one of"):
        routed.double.control.reports("gone")
    with pytest.raises(ValueError, match="session_report 'gone' is not one of"):
        routed.double.control.options(session_report="gone")


HOSTILE = "\x1b[2J\x1b[31mowned\x07\r\n\u202e\u2066<script>&\"'\x00\x9b"


def test_text_that_attacks_its_reader(start: Any) -> None:
    client = start(serial="MT1", hostile_text=HOSTILE, document={"interface": {"swp1": {}}})
    far = {"1": {"chassis": {"system-name": "leaf", "mac": "aa"}, "port": {"name": "swp7"}}}
    client.double.control.operational(["interface", "swp1", "lldp", "neighbor"], far)
    system = client("GET", "/system?rev=operational")[1]
    assert system["hostname"] == f"cumulus{HOSTILE}"
    assert system["version"]["product-release"] == "5.16.1"
    platform = client("GET", "/platform?rev=operational")[1]
    assert platform["serial-number"] == f"MT1{HOSTILE}"
    assert client("GET", "/platform/serial-number?rev=operational") == (200, f"MT1{HOSTILE}")
    (near,) = client("GET", "/interface/swp1/lldp/neighbor?rev=operational")[1].values()
    assert near["chassis"] == {"system-name": f"leaf{HOSTILE}", "mac": "aa"}
    assert near["port"]["name"] == f"swp7{HOSTILE}"
    message = client("GET", "/system/message?rev=operational")[1]
    assert message["pre-login"].endswith(HOSTILE)
    client.double.control.options(hostile_text="")
    assert client("GET", "/system?rev=operational")[1]["hostname"] == "cumulus"


def test_a_hostile_banner_can_be_configured(start: Any) -> None:
    client = start()
    client.double.control.foreign({"system": {"message": {"pre-login": HOSTILE}}})
    assert client.applied("/system/message") == {"pre-login": HOSTILE}
    assert client("GET", "/system/message/pre-login?rev=operational") == (200, HOSTILE)


def test_hostile_text_is_in_what_an_apply_says(start: Any) -> None:
    client = start(hostile_text=HOSTILE)
    client.double.control.fault("apply_fail", message="frr")
    number = client.revision({"interface": {"swp1": {"link": {"mtu": 9000}}}})
    client.apply(number)
    view = client.until(number, "apply_fail")
    assert view["transition"]["issue"]["0"]["message"] == f"frr{HOSTILE}"


def ordered(port: int, name: str, **arguments: Any) -> Any:
    """The answer of the control API to an order."""
    body = json.dumps(arguments).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}/{name}", body)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def test_options_of_a_program() -> None:
    """`--option NAME=JSON` sets any option; the control API changes it while it runs."""
    folder = Path(__file__).parents[3] / "targets" / "switch"
    command = [sys.executable, "-m", "nvue_double", "--listen", "127.0.0.1:0"]
    command += ["--control", "127.0.0.1:0", "--option", "confirm_form=ays"]
    command += ["--option", 'hostile_text="\\u001b[0m"', "--option", "unauthorized_html=false"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        words = process.stdout.readline().split()
        port = int(words[words.index("control") + 1])
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/options", timeout=10) as answer:
            options = json.load(answer)
        assert (options["confirm_form"], options["hostile_text"]) == ("ays", "\x1b[0m")
        assert options["unauthorized_html"] is False
        assert ordered(port, "options", confirm_form="confirm")["confirm_form"] == "confirm"
        fault = {"kind": "answer", "form": "null", "path": "/vrf/.*", "after": 2}
        assert ordered(port, "fault", count=None, **fault) is None
        assert ordered(port, "state")["faults"] == ["answer"]
        with pytest.raises(urllib.error.HTTPError, match="400"):
            ordered(port, "fault", kind="answer", form="nul")
    finally:
        process.terminate()
        process.wait(20)


@pytest.mark.parametrize("text", ["confirm_form=maybe", "no_such=1", "confirm_form"])
def test_a_wrong_option_of_a_program_is_said(text: str) -> None:
    folder = Path(__file__).parents[3] / "targets" / "switch"
    command = [sys.executable, "-m", "nvue_double", "--listen", "127.0.0.1:0", "--option", text]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 2
    assert text.partition("=")[0] in done.stderr


@pytest.mark.parametrize("path", ["/interface", "/system", "/platform", "/vrf"])
def test_without_a_revision_the_answer_is_operational(start: Any, path: str) -> None:
    """NVIDIA's user guide, NVUE API: its curl of an interface without rev shows oper-status."""
    client = start(document={"interface": {"swp1": {}}, "vrf": {"RED": {}}})
    assert client("GET", path) == client("GET", f"{path}?rev=operational")


@pytest.mark.parametrize(
    ("release", "below"),
    [
        ("5.9.2", None),
        ("5.10.0", {"image", "build-date", "kernel", "onie"}),
        ("5.14.0", {"image", "product-release", "kernel", "onie"}),
        ("5.18.0", {"image", "product-release", "kernel", "onie", "base-os"}),
    ],
)
def test_the_version_has_the_form_of_its_release(
    start: Any, release: str, below: set[str] | None
) -> None:
    client = start(release=release)
    status, version = client("GET", "/system/version?rev=operational")
    assert status == (404 if below is None else 200)
    assert below is None or set(version) == below
    system = client("GET", "/system?rev=operational")[1]
    newer = release in ("5.14.0", "5.18.0")
    assert ("build" in system, "version" in system) == (not newer, newer)


def test_the_platform_answers_as_published(start: Any) -> None:
    """The answer of an SN5600 in the tests of NVIDIA's config manager has no model and nothing below."""
    client = start(serial="MT1", model="SN5600")
    platform = client("GET", "/platform?rev=operational")[1]
    assert (platform["product-name"], platform["serial-number"]) == ("SN5600", "MT1")
    assert not {"model", "hardware", "environment"} & set(platform)
    assert client("GET", "/platform/hardware/model?rev=operational") == (200, "SN5600")
    assert client("GET", "/platform/environment/psu/PSU1/state?rev=operational") == (200, "ok")
    assert client("GET", "/platform/inventory/SWITCH/serial?rev=operational") == (200, "MT1")
    assert client("GET", "/platform/nonsense?rev=operational")[0] == 404
