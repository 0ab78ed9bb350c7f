# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the packages of the switch double importable, and a small client to ask it."""

from __future__ import annotations

import base64
import contextlib
import http.server
import json
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest


class Client:
    """Speaks to a double with nothing but urllib."""

    def __init__(self, double: Any) -> None:
        self.double = double
        self.context = ssl.create_default_context(cafile=double.ca_file)
        self.authorization = _basic(double.username, double.password)

    def log_in(self, name: str, password: str) -> None:
        """Use other credentials from here on."""
        self.authorization = _basic(name, password)

    def __call__(
        self, method: str, path: str, body: Any = None, content: str = "application/json"
    ) -> tuple[int, Any]:
        """(status, body) of a request; the body is JSON where it can be, else text."""
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.double.url}/nvue_v1{path}",
            method=method,
            data=None if body is None else data,
            headers={"Content-Type": content, "Authorization": self.authorization},
        )
        try:
            with urllib.request.urlopen(request, context=self.context, timeout=10) as answer:
                return answer.status, _decoded(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, _decoded(error.read())

    def revision(self, document: Any, path: str = "/") -> str:
        """A new revision holding `document`; the patch must be accepted."""
        number = next(iter(self("POST", "/revision")[1]))
        status, answer = self("PATCH", f"{path}?rev={number}", document)
        assert status == 200, answer
        return str(number)

    def apply(self, number: str, **order: Any) -> Any:
        """Order an apply; returns the reply."""
        status, answer = self("PATCH", f"/revision/{number}", {"state": "apply", **order})
        assert status == 200, answer
        return answer

    def until(self, number: str, *states: str, seconds: float = 5.0) -> Any:
        """The revision once it is in one of `states`."""
        deadline = time.monotonic() + seconds
        while True:
            view = self("GET", f"/revision/{number}")[1]
            if view["state"] in states:
                return view
            assert time.monotonic() < deadline, f"still {view}"
            time.sleep(0.01)

    def order(self, path: str, name: str, /, **parameters: Any) -> tuple[int, Any]:
        """(status, number of the job or problem) of an action; `_` in a parameter is `-`."""
        words = {key.replace("_", "-"): value for key, value in parameters.items()}
        return self("POST", path, {f"@{name}": {"state": "start", "parameters": words}})

    def ended(self, number: int, seconds: float = 5.0) -> Any:
        """The job once it has ended."""
        deadline = time.monotonic() + seconds
        while True:
            job = self("GET", f"/action/{number}")[1]
            if job["state"] not in ("", "start", "running"):
                return job
            assert time.monotonic() < deadline, f"still {job}"
            time.sleep(0.005)

    def action(self, path: str, name: str, /, **parameters: Any) -> Any:
        """The ended job of an action that must be accepted."""
        status, number = self.order(path, name, **parameters)
        assert status == 200, number
        return self.ended(number)

    def change(self, document: Any, **order: Any) -> str:
        """Apply a change and wait until it is saved; its revision."""
        number = self.revision(document)
        self.apply(number, **order)
        self.until(number, "applied_and_saved")
        return number

    def applied(self, path: str = "/") -> Any:
        """The applied configuration without defaults."""
        return self("GET", f"{path}?rev=applied&filled=false")[1]


def _basic(name: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


def _decoded(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        return raw.decode()


@pytest.fixture(scope="session")
def tls_folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One certificate for all doubles of a session."""
    return str(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def start(tls_folder: str) -> Any:
    """Start a double with options; returns the client that speaks to it."""
    from contextlib import ExitStack

    from nvue_double.testing import running_double

    with ExitStack() as stack:

        def begin(**options: Any) -> Client:
            options.setdefault("step_seconds", 0.002)
            double = stack.enter_context(running_double(tls_folder=tls_folder, **options))
            return Client(double)

        yield begin


@pytest.fixture
def serve() -> Any:
    """Serve files on loopback by HTTP; returns the URL of their folder."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        yield lambda files: stack.enter_context(served(files))


@contextlib.contextmanager
def served(files: dict[str, bytes]) -> Iterator[str]:
    """A server of files on loopback."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Send a file, or 404."""
            body = files.get(self.path.lstrip("/"))
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
