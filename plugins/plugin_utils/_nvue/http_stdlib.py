# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real adapter: HTTPS with the standard library, one kept-alive connection per switch."""

from __future__ import annotations

import functools
import http.client
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any
from urllib.parse import urlencode

from .errors import NvueError, RefusedError, TransportError, UnfitError, UntrustedError
from .http import Params, Reply

# A configuration of a 128-port switch is below 1 MiB; nothing sane is above this.
LARGEST = 256 * 1024 * 1024


@dataclass(frozen=True)
class Endpoint:
    """Where a switch answers, and whom to trust. ``timeout`` in seconds, for one whole request."""

    host: str
    port: int = 8765
    timeout: float = 30.0
    validate_certs: bool = True
    ca: str | None = None
    server_name: str | None = None


# How a connection looks that the other side has closed.
_HUNG_UP = (ConnectionError, ssl.SSLEOFError, http.client.CannotSendRequest)
_CHUNK = 1024 * 1024


class _Deadline:
    """When one request must be over: connection, TLS, headers and body together."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds that are left; raise ``TimeoutError`` without any."""
        seconds = self._end - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("timed out")
        return seconds


class _Socket(ssl.SSLSocket):
    """A TLS socket each step of which ends with the deadline of the request."""

    deadline: _Deadline | None = None

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


class _Connection(http.client.HTTPSConnection):
    """An HTTPS connection whose certificate may have another name than the address dialled."""

    def __init__(self, endpoint: Endpoint, context: ssl.SSLContext) -> None:
        super().__init__(endpoint.host, endpoint.port, context=context)
        self._trust = context
        self._name = endpoint.server_name or endpoint.host
        self.deadline = _Deadline(endpoint.timeout)

    def connect(self) -> None:
        """Open the socket and shake hands."""
        plain = self._dial()
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            plain.settimeout(self.deadline.left())
            self.sock = self._trust.wrap_socket(plain, server_hostname=self._name)
        except BaseException:
            plain.close()
            raise
        self.limit(self.deadline)

    def _dial(self) -> socket.socket:
        """Connect to the first address of the host that answers, all within the deadline."""
        failed: OSError = OSError("the name has no address")
        for family, kind, protocol, _name, address in socket.getaddrinfo(
            self.host, self.port, type=socket.SOCK_STREAM
        ):
            plain = socket.socket(family, kind, protocol)
            try:
                plain.settimeout(self.deadline.left())
                plain.connect(address)
            except OSError as exc:
                plain.close()
                failed = exc
            else:
                return plain
        raise failed

    def limit(self, deadline: _Deadline) -> None:
        """Let a deadline bound all that follows on this connection."""
        self.deadline = deadline
        if isinstance(self.sock, _Socket):
            self.sock.deadline = deadline


class HttpsPort:
    """The port over ``http.client``; see ``http.Port``."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._connection: _Connection | None = None

    @property
    def target(self) -> str:
        """The address and port that are dialled."""
        host = f"[{self._endpoint.host}]" if ":" in self._endpoint.host else self._endpoint.host
        return f"{host}:{self._endpoint.port}"

    def close(self) -> None:
        """Close the connection, if one is open."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def request(
        self,
        method: str,
        path: str,
        params: Params,
        body: bytes | None,
        headers: Mapping[str, str],
    ) -> Reply:
        """Send one request. A GET over a connection that the switch has closed is sent again."""
        url = f"{path}?{urlencode(params)}" if params else path
        deadline = _Deadline(self._endpoint.timeout)
        again = method == "GET" and self._connection is not None
        while True:
            try:
                return self._exchange(deadline, method, url, body, headers)
            except (http.client.HTTPException, OSError) as exc:
                self.close()
                if not (again and isinstance(exc, _HUNG_UP)):
                    raise self._failed(method, path, exc) from exc
                again = False

    def _exchange(
        self,
        deadline: _Deadline,
        method: str,
        url: str,
        body: bytes | None,
        headers: Mapping[str, str],
    ) -> Reply:
        connection = self._connect(deadline)
        try:
            connection.request(method, url, body=body, headers=dict(headers))
        except ValueError:
            # Its words hold the header, which may be a token.
            self.close()
            raise RefusedError(
                f"{self.target}: a request could not be written, as its header or its path holds a "
                "character that none may hold; check the token."
            ) from None
        answer = connection.getresponse()
        content = _content(answer)
        found = {name.lower(): value for name, value in answer.getheaders()}
        if answer.will_close:
            self.close()
        return Reply(answer.status, found, content)

    def _connect(self, deadline: _Deadline) -> _Connection:
        if self._connection is not None:
            self._connection.limit(deadline)
            return self._connection
        connection = _Connection(self._endpoint, self._trusted)
        connection.limit(deadline)
        try:
            connection.connect()
        except OSError as exc:
            raise self._unreachable(exc) from exc
        self._connection = connection
        return connection

    @functools.cached_property
    def _trusted(self) -> ssl.SSLContext:
        return trust(self._endpoint)

    def _unreachable(self, exc: OSError) -> TransportError | UntrustedError:
        if isinstance(exc, ssl.SSLCertVerificationError):
            return UntrustedError(
                f"{self.target}: the certificate of the switch was not trusted "
                f"({exc.verify_message}); set ca to the file of its authority, server_name to the "
                "name in it, or validate_certs: false."
            )
        if isinstance(exc, ssl.SSLError):
            return TransportError(
                f"{self.target}: TLS failed ({exc.reason or exc}); check that this is the port of the "
                "switch's API."
            )
        if isinstance(exc, TimeoutError):
            return TransportError(
                f"{self.target}: no connection within {self._endpoint.timeout:g} s; "
                "check the management address and the path to it."
            )
        return TransportError(
            f"{self.target}: no connection ({exc.strerror or exc}); check the management address, and "
            "that the API of the switch runs there."
        )

    def _failed(self, method: str, path: str, exc: Exception) -> TransportError:
        if isinstance(exc, TimeoutError):
            return TransportError(
                f"{self.target}: {method} {path} was not answered completely within "
                f"{self._endpoint.timeout:g} s; check the path to the switch, or give a longer timeout."
            )
        if isinstance(exc, _HUNG_UP):
            return UnfitError(
                f"{self.target}: the connection was closed before {method} {path} was answered."
            )
        reason = " ".join(str(exc).split()) or type(exc).__name__
        return UnfitError(f"{self.target}: {method} {path} failed ({reason[:200]}).")


def _content(answer: http.client.HTTPResponse) -> bytes:
    """Return the whole body; raise ``HTTPException`` where it is cut off, endless or too large."""
    awaited = answer.length
    if awaited is None and not answer.chunked:
        raise http.client.HTTPException("the answer does not state its length")
    content = bytearray()
    while part := answer.read(_CHUNK):
        content += part
        if len(content) > LARGEST:
            raise http.client.HTTPException(f"the answer has more than {LARGEST} bytes")
    if awaited is not None and len(content) < awaited:
        raise http.client.IncompleteRead(b"", awaited - len(content))
    return bytes(content)


def trust(endpoint: Endpoint) -> ssl.SSLContext:
    """Return the TLS settings of an endpoint: verification, own authority, or neither."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.sslsocket_class = _Socket
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
        context.load_verify_locations(
            capath=str(place) if place.is_dir() else None,
            cafile=None if place.is_dir() else str(place),
        )
    except (OSError, ssl.SSLError) as exc:
        raise NvueError(
            f"ca is {ca!r}, from which no certificate could be read ({exc}); "
            "name a PEM file or a folder of hashed certificates."
        ) from exc
