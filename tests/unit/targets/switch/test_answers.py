# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile answers of the switch double, read from the socket byte by byte."""

from __future__ import annotations

import base64
import json
import socket
import ssl
import time
from typing import Any

import pytest

SYSTEM = "/system?rev=operational"


class Raw:
    """One connection to a double, without any HTTP library."""

    def __init__(self, client: Any) -> None:
        double = client.double
        plain = socket.create_connection((double.host, double.port), timeout=10)
        context = ssl.create_default_context(cafile=double.ca_file) if double.ca_file else None
        self.socket = context.wrap_socket(plain, server_hostname="localhost") if context else plain
        secret = base64.b64encode(f"{double.username}:{double.password}".encode()).decode()
        self.headers = f"Host: x\r\nAuthorization: Basic {secret}\r\nConnection: close\r\n"

    def ask(self, method: str, path: str, body: Any = None) -> Raw:
        """Send a request."""
        text = "" if body is None else json.dumps(body)
        length = (
            f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n" if text else ""
        )
        head = f"{method} /nvue_v1{path} HTTP/1.1\r\n{self.headers}{length}\r\n"
        self.socket.sendall((head + text).encode())
        return self

    def read(self, most: int = 2**31) -> bytes:
        """All bytes until the other side closes, or `most` of them."""
        found = bytearray()
        while len(found) < most:
            try:
                piece = self.socket.recv(65536)
            except (ConnectionResetError, ssl.SSLError):
                break
            if not piece:
                break
            found += piece
        self.socket.close()
        return bytes(found)


def asked(client: Any, path: str = SYSTEM, method: str = "GET", body: Any = None) -> Any:
    """(status, headers in lower case, body) of an answer as its bytes say."""
    raw = Raw(client).ask(method, path, body).read()
    head, dummy, rest = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    pairs = (line.split(":", 1) for line in lines)
    return int(first.split()[1]), {k.lower(): v.strip() for k, v in pairs}, rest


def order(client: Any, form: str, **more: Any) -> None:
    """Order one hostile answer to the read of the system."""
    client.double.control.fault("answer", form=form, path="/system", **more)


PLAIN = [
    ("empty", 200, b""),
    ("null", 200, b"null"),
    ("list", 200, b"[]"),
    ("string", 200, b'"ok"'),
    ("number", 200, b"0"),
    ("object", 200, b"{}"),
    ("mapping", 200, b'{"unexpected": {"shape": true}}'),
    ("bad_utf8", 200, b'{"hostname": "\xff\xfe\xc3("}'),
    ("nan", 200, b'{"uptime": NaN}'),
    ("no_content", 204, b""),
]


@pytest.mark.parametrize(("form", "status", "body"), PLAIN)
def test_complete_answers_without_sense(start: Any, form: str, status: int, body: bytes) -> None:
    client = start()
    order(client, form)
    found = asked(client)
    assert (found[0], found[2]) == (status, body)
    if body:
        assert found[1]["content-type"] == "application/json"
        assert int(found[1]["content-length"]) == len(body)
    assert json.loads(asked(client)[2])["product-name"] == "Cumulus Linux"


@pytest.mark.parametrize(("form", "status"), [("login", 200), ("unavailable", 503)])
def test_pages_of_something_in_front(start: Any, form: str, status: int) -> None:
    client = start()
    order(client, form)
    found = asked(client)
    assert (found[0], found[1]["content-type"].split(";")[0]) == (status, "text/html")
    assert found[2].startswith(b"<html>")
    assert (b"password" in found[2]) == (form == "login")


@pytest.mark.parametrize("status", [302, 307])
def test_redirects(start: Any, status: int) -> None:
    client = start()
    order(client, "redirect", status=status, location="/nvue_v1/platform?rev=operational")
    found = asked(client)
    assert (found[0], found[1]["location"]) == (status, "/nvue_v1/platform?rev=operational")
    order(client, "redirect")
    found = asked(client)
    assert (found[0], found[1]["location"]) == (302, "/login")


