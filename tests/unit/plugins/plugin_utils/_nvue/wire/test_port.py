# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real adapter against a server on loopback that answers as it pleases."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import certificates
import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http import certificate as dates
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.connection import Endpoint
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.reply import Reply
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    NvueError,
    TransportError,
    UnfitError,
    UntrustedError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire import (
    port as port_module,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.port import (
    HttpsPort,
)

Talk = Callable[[ssl.SSLSocket], None]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: Any) -> Path:
    """A self-signed certificate for the loopback address, with its key, in one file."""
    path: Path = tmp_path_factory.mktemp("tls") / "server.pem"
    path.write_bytes(b"".join(certificates.certificate()))
    return path


@pytest.fixture
def serve(certificate: Path) -> Iterator[Callable[..., HttpsPort]]:
    """Start a server that talks as given, one function per connection, the last for all others."""
    with contextlib.ExitStack() as stack:

        def start(*talks: Talk, shows: Path = certificate, **options: Any) -> HttpsPort:
            listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(shows)
            thread = threading.Thread(target=_serve, args=(listener, context, talks), daemon=True)
            thread.start()
            given = {"timeout": 5, "ca": str(certificate), **options}
            port = HttpsPort(Endpoint("127.0.0.1", listener.getsockname()[1], **given))
            stack.callback(port.close)
            return port

        yield start


def _serve(listener: socket.socket, context: ssl.SSLContext, talks: tuple[Talk, ...]) -> None:
    left = list(talks)
    with contextlib.suppress(OSError):
        while True:
            plain, _peer = listener.accept()
            talk = left.pop(0) if len(left) > 1 else left[0]
            with contextlib.suppress(OSError), context.wrap_socket(plain, server_side=True) as tls:
                talk(tls)


def says(*parts: bytes, pause: float = 0.0) -> Talk:
    """Read one request, then send the parts with pauses between them, and close."""

    def talk(tls: ssl.SSLSocket) -> None:
        tls.recv(65536)
        for part in parts:
            tls.sendall(part)
            time.sleep(pause)

    return talk


def ask(port: HttpsPort, method: str = "GET") -> Reply:
    return port.request(method, "/nvue_v1/system", {"rev": "operational"}, None, {})


def full(body: bytes) -> bytes:
    return HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body


@pytest.mark.parametrize(
    "answer, body",
    [
        (full(b'{"a": 1}'), b'{"a": 1}'),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n5\r\n\": 1}\r\n0\r\n\r\n",
         b'{"a": 1}'),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        (full(b""), b""),
    ],
)  # fmt: skip
def test_whole_answers(serve: Any, answer: bytes, body: bytes) -> None:
    reply = ask(serve(says(answer)))
    assert reply.body == body


@pytest.mark.parametrize(
    "answer, said",
    [
        (HEAD + b"Content-Length: 90\r\n\r\n{}", "IncompleteRead"),
        (HEAD + b"Content-Length: 90\r\n\r\n", "IncompleteRead"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", "IncompleteRead"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n9\r\n{}", "IncompleteRead"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nnine\r\n{}", "IncompleteRead"),
        (HEAD + b"\r\n{}", "does not state its length"),
        (HEAD + b"Content-Length: many\r\n\r\n{}", "does not state its length"),
        (full(b" " * 2000), "more than 1000 bytes"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "SSH-2.0"),
        (b"HTTP/1.1 200 OK\r\nA: " + b"a" * 70000 + b"\r\n\r\n", "header line"),
        (b"HTTP/1.1 200 OK\r\n" + b"A: a\r\n" * 200 + b"\r\n", "100 headers"),
        (b"", "closed before GET /nvue_v1/system was answered"),
    ],
)
def test_what_is_no_whole_answer(serve: Any, monkeypatch: Any, answer: bytes, said: str) -> None:
    monkeypatch.setattr(port_module, "LARGEST", 1000)
    with pytest.raises(UnfitError, match=said) as error:
        ask(serve(says(answer)))
    assert "\n" not in str(error.value)


def test_a_redirect_is_not_followed(serve: Any) -> None:
    answer = b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"
    reply = ask(serve(says(answer)))
    assert (reply.status, reply.headers["location"], reply.body) == (302, "/elsewhere", b"")


BYTES = [bytes([byte]) for byte in full(b'{"state": "applied"}')]


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param(BYTES, id="a byte now and then"),
        pytest.param([HEAD, *[b"A: a\r\n"] * 90], id="headers without end"),
        pytest.param([b"HTTP/1.1 100 Continue\r\n\r\n"] * 90, id="ever more preliminary answers"),
        pytest.param(
            [HEAD + b"Transfer-Encoding: chunked\r\n\r\n", *[b"1\r\n \r\n"] * 90], id="small chunks"
        ),
        pytest.param([b"", b"", b""] * 20, id="silence"),
    ],
)
def test_a_request_has_one_deadline(serve: Any, parts: list[bytes]) -> None:
    port = serve(says(*parts, pause=0.1), timeout=1)
    begun = time.monotonic()
    with pytest.raises(TransportError, match="not answered completely within 1 s"):
        ask(port)
    assert 0.9 < time.monotonic() - begun < 2.5


