# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An answer, its JSON, and the words of an error."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape

from ...module_utils._json import Json, NoJsonError
from . import strict_json

MOST_READ = 64 * 1024
"""Bytes of a body that are cleaned to show its first words."""
_TAG = re.compile(r"<(?:(!--)|(script|style|head)\b|[a-z/!?])", re.IGNORECASE | re.ASCII)
_END = {
    name: re.compile(f"</{name}\\b", re.IGNORECASE | re.ASCII)
    for name in ("script", "style", "head")
}


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP answer: status, headers with lower-case names, raw body."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


def content(
    reply: Reply, where: str, *, advice: str, most: int = 400, clean: Callable[[str], str] = str
) -> Json:
    """Return the JSON of an answer; raise ``NoJsonError`` with a sentence that begins with ``where``.

    RFC 6839 adds types that end in ``+json``; without a type an answer is not from an API. ``advice`` ends the
    sentence about another type, and ``most`` bounds the words that are shown of it.
    """
    kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    suffixed = kind.startswith("application/") and kind.endswith("+json")
    if kind != "application/json" and not suffixed:
        raise NoJsonError(
            f"{where} was answered with {kind[:60] or 'no content type'!r} in place of JSON: "
            f"{words(reply, most=most, clean=clean)}; {advice}."
        )
    try:
        return strict_json.parse(reply.body)
    except NoJsonError as exc:
        raise NoJsonError(f"{where} was answered with an unreadable text: {exc}.") from None


def words(reply: Reply, *, most: int = 400, clean: Callable[[str], str] = str) -> str:
    """Return what an error body says in its own words, whether JSON, HTML or plain text.

    It is cut before it is read, and once more after ``clean``, as a cut would leave half of a secret.
    """
    text = reply.body[:MOST_READ].decode("utf-8", "replace").strip()
    said = _json_words(text) if text[:1] in "{[" else _html_words(text)
    said = " ".join(clean(said).split()).rstrip(".")
    return said[:most] or "no reason given"


def _json_words(text: str) -> str:
    try:
        body = strict_json.parse(text.encode())
    except NoJsonError:
        return text
    if not isinstance(body, dict):
        return text
    parts = [str(body[key]) for key in ("title", "detail", "message") if body.get(key)]
    if body.get("validation"):
        parts.append(json.dumps(body["validation"], sort_keys=True))
    return ": ".join(dict.fromkeys(parts)) or text


def _html_words(text: str) -> str:
    if "<" not in text:
        return text
    return unescape(" ".join(_outside_of_tags(text)))


def _outside_of_tags(text: str) -> Iterator[str]:
    """Yield what is in no tag, comment, script, style or head, in one pass; what does not end is cut off."""
    place = 0
    while tag := _TAG.search(text, place):
        yield text[place : tag.start()]
        place = _end(text, tag)
        if not place:
            return
    yield text[place:]


def _end(text: str, tag: re.Match[str]) -> int:
    """Return where what begins with ``tag`` is over, 0 where it does not end."""
    if tag[1]:
        return _after(text, "-->", tag.start() + 2)
    begun = _END[tag[2].lower()].search(text, tag.end()) if tag[2] else tag
    return _after(text, ">", begun.end() - 1) if begun else 0


def _after(text: str, mark: str, start: int) -> int:
    found = text.find(mark, start)
    return found + len(mark) if found >= 0 else 0