@pytest.mark.parametrize("encrypted", [True, False])
def test_a_body_shorter_than_announced(start: Any, encrypted: bool) -> None:
    client = start(encrypted=encrypted)
    whole = asked(client)[2]
    order(client, "short")
    status, headers, body = asked(client)
    assert (status, int(headers["content-length"])) == (200, len(whole))
    assert body == whole[: len(whole) // 2]
    order(client, "short", body={})
    status, headers, body = asked(client)
    assert (status, headers["content-length"], body) == (200, "102", b"{}")


def test_chunks_that_do_not_end(start: Any) -> None:
    client = start()
    whole = asked(client)[2]
    order(client, "cut_chunks")
    status, headers, body = asked(client)
    assert (status, headers["transfer-encoding"]) == (200, "chunked")
    assert "content-length" not in headers
    assert body == b"%x\r\n%b\r\n" % (len(whole), whole)
    order(client, "cut_chunks", body=[])
    assert asked(client)[2] == b"2\r\n[]\r\n"


def test_deep_json(start: Any) -> None:
    client = start()
    order(client, "deep")
    body = asked(client)[2]
    assert body.count(b"{") == body.count(b"}") == 100_000
    order(client, "deep", depth=3)
    assert json.loads(asked(client)[2]) == {"a": {"a": {"a": 1}}}


def test_an_endless_body_is_bounded(start: Any) -> None:
    client = start()
    order(client, "endless", bytes=3_000_000)
    status, headers, body = asked(client)
    assert (status, headers["content-type"]) == (200, "application/json")
    assert "content-length" not in headers
    assert 3_000_000 <= len(body) < 3_500_000
    order(client, "endless")
    assert len(Raw(client).ask("GET", SYSTEM).read(5_000_000)) >= 5_000_000
    assert asked(client)[0] == 200


def test_a_body_byte_by_byte(start: Any) -> None:
    client = start()
    whole = asked(client)[2]
    order(client, "slow_body", seconds=0.01)
    begun = time.monotonic()
    status, headers, body = asked(client)
    assert (status, body, int(headers["content-length"])) == (200, whole, len(whole))
    assert time.monotonic() - begun > 0.01 * len(whole)


def test_header_bytes_byte_by_byte(start: Any) -> None:
    client = start()
    order(client, "slow_header", seconds=0.01, bytes=60)
    begun = time.monotonic()
    raw = Raw(client).ask("GET", SYSTEM).read()
    assert time.monotonic() - begun > 0.5
    assert raw.startswith(b"HTTP/1.1 200 OK\r\nX-Filler: ")
    assert b"\r\n\r\n" not in raw
    assert raw.count(b"a") >= 60


@pytest.mark.parametrize("form", ["closed", "reset"])
def test_no_answer_at_all(start: Any, form: str) -> None:
    client = start()
    order(client, form)
    assert Raw(client).ask("GET", SYSTEM).read() == b""
    assert asked(client)[0] == 200


def test_the_answer_of_another_request(start: Any) -> None:
    client = start()
    platform = asked(client, "/platform?rev=operational")[2]
    order(client, "other")
    status, dummy, body = asked(client)
    assert (status, body) == (200, platform)
    order(client, "other", body={"1": {"state": "applied"}})
    assert json.loads(asked(client)[2]) == {"1": {"state": "applied"}}


def test_any_text_of_any_type(start: Any) -> None:
    client = start()
    text = '{"hostname": "\x1b[31m"}'
    order(client, "text", text=text, type="application/json; charset=latin-1", status=206)
    status, headers, body = asked(client)
    assert (status, body) == (206, text.encode())
    assert headers["content-type"] == "application/json; charset=latin-1"


def test_which_requests_how_often_and_from_when_on(start: Any) -> None:
    client = start()
    fault = client.double.control.fault
    fault("answer", 2, form="null", method="GET", path="/(system|platform)", after=1)
    paths = [SYSTEM, "/interface?rev=operational", "/platform?rev=operational", SYSTEM, SYSTEM]
    assert [asked(client, path)[2] == b"null" for path in paths] == [
        False,
        False,
        True,
        True,
        False,
    ]
    fault("answer", None, form="list", query="(^|&)rev=applied(&|$)")
    answers = [asked(client, f"/system?rev={rev}")[2] for rev in ("applied", "startup", "applied")]
    assert [body == b"[]" for body in answers] == [True, False, True]
    client.double.control.clear_faults()
    assert asked(client, "/system?rev=applied")[2] != b"[]"
    fault("answer", form="null", method="POST")
    assert asked(client)[2] != b"null"


def test_another_fault_that_waits_is_not_used_up(start: Any) -> None:
    client = start()
    order(client, "null", after=5)
    order(client, "list")
    assert asked(client)[2] == b"[]"
    assert [asked(client)[2] == b"null" for dummy in range(5)] == [False] * 4 + [True]


@pytest.mark.parametrize(("done", "count"), [(False, 1), (True, 2)])
def test_whether_the_request_was_done(start: Any, done: bool, count: int) -> None:
    """An answer gets lost behind the switch or in front of it."""
    client = start()
    client.double.control.fault("answer", form="empty", method="POST", path="/revision", done=done)
    assert asked(client, "/revision", "POST")[2] == b""
    assert len(client.double.control.state()["revisions"]) == count


def test_a_short_answer_to_a_write_comes_after_it(start: Any) -> None:
    client = start()
    client.double.control.fault("answer", form="short", method="POST")
    asked(client, "/revision", "POST")
    assert len(client.double.control.state()["revisions"]) == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"form": "strange"}, "form 'strange' is not one of"),
        ({}, "form 'None' is not one of"),
        ({"form": "null", "path": "("}, "path"),
        ({"form": "null", "paths": "/system"}, "no parameter paths"),
    ],
)
def test_misspelt_answers_are_refused(start: Any, words: Any, says: str) -> None:
    client = start()
    with pytest.raises(ValueError, match=says.replace("(", "\\(")):
        client.double.control.fault("answer", **words)
