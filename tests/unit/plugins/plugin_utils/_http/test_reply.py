# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._json import NoJsonError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.reply import (
    Reply,
    content,
    words,
)


@pytest.mark.parametrize(
    "kind", ["application/json", "Application/JSON; charset=utf-8", "application/x+json"]
)
def test_json_is_read(kind: str) -> None:
    assert content(Reply(200, {"content-type": kind}, b"[1]"), "GET /x", advice="") == [1]


@pytest.mark.parametrize(
    "kind, body, said",
    [
        ("text/html; charset=utf-8", b"<h1>Log in</h1>",
         "GET /x was answered with 'text/html' in place of JSON: Log; look there."),
        ("", b"", "GET /x was answered with 'no content type' in place of JSON: no reason given; look there."),
        ("application/json", b"{", "GET /x was answered with an unreadable text: it is not JSON."),
    ],
)  # fmt: skip
def test_what_is_no_json_says_what_it_is(kind: str, body: bytes, said: str) -> None:
    with pytest.raises(NoJsonError) as error:
        content(Reply(200, {"content-type": kind}, body), "GET /x", advice="look there", most=3)
    assert str(error.value) == said


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
        (b"1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        (b"a<!--x>y-->b<!-->c<SCRIPT>d</p></script >e<head>f</headx></HEAD>g<br", "a b c e g"),
        (b"a<!--b", "a"),
        (b"a<style>b", "a"),
    ],
)  # fmt: skip
def test_words_of_an_error(body: bytes, said: str) -> None:
    assert words(Reply(400, {}, body)) == said


def test_a_cut_leaves_no_half_of_a_secret() -> None:
    reply = Reply(500, {}, b"x" * 396 + b"c4nary")
    assert "c4" not in words(reply, clean=lambda text: text.replace("c4nary", "***"))
