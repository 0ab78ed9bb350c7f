# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network as a port: one method, and what comes back. Adapters stand in files of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape
from typing import Any, Protocol

from .errors import ApiError

Params = Mapping[str, str]


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


def decode(reply: Reply, where: str) -> Any:
    """Return the JSON of a good answer, ``None`` for an empty one; raise ``ApiError`` otherwise.

    ``where`` names the request in the error, such as ``GET /system``.
    """
    if reply.status >= 400:
        raise ApiError(f"{where} was answered {reply.status}: {words(reply)}.", status=reply.status)
    if not reply.body.strip():
        return None
    try:
        return json.loads(reply.body)
    except ValueError:
        raise ApiError(
            f"{where} was answered {reply.status} with something that is not JSON: {words(reply)}.",
            status=reply.status,
        ) from None


def words(reply: Reply, *, most: int = 400) -> str:
    """Return what an error body says in its own words, whether JSON, HTML or plain text."""
    text = reply.body.decode("utf-8", "replace").strip()
    said = _json_words(text) if text[:1] in "{[" else _html_words(text)
    said = " ".join(said.split()).rstrip(".")
    return said[:most] or "no reason given"


def _json_words(text: str) -> str:
    try:
        body = json.loads(text)
    except ValueError:
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
    text = re.sub(r"(?is)<(script|style|head)\b.*?</\1>|<!--.*?-->", " ", text)
    return unescape(re.sub(r"<[^>]*>", " ", text))
