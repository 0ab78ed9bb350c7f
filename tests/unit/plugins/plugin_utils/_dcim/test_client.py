# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client that both dialects share, against servers that misbehave."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim import client as shared
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.client import (
    Client,
    Server,
    UnsureError,
    sentences,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.port import DcimError

from .served import HANG_UP, Answer, Request, served

Start = Callable[..., Client]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a server that gives the answers in turn, the last for all others; its client."""
    with ExitStack() as stack:

        def begin(*answers: Answer, seen: list[Request] | None = None, **options: Any) -> Client:
            left = list(answers)

            def next_one(request: Request) -> Answer:
                if seen is not None:
                    seen.append(request)
                return left.pop(0) if len(left) > 1 else left[0]

            url = stack.enter_context(served(next_one))
            client = Client(Server(url, **options), "Token t", pause=lambda _seconds: None)
            stack.callback(client.close)
            return client

        yield begin


def test_a_page_is_read_with_its_token_and_parameters(start: Start) -> None:
    seen: list[Request] = []
    client = start(Answer(body={"count": 0}), seen=seen)
    assert client.read("/api/x/", (("name", "a b"), ("name", "c"))) == {"count": 0}
    assert seen[0].path == "/api/x/?name=a+b&name=c"
    assert seen[0].headers["authorization"] == "Token t"


@pytest.mark.parametrize(
    "answer, said",
    [
        (Answer(401, {"detail": "Invalid token."}), "401: Invalid token; check that the token"),
        (Answer(403, {"detail": "Token expired"}), "403: Token expired; check that the token"),
        (Answer(302, b"", {"Location": "https://evil.example"}), "redirect to 'https://evil.example'"),
        (Answer(404, b"<h1>Not Found</h1>"), "404: Not Found"),
        (Answer(200, b"<h1>Log in</h1>"), "'text/html' in place of JSON: Log in"),
        (Answer(200, b"{", {"Content-Type": "application/json"}), "it is not JSON"),
        (Answer(500, {"error": "boom"}), "500: error: boom"),
        (Answer(502, b"<h1>Bad Gateway</h1>"), "502: Bad Gateway"),
        (HANG_UP, "was not answered"),
    ],
)  # fmt: skip
def test_what_is_no_page(start: Start, answer: Answer, said: str) -> None:
    with pytest.raises(DcimError) as found:
        start(answer).read("/api/x/")
    assert said in str(found.value)
    assert not isinstance(found.value, UnsureError) or answer is HANG_UP


@pytest.mark.parametrize("bad", [Answer(502), Answer(503), Answer(504), Answer(429), HANG_UP])
def test_a_read_is_repeated(start: Start, bad: Answer) -> None:
    assert start(bad, bad, Answer(body=[1])).read("/api/x/") == [1]


@pytest.mark.parametrize("bad", [Answer(502), Answer(503), Answer(504), Answer(500), HANG_UP])
def test_a_write_is_not_repeated_unseen(start: Start, bad: Answer) -> None:
    seen: list[Request] = []
    with pytest.raises(UnsureError):
        start(bad, Answer(201), seen=seen).write("POST", "/api/x/", [{}])
    assert len(seen) == 1


def test_a_write_is_repeated_where_the_server_has_not_begun(start: Start) -> None:
    seen: list[Request] = []
    busy = Answer(429, headers={"Retry-After": "7"})
    client = start(busy, Answer(201, {"id": 1}), seen=seen)
    assert client.write("POST", "/api/x/", {"a": 1}, match='W/"1"').status == 201
    assert [(each.body, each.headers["if-match"]) for each in seen] == [({"a": 1}, 'W/"1"')] * 2


def test_a_connection_serves_the_next_request_after_an_answer_without_content(start: Start) -> None:
    client = start(Answer(204), Answer(204), Answer(body=[]))
    assert client.write("DELETE", "/api/x/1/").status == 204
    assert client.write("DELETE", "/api/x/2/").status == 204
    assert client.read("/api/x/") == []


def test_nobody_listens() -> None:
    pauses: list[float] = []
    client = Client(Server("http://127.0.0.1:1"), "Token t", pause=pauses.append)
    with pytest.raises(DcimError, match=r"was not answered .*refused") as found:
        client.write("POST", "/api/x/", {})
    assert not isinstance(found.value, UnsureError)
    assert [each for each in pauses if each >= 0.5] == list(shared.PAUSES)


def test_an_answer_is_bounded_in_time_and_size(start: Start, monkeypatch: Any) -> None:
    monkeypatch.setattr(shared, "LARGEST", 10)
    with pytest.raises(DcimError, match="more than 10 bytes"):
        start(Answer(body="x" * 20)).read("/api/x/")

    def late(_request: Request) -> Answer:
        time.sleep(0.15)
        return Answer(body=[])

    with served(late) as url:
        client = Client(Server(url, timeout=0.02), "Token t", pause=lambda _seconds: None)
        with pytest.raises(DcimError, match=r"not within 0\.02 s"):
            client.read("/api/x/")


def test_requests_begin_at_a_bounded_rate(monkeypatch: Any) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(shared.time, "monotonic", lambda: 100.0)
    with served(lambda _request: Answer(body=[])) as url:
        client = Client(Server(url), "Token t", pause=pauses.append)
        for _turn in range(3):
            client.read("/api/x/")
    assert pauses == pytest.approx([1 / shared.RATE, 2 / shared.RATE])


@pytest.mark.parametrize(
    "url, options, said",
    [
        ("netbox.example.com", {}, "is not the address of a DCIM"),
        ("ftp://netbox.example.com", {}, "is not the address of a DCIM"),
        ("https://me:secret@netbox.example.com", {}, "url of netbox.example.com has a user"),
        ("https://netbox.example.com/?a=1", {}, "parameters: leave them out"),
        ("https://netbox.example.com/dcim/api/", {}, "ends with /api: leave that out"),
        ("https://netbox.example.com:x", {}, "is not the address of a DCIM"),
        ("https://netbox..example.com", {}, "is not the address of a DCIM"),
        ("me:secret@netbox.example.com/api", {}, "'netbox.example.com/api', which is not the address"),
        ("ftp://me:secret@netbox.example.com", {}, "'netbox.example.com', which is not the address"),
        ("https://me:secret@netbox.example.com:x", {}, "'netbox.example.com:x', which is not the address"),
        ("http://netbox.example.com", {}, "use https://"),
        ("https://netbox.example.com", {"ca": "/nowhere.pem"}, "name a PEM file"),
    ],
)  # fmt: skip
def test_what_is_refused_before_anything_is_sent(url: str, options: Any, said: str) -> None:
    with pytest.raises(DcimError) as found:
        Client(Server(url, **options), "Token t")
    assert said in str(found.value)
    assert "secret" not in str(found.value)


TOKEN = "nbt_k3y.s3cret-value"


@pytest.mark.parametrize(
    "answer",
    [
        Answer(403, {"detail": f"bad Bearer {TOKEN}"}),
        Answer(302, b"", {"Location": f"/login/?next={TOKEN}"}),
        Answer(200, f"<h1>{TOKEN}</h1>".encode(), {"Content-Type": f"text/{TOKEN}"}),
    ],
)
def test_a_token_that_a_server_repeats_is_not_shown(answer: Answer) -> None:
    with served(lambda _request: answer) as url:
        client = Client(Server(url), f"Bearer {TOKEN}", pause=lambda _seconds: None)
        with pytest.raises(DcimError) as found:
            client.read("/api/x/")
    assert "s3cret" not in str(found.value)
    assert "********" in str(found.value)


def test_a_server_that_stays_busy_ends_the_run(start: Start) -> None:
    """Else a list would be halved again and again, as if its items were bad."""
    seen: list[Request] = []
    with pytest.raises(DcimError, match="was answered 429, as the server limits"):
        start(*[Answer(429)] * 9, seen=seen).write("POST", "/api/x/", [{}])
    assert len(seen) == 4


def test_a_token_that_is_no_header_is_not_shown() -> None:
    with served(lambda _request: Answer(body=[])) as url, pytest.raises(DcimError) as found:
        Client(Server(url), "Token se\ncret").read("/api/x/")
    assert "check the token" in str(found.value)
    assert "cret" not in str(found.value)


def test_sentences_of_an_error() -> None:
    found = {"name": ["Taken."], "detail": "No.", "inner": [{"mtu": ["Too big."]}], "empty": []}
    assert sentences(found) == ["name: Taken", "No", "mtu: Too big"]
