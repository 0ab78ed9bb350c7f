# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A DCIM as a person sees it who knows nothing of our own client: its REST API, by the standard library alone."""

from __future__ import annotations

import http.client
import json
import urllib.parse
from collections.abc import Iterator
from typing import Any

from dcim.servers import Server

COUNTED = (
    "dcim/devices",
    "dcim/interfaces",
    "dcim/cables",
    "ipam/prefixes",
    "ipam/ip-addresses",
    "ipam/vrfs",
    "tenancy/tenants",
)
"""Endpoints that are counted and compared: both have them."""
MANUFACTURERS = "/api/dcim/manufacturers/"


def ask(
    url: str, path: str, token: str, *, method: str = "GET", body: Any = None
) -> tuple[int, Any]:
    """Status and decoded answer; the answer is None where it is not JSON."""
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=300)
    scheme = "Bearer" if token.startswith("nbt_") else "Token"
    headers = {"Authorization": f"{scheme} {token}", "Content-Type": "application/json"}
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    received = answer.read()
    connection.close()
    decoded = "json" in (answer.getheader("Content-Type") or "") and received
    return answer.status, json.loads(received) if decoded else None


def done(server: Server, path: str, *, method: str = "GET", body: Any = None) -> Any:
    """The answer to what has to go well."""
    status, answer = ask(server.url, path, server.token, method=method, body=body)
    assert status in (200, 201, 204), (method, path, status, answer)
    return answer


def every(server: Server, endpoint: str, **wanted: str) -> Iterator[dict[str, Any]]:
    """Each object of an endpoint, page by page."""
    query = urllib.parse.urlencode({"limit": "500", "offset": "0", "depth": "1", **wanted})
    query = query.replace("&depth=1", "") if server.kind == "netbox" else query
    path: str | None = f"/api/{endpoint}/?{query}"
    while path:
        page = done(server, path)
        yield from page["results"]
        following = urllib.parse.urlsplit(page["next"] or "")
        path = f"{following.path}?{following.query}" if page["next"] else None


def counts(server: Server) -> dict[str, int]:
    """Count the objects of each endpoint that is counted."""
    return {endpoint: done(server, f"/api/{endpoint}/?limit=1")["count"] for endpoint in COUNTED}


def one(server: Server, endpoint: str, name: str) -> dict[str, Any]:
    """The only object of a name."""
    (found,) = every(server, endpoint, name=name)
    return found
