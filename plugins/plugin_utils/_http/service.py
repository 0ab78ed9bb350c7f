# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A service of the site that answers with JSON, by its URL: Prometheus, Alertmanager.

No redirect is followed, and an answer that is too large, endless, or no JSON is a ServiceError.
"""

from __future__ import annotations

import json
import os
import typing as t
from collections.abc import Mapping
from urllib.parse import urlencode, urlsplit

from ...module_utils._json import Json, NoJsonError
from .connection import AuthorityError, Endpoint
from .exchange import Exchange, ExchangeError
from .reply import content, words

LARGEST = 32 * 1024 * 1024
"""Bytes of an answer."""
_TIMEOUT = 20.0
_PORTS = {"http": 80, "https": 443}


class ServiceError(Exception):
    """There is no answer that counts; the message is a sentence with the remedy."""


class Service:
    """One service; `token` is sent as a bearer token, and `ca` verifies it."""

    def __init__(
        self,
        url: str,
        *,
        token: str = "",
        ca: str = "",
        largest: int = LARGEST,
        timeout: float = _TIMEOUT,
    ) -> None:
        parts = urlsplit(url)
        self.url, self._path, self._largest = url, parts.path.rstrip("/"), largest
        self._headers = {"accept": "application/json"}
        if token:
            self._headers["authorization"] = f"Bearer {token}"
        tls = parts.scheme == "https"
        port = parts.port or _PORTS[parts.scheme]
        endpoint = Endpoint(parts.hostname or "", port, timeout, ca=ca or None, tls=tls)
        self._exchange = Exchange(endpoint)

    def get(self, path: str, params: Mapping[str, str] | None = None) -> Json:
        """Return the JSON at a path."""
        return self._send("GET", f"{path}?{urlencode(params)}" if params else path, None)

    def form(self, path: str, fields: Mapping[str, str]) -> Json:
        """Return the JSON that a form is answered with: a query may be longer than a URL."""
        body = urlencode(fields).encode()
        return self._send("POST", path, body, kind="application/x-www-form-urlencoded")

    def post(self, path: str, data: object) -> Json:
        """Send JSON; return the JSON of the answer."""
        return self._send("POST", path, json.dumps(data).encode(), kind="application/json")

    def delete(self, path: str) -> None:
        """Delete what is at a path."""
        self._send("DELETE", path, None, empty=True)

    def _send(
        self, method: str, path: str, body: bytes | None, *, kind: str = "", empty: bool = False
    ) -> Json:
        headers = {**self._headers, **({"content-type": kind} if kind else {})}
        try:
            reply = self._exchange.send(
                method, self._path + path, body, headers, largest=self._largest
            )
            if not 200 <= reply.status < 300:
                raise ServiceError(
                    f"{self.url}: it answers with {reply.status} ({words(reply, most=120)}): check the URL, and the "
                    "token in SPX_MONITORING_TOKEN."
                )
            return None if empty else content(reply, self.url, advice="check the URL", most=120)
        except (ExchangeError, AuthorityError) as exc:
            raise ServiceError(
                f"{self.url}: no answer counts ({exc}): check the URL, the service, and SPX_MONITORING_CA."
            ) from exc
        except NoJsonError as exc:
            raise ServiceError(str(exc)) from exc
        finally:
            self._exchange.close()


def of_site(url: str) -> Service:
    """Return a service with the token and the authority that the environment has for it."""
    token, ca = (os.environ.get(f"SPX_MONITORING_{name}", "") for name in ("TOKEN", "CA"))
    return Service(url, token=token, ca=ca)


def samples(answer: Json) -> t.Iterator[tuple[dict[str, str], float]]:
    """Yield (labels, value) of the vector in an answer of Prometheus; ServiceError for anything else."""
    body = answer if isinstance(answer, dict) else {}
    data: t.Any = body.get("data")
    rows = (
        data.get("result")
        if isinstance(data, dict) and data.get("resultType") == "vector"
        else None
    )
    if body.get("status") != "success" or not isinstance(rows, list):
        raise ServiceError(
            f"Prometheus answers with no vector ({str(answer)[:120]}): check the URL."
        )
    for row in rows:
        try:
            labels = {str(key): str(text) for key, text in row["metric"].items()}
            yield labels, float(row["value"][1])
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            raise ServiceError(f"Prometheus answers with no sample ({str(row)[:120]}).") from None
