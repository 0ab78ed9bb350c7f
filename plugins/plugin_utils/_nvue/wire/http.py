# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network as a port: one method, and what comes back. Adapters have files of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from typing import Protocol

from ....module_utils._json import NoJsonError
from ..._http import strict_json
from ..document.shapes import MisfitError, Shape, T
from ..errors import ApiError, UnfitError

Params = Mapping[str, str]

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


class Port(Protocol):
    """Sends one request to one switch; raises ``TransportError`` when no answer comes."""

    @property
    def target(self) -> str:
        """The switch as people write it, such as ``10.0.0.1:8765``."""

    def request(
        self,
        method: str,
        path: str,
        params: Params,
        body: bytes | None,
        headers: Mapping[str, str],
    ) -> Reply:
        """Return the answer to a request for ``path`` (encoded, from the root of the server)."""

    def close(self) -> None:
        """Close the connection, if one is open."""


def decode(
    reply: Reply,
    where: str,
    shape: Shape[T],
    statuses: Container[int] = (200,),
    *,
    clean: Callable[[str], str] = str,
) -> T:
    """Return what ``shape`` reads out of a good answer.

    ``ApiError`` for an HTTP error, ``UnfitError`` for what is no answer to the question; ``where``
    names the request in either, such as ``GET /system``. ``clean`` takes secret words out of a text.
    """
    if reply.status >= 400:
        raise _refused(reply, where, clean)
    if reply.status not in statuses:
        raise UnfitError(f"{where} was answered {reply.status}{_aside(reply)}.")
    if not reply.body.strip():
        raise UnfitError(f"{where} was answered {reply.status} without content.")
    if not _is_json(reply):
        named = reply.headers.get("content-type", "no content type")[:60]
        raise UnfitError(
            f"{where} was answered with {named!r} in place of JSON: {words(reply, clean=clean)}; check that host "
            "and port are those of the switch's API, and no proxy."
        )
    try:
        return shape(strict_json.parse(reply.body))
    except NoJsonError as exc:
        raise UnfitError(f"{where} was answered with a text that is not read: {exc}.") from None
    except MisfitError as exc:
        raise UnfitError(
            f"{where} was answered with {words(reply, most=120, clean=clean)!r}; {exc} was expected."
        ) from None


def _is_json(reply: Reply) -> bool:
    """The published API answers ``application/json``; RFC 6839 adds kinds that end in ``+json``.

    Without a type an answer is not from the API. ``text/json`` and the like were never registered.
    """
    kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json" or (
        kind.startswith("application/") and kind.endswith("+json")
    )


def _aside(reply: Reply) -> str:
    if not 300 <= reply.status < 400:
        return ", which is no answer to this question"
    return (
        f" (to {reply.headers.get('location', 'nowhere')[:100]!r}), a redirect, which is never "
        "followed; check that host and port are those of the switch's API"
    )


def _refused(reply: Reply, where: str, clean: Callable[[str], str]) -> ApiError | UnfitError:
    """Return the error of an HTTP error; a 404 counts only where the API itself says so."""
    said = f"{where} was answered {reply.status}: {words(reply, clean=clean)}."
    from_api = _speaks(reply)
    if reply.status == 404 and not from_api:
        return UnfitError(said)
    return ApiError(said, status=reply.status, absent=from_api and reply.status in (400, 404))


def _speaks(reply: Reply) -> bool:
    """Return whether an error comes from the API, which answers with an object, or from a proxy."""
    try:
        return isinstance(strict_json.parse(reply.body), dict)
    except NoJsonError:
        return False


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
