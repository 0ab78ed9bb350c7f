# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to one switch: a question is put again, a write is not, and secrets stay hidden."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.shapes import mapping
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    ApiError,
    RefusedError,
    TransportError,
    UnfitError,
    UntrustedError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.api import transient
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.http import Reply

JSON = {"content-type": "application/json"}


def test_a_question_with_a_strange_answer_is_put_again(switch):
    made = switch(script={"GET /system": [[], [], {"a": 1}]})
    assert made.api().get(("system",), {}, mapping) == {"a": 1}
    assert (len(made.log), made.closed) == (3, 2)


def test_after_three_strange_answers_it_is_an_error(switch):
    made = switch(script={"GET /system": [[]]})
    with pytest.raises(UnfitError, match=r"^leaf-01:8765: GET /system"):
        made.api().get(("system",), {}, mapping)
    assert len(made.log) == 3


def test_a_write_is_sent_once(switch):
    made = switch(script={"PATCH /revision/7": [[]]})
    api = made.api()
    with pytest.raises(UnfitError):
        api.patch(("revision", "7"), {"state": "apply"}, shape=mapping)
    assert (len(made.log), api.requests, api.writes) == (1, 1, 1)


def test_secrets_leave_every_message(switch):
    said = b'{"title": "Bad", "detail": "hunter22 and blue are wrong"}'
    made = switch(script={"GET /system": [Reply(400, JSON, said)]})
    api = made.api()
    api.hide(["blue"])
    with pytest.raises(ApiError) as error:
        api.get(("system",), {}, mapping)
    assert "hunter22" not in str(error.value)
    assert "blue" not in str(error.value)
    assert "are wrong" in str(error.value)


@pytest.mark.parametrize("method, words", [("get", "factory's password"), ("patch", "--check")])
def test_a_request_that_is_forbidden_says_what_to_do(switch, method, words):
    refused = Reply(403, JSON, b'{"title": "Forbidden"}')
    made = switch(script={f"{method.upper()} /system": [refused]})
    api = made.api()
    ask = {
        "get": lambda: api.get(("system",), {}, mapping),
        "patch": lambda: api.patch(("system",), {}, shape=mapping),
    }
    with pytest.raises(ApiError, match=words) as error:
        ask[method]()
    assert error.value.status == 403


def test_a_token_that_dies_too_soon_is_fetched_or_refused(switch):
    made = switch(script={"GET /api-token": [{"token": "fresh"}]})
    with_password = made.api(user="admin", password="hunter22", token="a.eyJleHAiOiAxMDEwfQ.c")
    with_password.ensure_token(600)
    assert made.log == ["GET /api-token"]
    alone = made.api(token="a.eyJleHAiOiAxMDEwfQ.c")
    with pytest.raises(RefusedError, match=r"the token expires in .* give a fresh token"):
        alone.ensure_token(600)


@pytest.mark.parametrize("token", [7, "", "two words", "line\n"])
def test_what_no_header_may_hold_is_no_token(switch, token):
    made = switch(script={"GET /api-token": [{"token": token}]})
    with pytest.raises(UnfitError, match="a token of printable characters"):
        made.api().fetch_token()


@pytest.mark.parametrize(
    "error, over",
    [
        (TransportError("x"), True),
        (UntrustedError("x"), True),
        (ApiError("x", status=503), True),
        (ApiError("x", status=400), False),
        (RefusedError("x"), False),
    ],
)
def test_what_may_be_over_in_a_moment(error, over):
    assert transient(error) is over
