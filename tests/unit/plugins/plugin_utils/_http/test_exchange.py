# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests over kept connections, to servers on loopback that hang up, repeat secrets, or are not there."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.connection import (
    AuthorityError,
    Endpoint,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.exchange import (
    BusyError,
    Exchange,
    LostError,
    Retries,
    UnreachableError,
    UnwritableError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.reply import Reply

EMPTY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"
TOKEN = "s3cret-w0rd"


class Double:
    """A server that gives each connection its answers, and closes it with the last of them."""

    def __init__(self, *connections: list[bytes]) -> None:
        self.requests: list[bytes] = []
        self.closed = threading.Semaphore(0)
        self._connections = connections
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError), self._listener:
            for answers in self._connections:
                peer, _address = self._listener.accept()
                with peer:
                    for answer in answers:
                        self.requests.append(peer.recv(65536).split(b" ")[0])
                        peer.sendall(answer)
                self.closed.release()


@pytest.fixture
def start() -> Iterator[Callable[..., tuple[Exchange, Double]]]:
    with ExitStack() as stack:

        def begin(*connections: list[bytes]) -> tuple[Exchange, Double]:
            double = Double(*connections)
            exchange = Exchange(Endpoint("127.0.0.1", double.port, 5.0, tls=False))
            stack.callback(exchange.close)
            return exchange, double

        yield begin


def send(exchange: Exchange, method: str = "GET", token: str = TOKEN) -> Reply:
    return exchange.send(method, "/x", None, {"Authorization": f"Bearer {token}"}, largest=100)


def test_a_connection_serves_the_next_request(start: Any) -> None:
    exchange, double = start([EMPTY, EMPTY])
    assert [send(exchange).body, send(exchange).body] == [b"[]", b"[]"]
    assert double.closed.acquire(timeout=5)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_connection_that_was_closed_meanwhile_is_not_used(start: Any, method: str) -> None:
    """A write over it would be one of which nobody knows; a proxy says nothing when it closes one."""
    exchange, double = start([EMPTY], [EMPTY])
    send(exchange)
    assert double.closed.acquire(timeout=5)
    assert send(exchange, method).body == b"[]"


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_nothing_is_sent_twice(start: Any, method: str) -> None:
    exchange, double = start([EMPTY, b""], [EMPTY])
    send(exchange)
    with pytest.raises(LostError):
        send(exchange, method)
    assert double.requests == [b"GET", method.encode()]


def test_an_answer_with_the_credential_of_its_request(start: Any) -> None:
    said = f"HTTP/1.1 200 OK\r\nLocation: /{TOKEN}\r\nContent-Length: 11\r\n\r\n{TOKEN}".encode()
    exchange, _double = start([said])
    reply = send(exchange)
    assert (reply.headers["location"], reply.body) == ("/********", b"********")


def test_a_token_that_is_no_header_is_not_shown(start: Any) -> None:
    exchange, _double = start([EMPTY])
    with pytest.raises(UnwritableError) as error:
        send(exchange, token="se\ncret")
    assert "cret" not in str(error.value)
    assert error.value.__suppress_context__


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(UnreachableError, match="refused"):
        send(Exchange(Endpoint("127.0.0.1", port, tls=False)))


def test_an_authority_that_cannot_be_read_is_told_before_a_connection() -> None:
    with pytest.raises(AuthorityError):
        send(Exchange(Endpoint("127.0.0.1", 1, ca="/nowhere.pem")))


RETRIES = Retries((1.0, 2.0), (BusyError, KeyError))


def busy(after: str) -> BusyError:
    return BusyError(Reply(429, {"retry-after": after}))


@pytest.mark.parametrize(
    "outcomes, pauses, end",
    [
        ([], [], None),
        ([KeyError()], [1.0], None),
        ([busy("7"), busy("")], [7.0, 2.0], None),
        ([busy("900"), busy("soon")], [30.0, 2.0], None),
        ([KeyError()] * 3, [1.0, 2.0], KeyError),
        ([ValueError()], [], ValueError),
    ],
)
def test_what_is_tried_again(
    outcomes: list[Exception], pauses: list[float], end: type[Exception] | None
) -> None:
    left, slept = list(outcomes), []

    def attempt() -> str:
        if left:
            raise left.pop(0)
        return "done"

    if end is None:
        assert RETRIES.run(attempt, slept.append) == "done"
    else:
        with pytest.raises(end):
            RETRIES.run(attempt, slept.append)
    assert slept == pauses
    assert left == []
