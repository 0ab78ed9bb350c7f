# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A DCIM on loopback: one that answers from a function, and one that plays a recording back.

A recording is made from a real server, freshly migrated: with ``SPX_DCIM_RECORD="http://127.0.0.1:8000
<token>"`` the tests run against it, and what went over the wire replaces the file. As tests are in a
network namespace of their own, ``SPX_TESTS_ALONE=$(readlink /proc/self/ns/net)`` lets them stay in yours.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

RECORD = os.environ.get("SPX_DCIM_RECORD", "")


@dataclass(frozen=True)
class Request:
    """A request as the server sees it; ``body`` is parsed."""

    method: str
    path: str
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Answer:
    """An answer; a text or bytes body is sent as it is, anything else as JSON."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)

    def sent(self) -> tuple[dict[str, str], bytes]:
        """Headers and body on the wire."""
        if isinstance(self.body, bytes):
            content, kind = self.body, "text/html"
        else:
            content, kind = json.dumps(self.body).encode(), "application/json"
        content = b"" if self.status == 204 else content
        return {"Content-Type": kind, "Content-Length": str(len(content)), **self.headers}, content


HANG_UP = Answer(0)
"""The connection is closed without an answer."""
Answers = Callable[[Request], Answer]


@contextlib.contextmanager
def served(answers: Answers) -> Iterator[str]:
    """Serve a function on loopback; the URL of the server."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = answers(Request(self.command, self.path, body, headers))
            if answer is HANG_UP:
                self.close_connection = True
                return
            sent, content = answer.sent()
            self.send_response(answer.status)
            for name, value in sent.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = do_DELETE = do  # noqa: N815

        def log_message(self, *_args: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def page(*rows: Any, count: int | None = None, more: bool = False) -> Answer:
    """A page of a list, of which more may follow."""
    counted = len(rows) if count is None else count
    return Answer(body={"count": counted, "next": "x" if more else None, "results": list(rows)})


def answering(answers: Mapping[str, Any]) -> contextlib.AbstractContextManager[str]:
    """A server that answers by method and path; a list of answers is given in turn, else an empty page."""

    def answer(request: Request) -> Answer:
        path = request.path.partition("?")[0].removeprefix("/api/").rstrip("/")
        found: Any = answers.get(f"{request.method} {path}", page())
        given: Answer = found.pop(0) if isinstance(found, list) else found
        return given

    return served(answer)


def once(word: str) -> Callable[[Request], bool]:
    """Check whether a request is the first POST of a list with a word in it."""
    left = [word]

    def is_it(request: Request) -> bool:
        listed = request.method == "POST" and isinstance(request.body, list)
        if listed and left and left[0] in str(request.body):
            left.clear()
            return True
        return False

    return is_it


def _never(_request: Request) -> bool:
    return False


def recording(
    file: Path, *, lost: Callable[[Request], bool] = _never
) -> contextlib.AbstractContextManager[tuple[str, str]]:
    """Play a recording back, or make it; the URL and the token to use.

    A request that is ``lost`` reaches the server; its answer does not come back.
    """
    return _recorded(file, lost) if RECORD else _played(file)


@contextlib.contextmanager
def _played(file: Path) -> Iterator[tuple[str, str]]:
    tape = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]

    def play(request: Request) -> Answer:
        asked = {"method": request.method, "path": request.path, "body": request.body}
        if not tape or tape[0]["request"] != asked:
            return Answer(400, {"detail": f"not in the recording: {asked}; next is {tape[:1]}"})
        answer = tape.pop(0)["answer"]
        return Answer(answer["status"], answer["body"]) if answer["status"] else HANG_UP

    with served(play) as url:
        yield url, "recorded"
    assert not tape, f"{len(tape)} recorded requests were not made"


@contextlib.contextmanager
def _recorded(file: Path, lost: Callable[[Request], bool]) -> Iterator[tuple[str, str]]:
    url, token = RECORD.split()
    tape: list[str] = []

    def forward(request: Request) -> Answer:
        answer = _forwarded(urlsplit(url).netloc, request)
        answer = HANG_UP if lost(request) else answer
        asked = {"method": request.method, "path": request.path, "body": request.body}
        row = {"request": asked, "answer": {"status": answer.status, "body": answer.body}}
        tape.append(json.dumps(row, separators=(",", ":")))
        return answer

    with served(forward) as here:
        yield here, token
    file.parent.mkdir(exist_ok=True)
    file.write_text("\n".join(tape) + "\n", encoding="utf-8")


def _forwarded(netloc: str, request: Request) -> Answer:
    connection = http.client.HTTPConnection(netloc, timeout=300)
    names = ("authorization", "content-type", "if-match", "accept")
    headers = {name: request.headers[name] for name in names if name in request.headers}
    body = None if request.body is None else json.dumps(request.body)
    connection.request(request.method, request.path, body=body, headers=headers)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return Answer(answer.status, json.loads(content) if content else None)