def test_the_deadline_begins_with_each_request(serve: Any) -> None:
    """A connection that is kept open is no reason for a later request to fail."""

    def talk(tls: ssl.SSLSocket) -> None:
        for _request in range(4):
            tls.recv(65536)
            time.sleep(0.4)
            tls.sendall(full(b"{}"))

    port = serve(talk, timeout=1)
    assert [ask(port).body for _request in range(4)] == [b"{}"] * 4


def test_the_handshake_has_the_same_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = HttpsPort(Endpoint("127.0.0.1", listener.getsockname()[1], timeout=1))
        begun = time.monotonic()
        with pytest.raises(TransportError, match="no connection within 1 s"):
            ask(port)
        assert time.monotonic() - begun < 2.5


@pytest.mark.parametrize("method", ["GET", "PATCH"])
def test_a_connection_that_was_closed_meanwhile_is_opened_again(serve: Any, method: str) -> None:
    port = serve(says(full(b"{}")), says(full(b'{"again": 1}')))
    assert ask(port).body == b"{}"
    time.sleep(0.2)
    assert ask(port, method).body == b'{"again": 1}'


def test_a_write_is_never_sent_twice(serve: Any) -> None:
    def hang_up(tls: ssl.SSLSocket) -> None:
        tls.recv(65536)
        tls.sendall(full(b"{}"))
        tls.recv(65536)

    port = serve(hang_up, says(full(b'{"again": 1}')))
    assert ask(port).body == b"{}"
    with pytest.raises(UnfitError, match="closed before PATCH"):
        ask(port, "PATCH")


@pytest.mark.parametrize("options", [{"ca": None}, {"server_name": "leaf-01"}])
def test_an_untrusted_certificate_is_no_silence(serve: Any, options: Any) -> None:
    with pytest.raises(UntrustedError, match="was not trusted") as error:
        ask(serve(says(full(b"{}")), **options))
    assert not isinstance(error.value, TransportError)


@pytest.fixture(scope="module")
def outdated(tmp_path_factory: Any) -> Path:
    """A certificate that expired yesterday, with its key, in one file."""
    path: Path = tmp_path_factory.mktemp("tls") / "expired.pem"
    pair = certificates.certificate(certificates.moment(-9), certificates.moment(-1))
    path.write_bytes(b"".join(pair))
    return path


def sha256(path: Path) -> str:
    text = path.read_text()
    return dates.fingerprint(ssl.PEM_cert_to_DER_cert(text[text.index("-----BEGIN CERT") :]))


@pytest.mark.parametrize(
    ("known", "trusts", "accepted"),
    [
        ("its own", "itself", True),
        ("", "itself", False),
        ("another", "itself", False),
        ("its own", "another", False),  # not trusted for another reason too
    ],
)
def test_an_expired_certificate_is_accepted_by_its_fingerprint_alone(
    serve: Any, certificate: Path, outdated: Path, known: str, trusts: str, accepted: bool
) -> None:
    heard: list[bytes] = []

    def talk(tls: ssl.SSLSocket) -> None:
        heard.append(tls.recv(65536))
        tls.sendall(full(b"{}"))

    ca = outdated if trusts == "itself" else certificate
    expired = {"its own": sha256(outdated), "another": sha256(certificate), "": ""}[known]
    port = serve(talk, shows=outdated, ca=str(ca), expired=expired)
    if accepted:
        assert ask(port).body == b"{}"
        assert dates.fingerprint(port.certificate()) == sha256(outdated)
    else:
        with pytest.raises(UntrustedError, match="was not trusted"):
            ask(port)
        assert not any(heard)


def test_anybody_is_shown_a_certificate_and_sends_nothing(serve: Any, outdated: Path) -> None:
    heard: list[bytes] = []
    port = serve(lambda tls: heard.append(tls.recv(65536)), shows=outdated, ca=None)
    assert dates.fingerprint(port.shown()) == sha256(outdated)
    with pytest.raises(UntrustedError):
        ask(port)
    assert not any(heard)


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        number = listener.getsockname()[1]
    with pytest.raises(NvueError, match="no connection") as error:
        ask(HttpsPort(Endpoint("127.0.0.1", number, timeout=1)))
    assert error.type is TransportError
