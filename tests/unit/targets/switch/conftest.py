# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the packages of the switch double importable, and a small client to ask it."""

from __future__ import annotations

import base64
import json
import ssl
import time
import urllib.error
import urllib.request
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
