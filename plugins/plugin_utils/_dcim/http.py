# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client that both dialects share: JSON over HTTP with the standard library.

No client library is used. pynetbox and pynautobot add neither lists that drop their bad items nor an
identity of things nor preconditions; they follow redirects, ask proxies and bound no request as a
whole. What remains of them is the building of addresses, and a requirement that a control node has
to install.

A read is repeated where the server is busy or the connection breaks. A write is repeated only where
the server cannot have seen it; else ``UnsureError`` says that one has to look first.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import ssl
import threading
import time
import typing as t
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from ...module_utils._json import NoJsonError
from .._http import connection as wire
from .._http import strict_json
from .._http.secret_words import clean, clean_body, clean_headers
from .._nvue.wire.http import Reply, words
from .port import DcimError

if t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...module_utils._json import Json

Params = t.Sequence[tuple[str, str]]

LARGEST = 64 * 1024 * 1024
"""Bytes of one answer. A page of 1,000 devices has about 1 MiB."""
LARGEST_REFUSAL = 4 * 1024 * 1024
"""Bytes of a refusal of a list, which has a sentence about each item."""
MOST_WORDS = 1000
"""Characters of a refusal that are shown."""
RATE = 20.0
"""Requests a second over all workers; a list of 250 things takes a server seconds."""
BUSY = (429, 502, 503, 504)
PAUSES = (0.5, 2.0, 5.0)
"""Seconds before a request is sent again."""
LONGEST_PAUSE = 30.0
"""The most seconds of a ``Retry-After`` that are waited for."""


class UnsureError(DcimError):
    """A write was sent and not answered; whether it happened is not known."""


class _LostError(Exception):
    """No answer came; ``sent`` says whether the server may have seen the request."""

    def __init__(self, said: str, *, sent: bool) -> None:
        super().__init__(said)
        self.sent = sent


@dataclass(frozen=True)
class Server:
    """Where a DCIM answers and whom to trust. ``timeout`` in seconds, for one whole request."""

    url: str
    ca: str | None = None
    validate_certs: bool = True
    timeout: float = 120.0


@dataclass(frozen=True)
class _Place:
    """The parts of a URL that are dialled."""

    host: str
    port: int
    base: str
    tls: bool


def _place(server: Server) -> _Place:
    """Split the URL of a server; raise ``DcimError`` for what is no URL of an API."""
    try:
        parts = urlsplit(server.url)
        port = parts.port
    except ValueError:
        raise _no_url(server.url) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise _no_url(server.url)
    try:
        parts.hostname.encode("idna")
    except UnicodeError:
        raise _no_url(server.url) from None
    if parts.username is not None or parts.query or parts.fragment:
        raise DcimError(
            f"url of {parts.hostname} has a user, a password or parameters: leave them out, as in "
            "https://netbox.example.com."
        )
    if parts.path.rstrip("/").endswith("/api"):
        raise DcimError(f"url {server.url!r} ends with /api: leave that out.")
    tls = parts.scheme == "https"
    if not tls and server.validate_certs and not _is_loopback(parts.hostname):
        raise DcimError(
            f"url begins with http://, so that anybody on the path to {parts.hostname} could read the "
            "token; use https://, or set validate_certs: false."
        )
    return _Place(parts.hostname, port or (443 if tls else 80), parts.path.rstrip("/"), tls)


