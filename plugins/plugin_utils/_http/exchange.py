# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to one server, errors, and retries. A request is sent once; ``Retries`` says what is sent again."""

from __future__ import annotations

import contextlib
import dataclasses
import http.client
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from . import certificate
from .connection import LARGEST_ERROR, Connection, Deadline, Endpoint, content, trust
from .reply import Reply
from .secret_words import clean_body, clean_headers

T = TypeVar("T")

LONGEST_PAUSE = 30.0
"""The most seconds of a ``Retry-After`` that are waited for."""


class ExchangeError(Exception):
    """A request without a whole answer; the message has the words of ``cause``, the error below."""

    def __init__(self, cause: Exception) -> None:
        text = getattr(cause, "verify_message", "") or " ".join(str(cause).split())
        super().__init__(text[:200] or type(cause).__name__)
        self.cause = cause


class UnreachableError(ExchangeError):
    """There is no connection; nothing was sent."""


class CertificateError(ExchangeError):
    """The certificate was not trusted; nothing was sent."""


class UnwritableError(ExchangeError):
    """The request cannot be sent; the message is a sentence that does not show the token."""


class LostError(ExchangeError):
    """There is no whole answer; the server may have seen the request."""


class BusyError(Exception):
    """An answer by which a server asks to come again later."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.status)
        self.reply = reply

    def pause(self, seconds: float) -> float:
        """Return the seconds that the server asks for, else ``seconds``."""
        stated = self.reply.headers.get("retry-after", "")
        return min(float(stated), LONGEST_PAUSE) if stated.isdecimal() else seconds


@dataclass(frozen=True)
class Retries:
    """One retry for each of the ``pauses``, in seconds, as long as one of the ``errors`` occurs."""

    pauses: tuple[float, ...]
    errors: tuple[type[Exception], ...]

    def run(self, attempt: Callable[[], T], sleep: Callable[[float], None]) -> T:
        """Return the result of an attempt; raise the error of the last one, and any other error at once."""
        for pause in self.pauses:
            try:
                return attempt()
            # pylint: disable-next=catching-non-exception
            except self.errors as exc:
                sleep(exc.pause(pause) if isinstance(exc, BusyError) else pause)
        return attempt()


class Exchange:
    """Requests to one server from any number of threads, each over a connection of its own."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._trust: ssl.SSLContext | None = None
        self._idle: list[Connection] = []

    def close(self) -> None:
        """Close all connections that are not in use."""
        while self._idle:
            self._idle.pop().close()

    def trust(self) -> ssl.SSLContext | None:
        """Return the TLS settings, which are read once; raise ``AuthorityError``. None is without TLS."""
        if self._trust is None and self.endpoint.tls:
            self._trust = trust(self.endpoint)
        return self._trust

    def send(
        self,
        method: str,
        url: str,
        body: bytes | None,
        headers: Mapping[str, str],
        *,
        largest: int,
        of_error: int = LARGEST_ERROR,
    ) -> Reply:
        """Return the answer to one request, without the credential of its ``headers``.

        ``largest`` and ``of_error`` bound the bytes of an answer and of an error.
        """
        connection = self._connection(Deadline(self.endpoint.timeout))
        try:
            connection.request(method, url, body=body, headers=dict(headers))
            answer = connection.getresponse()
            text = content(answer, largest, of_error=of_error)
        except (http.client.HTTPException, OSError) as exc:
            connection.close()
            raise LostError(exc) from exc
        except ValueError:
            connection.close()
            raise UnwritableError(_UNWRITABLE) from None
        if answer.will_close:
            connection.close()
        else:
            self._idle.append(connection)
        named = clean_headers(dict(answer.getheaders()), headers)
        return Reply(answer.status, named, clean_body(text, headers))

    def certificate(self) -> bytes:
        """Return the server's certificate (DER) as the handshake showed it, trusted or not; empty without TLS."""
        connection = self._connection(Deadline(self.endpoint.timeout))
        self._idle.append(connection)
        return _peer(connection)

    def shown(self) -> bytes:
        """Return the certificate that the server shows anybody now (DER); nothing is sent over its connection."""
        connection = self._dialled(Deadline(self.endpoint.timeout), self._anybody())
        try:
            return _peer(connection)
        finally:
            connection.close()

    def _connection(self, deadline: Deadline) -> Connection:
        """Return a connection of an earlier request that is still open, else a new one.

        A proxy closes one that waits too long, and says nothing.
        """
        with contextlib.suppress(IndexError):
            while (kept := self._idle.pop()).hung_up():
                kept.close()
            kept.limit(deadline)
            return kept
        try:
            return self._dialled(deadline, self.trust())
        except CertificateError as exc:
            if not self.endpoint.expired or getattr(exc.cause, "verify_code", 0) != EXPIRED:
                raise
            return self._known(deadline, exc)

    def _known(self, deadline: Deadline, refused: CertificateError) -> Connection:
        """Return a connection to a server whose expired certificate is the known one; raise what refused it else."""
        connection = self._dialled(deadline, self._anybody())
        if certificate.fingerprint(_peer(connection)) == self.endpoint.expired:
            return connection
        connection.close()
        raise refused

    def _dialled(self, deadline: Deadline, context: ssl.SSLContext | None) -> Connection:
        connection = Connection(self.endpoint, context, deadline)
        try:
            connection.connect()
        except OSError as exc:
            connection.close()
            untrusted = isinstance(exc, ssl.SSLCertVerificationError)
            raise (CertificateError if untrusted else UnreachableError)(exc) from exc
        return connection

    def _anybody(self) -> ssl.SSLContext | None:
        """Return TLS settings that trust every certificate: for a look at it alone."""
        bare = dataclasses.replace(self.endpoint, validate_certs=False)
        return trust(bare) if self.endpoint.tls else None


EXPIRED = 10
"""Code of OpenSSL for a certificate that has expired (X509_V_ERR_CERT_HAS_EXPIRED)."""


def _peer(connection: Connection) -> bytes:
    """Return the certificate of the other side (DER); empty without TLS."""
    sock = connection.sock
    return (isinstance(sock, ssl.SSLSocket) and sock.getpeercert(binary_form=True)) or b""


_UNWRITABLE = ValueError(
    "a request could not be written, as its header or its path has a character that is not allowed; check the token."
)
