# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to one switch: authentication, JSON, errors in sentences, counting."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass

from ....module_utils._json import Json, NoJsonError
from ..._http import strict_json
from ..._http.exchange import Retries
from ..._http.reply import Reply, content, words
from ..document.paths import Path, to_url
from ..document.secrets import scrub
from ..document.shapes import MisfitError, Shape, T, mapping
from ..errors import ApiError, NvueError, RefusedError, TransportError, UnfitError, UntrustedError
from .auth import Auth, LoginLimit
from .port import Params, Port

BASE = "/nvue_v1"
TOKEN: Path = ("api-token",)
_ADVICE = "check that host and port are those of the switch's API, and no proxy"

# A question is put again that had no usable answer.
QUESTIONS = Retries((0.5, 1.0), (UnfitError,))

# Places whose operational answer grows with the interfaces.
_LARGE: frozenset[Path] = frozenset({(), ("interface",)})

# Statuses by which a proxy says that the service behind it is starting or busy.
TRANSIENT = frozenset({502, 503, 504})


@dataclass(frozen=True)
class Clock:
    """Time as a port: a monotonic clock, the wall clock and sleep, in seconds."""

    now: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep


class Api:
    """The NVUE API of one switch. Counts its requests and writes; forgets no secret word."""

    def __init__(self, port: Port, auth: Auth, *, clock: Clock | None = None) -> None:
        self.port = port
        self.auth = auth
        self.clock = clock or Clock()
        self.limit = LoginLimit()
        self.succeed: Callable[[], bool] = lambda: False
        """Take over a new login of the same account, the old one of which is refused; False where there is none."""
        self.requests = 0
        self.writes = 0
        self._hidden: set[str] = set(auth.secrets())

    def hide(self, words: Iterable[str]) -> None:
        """Keep more words out of every message from now on."""
        self._hidden.update(words)

    def clean(self, text: str) -> str:
        """Return a text without secret words."""
        return scrub(text, self._hidden)

    def get(self, path: Path, params: Params, shape: Shape[T]) -> T:
        """Return what ``shape`` reads out of the answer; a question without one is put again."""
        self._must_be_partial(path, params)
        return QUESTIONS.run(lambda: self._call("GET", path, params, None, shape), self._rest)

    def _rest(self, seconds: float) -> None:
        """Wait before a question is put again, over another connection."""
        self.port.close()
        self.clock.sleep(seconds)

    def _must_be_partial(self, path: Path, params: Params) -> None:
        """Refuse to read all that a switch says of its interfaces in one answer; see ``operational``."""
        whole = params.get("rev", "operational") == "operational" and path in _LARGE
        if whole and not {"include", "view"} & params.keys():
            raise RefusedError(
                f"{self.port.target}: GET {to_url(path)} of the operational state is never sent whole, as its answer "
                "has crashed switches; name places with include, such as /*/link/oper-status."
            )

    def patch(
        self, path: Path, body: Json, params: Params | None = None, *, shape: Shape[object]
    ) -> None:
        """Send a change; the answer must have a shape, as a web server in between answers too."""
        self._call("PATCH", path, params or {}, body, shape)

    def post(self, path: Path, body: Json, shape: Shape[T]) -> T:
        """Create something and return what ``shape`` reads out of the answer."""
        return self._call("POST", path, {}, body, shape, statuses=(200, 201))

    def fetch_token(self) -> None:
        """Fetch a token with user and password and use it from now on."""
        token = self.get(TOKEN, {}, _token)
        self._hidden.add(token)
        self.auth.take(token, self.clock.wall())

    def ensure_token(self, seconds: float) -> None:
        """Make sure that a token in use lives ``seconds`` more, fetching another if need be."""
        if not self.auth.token:
            return
        now = self.clock.wall()
        left = self.auth.seconds_left(now)
        if self.auth.is_fresh(now) or (left is not None and left >= seconds):
            return
        if self.auth.can_fetch:
            self.fetch_token()
        elif left is not None:
            raise RefusedError(
                f"{self.port.target}: the token expires in {max(0, round(left))} s, the change may take "
                f"{round(seconds)} s; give a fresh token, or user and password."
            )

    def _call(
        self,
        method: str,
        path: Path,
        params: Params,
        body: Json,
        shape: Shape[T],
        *,
        statuses: Container[int] = (200,),
    ) -> T:
        basic = path == TOKEN
        reply = self._send(method, path, params, body, basic=basic)
        if reply.status == 401 and not basic and self.succeed():
            reply = self._send(method, path, params, body)
        elif reply.status == 401 and not basic and self.auth.token and self.auth.can_fetch:
            self.fetch_token()
            reply = self._send(method, path, params, body)
        where = f"{method} {to_url(path)}"
        self._judge(reply, where, by_password=basic or not self.auth.token)
        try:
            return decode(reply, where, shape, statuses, clean=self.clean)
        except (ApiError, UnfitError) as exc:
            exc.args = (self.clean(f"{self.port.target}: {exc}"),)
            raise

    def _send(
        self, method: str, path: Path, params: Params, body: Json, *, basic: bool = False
    ) -> Reply:
        if (basic or not self.auth.token) and self.limit.forbids(self.clock.now()):
            raise ApiError(self.limit.refusal, status=401, again=self.limit.again)
        headers = {"accept": "application/json", **self.auth.header(basic=basic)}
        sent = None
        if body is not None:
            sent = json.dumps(body, separators=(",", ":")).encode()
            headers["content-type"] = "application/json"
        self.requests += 1
        if method != "GET":
            self.writes += 1
        try:
            return self.port.request(method, BASE + to_url(path), params, sent, headers)
        except NvueError as exc:
            exc.args = (self.clean(str(exc)),)
            raise

    def _judge(self, reply: Reply, where: str, *, by_password: bool) -> None:
        if reply.status == 401:
            said = (
                f"{self.port.target}: the switch refused {self._credentials()}; "
                "check the user and password, or the token."
            )
            if by_password:
                self.limit.refuse(self.clock.now(), said)
            raise ApiError(said, status=401, again=self.limit.again)
        if reply.status == 403:
            said = words(reply, clean=self.clean)
            reason = _SHUT if where.startswith("GET ") else _READ_ONLY
            raise ApiError(
                f"{self.port.target}: {where} was answered 403: {said}. {reason}", status=403
            )

    def _credentials(self) -> str:
        if self.auth.token:
            return "the token"
        return f"the user {self.auth.user!r}" if self.auth.user else "a request without credentials"


