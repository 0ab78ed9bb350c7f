# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the checks look at: read whole, or not at all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import switch_reader
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.api import Api, Clock
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.auth import Auth, Credentials
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    ApiError,
    UnfitError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.http import Reply

NEIGHBOR = {"spine-01": {"chassis": {"system-name": "spine-01"}, "port": {"name": "swp3"}}}
GOOD: dict[str, Any] = {
    "system": {"build": "Cumulus Linux 5.16.1"},
    "": {"system": {"hostname": "leaf-01"}},
    "interface": {"swp1": {"lldp": {"neighbor": NEIGHBOR}}, "swp2": {"link": {"mtu": 9216}}},
    "vrf/default/router/bgp/neighbor": {"swp1": {"state": "established"}},
    "qos/roce": {"state": "enabled"},
}
ABSENT = Reply(404, {"content-type": "application/json"}, b'{"title": "Not Found"}')


class Switch:
    """Answers every place from a table."""

    target = "leaf-01:8765"

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = answers

    def request(self, _method: str, path: str, _params: Any, *_rest: Any) -> Reply:
        answer = self.answers[path.removeprefix("/nvue_v1").strip("/")]
        if isinstance(answer, Reply):
            return answer
        return Reply(200, {"content-type": "application/json"}, json.dumps(answer).encode())

    def close(self) -> None:
        """Nothing is open."""


def read(**changes: Any) -> switch_reader.Reading:
    answers = {**GOOD, **{place.replace("__", "/"): answer for place, answer in changes.items()}}
    clock = Clock(sleep=lambda _seconds: None)
    return switch_reader.read(Api(Switch(answers), Auth(Credentials("u", "p")), clock=clock))


def test_everything_is_read() -> None:
    found = read()
    assert found.lldp == {"swp1": [("spine-01", "swp3")]}
    assert found.neighbors == {"swp1": {"state": "established"}}
    assert found.roce == {"state": "enabled"}


def test_what_the_switch_does_not_have_is_empty() -> None:
    assert read(qos__roce=ABSENT).roce == {}
    assert read(vrf__default__router__bgp__neighbor=ABSENT).neighbors == {}


@pytest.mark.parametrize("place", ["interface", "vrf__default__router__bgp__neighbor"])
@pytest.mark.parametrize("answer", [None, [], "up", {"swp1": "up"}, Reply(200, {}, b""),
                                    Reply(302, {}, b""), Reply(404, {}, b"<h1>Not Found</h1>")])  # fmt: skip
def test_what_is_no_answer_is_not_read_as_nothing(place: str, answer: Any) -> None:
    with pytest.raises(UnfitError):
        read(**{place: answer})


@pytest.mark.parametrize("lldp", ["none", {"neighbor": ["spine-01"]}, {"neighbor": {"a": 1}}])
def test_neighbours_of_another_shape(lldp: Any) -> None:
    with pytest.raises(UnfitError):
        read(interface={"swp1": {"lldp": lldp}})


def test_a_refusal_stays_a_refusal() -> None:
    with pytest.raises(ApiError):
        read(qos__roce=Reply(500, {}, b'{"title": "Internal Server Error"}'))
