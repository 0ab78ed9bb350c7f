# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network as a port, and its adapter: HTTPS, one connection per switch that is kept."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import Iterator, Mapping
from typing import Protocol
from urllib.parse import urlencode

from ..._http.connection import AuthorityError, Endpoint
from ..._http.exchange import (
    CertificateError,
    Exchange,
    ExchangeError,
    UnreachableError,
    UnwritableError,
)
from ..._http.reply import Reply
from ..errors import NvueError, RefusedError, TransportError, UnfitError, UntrustedError

Values = str | tuple[str, ...]
Params = Mapping[str, Values]
"""The parameters of a request; one with several values is repeated."""

# Bytes of an answer, by kind of request. A configuration of a 128-port switch is below 1 MiB.
LARGEST = 64 * 1024 * 1024
# A revision has some hundred bytes; a switch lists all that it ever had.
LARGEST_OF_KIND = {"revision": 8 * 1024 * 1024, "action": 8 * 1024 * 1024, "api-token": 64 * 1024}


# How a connection looks that the other side has closed.
_HUNG_UP = (ConnectionError, ssl.SSLEOFError)


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

    def certificate(self) -> bytes:
        """Return the certificate of the switch (DER), trusted or not."""

    def shown(self) -> bytes:
        """Return the certificate that the switch shows in a handshake of its own, trusted or not."""

    def close(self) -> None:
        """Close the connection, if one is open."""


class HttpsPort:
    """The port over ``http.client``; see ``Port``."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._exchange = Exchange(endpoint)

    @property
    def target(self) -> str:
        """The address and port that are dialled."""
        host = f"[{self._endpoint.host}]" if ":" in self._endpoint.host else self._endpoint.host
        return f"{host}:{self._endpoint.port}"

    def close(self) -> None:
        """Close the connection, if one is open."""
        self._exchange.close()

    def request(
        self,
        method: str,
        path: str,
        params: Params,
        body: bytes | None,
        headers: Mapping[str, str],
    ) -> Reply:
        """Send one request, over the connection of the one before as long as that is open."""
        url = f"{path}?{urlencode(params, doseq=True)}" if params else path
        with self._named(f"{method} {path}"):
            return self._exchange.send(method, url, body, headers, largest=_largest(url))

    def certificate(self) -> bytes:
        """Return the certificate of the switch (DER), as the handshake of the connection showed it."""
        with self._named("the handshake"):
            return self._exchange.certificate()

    def shown(self) -> bytes:
        """Return the certificate that the switch shows in a handshake of its own (DER), trusted or not."""
        with self._named("the handshake"):
            return self._exchange.shown()

    @contextlib.contextmanager
    def _named(self, where: str) -> Iterator[None]:
        """Let an error of the connection leave as a sentence about a request."""
        try:
            yield
        except AuthorityError as exc:
            raise NvueError(exc) from exc
        except ExchangeError as exc:
            raise self._error(where, exc) from exc

    def _error(self, where: str, exc: ExchangeError) -> NvueError:
        """Return the error of a request that has no whole answer."""
        if isinstance(exc, UnwritableError):
            return RefusedError(f"{self.target}: {exc}")
        if isinstance(exc, CertificateError):
            return UntrustedError(
                f"{self.target}: the certificate of the switch was not trusted ({exc}); set ca to the file of its "
                "authority, server_name to the name in it, or validate_certs: false."
            )
        if isinstance(exc, UnreachableError):
            return TransportError(f"{self.target}: {self._unreachable(exc.cause)}.")
        if isinstance(exc.cause, TimeoutError):
            return TransportError(
                f"{self.target}: {where} was not answered completely within "
                f"{self._endpoint.timeout:g} s; check the path to the switch, or give a longer timeout."
            )
        if isinstance(exc.cause, _HUNG_UP):
            return UnfitError(
                f"{self.target}: the connection was closed before {where} was answered."
            )
        return UnfitError(f"{self.target}: {where} failed ({exc}).")

    def _unreachable(self, cause: Exception) -> str:
        """Return why there is no connection, and what to check."""
        if isinstance(cause, ssl.SSLError):
            return f"TLS failed ({cause.reason or cause}); check that this is the port of the switch's API"
        if isinstance(cause, TimeoutError):
            return (
                f"no connection within {self._endpoint.timeout:g} s; "
                "check the management address and the path to it"
            )
        why = cause.strerror if isinstance(cause, OSError) else ""
        return (
            f"no connection ({why or cause}); check the management address, and "
            "that the API of the switch runs there"
        )


def _largest(url: str) -> int:
    """Return how many bytes the answer to a request may have; the kind is the first part below the root."""
    kind = url.partition("?")[0].split("/")[2:3]
    return min(LARGEST, LARGEST_OF_KIND.get("".join(kind), LARGEST))
