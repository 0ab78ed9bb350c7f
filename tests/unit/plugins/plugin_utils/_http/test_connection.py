# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A connection without TLS on loopback; ``_nvue/wire/test_port.py`` has the tests with TLS."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http import connection as wire


@pytest.fixture
def talk() -> Iterator[Any]:
    """Serve one connection with some parts of an answer; the connection to it."""
    with ExitStack() as stack:

        def begin(*parts: bytes, seconds: float = 5.0) -> wire.Connection:
            listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))

            def serve() -> None:
                with suppress(OSError):
                    peer, _address = listener.accept()
                    with peer:
                        peer.recv(65536)
                        for part in parts:
                            peer.sendall(part)
                            time.sleep(0.02)

            threading.Thread(target=serve, daemon=True).start()
            port = listener.getsockname()[1]
            made = wire.Connection(wire.Endpoint("127.0.0.1", port), None, wire.Deadline(seconds))
            stack.callback(made.close)
            return made

        yield begin


def content(connection: wire.Connection, largest: int = 100) -> bytes:
    connection.request("GET", "/")
    return wire.content(connection.getresponse(), largest)


HEAD = b"HTTP/1.1 200 OK\r\n"


def test_a_whole_answer_without_tls(talk: Any) -> None:
    assert content(talk(HEAD + b"Content-Length: 2\r\n\r\n", b"[]")) == b"[]"


@pytest.mark.parametrize(
    "parts, said",
    [
        ((HEAD + b"Content-Length: 9\r\n\r\n[]",), "IncompleteRead"),
        ((HEAD + b"Content-Length: 200\r\n\r\n" + b"x" * 200,), "more than 100 bytes"),
        ((HEAD + b"\r\n[]",), "does not state its length"),
    ],
)
def test_what_is_no_whole_answer(talk: Any, parts: tuple[bytes, ...], said: str) -> None:
    with pytest.raises(http.client.HTTPException) as found:
        content(talk(*parts))
    assert said in str(found.value) or said in type(found.value).__name__


@pytest.mark.parametrize("kind", [b"Content-Length: 300000", b"Transfer-Encoding: chunked"])
def test_of_an_error_the_beginning_is_read(talk: Any, kind: bytes) -> None:
    """The rest may be hundreds of megabytes, of which nobody is told."""
    size = b"" if b"Length" in kind else b"493e0\r\n"
    head = b"HTTP/1.1 500 Oops\r\n" + kind + b"\r\n\r\n" + size
    connection = talk(head, b"x" * 300_000)
    connection.request("GET", "/")
    answer = connection.getresponse()
    assert len(wire.content(answer, 1_000_000)) == 64 * 1024 == wire.LARGEST_ERROR
    assert answer.will_close


def test_an_answer_that_drips_ends_with_the_deadline(talk: Any) -> None:
    with pytest.raises(TimeoutError):
        content(talk(HEAD + b"Content-Length: 50\r\n\r\n", *[b"x"] * 50, seconds=0.1))


def test_no_time_is_left() -> None:
    with pytest.raises(TimeoutError):
        wire.Deadline(0).left()
    assert 0 < wire.Deadline(5).left() <= 5


def test_an_authority_that_cannot_be_read() -> None:
    with pytest.raises(wire.AuthorityError, match="name a PEM file"):
        wire.trust(wire.Endpoint("leaf", 1, ca="/nowhere.pem"))
