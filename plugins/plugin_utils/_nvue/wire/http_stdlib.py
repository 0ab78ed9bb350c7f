# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real adapter: HTTPS with the standard library, one kept-alive connection per switch."""

from __future__ import annotations

import functools
import http.client
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from ..._http import connection as wire
from ..._http.secret_words import clean_body, clean_headers
from ..errors import NvueError, RefusedError, TransportError, UnfitError, UntrustedError
from .http import Params, Reply

# Bytes of an answer, by kind of request. A configuration of a 128-port switch is below 1 MiB.
LARGEST = 64 * 1024 * 1024
# A revision has some hundred bytes; a switch lists all that it ever had.
LARGEST_OF_KIND = {"revision": 8 * 1024 * 1024, "action": 8 * 1024 * 1024, "api-token": 64 * 1024}


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


class HttpsPort:
    """The port over ``http.client``; see ``http.Port``."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._connection: wire.Connection | None = None

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
        deadline = wire.Deadline(self._endpoint.timeout)
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
        deadline: wire.Deadline,
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
        content = clean_body(wire.content(answer, _largest(url)), headers)
        if answer.will_close:
            self.close()
        return Reply(answer.status, clean_headers(dict(answer.getheaders()), headers), content)

    def _connect(self, deadline: wire.Deadline) -> wire.Connection:
        if self._connection is not None:
            self._connection.limit(deadline)
            return self._connection
        connection = wire.Connection(
            self._endpoint.host,
            self._endpoint.port,
            deadline,
            context=self._trusted,
            server_name=self._endpoint.server_name,
        )
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


def _largest(url: str) -> int:
    """Return how many bytes the answer to a request may have; the kind is the first part below the root."""
    kind = url.partition("?")[0].split("/")[2:3]
    return min(LARGEST, LARGEST_OF_KIND.get("".join(kind), LARGEST))


def trust(endpoint: Endpoint) -> ssl.SSLContext:
    """Return the TLS settings of an endpoint: verification, own authority, or neither."""
    try:
        return wire.trust(validate_certs=endpoint.validate_certs, ca=endpoint.ca)
    except wire.AuthorityError as exc:
        raise NvueError(exc) from exc