def _no_url(url: str) -> DcimError:
    """An error that shows a URL, without a user and a password that may be in it."""
    shown = url.rpartition("@")[2][:100]
    return DcimError(
        f"url is {shown!r}, which is no address of a DCIM; write it like "
        "https://netbox.example.com, without user, password or parameters."
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Client:
    """Sends requests to one DCIM, from any number of threads, each over a connection of its own."""

    def __init__(
        self, server: Server, authorization: str, *, pause: Callable[[float], None] = time.sleep
    ) -> None:
        self._server = server
        self._place = _place(server)
        self._trust = _context(server) if self._place.tls else None
        self._authorization = authorization
        self._pause = pause
        self._idle: list[wire.Connection] = []
        self._turn = threading.Lock()
        self._next = 0.0

    @property
    def target(self) -> str:
        """The DCIM as people write it: its URL."""
        return self._server.url

    def wait(self, seconds: float) -> None:
        """Wait, as before a request is sent again."""
        self._pause(seconds)

    def close(self) -> None:
        """Close all connections that are not in use."""
        while self._idle:
            self._idle.pop().close()

    def read(self, path: str, params: Params = ()) -> Json:
        """Return the JSON of a page; raise ``DcimError`` for anything else."""
        where = f"GET {path}"
        reply = self._patient("GET", path, params=params, repeat=True)
        if reply.status != 200:
            raise DcimError(
                f"{self.target}: {where} was answered {reply.status}: {said(reply)}: "
                f"{'correct url of spx_dcim' if reply.status == 404 else 'see the log of the server, and run again'}."
            )
        return self.decode(reply, where)

    def write(
        self,
        method: str,
        path: str,
        body: Json = None,
        *,
        match: str = "",
        params: Params = (),
    ) -> Reply:
        """Return the answer to a write, which may be a refusal (status 400, 404, 409, 412).

        ``match`` is an ETag. ``UnsureError`` where no answer came, or one of a broken server.
        """
        reply = self._patient(method, path, params=params, body=body, match=match)
        if reply.status >= 500:
            raise UnsureError(
                f"{self.target}: {method} {path} was answered {reply.status}: {said(reply)}."
            )
        return reply

    def decode(self, reply: Reply, where: str) -> Json:
        """Return the JSON of an answer; raise ``DcimError`` where it has none."""
        kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise DcimError(
                f"{self.target}: {where} was answered with {kind or 'no content type'!r} in place of "
                f"JSON: {words(reply, most=120)}; check that url is the one of the DCIM."
            )
        try:
            return strict_json.parse(reply.body)
        except NoJsonError as exc:
            raise DcimError(
                f"{self.target}: {where} was answered with a text that is not read: {exc}."
            ) from None

    def _patient(
        self,
        method: str,
        path: str,
        *,
        params: Params = (),
        body: Json = None,
        match: str = "",
        repeat: bool = False,
    ) -> Reply:
        """Send a request, again where that is safe: a read, or what the server has not seen."""
        for pause in (*PAUSES, None):
            try:
                reply = self._once(method, path, params, body, match)
            except _LostError as exc:
                if pause is None or (exc.sent and not repeat):
                    raise self._lost(method, path, exc) from exc
                self._pause(pause)
                continue
            again = reply.status in BUSY if repeat else reply.status == 429
            if pause is None or not again:
                if reply.status == 429:
                    raise DcimError(
                        f"{self.target}: {method} {path} was answered 429 again and again: it takes fewer requests "
                        "than these; wait, or raise the limit of this user."
                    )
                return self._allowed(reply, f"{method} {path}")
            self._pause(_asked(reply, pause))
        raise AssertionError("the last turn returns or raises")

    def _lost(self, method: str, path: str, exc: _LostError) -> DcimError:
        kind = UnsureError if exc.sent else DcimError
        why = clean(str(exc), [self._authorization.rpartition(" ")[2]])
        return kind(
            f"{self.target}: {method} {path} was not answered ({why}): correct url of spx_dcim, or see whether the "
            "server runs and can be reached from here."
        )

    def _allowed(self, reply: Reply, where: str) -> Reply:
        """Return an answer; raise ``DcimError`` where the whole DCIM cannot be used like this."""
        if reply.status in (401, 403):
            raise DcimError(
                f"{self.target}: {where} was answered {reply.status}: {said(reply)}; check that the "
                "token is valid, has not expired, and may read and write what is pushed."
            )
        if 300 <= reply.status < 400:
            target = reply.headers.get("location", "nowhere")[:100]
            raise DcimError(
                f"{self.target}: {where} was answered with a redirect to {target!r}, which is never "
                "followed, as the token would go there; set url to the address of the DCIM itself."
            )
        return reply

    def _once(self, method: str, path: str, params: Params, body: Json, match: str) -> Reply:
        self._wait_for_turn()
        deadline = wire.Deadline(self._server.timeout)
        connection = self._connected(deadline)
        url = f"{self._place.base}{path}" + (f"?{urlencode(params)}" if params else "")
        content = None if body is None else json.dumps(body, separators=(",", ":")).encode()
        try:
            headers = self._headers(match, content)
            connection.request(method, url, body=content, headers=headers)
            return self._answer(connection, headers, is_list=isinstance(body, list))
        except ValueError:
            connection.close()
            raise DcimError(
                f"{self.target}: a request could not be written, as its header or its path holds a "
                "character that none may hold; check the token."
            ) from None
        except (http.client.HTTPException, OSError) as exc:
            connection.close()
            raise _LostError(_reason(exc, self._server.timeout), sent=True) from exc

    def _answer(
        self, connection: wire.Connection, headers: t.Mapping[str, str], *, is_list: bool
    ) -> Reply:
        answer = connection.getresponse()
        of_error = LARGEST_REFUSAL if is_list else wire.LARGEST_ERROR
        body = clean_body(wire.content(answer, LARGEST, of_error=of_error), headers)
        if answer.will_close:
            connection.close()
        else:
            self._idle.append(connection)
        return Reply(answer.status, clean_headers(dict(answer.getheaders()), headers), body)

    def _headers(self, match: str, content: bytes | None) -> dict[str, str]:
        headers = {"Accept": "application/json", "Authorization": self._authorization}
        if content is not None:
            headers["Content-Type"] = "application/json"
        if match:
            headers["If-Match"] = match
        return headers

    def _connected(self, deadline: wire.Deadline) -> wire.Connection:
        kept = self._kept()
        if kept is not None:
            kept.limit(deadline)
            return kept
        place = self._place
        connection = wire.Connection(place.host, place.port, deadline, context=self._trust)
        try:
            connection.connect()
        except ssl.SSLCertVerificationError as exc:
            raise DcimError(
                f"{self.target}: the certificate was not trusted ({exc.verify_message}); set ca to the "
                "file of its authority, or validate_certs: false."
            ) from exc
        except OSError as exc:
            raise _LostError(_reason(exc, self._server.timeout), sent=False) from exc
        return connection

    def _kept(self) -> wire.Connection | None:
        """Return a connection of an earlier request that is still open; a proxy closes those that wait too long."""
        while True:
            with self._turn:
                kept = self._idle.pop() if self._idle else None
            if kept is None or not kept.hung_up():
                return kept
            kept.close()

    def _wait_for_turn(self) -> None:
        """Let no more than ``RATE`` requests a second begin."""
        with self._turn:
            now = time.monotonic()
            wait = max(0.0, self._next - now)
            self._next = now + wait + 1 / RATE
        if wait:
            self._pause(wait)


def _context(server: Server) -> ssl.SSLContext:
    try:
        return wire.trust(validate_certs=server.validate_certs, ca=server.ca)
    except wire.AuthorityError as exc:
        raise DcimError(str(exc)) from exc


def _asked(reply: Reply, pause: float) -> float:
    """Return the seconds that a busy server asks for, else ours."""
    asked = reply.headers.get("retry-after", "")
    return min(float(asked), LONGEST_PAUSE) if asked.isdecimal() else pause


def _reason(exc: Exception, timeout: float) -> str:
    if isinstance(exc, TimeoutError):
        return f"not within {timeout:g} s"
    return " ".join(str(exc).split())[:200] or type(exc).__name__


def said(reply: Reply) -> str:
    """Return what a refusal says: the sentences in its JSON, whatever their depth, or its text."""
    try:
        found = strict_json.parse(reply.body)
    except NoJsonError:
        return words(reply, most=200)
    return "; ".join(sentences(found))[:MOST_WORDS] or "no reason given"


def sentences(found: Json, name: str = "") -> list[str]:
    """Return the sentences of an error in JSON, each after the field that it is about."""
    if isinstance(found, dict):
        return [each for key, value in found.items() for each in sentences(value, str(key))]
    if isinstance(found, list):
        return [each for value in found for each in sentences(value, name)]
    text = " ".join(str(found).split()).rstrip(".")
    plain = name in ("", "detail", "message", "non_field_errors", "__all__")
    return [text if plain else f"{name}: {text}"] if text else []


def followed(
    rows: Sequence[t.Mapping[str, Json]], last: str, where: str
) -> Sequence[t.Mapping[str, Json]]:
    """Return the rows of a page without the first, which has to be the ``last`` of the page before, if there is one."""
    if not last:
        return rows
    if not rows or str(rows[0].get("id")) != last:
        raise DcimError(
            f"{where} was read by pages, and a page did not follow the one before: somebody changes the DCIM "
            "meanwhile; run again."
        )
    return rows[1:]


def items(found: Json, expected: str, where: str) -> Sequence[t.Mapping[str, Json]]:
    """Return a list of mappings out of an answer; raise ``DcimError`` for another shape."""
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise DcimError(f"{where} was answered with {str(found)[:100]!r}; {expected} was expected.")
    return t.cast("Sequence[t.Mapping[str, Json]]", found)
