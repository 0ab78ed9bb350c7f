# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads of a switch by a person: any place, but only an answer to the question."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.action import nvue_info
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.reply import Reply
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import UnfitError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.api import Api, Clock
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.auth import Auth

JSON = {"content-type": "application/json"}


class Answers:
    """A switch with one answer."""

    target = "leaf-01:8765"

    def __init__(self, reply: Reply) -> None:
        self.reply = reply

    def request(self, *_request: Any) -> Reply:
        return self.reply

    def close(self) -> None:
        """Nothing is open."""


def read(reply: Reply, **args: Any) -> Any:
    given = {
        "path": "system",
        "rev": "applied",
        "params": {},
        "neutral": False,
        "missing_ok": False,
    }
    api = Api(Answers(reply), Auth("u", "p"), clock=Clock(sleep=lambda _time: None))
    return nvue_info._read(api, {**given, "paths": None, "fact": None, **args})["data"]


def answer(value: Any, status: int = 200) -> Reply:
    return Reply(status, JSON, json.dumps(value).encode())


SECRET = "$6$canary"
PATH = "/system/aaa/user/ops/hashed-password"


@pytest.mark.parametrize(
    "found",
    [
        {},
        None,
        [],
        {"timezone": "UTC"},
        [{"op": "add", "path": "/system/timezone", "value": "UTC"}],
    ],
)
def test_a_difference_in_every_public_form(found: Any) -> None:
    assert read(answer(found), params={"diff": "7"}) == found


@pytest.mark.parametrize(
    "found",
    [
        [{"op": "replace", "path": PATH, "value": SECRET}],
        [{"op": "add", "path": "/system/aaa/user", "value": {"ops": {"hashed-password": SECRET}}}],
        {"system": {"aaa": {"user": {"ops": {"hashed-password": SECRET}}}}},
        [{"system": {"aaa": {"user": {"ops": {"hashed-password": SECRET}}}}}],
    ],
)
def test_a_difference_shows_no_secret(found: Any) -> None:
    assert "canary" not in str(read(answer(found), path="", params={"diff": "7"}))


def test_a_secret_leaf_is_masked() -> None:
    assert read(answer(SECRET), path=PATH) != SECRET


@pytest.mark.parametrize("found", ["up", 3, {"a": 1}, [], {}])
def test_any_place_may_be_read(found: Any) -> None:
    assert read(answer(found)) == found


@pytest.mark.parametrize("reply", [answer(None), Reply(200, JSON, b""), Reply(204, JSON, b"")])
@pytest.mark.parametrize("missing_ok", [True, False])
def test_nothing_is_no_answer(reply: Reply, missing_ok: bool) -> None:
    with pytest.raises(UnfitError):
        read(reply, missing_ok=missing_ok)


def test_only_the_switch_says_that_something_is_missing() -> None:
    assert read(answer({"title": "Not Found"}, 404), missing_ok=True) is None
    with pytest.raises(UnfitError):
        read(Reply(404, {"content-type": "text/html"}, b"<h1>Not Found</h1>"), missing_ok=True)
