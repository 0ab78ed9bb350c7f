# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One HTTP connection with the standard library, every step of which ends with a deadline."""

from __future__ import annotations

import http.client
import select
import socket
import ssl
import time
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

LARGEST_ERROR = 64 * 1024
"""Bytes that are read of an error; a sentence shows its first words alone."""
_CHUNK = 1024 * 1024


class AuthorityError(ValueError):
    """The file of the certificate authority cannot be used; the message is a sentence."""


@dataclass(frozen=True)
class Endpoint:
    """The place where a server answers, and whom to trust. ``timeout`` in seconds, for one whole request.

    The certificate may have another name than the address dialled: ``server_name``. One that has expired is
    accepted where its SHA-256 is ``expired``.
    """

    host: str
    port: int
    timeout: float = 30.0
    validate_certs: bool = True
    ca: str | None = None
    server_name: str | None = None
    tls: bool = True
    expired: str = ""


class Deadline:
    """Deadline of one request: connection, TLS, headers and body together."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds that are left; raise ``TimeoutError`` without any."""
        seconds = self._end - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("timed out")
        return seconds


class _Bounded(socket.socket):
    """A socket each step of which ends with the deadline of the request."""

    deadline: Deadline | None = None

    def recv_into(self, *args: Any, **kwargs: Any) -> int:
        """Receive, as long as there is time."""
        self._limit()
        return super().recv_into(*args, **kwargs)

    def send(self, *args: Any, **kwargs: Any) -> int:
        """Send a part, as long as there is time."""
        self._limit()
        return super().send(*args, **kwargs)

    def _limit(self) -> None:
        if self.deadline is not None:
            self.settimeout(self.deadline.left())


class _Plain(_Bounded):
    """The same without TLS."""

    def sendall(self, *args: Any, **kwargs: Any) -> None:
        """Send everything; the operating system counts the time of the whole."""
        self._limit()
        super().sendall(*args, **kwargs)


class _Tls(_Bounded, ssl.SSLSocket):
    """The same with TLS, whose ``sendall`` sends by parts."""


class Connection(http.client.HTTPConnection):
    """A connection, with TLS where there is a context."""

    default_port = http.client.HTTPS_PORT

    def __init__(
        self, endpoint: Endpoint, context: ssl.SSLContext | None, deadline: Deadline
    ) -> None:
        super().__init__(endpoint.host, endpoint.port)
        self._context = context
        self._name = endpoint.server_name or endpoint.host
        self.deadline = deadline

    def connect(self) -> None:
        """Open the socket and shake hands."""
        self.sock = plain = self._dial()
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        plain.settimeout(self.deadline.left())
        if self._context:
            self.sock = self._context.wrap_socket(plain, server_hostname=self._name)
        self.limit(self.deadline)

    def _dial(self) -> socket.socket:
        """Connect to the first address of the host that answers, all within the deadline."""
        failed: OSError = OSError("the name has no address")
        for family, kind, protocol, _name, address in socket.getaddrinfo(
            self.host, self.port, type=socket.SOCK_STREAM
        ):
            plain = _Plain(family, kind, protocol)
            try:
                plain.settimeout(self.deadline.left())
                plain.connect(address)
            except OSError as exc:
                plain.close()
                failed = exc
            else:
                return plain
        raise failed

    def limit(self, deadline: Deadline) -> None:
        """Let a deadline bound all that follows on this connection."""
        self.deadline = deadline
        if isinstance(self.sock, _Bounded):
            self.sock.deadline = deadline

    def hung_up(self) -> bool:
        """Return whether the other side closed it while nobody used it: there is something to read, its end."""
        if self.sock is None:
            return True
        waiting = select.poll()
        waiting.register(self.sock, select.POLLIN)
        return bool(waiting.poll(0))


def content(
    answer: http.client.HTTPResponse, largest: int, *, of_error: int = LARGEST_ERROR
) -> bytes:
    """Return the whole body; raise ``HTTPException`` where it is cut off, endless or too large.

    Of an error no more than the first bytes are read; its connection is not used again.
    """
    awaited = answer.length
    if awaited is None and not answer.chunked:
        raise http.client.HTTPException("the answer does not state its length")
    is_error = answer.status >= 400
    most = min(largest, of_error) if is_error else largest
    body = bytearray()
    while part := answer.read(min(_CHUNK, most + 1 - len(body))):
        body += part
        if len(body) > most and not is_error:
            raise http.client.HTTPException(f"the answer has more than {largest} bytes")
        if len(body) > most:
            answer.will_close = True
            return bytes(body[:most])
    if awaited is not None and len(body) < awaited:
        raise http.client.IncompleteRead(b"", awaited - len(body))
    return bytes(body)


def trust(endpoint: Endpoint) -> ssl.SSLContext:
    """Return TLS settings: verification, own authority, or neither; raise ``AuthorityError``."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.sslsocket_class = _Tls
    if not endpoint.validate_certs:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif endpoint.ca is None:
        context.load_default_certs()
    else:
        _load(context, endpoint.ca)
    return context


def _load(context: ssl.SSLContext, ca: str) -> None:
    place = FilePath(ca).expanduser()
    try:
        context.load_verify_locations(**{"capath" if place.is_dir() else "cafile": str(place)})
    except (OSError, ssl.SSLError) as exc:
        raise AuthorityError(
            f"ca is {ca!r}, from which no certificate could be read ({exc}); "
            "name a PEM file or a folder of hashed certificates."
        ) from exc
