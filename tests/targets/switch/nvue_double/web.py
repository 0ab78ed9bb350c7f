# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The REST surface: routing, authentication, and the shape of every answer."""

from __future__ import annotations

import asyncio
import base64
import binascii
import fnmatch
import json
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any
from urllib.parse import unquote

from aiohttp import web

from . import answers, batch, query, revision_api, tree
from .replies import Drop, Page, Problem, missing
from .requestlog import Request
from .revisions import EDITABLE, Revision
from .schema import Breach
from .switch import Switch

BASES = ("/nvue_v1", "/cue_v1")
_MAX_BODY = 64 * 1024**2

Next = Callable[[web.Request], Awaitable[web.StreamResponse]]


def application(switch: Switch) -> web.Application:
    """The aiohttp application of one switch."""
    api = Api(switch)
    app = web.Application(client_max_size=_MAX_BODY)
    app.router.add_route("*", "/{anything:.*}", api.handle)
    return app


class Api:
    """Answers the requests of one switch."""

    def __init__(self, switch: Switch) -> None:
        self.switch = switch
        self._previous = b""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Log, fail on demand, authenticate, answer."""
        record = await self._record(request)
        self.switch.log.requests.append(record)
        try:
            response = await self._guarded(request, record)
        except Drop:
            return self._cut(request)
        except (Problem, Page) as error:
            response = error.response()
        record.status = response.status
        self._remember(response)
        return response

    def _cut(self, request: web.Request) -> web.StreamResponse:
        if request.transport is not None:
            request.transport.abort()
        return web.Response(status=500)

    async def _record(self, request: web.Request) -> Request:
        raw = await request.read()
        try:
            body: Any = json.loads(raw) if raw else None
        except ValueError:
            body = raw.decode("utf-8", "replace")
        path = "/" + "/".join(_segments(request))
        scheme = request.headers.get("Authorization", "").partition(" ")[0].lower()
        return Request(
            request.method,
            path,
            dict(request.query),
            None,
            scheme or "none",
            body,
            peer=request.remote,
        )

    async def _guarded(self, request: web.Request, record: Request) -> web.StreamResponse:
        switch, where = self.switch, {"method": record.method, "path": record.path}
        local = _is_local(request)
        if not local and not (switch.reachable() and switch.listens_on(_local_address(request))):
            raise Drop
        if switch.faults.take("drop_connection", when=None, **where):
            raise Drop
        fault = switch.faults.take("delay", **where)
        if fault:
            await asyncio.sleep(fault.get("seconds", 1.0))
        fault = switch.faults.take("http", **where)
        if fault:
            _strike_http(fault)
        fault = switch.faults.take_answer(record.method, record.path, unquote(request.query_string))
        if fault is None:
            return await self._answer(request, record, local)
        true = await self._answer(request, record, local) if answers.follows(fault) else None
        sending = switch.spawn(answers.send(request, fault, true, self._previous))
        response: web.StreamResponse = await sending
        return response

    async def _answer(
        self, request: web.Request, record: Request, local: bool
    ) -> web.StreamResponse:
        switch, where = self.switch, {"method": record.method, "path": record.path}
        record.user = "root" if local else self._authenticate(request)
        if record.writes and not local and not switch.accounts.may_write(record.user):
            raise Problem(403, f"User {record.user} is not allowed to change the configuration")
        response = await self._dispatch(request, record)
        if switch.faults.take("drop_connection", when="after", **where) or (
            not local and not switch.reachable()
        ):
            raise Drop
        if switch.faults.take("truncate", **where) and isinstance(response, web.Response):
            response.text = (response.text or "")[: len(response.text or "") // 2]
        return response

    def _remember(self, response: web.StreamResponse) -> None:
        """Keep the body for an answer that goes to the wrong request."""
        if isinstance(response, web.Response) and isinstance(response.body, bytes):
            self._previous = response.body

    def _authenticate(self, request: web.Request) -> str:
        switch = self.switch
        scheme, dummy, rest = request.headers.get("Authorization", "").partition(" ")
        if time.time() < switch.unauthorized_until:
            raise Page(401, "Authorization Required")
        if switch.accounts.default_password_in_use(switch.options.username):
            raise Page(403)
        if scheme.lower() == "bearer" and switch.options.parsed_release.at_least("5.14"):
            name = self._token_holder(rest)
        elif scheme.lower() == "basic":
            name = self._basic(rest)
        else:
            name = None
        if name is None:
            if switch.options.unauthorized_html:
                raise Page(401, "Authorization Required")
            raise Problem(401, "Authentication required")
        return name

    def _token_holder(self, token: str) -> str | None:
        try:
            return self.switch.accounts.holder(token)
        except (ValueError, KeyError):
            return None

    def _basic(self, text: str) -> str | None:
        try:
            name, dummy, password = base64.b64decode(text, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return None
        return name if self.switch.log_in(name, password) else None

    async def _dispatch(self, request: web.Request, record: Request) -> web.StreamResponse:
        if not any(request.rel_url.raw_path.startswith(base) for base in BASES):
            raise Page(404)
        path = _segments(request)
        method = request.method
        if path[:1] == ["api-token"]:
            return self._token(method, str(record.user))
        if path[:1] == ["revision"]:
            answer = revision_api.handle(self.switch, method, path[1:], record.body, record.user)
            return web.json_response(answer)
        if path[:1] == ["action"]:
            return self._job(method, path)
        if method == "GET":
            return web.json_response(self._get(request, path))
        if method == "POST":
            return web.json_response(self._act(path, record.body))
        if method == "PATCH":
            return self._patch(request, path, record.body)
        if method == "DELETE":
            return self._delete(request, path)
        raise Problem(405, f"{method} is not allowed")

    def _token(self, method: str, user: str) -> web.Response:
        minutes = self.switch.token_minutes()
        if not self.switch.options.parsed_release.at_least("5.14") or method != "GET":
            raise missing()
        if minutes == 0:
            raise Problem(403, "API tokens are disabled")
        return web.json_response({"token": self.switch.accounts.issue(user, minutes)})

    def _job(self, method: str, path: list[str]) -> web.Response:
        jobs = self.switch.jobs.by_number
        if method != "GET":
            raise Problem(405, f"{method} is not allowed")
        if len(path) == 1:
            return web.json_response({str(number): job for number, job in jobs.items()})
        if not path[1].isdigit() or int(path[1]) not in jobs:
            raise missing()
        return web.json_response(jobs[int(path[1])])

    def _act(self, path: list[str], body: Any) -> int:
        if not isinstance(body, dict) or len(body) != 1 or not next(iter(body)).startswith("@"):
            raise Problem(400, 'The body must be {"@<action>": {"state": "start"}}')
        name, order = next(iter(body.items()))
        if not isinstance(order, dict) or order.get("state") != "start":
            raise Problem(400, "An action must have state 'start'")
        try:
            return self.switch.jobs.start(path, name[1:], order.get("parameters", {}))
        except LookupError as error:
            raise Problem(404, str(error)) from error
        except ValueError as error:
            raise Problem(400, str(error)) from error

    def _get(self, request: web.Request, path: list[str]) -> Any:
        switch, release = self.switch, self.switch.options.parsed_release
        query.check(request.query, path, release)
        name = request.query.get("rev")
        if name is None:
            switch.log.violation(f"GET /{'/'.join(path)} without rev")
            name = "operational"
        if "diff" in request.query:
            return self._compare(name, request.query["diff"], path)
        if name == "operational":
            self._crash_of_whole_interfaces(request, path)
            answer = switch.operational.get(path, request.query.get("view", ""))
            if answer is tree.MISSING:
                raise missing()
        else:
            answer = self._configured(name, path)
            if request.query.get("filled", "true") != "false":
                answer = switch.schema.fill(answer, path)
            if request.query.get("expand") == "true":
                answer = switch.schema.expand(answer, path)
        return query.shape(request.query, answer)

    def _crash_of_whole_interfaces(self, request: web.Request, path: list[str]) -> None:
        """End the connection of who reads all of many interfaces, where that fault is ordered."""
        faults = self.switch.faults
        fault = faults.next("whole_interface")
        if fault is None or path not in ([], ["interface"]) or query.partial(request.query):
            return
        if len(self.switch.operational.get(["interface"])) > fault.get("interfaces", 64):
            faults.take("whole_interface")
            if seconds := fault.get("seconds", 0.0):
                self.switch.lose_management(seconds)
            raise Drop

    def _configured(self, name: str, path: list[str]) -> Any:
        schema, place = self.switch.schema, self.switch.revisions.document(name)
        if place is None:
            raise missing()
        node = schema.root
        for key in path:
            child = node.child(key) if node.is_object else None
            if child is None or (key not in place and key not in node.members):
                raise missing()
            if key not in place and not child.is_object:
                raise missing()
            node, place = child, place.get(key, {})
        return self.switch.masks.show(node, place)

    def _compare(self, first: str, second: str, path: list[str]) -> Any:
        old, new = self._configured(first, path), self._configured(second, path)
        if self.switch.options.diff_reply == "object":
            return tree.side(old, new)
        to_set, to_unset = tree.diff(old, new)
        parts = {"unset": to_unset, "set": to_set}
        return [{name: part} for name, part in parts.items() if part]

    def _target(self, request: web.Request) -> Revision:
        name = request.query.get("rev")
        if name is None:
            raise Problem(400, "Query parameter rev is required")
        revision = self.switch.revisions.named(name)
        if revision is None:
            raise missing()
        if name == "applied" or revision.state not in EDITABLE:
            raise Problem(400, f"Revision {name} in state {revision.state} cannot be changed")
        return revision

    def _patch(self, request: web.Request, path: list[str], body: Any) -> web.Response:
        revision = self._target(request)
        schema, release = self.switch.schema, self.switch.options.parsed_release
        if request.content_type == "text/plain":
            text = body if isinstance(body, str) else json.dumps(body)
            if not (release.modern or _is_local(request)) or path:
                raise Problem(415, "Unsupported content type text/plain")
            return self._patch_text(revision, text)
        if request.content_type != "application/json":
            raise Problem(415, f"Unsupported content type {request.content_type}")
        if isinstance(body, str) and not (path and schema.node_at(path)):
            raise Problem(400, "The request body is not valid JSON")
        body = self._hashed(path, self.switch.masks.reveal(body))
        self._refuse_shape(path, body)
        if not release.at_least("5.16") and _mixed(body):
            self.switch.log.violation(f"set and unset in one object and patch on {release}")
        added = self._store(revision, path, body)
        if release.at_least("5.10"):
            filled = tree.get(added, path)
            shown = body if filled is tree.MISSING else tree.overlay(body, filled)
        else:
            shown = tree.get(revision.doc, path)
        return web.json_response(self.switch.masks.show(schema.node_at(path), shown))

    def _hashed(self, path: list[str], body: Any) -> Any:
        """The patch with a hash for each plain password, where this switch takes plain ones."""
        users = tree.get(tree.wrap(path, body), ["system", "aaa", "user"])
        if self.switch.options.plain_password == "refuse" or not isinstance(users, dict):
            return body
        hashes = {
            name: {"password": None, "hashed-password": self.switch.accounts.hash(user["password"])}
            for name, user in users.items()
            if isinstance(user, dict) and isinstance(user.get("password"), str)
        }
        whole = tree.overlay(tree.wrap(path, body), {"system": {"aaa": {"user": hashes}}})
        for name in hashes:
            del whole["system"]["aaa"]["user"][name]["password"]
        return tree.get(whole, path) if hashes else body

    def _refuse_shape(self, path: list[str], body: Any) -> None:
        schema = self.switch.schema
        if schema.node_at(path) is None:
            raise missing()
        users = tree.get(tree.wrap(path, body), ["system", "aaa", "user"])
        for name, user in users.items() if isinstance(users, dict) else ():
            if isinstance(user, dict) and "password" in user:
                detail = f"system.aaa.user.{name}.password: use hashed-password over the API"
                raise Problem(400, detail)
        breaches = schema.check(body, path, patch=True)
        breaches += _lacking(tree.wrap(path, body), self.switch.options.lacking)
        if breaches and self.switch.options.schema_errors == "patch":
            first = breaches[0]
            validation = {breach.location: breach.reason for breach in breaches}
            raise Problem(400, f"{first.location}: {first.reason}", validation=validation)

    def _store(self, revision: Revision, path: list[str], body: Any) -> dict[str, Any]:
        """Merge into the revision; returns what was filled in by itself."""
        schema = self.switch.schema
        revision.doc = schema.merge(revision.doc, body, path)
        for place in self.switch.options.deaf:
            revision.doc = tree.pointer_drop(revision.doc, place.split("/"))
        revision.state, revision.issues, revision.progress = "pending", [], ""
        added = _types(revision.doc.get("interface", {}), tree.wrap(path, body).get("interface"))
        if added:
            revision.doc = schema.merge(revision.doc, {"interface": added}, [])
            return {"interface": added}
        return {}

    def _patch_text(self, revision: Revision, body: str) -> web.Response:
        try:
            changes = batch.patches(body, self.switch.schema)
        except ValueError as error:
            raise Problem(400, str(error)) from error
        for place, value in changes:
            self._refuse_shape(place, value)
        for place, value in changes:
            document = batch.as_document(place, value)
            self._store(revision, [], document)
        return web.json_response({})

    def _delete(self, request: web.Request, path: list[str]) -> web.Response:
        revision = self._target(request)
        schema = self.switch.schema
        if path:
            if schema.node_at(path) is None:
                raise missing()
            parent = tree.get(revision.doc, path[:-1])
            if parent is tree.MISSING:
                parent = {}
            if isinstance(parent, dict) and parent:
                change = tree.wrap(path, None)
                revision.doc = schema.merge(revision.doc, change, [])
        else:
            revision.doc = {}
        revision.state, revision.issues, revision.progress = "pending", [], ""
        if self.switch.options.parsed_release.at_least("5.10"):
            return web.Response(status=204)
        return web.json_response({})


def _segments(request: web.Request) -> list[str]:
    raw = request.rel_url.raw_path
    for base in BASES:
        if raw == base or raw.startswith(f"{base}/"):
            raw = raw[len(base) :]
            break
    return [unquote(part) for part in raw.split("/") if part]


def _is_local(request: web.Request) -> bool:
    transport = request.transport
    return transport is not None and isinstance(transport.get_extra_info("sockname"), str)


def _local_address(request: web.Request) -> str | None:
    transport = request.transport
    name = transport.get_extra_info("sockname") if transport is not None else None
    return name[0] if isinstance(name, tuple) else None


def _strike_http(fault: Any) -> None:
    status, text = fault.get("status", 502), fault.get("text", "")
    if fault.get("html", True):
        raise Page(status, text)
    raise Problem(status, text or "Authentication service temporarily unavailable.")


def _lacking(body: Any, places: Iterable[str]) -> list[Breach]:
    """A breach for each place of `places` that a patch names."""
    found = [
        (path[: place.count("/") + 1], place.split("/"))
        for path in tree.leaves(body)
        for place in places
    ]
    hits = {
        ".".join(path)
        for path, wanted in found
        if len(path) == len(wanted) and all(map(fnmatch.fnmatchcase, path, wanted))
    }
    return [Breach(place, f"unknown key '{place.rpartition('.')[2]}'") for place in sorted(hits)]


def _mixed(body: Any) -> bool:
    """Check whether an object is unset in part and set in part; unsets alone are not, at whatever depths.

    5.16 takes both (https://docs.nvidia.com/networking-ethernet-software/cumulus-linux-516/Whats-New/).
    """
    if not isinstance(body, dict):
        return False
    values = body.values()
    return (None in values and any(map(_sets, values))) or any(map(_mixed, values))


def _sets(body: Any) -> bool:
    """Check whether a part of a patch sets something: an empty object does."""
    return (
        body is not None
        if not isinstance(body, dict)
        else not body or any(map(_sets, body.values()))
    )


def _types(interfaces: dict[str, Any], touched: Any) -> dict[str, Any]:
    added = {}
    for name in touched if isinstance(touched, dict) else ():
        body = interfaces.get(name)
        kind = _kind(name)
        if isinstance(body, dict) and "type" not in body and kind:
            added[name] = {"type": kind}
    return added


def _kind(name: str) -> str | None:
    if "." in name:
        return "sub"
    prefixes = {"swp": "swp", "eth": "eth", "lo": "loopback", "vlan": "svi", "bond": "bond"}
    for prefix, kind in prefixes.items():
        if name.startswith(prefix):
            return kind
    return None
