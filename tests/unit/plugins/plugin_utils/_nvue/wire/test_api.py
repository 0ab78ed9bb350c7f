# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to one switch: a question is put again, a write is not, secrets stay hidden, and what is an answer."""

from __future__ import annotations

import time

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.reply import Reply
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.shapes import (
    mapping,
    mappings,
    something,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    ApiError,
    RefusedError,
    TransportError,
    UnfitError,
    UntrustedError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.api import (
    decode,
    transient,
)

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


@pytest.mark.parametrize(
    "kind",
    ["application/json", "Application/JSON; charset=utf-8", "application/problem+json"],
)
@pytest.mark.parametrize(
    "body, value", [(b'{"a": 1}', {"a": 1}), (b"12", 12), (b" {}\n", {}), (b'"\xc3\x9f"', "ß")]
)
def test_good_answers(kind: str, body: bytes, value: object) -> None:
    assert decode(Reply(200, {"content-type": kind}, body), "GET /x", something) == value


DEEP = 9000


@pytest.mark.parametrize(
    "reply, said",
    [
        (Reply(200, JSON, b""), "was answered 200 without content."),
        (Reply(200, JSON, b" \r\n"), "was answered 200 without content."),
        (Reply(204, JSON, b""), "was answered 204, which is not an answer to this request."),
        (Reply(206, JSON, b"{}"), "was answered 206, which is not an answer to this request."),
        (Reply(201, JSON, b"{}"), "was answered 201, which is not an answer to this request."),
        (Reply(302, {"location": "https://x/\x1b[2J"}, b""),
         r"was answered 302 (to 'https://x/\x1b[2J'), a redirect, which is never followed; check"),
        (Reply(307, JSON, b"{}"), "was answered 307 (to 'nowhere'), a redirect"),
        (Reply(200, {"content-type": "text/html"}, b"<html><body>Welcome</body></html>"),
         "was answered with 'text/html' in place of JSON: Welcome; check that host and port"),
        (Reply(200, {"content-type": "text/json"}, b"{}"), "with 'text/json' in place of JSON"),
        (Reply(200, {"content-type": "image/svg+json"}, b"{}"), "in place of JSON"),
        (Reply(200, {}, b"{}"), "with 'no content type' in place of JSON"),
        (Reply(200, JSON, b'{"a": {"b"'), "an unreadable text: it is not JSON."),
        (Reply(200, JSON, b'{"a": {}} {}'), "it is not JSON."),
        (Reply(200, JSON, b"\xef\xbb\xbf{}"), "it is not JSON."),
        (Reply(200, JSON, b'{"a": "\xff"}'), "it is not UTF-8."),
        (Reply(200, JSON, '{"a": {}}'.encode("utf-16")), "it is not UTF-8."),
        (Reply(200, JSON, b'{"a": {"b": "\\ud800"}}'), "it is not UTF-8."),
        (Reply(200, JSON, b'{"a": {}, "a": {}}'), "it names a key twice."),
        (Reply(200, JSON, b'{"a": {"b": NaN}}'), "it has the number NaN."),
        (Reply(200, JSON, b'{"a": {"b": -Infinity}}'), "it has the number -Infinity."),
        (Reply(200, JSON, b'{"a": {"b": 1e999}}'), "it has the number 1e999."),
        (Reply(200, JSON, b'{"a": ' * DEEP + b"1" + b"}" * DEEP), "it has more than 64 levels."),
        (Reply(200, JSON, b'{"a": ' * 65 + b"1" + b"}" * 65), "it has more than 64 levels."),
        (Reply(200, JSON, b"[" * DEEP + b"]" * DEEP), "it has more than 64 levels."),
        (Reply(200, JSON, b"null"), "was answered with 'null'; a mapping of names to mappings was"),
        (Reply(200, JSON, b"[{}]"), "a mapping of names to mappings was expected."),
        (Reply(200, JSON, b'{"a": 1}'), "a mapping of names to mappings was expected."),
        (Reply(404, {"content-type": "text/html"}, b"<h1>Not Found</h1>"),
         "was answered 404: Not Found."),
        (Reply(404, {}, b""), "was answered 404: no reason given."),
    ],
)  # fmt: skip
def test_what_is_no_answer_to_the_question(reply: Reply, said: str) -> None:
    with pytest.raises(UnfitError) as error:
        decode(reply, "GET /x", mappings)
    assert str(error.value).startswith("GET /x was answered")
    assert said in str(error.value)


def test_a_number_of_thousands_of_digits_is_no_answer() -> None:
    with pytest.raises(UnfitError, match="another value was expected"):
        decode(Reply(200, JSON, b'"%s"' % (b"9" * 5000)), "GET /x", lambda found: int(str(found)))


def test_levels_that_people_write_are_read() -> None:
    body = b'{"a": ' * 63 + b"{}" + b"}" * 63
    assert decode(Reply(200, JSON, body), "GET /x", mapping)


@pytest.mark.parametrize(
    "status, body, absent",
    [(404, b'{"title": "Not Found"}', True), (400, b'{"title": "Bad Request"}', True),
     (400, b"<h1>Bad Request</h1>", False), (500, b'{"title": "x"}', False)],
)  # fmt: skip
def test_only_the_switch_itself_says_that_something_is_absent(
    status: int, body: bytes, absent: bool
) -> None:
    with pytest.raises(ApiError) as error:
        decode(Reply(status, JSON, body), "GET /x", mapping)
    assert error.value.absent is absent


def test_an_error_is_told_in_the_words_of_the_switch() -> None:
    with pytest.raises(ApiError) as error:
        decode(Reply(400, {}, b'{"title": "Bad Request"}'), "GET /x", mapping)
    assert str(error.value) == "GET /x was answered 400: Bad Request."
    assert error.value.status == 400


EVIL = [
    b"<!--", b"<script>", b"<style ", b"</script", b"<script></script", b"<head></head ", b"<", b"<a",
    b"<!--->", b"&", b"&lt", b"{", b"[", b'{"title":', b" ", b"\xff", b"<script><!--", b".",
]  # fmt: skip


@pytest.mark.parametrize("kind", ["text/html", "application/json"])
def test_an_evil_body_is_cleaned_at_once(kind: str) -> None:
    """160 kB of ``<!--`` took 31 s."""
    begun = time.process_time()
    for part in EVIL:
        for status in (200, 500):
            with pytest.raises((ApiError, UnfitError)) as error:
                decode(Reply(status, {"content-type": kind}, part * 200_000), "GET /x", mapping)
            assert len(str(error.value)) < 700
    assert time.process_time() - begun < 1
