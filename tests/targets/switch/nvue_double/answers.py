# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile answers: what a broken proxy, a captive portal or an attacker sends in place of one.

The fault `answer` chooses a form. Those of COMPLETE are whole HTTP answers; those of BROKEN write
to the connection themselves and close it. Unless `done` is true, or the form sends the true answer
in pieces (FOLLOWS), the request never reaches the switch.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from aiohttp import web

from .replies import Page

if TYPE_CHECKING:
    from .faults import Fault

_JSON = "application/json"
_LOGIN = (
    b"<html><head><title>Sign in</title></head><body><form method='post' action='/login'>"
    b"<input name='username'><input name='password' type='password'></form></body></html>"
)
COMPLETE = {
    "empty": (200, _JSON, b""),
    "no_content": (204, "", b""),
    "null": (200, _JSON, b"null"),
    "list": (200, _JSON, b"[]"),
    "string": (200, _JSON, b'"ok"'),
    "number": (200, _JSON, b"0"),
    "object": (200, _JSON, b"{}"),
    "mapping": (200, _JSON, b'{"unexpected": {"shape": true}}'),
    "bad_utf8": (200, _JSON, b'{"hostname": "\xff\xfe\xc3("}'),
    "nan": (200, _JSON, b'{"uptime": NaN}'),
    "login": (200, "text/html", _LOGIN),
    "unavailable": (503, "text/html", b""),
    "redirect": (302, "text/html", b""),
    "deep": (200, _JSON, b""),
    "other": (200, _JSON, b""),
    "text": (200, _JSON, b""),
}
FOLLOWS = ("short", "cut_chunks", "slow_body")
BROKEN = (*FOLLOWS, "endless", "slow_header", "closed", "reset")
FORMS = (*COMPLETE, *BROKEN)
PARAMETERS = {
    *("form", "method", "path", "query", "after", "done"),
    *("status", "location", "body", "text", "type", "depth", "bytes", "seconds"),
}


def check(parameters: dict[str, Any]) -> None:
    """Raise ValueError for a form that does not exist or a pattern that is none."""
    form = parameters.get("form")
    if form not in FORMS:
        raise ValueError(f"form '{form}' is not one of {', '.join(FORMS)}")
    for name in ("path", "query"):
        try:
            re.compile(parameters.get(name, ""))
        except re.error as error:
            raise ValueError(f"{name} '{parameters[name]}': {error}") from error


def strikes(fault: Fault, method: str, path: str, query: str) -> bool:
    """Check whether a request is one that the fault waits for; count those it lets through."""
    wanted = fault.parameters
    hit = (
        wanted.get("method", method) == method
        and re.fullmatch(wanted.get("path", ".*"), path) is not None
        and re.search(wanted.get("query", ""), query) is not None
    )
    fault.met += hit
    return hit and fault.met > wanted.get("after", 0)


def follows(fault: Fault) -> bool:
    """Check whether the switch does the requested work before this answer is sent."""
    return bool(fault.get("done", False)) or fault.get("form", "") in FOLLOWS


async def send(
    request: web.Request, fault: Fault, true: web.StreamResponse | None, previous: bytes
) -> web.StreamResponse:
    """Send the hostile answer in place of `true`; `previous` is the body sent before it."""
    form = fault.get("form", "")
    if form in COMPLETE:
        return _complete(fault, form, previous)
    body = true.body if isinstance(true, web.Response) and isinstance(true.body, bytes) else b""
    with contextlib.suppress(ConnectionError):
        await _WAYS[form](request, fault, body)
    return web.Response(status=200)


def _complete(fault: Fault, form: str, previous: bytes) -> web.Response:
    status, kind, body = COMPLETE[form]
    if form == "unavailable":
        return Page(status, "Service Temporarily Unavailable").response()
    if form == "deep":
        depth = fault.get("depth", 100_000)
        body = b'{"a":' * depth + b"1" + b"}" * depth
    elif form == "other":
        body = _given(fault, previous)
    elif form == "text":
        body = fault.get("text", "").encode()
    headers = {"Content-Type": fault.get("type", kind)} if kind else {}
    if form == "redirect":
        headers["Location"] = fault.get("location", "/login")
    return web.Response(status=fault.get("status", status), body=body, headers=headers)


def _given(fault: Fault, otherwise: bytes) -> bytes:
    """The JSON that the fault brings, or something else."""
    if "body" in fault.parameters:
        return json.dumps(fault.parameters["body"]).encode()
    return otherwise


def _transport(request: web.Request) -> asyncio.Transport:
    transport = request.transport
    if not isinstance(transport, asyncio.Transport):
        raise ConnectionResetError
    return transport


def _head(*lines: str) -> bytes:
    return "\r\n".join(["HTTP/1.1 200 OK", f"Content-Type: {_JSON}", *lines, "", ""]).encode()


async def _short(request: web.Request, fault: Fault, true: bytes) -> None:
    body = _given(fault, true[: len(true) // 2])
    length = len(body) + 100 if "body" in fault.parameters or not true else len(true)
    _transport(request).write(_head(f"Content-Length: {length}") + body)
    _transport(request).close()


async def _cut_chunks(request: web.Request, fault: Fault, true: bytes) -> None:
    body = _given(fault, true)
    chunk = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
    _transport(request).write(_head("Transfer-Encoding: chunked") + chunk)
    _transport(request).close()


async def _slow_body(request: web.Request, fault: Fault, true: bytes) -> None:
    body = _given(fault, true)
    _transport(request).write(_head(f"Content-Length: {len(body)}", "Connection: close"))
    await _trickle(request, fault, body)


async def _slow_header(request: web.Request, fault: Fault, _true: bytes) -> None:
    _transport(request).write(b"HTTP/1.1 200 OK\r\nX-Filler: ")
    await _trickle(request, fault, b"a" * fault.get("bytes", 600))


async def _trickle(request: web.Request, fault: Fault, body: bytes) -> None:
    """A byte every `seconds`, until all are sent or nobody listens."""
    for index in range(len(body)):
        await asyncio.sleep(fault.get("seconds", 1.0))
        if _transport(request).is_closing():
            return
        _transport(request).write(body[index : index + 1])
    _transport(request).close()


async def _endless(request: web.Request, fault: Fault, _true: bytes) -> None:
    response = web.StreamResponse(headers={"Content-Type": _JSON})
    await response.prepare(request)
    await response.write(b'{"hostname": "')
    piece = b"a" * 65536
    for dummy in range(fault.get("bytes", 300 * 1024**2) // len(piece) + 1):
        await response.write(piece)
    _transport(request).close()


async def _closed(request: web.Request, _fault: Fault, _true: bytes) -> None:
    _transport(request).close()


async def _reset(request: web.Request, _fault: Fault, _true: bytes) -> None:
    _transport(request).abort()


_WAYS: dict[str, Callable[[web.Request, Fault, bytes], Awaitable[None]]] = {
    "short": _short,
    "cut_chunks": _cut_chunks,
    "slow_body": _slow_body,
    "slow_header": _slow_header,
    "endless": _endless,
    "closed": _closed,
    "reset": _reset,
}
