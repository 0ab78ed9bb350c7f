# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real adapter: HTTPS with the standard library, one kept-alive connection per switch."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from urllib.parse import urlencode

from .errors import NvueError, RefusedError, TransportError
from .http import Params, Reply

# A configuration of a 128-port switch is below 1 MiB; nothing sane is above this.
LARGEST = 256 * 1024 * 1024


@dataclass(frozen=True)
class Endpoint:
    """Where a switch answers, and whom to trust. ``timeout`` in seconds, for every step."""

    host: str
    port: int = 8765
    timeout: float = 30.0
    validate_certs: bool = True
    ca: str | None = None
    server_name: str | None = None


# How a connection looks that the other side has closed.
_HUNG_UP = (ConnectionError, ssl.SSLEOFError, http.client.CannotSendRequest)


class _Connection(http.client.HTTPSConnection):
    """An HTTPS connection whose certificate may bear another name than the address dialled."""

    def __init__(self, endpoint: Endpoint, context: ssl.SSLContext) -> None:
        super().__init__(endpoint.host, endpoint.port, timeout=endpoint.timeout, context=context)
        self._trust = context
        self._name = endpoint.server_name or endpoint.host

    def connect(self) -> None:
        """Open the socket and shake hands."""
        plain = socket.create_connection((self.host, self.port), self.timeout)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self.sock = self._trust.wrap_socket(plain, server_hostname=self._name)
        except BaseException:
            plain.close()
            raise


class HttpsPort:
    """The port over ``http.client``; see ``http.Port``."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._connection: _Connection | None = None
        self._context: ssl.SSLContext | None = None

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
        used_before = self._connection is not None
        try:
            return self._exchange(method, url, body, headers)
        except _HUNG_UP:
            self.close()
            if not (used_before and method == "GET"):
                raise self._lost(method, path) from None
        except (http.client.HTTPException, OSError) as exc:
            self.close()
            raise self._failed(method, path, exc) from exc
        return self._again(url, path, headers)

    def _again(self, url: str, path: str, headers: Mapping[str, str]) -> Reply:
        try:
            return self._exchange("GET", url, None, headers)
        except (http.client.HTTPException, OSError) as exc:
            self.close()
            raise self._failed("GET", path, exc) from exc

    def _exchange(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Reply:
        connection = self._connect()
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
        content = answer.read(LARGEST)
        found = {name.lower(): value for name, value in answer.getheaders()}
        if answer.will_close:
            self.close()
        return Reply(answer.status, found, content)

    def _connect(self) -> _Connection:
        if self._connection is None:
            if self._context is None:
                self._context = trust(self._endpoint)
            connection = _Connection(self._endpoint, self._context)
            try:
                connection.connect()
            except OSError as exc:
                raise self._unreachable(exc) from exc
            self._connection = connection
        return self._connection

    def _unreachable(self, exc: OSError) -> TransportError:
        if isinstance(exc, ssl.SSLCertVerificationError):
            return TransportError(
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

    def _lost(self, method: str, path: str) -> TransportError:
        return TransportError(
            f"{self.target}: the connection was closed before {method} {path} was answered.",
            sent=True,
        )

    def _failed(self, method: str, path: str, exc: Exception) -> TransportError:
        if isinstance(exc, TimeoutError):
            reason = f"no answer within {self._endpoint.timeout:g} s"
        else:
            reason = str(exc) or type(exc).__name__
        return TransportError(f"{self.target}: {method} {path} failed ({reason}).", sent=True)


def trust(endpoint: Endpoint) -> ssl.SSLContext:
    """Return the TLS settings of an endpoint: verification, own authority, or neither."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
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
