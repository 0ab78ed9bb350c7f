# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Meaning of a switch's ping: only published forms count as an answer or silence."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.reply import Reply
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import parse
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire import ping

HERE = "10.10.10.2"
# D513, Network Troubleshooting: the first example, one packet of it.
PRINTED = {
    "sent": 1, "received": 1, "min_time": 602000, "avg_time": 602000, "max_time": 602000,
    "packets_info": {"1": {"bytes": 64, "source": HERE, "ttl": 64, "time": 602000}},
}  # fmt: skip
FRAMED = f"Action executing ...\n{json.dumps(PRINTED, indent=4)}\nAction succeeded"
LOST = "1 packets transmitted, 0 received, 100% packet loss, time 0ms"


def done(**told: Any) -> dict[str, Any]:
    return {"state": "action_success", "status": "", "detail": "", **told}


def failed(words: str) -> dict[str, Any]:
    return {"state": "action_error", "issue": [{"message": words}]}


@pytest.mark.parametrize(
    ("job", "answered"),
    [
        (done(status=json.dumps(PRINTED)), True),
        (done(status=PRINTED), True),
        (done(status=FRAMED), True),
        (done(status="Action succeeded", detail=json.dumps(PRINTED)), True),
        (done(status=json.dumps({"sent": 1, "received": 0})), False),
        (failed(LOST), False),
        (failed("1 packets transmitted, 0 received, +1 errors, 100% packet loss, time 0ms"), False),
        (failed("ping: connect: Network is unreachable"), False),
        # What cannot be read is neither.
        (done(status="Action succeeded"), None),
        (done(status="{broken}"), None),
        (done(status='{"received": "1"}'), None),
        (done(status=json.dumps({"sent": 1, "received": 1})), None),
        (done(status=json.dumps(PRINTED).replace(HERE, "10.10.10.9")), None),
        (done(status=json.dumps({**PRINTED, "packets_info": {"1": {"source": "x"}}})), None),
        (failed("vrf red is unknown"), None),
        (failed("3 packets transmitted, 2 received, 33% packet loss"), None),
    ],
)
def test_what_a_job_says(switch: Callable[..., Any], job: dict[str, Any], answered: Any) -> None:
    made = switch(script={"POST /system": [12], "GET /action/12": [{"state": "running"}, job]})
    echo = ping.ping(made.api(), "t21-acme", HERE)
    assert echo.answered is answered
    assert bool(echo.reason) == (answered is None)


def test_what_is_asked(switch: Callable[..., Any]) -> None:
    made = switch(script={"POST /system": [12], "GET /action/12": [failed(LOST)]})
    ping.ping(made.api(), "t21-acme", HERE)
    ping.ping(made.api(), "t21-acme", "fd00::2")
    first, second = (body["@ping"]["parameters"] for body in made.bodies if body)
    assert first == {"destination": HERE, "count": 1, "wait": 1, "vrf": "t21-acme"}
    assert second == {**first, "destination": "fd00::2", "l3protocol": "ipv6"}


@pytest.mark.parametrize(
    "answer",
    [Reply(404, {}, b'{"title": "Not Found"}'), Reply(403, {}, b"{}"), {"odd": 1},
     ConnectionError],
)  # fmt: skip
def test_a_refusal_is_a_reason(
    switch: Callable[..., Any], dropped: Callable[[], Exception], answer: Any
) -> None:
    made = switch(script={"POST /system": [dropped() if answer is ConnectionError else answer]})
    echo = ping.ping(made.api(), "t21-acme", HERE)
    assert echo.answered is None
    assert echo.reason.startswith("leaf-01:8765")


def test_a_job_without_an_end_is_a_reason(switch: Callable[..., Any]) -> None:
    made = switch(script={"POST /system": [3], "GET /action/3": [{"state": "running"}]})
    assert ping.ping(made.api(), "t21-acme", HERE).reason.endswith("job 3 did not end within 10 s.")


@pytest.mark.parametrize(
    ("release", "has"), [("5.11.1", False), ("5.12.0", True), ("5.16.1", True)]
)
def test_releases(release: str, has: bool) -> None:
    assert (ping.unpublished(parse(release)) == "") is has
