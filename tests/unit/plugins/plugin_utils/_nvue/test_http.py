# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import ApiError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.http import (
    Reply,
    decode,
    words,
)


@pytest.mark.parametrize(
    "reply, value",
    [
        (Reply(200, {}, b'{"a": 1}'), {"a": 1}),
        (Reply(200, {}, b"12"), 12),
        (Reply(204, {}, b""), None),
        (Reply(200, {}, b"{}"), {}),
    ],
)
def test_good_answers(reply: Reply, value: object) -> None:
    assert decode(reply, "GET /x") == value


@pytest.mark.parametrize(
    "body, said",
    [
        (b'{"title": "Bad Request", "detail": "no such key.", "status": 400}',
         "Bad Request: no such key"),
        (b'{"message": "The requested item does not exist."}',
         "The requested item does not exist"),
        (b'{"title": "Bad Request", "validation": {"a": ["b"]}}', 'Bad Request: {"a": ["b"]}'),
        (b"<html><head><title>502</title></head><body><h1>502 Bad &amp; Gateway</h1>\n<hr>nginx"
         b"</body></html>", "502 Bad & Gateway nginx"),
        (b"", "no reason given"),
        (b"{broken", "{broken"),
        (b"[1]", "[1]"),
        (b"plain   text", "plain text"),
    ],
)  # fmt: skip
def test_errors_in_the_words_of_the_switch(body: bytes, said: str) -> None:
    assert words(Reply(400, {}, body)) == said
    with pytest.raises(ApiError) as error:
        decode(Reply(400, {}, body), "GET /x")
    assert str(error.value) == f"GET /x was answered 400: {said}."
    assert error.value.status == 400


def test_html_in_place_of_json() -> None:
    with pytest.raises(ApiError, match="not JSON: Welcome"):
        decode(Reply(200, {}, b"<html><body>Welcome</body></html>"), "GET /x")
