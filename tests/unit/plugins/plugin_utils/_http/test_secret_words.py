# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each form in which a server may repeat a secret; ``FORMS`` serves the tests of both clients too."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http import secret_words as words

FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "percent": lambda word: quote(word, safe=""),
    "percent in small letters": lambda word: quote(word, safe="").lower(),
    "percent but for slashes": quote,
    "form": quote_plus,
    "JSON": lambda word: json.dumps(word)[1:-1],
    "JSON with slashes": lambda word: json.dumps(word)[1:-1].replace("/", r"\/"),
    "JSON in JSON": lambda word: json.dumps(json.dumps(word))[1:-1],
    "HTML": html.escape,
    "repr": lambda word: repr(word)[1:-1],
    "base64": lambda word: base64.b64encode(word.encode()).decode(),
    "base64 in a URL": lambda word: quote(base64.b64encode(word.encode()).decode(), safe=""),
}
SECRET = """c4nary/+ &"'\\~e"""
SMALL = "c4nary/+ &~e"


@pytest.mark.parametrize("form", FORMS)
def test_no_form_is_left_in_a_text(form: str) -> None:
    word = SMALL if form == "percent in small letters" else SECRET
    said = words.clean(f"no <{FORMS[form](word)}>", [word, "ok"])
    assert said in (
        f"no <{words.MASK}>",
        f"no <{words.MASK}=>",
        f"no <{words.MASK}%3D>",
        f'no <\\"{words.MASK}\\">',
    )


def test_a_short_word_stays_and_a_long_one_goes_first() -> None:
    assert words.clean("abc and canary-2", ["abc", "canary", "canary-2"]) == f"abc and {words.MASK}"


HEADER = {"authorization": "Bearer c4nary-of/a-token"}


@pytest.mark.parametrize("form", FORMS)
def test_no_form_of_the_credential_is_left_in_an_answer(form: str) -> None:
    spelled = FORMS[form](HEADER["authorization"].split()[1])
    body = json.dumps({"a": spelled}).encode()
    found = json.loads(words.clean_body(body, HEADER))["a"]
    assert words.MASK in found
    assert "anary" not in found
    assert words.clean_headers({"Location": f"/?next={spelled}"}, HEADER)["location"].startswith(
        ("/?next=*", '/?next=\\"*')
    )


@pytest.mark.parametrize(
    "body, left",
    [
        (rb'{"a": "\u0063\u0034\u006eary-of\/a-token"}', b'{"a": "********"}'),
        (
            rb'{"a": "\\u0063 \u0022 \u005c \u00e4 \u001b \n"}',
            rb'{"a": "\\u0063 \u0022 \u005c \u00e4 \u001b \n"}',
        ),
    ],
)
def test_escapes_that_json_does_not_need_hide_nothing(body: bytes, left: bytes) -> None:
    assert words.clean_body(body, HEADER) == left
    json.loads(words.clean_body(body, HEADER))


def test_data_may_hold_what_a_short_credential_holds() -> None:
    assert words.clean_body(b"[token]", {"Authorization": "Token token"}) == b"[token]"
    assert words.clean_body(b"[token]", {}) == b"[token]"
    assert words.clean_headers({"A": "token"}, {}) == {"a": "token"}
