# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A port before a DCIM that passes requests on, and does what networks and load balancers do to them.

with Proxy(server.url) as proxy:
    proxy.faults.append(Fault(after=3))        the fourth write from now is answered 502, unseen by the server
    proxy.faults.append(Fault(after=3, late=True))   it is done, and answered 502 all the same
    proxy.exchanges                            what has passed
"""

from __future__ import annotations

import http.client
import http.server
import json
import threading
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

Answer = tuple[int, list[tuple[str, str]], bytes]
"""Status, headers and body."""
READS = ("GET", "HEAD", "OPTIONS")
HOP_BY_HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length"})
"""Headers of a connection, not of a request: RFC 9110 section 7.6.1."""
BAD_GATEWAY: Answer = (502, [("Content-Type", "text/html")], b"<h1>502 Bad Gateway</h1>")
EXPIRED: Answer = (403, [("Content-Type", "application/json")], b'{"detail":"Token expired"}')
"""Answer of both products to a token that is not valid any more."""
SECONDS = 300


@dataclass(frozen=True)
class Exchange:
    """One request and its answer; bodies are text, without headers, so without tokens."""

    method: str
    path: str
    status: int
    sent: str
    received: str

    @property
    def writes(self) -> bool:
        """Check whether it changed something: GraphQL reads by POST."""
        return self.method not in READS and "/graphql/" not in self.path


@dataclass
class Fault:
    """Fate of one write: the one that comes when `after` others have passed."""

    after: int = 0
    late: bool = False
    act: Callable[[], object] | None = None
    """Called before the write is passed on, which then is."""
    answer: Answer = BAD_GATEWAY
    on: str = ""
    """A part of the path of the writes that count."""


@dataclass
class Proxy:
    """A server on a port of its own while the block runs; `log` gets each exchange as a line of JSON."""

    target: str
    log: IO[str] | None = None
    faults: list[Fault] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)

    def __enter__(self) -> Proxy:
        self._lock = threading.Lock()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Address for clients."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def writes(self) -> list[Exchange]:
        """The exchanges that changed something, refused ones included."""
        return [exchange for exchange in self.exchanges if exchange.writes]

    def pass_on(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        """Status, headers and body of the answer."""
        fault = self._due(Exchange(method, path, 0, "", ""))
        if fault and fault.act:
            fault.act()
        if not fault or fault.act or fault.late:
            answer = self._asked(method, path, headers, body)
        if fault and not fault.act:
            answer = fault.answer
        self._note(Exchange(method, path, answer[0], _text(body), _text(answer[2])))
        return answer

    def _due(self, request: Exchange) -> Fault | None:
        with self._lock:
            if not request.writes or not self.faults or self.faults[0].on not in request.path:
                return None
            if self.faults[0].after <= 0:
                return self.faults.pop(0)
            self.faults[0].after -= 1
            return None

    def _asked(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        address = urllib.parse.urlsplit(self.target)
        connection = http.client.HTTPConnection(
            address.hostname or "", address.port, timeout=SECONDS
        )
        try:
            connection.request(method, path, body or None, headers)
            answer = connection.getresponse()
            received = answer.read()
            kept = [
                (name, value)
                for name, value in answer.getheaders()
                if name.lower() not in HOP_BY_HOP
            ]
            return answer.status, kept, received
        finally:
            connection.close()

    def _note(self, exchange: Exchange) -> None:
        with self._lock:
            self.exchanges.append(exchange)
            if self.log:
                self.log.write(json.dumps(vars(exchange)) + "\n")
                self.log.flush()


def record(target: str, path: Path, until: Callable[[], object]) -> None:
    """Write down what passes to a server until `until` returns; tokens stand in headers and are not written."""
    with path.open("w", encoding="utf-8") as log, Proxy(target, log) as proxy:
        print(proxy.url, flush=True)
        until()


def _text(body: bytes) -> str:
    return body.decode("utf-8", "replace")


def _handler(proxy: Proxy) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = SECONDS

        def answer(self) -> None:
            """Whatever the method is."""
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            kept = {
                name: value
                for name, value in self.headers.items()
                if name.lower() not in HOP_BY_HOP
            }
            status, headers, received = proxy.pass_on(self.command, self.path, kept, body)
            self.send_response_only(status)
            for name, value in (*headers, ("Content-Length", str(len(received)))):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(received)

        do_GET = do_HEAD = do_OPTIONS = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815

        def log_message(self, *_arguments: object) -> None:
            """Standard error is for faults."""

    return Handler
