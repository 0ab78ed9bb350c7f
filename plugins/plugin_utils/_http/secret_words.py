# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secret words, in every form in which a switch or a DCIM may repeat them. Private.

    clean("no s3cret/word, s3cret%2fword", ["s3cret/word"])   "no ********, ********"

A short word stays, as it would be found inside of others.
"""

from __future__ import annotations

import base64
import html
import json
import re
import typing as t
from urllib.parse import quote, quote_plus

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MASK = "********"
SHORTEST = 4
"""Letters of a word that is looked for in a sentence."""
SHORTEST_OF_HEADER = 8
"""Letters of a credential that is looked for in data. Ours; the services make 40 and more."""

# A character of JSON that needs no escape and has one; pairs of backslashes are passed over.
_ESCAPED = re.compile(rb"\\(?:u00([2-6][0-9a-fA-F]|7[0-9a-eA-E])|(/)|.)", re.DOTALL)
_HEX = re.compile(r"%[0-9A-F]{2}")
_NEEDED = (b'"', b"\\")


def basic_word(user: str, password: str) -> str:
    """Return the word that HTTP Basic sends for a user and a password."""
    return base64.b64encode(f"{user}:{password}".encode()).decode("ascii")


def clean(text: str, words: Iterable[str]) -> str:
    """Return a text without some words."""
    for form in _longest_first(words, SHORTEST):
        text = text.replace(form, MASK)
    return text


def clean_body(body: bytes, headers: Mapping[str, str]) -> bytes:
    """Return a body without the credential of the request's ``headers``, should the server repeat it."""
    word = _credential(headers)
    if len(word) < SHORTEST_OF_HEADER:
        return body
    if b"\\" in body:
        body = _ESCAPED.sub(_plain, body)
    for form in _longest_first([word], SHORTEST_OF_HEADER):
        body = body.replace(form.encode(), MASK.encode())
    return body


def clean_headers(found: Mapping[str, str], headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of an answer with lower-case names, without the credential of the request."""
    words = [_credential(headers)]
    return {name.lower(): clean(value, words) for name, value in found.items()}


def _credential(headers: Mapping[str, str]) -> str:
    stated = (value for name, value in headers.items() if name.lower() == "authorization")
    return next(stated, "").rpartition(" ")[2]


def _plain(found: re.Match[bytes]) -> bytes:
    letter = bytes.fromhex(found[1].decode()) if found[1] else found[2]
    return letter if letter and letter not in _NEEDED else found[0]


def _longest_first(words: Iterable[str], shortest: int) -> list[str]:
    found = {form for word in set(words) if len(word) >= shortest for form in forms(word)}
    return sorted(found, key=len, reverse=True)


def forms(word: str) -> set[str]:
    """Return a word as it is, in base64, and each of them escaped as URLs, JSON, HTML and Python do it."""
    coded = base64.b64encode(word.encode("utf-8", "replace")).decode("ascii").rstrip("=")
    plain = (word, coded, coded.replace("+", "-").replace("/", "_"))
    return {form for each in plain for form in (each, *_escaped(each))}


def _escaped(word: str) -> Iterator[str]:
    for spelled in (
        quote(word, safe="", errors="replace"),
        quote(word, errors="replace"),
        quote_plus(word, errors="replace"),
    ):
        yield spelled
        yield _HEX.sub(lambda found: found[0].lower(), spelled)
    for ascii_only in (True, False):
        spelled = json.dumps(word, ensure_ascii=ascii_only)[1:-1]
        for each in (spelled, spelled.replace("/", r"\/")):
            yield from (each, json.dumps(each)[1:-1])
    yield html.escape(word)
    yield repr(word)[1:-1]
