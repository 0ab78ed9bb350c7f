# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client that both dialects share: JSON over HTTP, by ``_http``.

A read is repeated where the server is busy or the connection breaks. A write is repeated only where
the server cannot have begun it; else ``UnsureError`` says that one has to look first.
"""

from __future__ import annotations

import ipaddress
import json
import threading
import time
import typing as t
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from ...module_utils._json import NoJsonError
from .._http import strict_json
from .._http.connection import LARGEST_ERROR, AuthorityError, Endpoint
from .._http.exchange import (
    BusyError,
    CertificateError,
    Exchange,
    ExchangeError,
    LostError,
    Retries,
    UnreachableError,
    UnwritableError,
)
from .._http.reply import Reply, content, words
from .._http.secret_words import clean
from .port import DcimError

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...module_utils._json import Json

    Object = t.Mapping[str, Json]

Params = t.Sequence[tuple[str, str]]

LARGEST = 64 * 1024 * 1024
"""Bytes of one answer. A page of 1,000 devices has about 1 MiB."""
LARGEST_REFUSAL = 4 * 1024 * 1024
"""Bytes of a refusal of a list, which has a sentence about each item."""
MOST_WORDS = 1000
"""Characters of a refusal that are shown."""
RATE = 20.0
"""Requests a second over all workers; a list of 250 things takes a server seconds."""
TOO_MANY = 429
BUSY = (TOO_MANY, 502, 503, 504)
PAUSES = (0.5, 2.0, 5.0)
"""Seconds before a request is sent again."""
READS = Retries(PAUSES, (BusyError, LostError, UnreachableError))
WRITES = Retries(PAUSES, (BusyError, UnreachableError))
"""A write is sent again only where the server cannot have begun it, as with status 429."""


class UnsureError(DcimError):
    """A write was sent and not answered; whether it happened is not known."""


@dataclass(frozen=True)
class Server:
    """Address of a DCIM, and the certificates to trust. ``timeout`` in seconds, for one whole request."""

    url: str
    ca: str | None = None
    validate_certs: bool = True
    timeout: float = 120.0


def _endpoint(server: Server) -> tuple[Endpoint, str]:
    """Return where to dial and the path of the API; raise ``DcimError`` for what is no URL of an API."""
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
    endpoint = Endpoint(
        parts.hostname,
        port or (443 if tls else 80),
        server.timeout,
        server.validate_certs,
        server.ca,
        tls=tls,
    )
    return endpoint, parts.path.rstrip("/")


def _no_url(url: str) -> DcimError:
    """An error that shows a URL, without a user and a password that may be in it."""
    shown = url.rpartition("@")[2][:100]
    return DcimError(
        f"url is {shown!r}, which is not the address of a DCIM; write it like "
        "https://netbox.example.com, without user, password or parameters."
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Client:
    """Sends requests to one DCIM, whose URL is ``target``, from any number of threads."""

    def __init__(
        self, server: Server, authorization: str, *, pause: Callable[[float], None] = time.sleep
    ) -> None:
        self.target = server.url
        endpoint, self._base = _endpoint(server)
        self._exchange = Exchange(endpoint)
        try:
            self._exchange.trust()
        except AuthorityError as exc:
            raise DcimError(str(exc)) from exc
        self._authorization = authorization
        self.wait = pause
        self._turn = threading.Lock()
        self._next = 0.0

    def close(self) -> None:
        """Close all connections that are not in use."""
        self._exchange.close()

    def read(self, path: str, params: Params = ()) -> Json:
        """Return the JSON of a page; raise ``DcimError`` for anything else."""
        where = f"GET {path}"
        reply = self._patient("GET", path, params)
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
        reply = self._patient(method, path, params, body, match)
        if reply.status >= 500:
            raise UnsureError(
                f"{self.target}: {method} {path} was answered {reply.status}: {said(reply)}."
            )
        return reply

    def decode(self, reply: Reply, where: str) -> Json:
        """Return the JSON of an answer; raise ``DcimError`` where it has none."""
        advice = "check that url is the one of the DCIM"
        try:
            return content(reply, f"{self.target}: {where}", advice=advice, most=120)
        except NoJsonError as exc:
            raise DcimError(exc) from None

    def _patient(
        self, method: str, path: str, params: Params, body: Json = None, match: str = ""
    ) -> Reply:
        """Send a request, again where that is safe."""
        where = f"{method} {path}"
        retries = READS if method == "GET" else WRITES
        try:
            reply = retries.run(lambda: self._once(method, path, params, body, match), self.wait)
        except BusyError as exc:
            reply = exc.reply
        except ExchangeError as exc:
            raise self._failed(where, exc) from exc
        if reply.status == TOO_MANY:
            raise DcimError(
                f"{self.target}: {where} was answered 429, as the server limits this user's requests: "
                "lower the rate, or raise the limit."
            )
        return self._allowed(reply, where)

    def _failed(self, where: str, exc: ExchangeError) -> DcimError:
        if isinstance(exc, UnwritableError):
            return DcimError(f"{self.target}: {exc}")
        if isinstance(exc, CertificateError):
            return DcimError(
                f"{self.target}: the certificate was not trusted ({exc}); set ca to the "
                "file of its authority, or validate_certs: false."
            )
        kind = UnsureError if isinstance(exc, LostError) else DcimError
        why = clean(str(exc), [self._authorization.rpartition(" ")[2]])
        if isinstance(exc.cause, TimeoutError):
            why = f"not within {self._exchange.endpoint.timeout:g} s"
        return kind(
            f"{self.target}: {where} was not answered ({why}): correct url of spx_dcim, or check whether the "
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
        url = f"{self._base}{path}" + (f"?{urlencode(params)}" if params else "")
        sent = None if body is None else json.dumps(body, separators=(",", ":")).encode()
        of_error = LARGEST_REFUSAL if isinstance(body, list) else LARGEST_ERROR
        headers = {"Accept": "application/json", "Authorization": self._authorization}
        headers |= {"Content-Type": "application/json"} if sent else {}
        headers |= {"If-Match": match} if match else {}
        reply = self._exchange.send(method, url, sent, headers, largest=LARGEST, of_error=of_error)
        if reply.status in (BUSY if method == "GET" else (TOO_MANY,)):
            raise BusyError(reply)
        return reply

    def _wait_for_turn(self) -> None:
        """Let no more than ``RATE`` requests a second begin."""
        with self._turn:
            now = time.monotonic()
            wait = max(0.0, self._next - now)
            self._next = now + wait + 1 / RATE
        if wait:
            self.wait(wait)


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


class Page(t.NamedTuple):
    """A page of a list: its rows, whether there are more, and the function that counts all on the server."""

    rows: Sequence[Object]
    more: bool
    total: Callable[[], int]


def pages(load: Callable[[int], Page], where: str) -> Iterator[Sequence[Object]]:
    """Yield the rows of each page that ``load`` returns for an offset, each row once.

    Raise ``DcimError`` where they are not as many as the server counts. A page begins with the last row of the one
    before: where it does not, rows were deleted meanwhile, and others have moved to where nobody looks.
    """
    offset, ids, last = 0, set[str](), ""
    while True:
        rows, more, total = load(offset)
        if last and (not rows or str(rows[0].get("id")) != last):
            raise DcimError(
                f"{where} was read by pages, and the DCIM changed during the read: run again."
            )
        rows, known = rows[1:] if last else rows, len(ids)
        ids.update(str(row.get("id")) for row in rows)
        yield rows
        if not more or len(ids) == known:
            break
        last, offset = str(rows[-1].get("id")), len(ids) - 1
    whole(total(), len(ids), where)


def whole(count: int, got: int, where: str) -> None:
    """Raise ``DcimError`` where the server counts other objects than it sent."""
    if count != got:
        raise DcimError(
            f"{where} counted {count} objects and sent {got}; "
            "the DCIM changed during the read, or its answer was cut off: run again."
        )


def parted_page(page: Json, where: str) -> tuple[int, Sequence[Object], bool]:
    """Return the count of a list, the rows of its page, and whether there are more; ``DcimError`` for what is none."""
    if not isinstance(page, dict) or not isinstance(page.get("count"), int):
        raise DcimError(f"{where} was answered with {str(page)[:100]!r}; a page was expected.")
    return page["count"], items(page.get("results"), "a page", where), bool(page.get("next"))


def items(found: Json, expected: str, where: str) -> Sequence[Object]:
    """Return a list of mappings out of an answer; raise ``DcimError`` for another shape."""
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise DcimError(f"{where} was answered with {str(found)[:100]!r}; {expected} was expected.")
    return t.cast("Sequence[Object]", found)
