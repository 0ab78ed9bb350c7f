# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A service that answers with something else is refused in one sentence: nothing is made of it."""

from __future__ import annotations

import http.server
import json
import threading

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.service import (
    Service,
    ServiceError,
    samples,
)

JSON, HTML = "application/json", "text/html"
VECTOR = {"status": "success", "data": {"resultType": "vector", "result": []}}


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers what the test says, and keeps what it was asked."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        status, kind, body, headers = self.server.answer
        length = int(self.headers.get("content-length") or 0)
        asked = (self.command, self.path, self.rfile.read(length).decode(), dict(self.headers))
        self.server.asked.append(asked)
        self.send_response(status)
        self.send_header("content-type", kind)
        for name, value in headers.items():
            self.send_header(name, value)
        if "transfer-encoding" not in headers:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        if "transfer-encoding" not in headers:
            self.wfile.write(body)
            return
        try:
            while True:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(body), body))
        except OSError:
            self.close_connection = True

    do_POST = do_DELETE = do_GET  # noqa: N815

    def log_message(self, *_args):
        """Stay silent."""


@pytest.fixture
def server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        made.daemon_threads, made.asked = True, []
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        yield made
        made.shutdown()


def service(server, **options):
    return Service(f"http://127.0.0.1:{server.server_port}/base/", timeout=5, **options)


def test_requests_are_below_the_path_of_the_url(server):
    server.answer = (200, JSON, json.dumps({"a": 1}).encode(), {})
    asked = service(server, token="t0ken")
    assert asked.get("/x", {"q": "a b"}) == {"a": 1}
    assert asked.form("/y", {"q": "up{}"}) == {"a": 1}
    assert asked.post("/z", {"b": 2}) == {"a": 1}
    asked.delete("/z/1")
    assert [row[:3] for row in server.asked] == [
        ("GET", "/base/x?q=a+b", ""),
        ("POST", "/base/y", "q=up%7B%7D"),
        ("POST", "/base/z", '{"b": 2}'),
        ("DELETE", "/base/z/1", ""),
    ]
    assert server.asked[0][3]["authorization"] == "Bearer t0ken"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((302, HTML, b"", {"location": "http://127.0.0.1:1/"}), "it answers with 302"),
        ((401, JSON, b'{"message": "no"}', {}), "it answers with 401 (no)"),
        ((200, HTML, b"<html>log in</html>", {}), "in place of JSON: log in"),
        ((200, JSON, b"{", {}), "unreadable text"),
        ((200, JSON, b" " * 5000, {}), "more than 1000 bytes"),
        ((200, JSON, b" " * 500, {"transfer-encoding": "chunked"}), "more than 1000 bytes"),
    ],
)
def test_anything_else_is_refused(server, answer, words):
    server.answer = answer
    with pytest.raises(ServiceError) as refused:
        service(server, largest=1000).get("/x")
    assert words in str(refused.value)


def test_nobody_there_is_a_sentence():
    with pytest.raises(ServiceError, match="no answer counts"):
        Service("http://127.0.0.1:9", timeout=2).get("/x")


def row(value, **labels):
    return {"metric": labels, "value": [1, value]}


def test_a_vector_has_labels_and_numbers():
    answer = {**VECTOR, "data": {"resultType": "vector", "result": [row("1.5", device="a")]}}
    assert list(samples(answer)) == [({"device": "a"}, 1.5)]
    assert list(samples(VECTOR)) == []


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        {"status": "error", "error": "bad"},
        {"status": "success", "data": {"resultType": "matrix", "result": []}},
        {"status": "success", "data": {"resultType": "vector", "result": {}}},
        {"status": "success", "data": {"resultType": "vector", "result": [1]}},
        {"status": "success", "data": {"resultType": "vector", "result": [row("much")]}},
        {"status": "success", "data": {"resultType": "vector", "result": [{"metric": {}}]}},
    ],
)
def test_another_shape_is_refused(answer):
    with pytest.raises(ServiceError, match="Prometheus answers with no"):
        list(samples(answer))