_SHUT = "The API is closed until the factory's password is changed."
_READ_ONLY = "Writing needs an account with the role system-admin or nvue-admin; with others, run with --check."


def _token(found: Json) -> str:
    token = mapping(found).get("token")
    if not isinstance(token, str) or not re.fullmatch(r"[\x21-\x7e]+", token):
        raise MisfitError("a token of printable characters")
    return token


def transient(exc: NvueError) -> bool:
    """Return whether an error may be over in a moment: no answer, or a proxy without its service.

    A certificate may be another one while a switch reloads, so that a poll goes on over it.
    """
    return isinstance(exc, TransportError | UntrustedError) or (
        isinstance(exc, ApiError) and (exc.again or exc.status in TRANSIENT)
    )


def decode(
    reply: Reply,
    where: str,
    shape: Shape[T],
    statuses: Container[int] = (200,),
    *,
    clean: Callable[[str], str] = str,
) -> T:
    """Return what ``shape`` reads out of a good answer.

    ``ApiError`` for an HTTP error, ``UnfitError`` for what is no answer to the question; ``where``
    names the request in either, such as ``GET /system``. ``clean`` takes secret words out of a text.
    """
    if reply.status >= 400:
        raise _refused(reply, where, clean)
    if reply.status not in statuses:
        raise UnfitError(f"{where} was answered {reply.status}{_aside(reply)}.")
    if not reply.body.strip():
        raise UnfitError(f"{where} was answered {reply.status} without content.")
    try:
        return shape(content(reply, where, advice=_ADVICE, clean=clean))
    except NoJsonError as exc:
        raise UnfitError(exc) from None
    except ValueError as exc:  # a number of thousands of digits, too
        awaited = exc if isinstance(exc, MisfitError) else "another value"
        raise UnfitError(
            f"{where} was answered with {words(reply, most=120, clean=clean)!r}; {awaited} was expected."
        ) from None


def _aside(reply: Reply) -> str:
    if not 300 <= reply.status < 400:
        return ", which is not an answer to this request"
    return (
        f" (to {reply.headers.get('location', 'nowhere')[:100]!r}), a redirect, which is never "
        "followed; check that host and port are those of the switch's API"
    )


def _refused(reply: Reply, where: str, clean: Callable[[str], str]) -> ApiError | UnfitError:
    """Return the error of an HTTP error; a 404 counts only where the API itself says so."""
    said = f"{where} was answered {reply.status}: {words(reply, clean=clean)}."
    from_api = _speaks(reply)
    if reply.status == 404 and not from_api:
        return UnfitError(said)
    return ApiError(said, status=reply.status, absent=from_api and reply.status in (400, 404))


def _speaks(reply: Reply) -> bool:
    """Return whether an error comes from the API, which answers with an object, or from a proxy."""
    try:
        return isinstance(strict_json.parse(reply.body), dict)
    except NoJsonError:
        return False
