# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Doubles inside a test process: a thread with its own event loop, on loopback.

with running_double(release="5.16.1") as double:
    client = connect(double.url, ca_file=double.ca_file, user=double.username, ...)
    double.control.fault("apply_fail", message="frr reload failed")
    assert not double.log.writes
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import profiles
from .options import Options
from .requestlog import RequestLog
from .server import Endpoints, Server


class Remote:
    """The control orders, callable from any thread."""

    def __init__(self, target: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._target = target
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._target, name)

        def call(*arguments: Any, **named: Any) -> Any:
            async def run() -> Any:
                answer = method(*arguments, **named)
                return await answer if inspect.isawaitable(answer) else answer

            return asyncio.run_coroutine_threadsafe(run(), self._loop).result(60)

        return call


class Double:
    """A running double as a test sees it."""

    def __init__(self, server: Server, loop: asyncio.AbstractEventLoop) -> None:
        scheme = "https" if server.ca_file else "http"
        self.host = server.endpoints.host
        self.port = server.port
        self.url = f"{scheme}://{self.host}:{self.port}"
        self.ca_file = str(server.ca_file) if server.ca_file else None
        self.username = server.switch.options.username
        self.password = server.switch.options.password
        self.control = Remote(server.control, loop)
        self.switch = server.switch

    @property
    def log(self) -> RequestLog:
        """The live request log."""
        return self.switch.log

    @property
    def applied(self) -> dict[str, Any]:
        """The applied configuration as stored."""
        return self.switch.revisions.applied

    @property
    def violations(self) -> list[str]:
        """Requests of clients that the documentation advises against."""
        return self.switch.log.violations


@contextlib.contextmanager
def running_doubles(
    many: list[dict[str, Any]], *, encrypted: bool = True, tls_folder: str | None = None
) -> Iterator[list[Double]]:
    """Several doubles in one thread, one per dict of options (names: options.Options).

    A dict may also hold `host` (default 127.0.0.1), `port`, `profile` (a name or several of
    profiles.every, under the other options), and `local_socket`, the path of the socket that asks no
    password. All share one certificate, which is good for localhost and for
    every host given.
    """
    with tempfile.TemporaryDirectory(prefix="nvue-double-") as folder:
        keep = Path(tls_folder or folder) if encrypted else None
        hosts = {str(one.get("host", "127.0.0.1")) for one in many}
        names = ["localhost", *sorted(hosts | {"127.0.0.1"})]
        servers = [_server(dict(one), keep, names) for one in many]
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, name="nvue-double", daemon=True)
        thread.start()
        try:
            _wait(loop, _start(servers))
            yield [Double(server, loop) for server in servers]
        finally:
            _wait(loop, _stop(servers))
            loop.call_soon_threadsafe(loop.stop)
            thread.join(10)
            loop.close()


@contextlib.contextmanager
def running_double(
    *, encrypted: bool = True, tls_folder: str | None = None, **options: Any
) -> Iterator[Double]:
    """One double on 127.0.0.1; the options are those of options.Options, plus host, port and profile."""
    with running_doubles([options], encrypted=encrypted, tls_folder=tls_folder) as doubles:
        yield doubles[0]


def _server(options: dict[str, Any], folder: Path | None, names: list[str]) -> Server:
    host, port = str(options.pop("host", "127.0.0.1")), int(options.pop("port", 0))
    realiser, local = options.pop("realiser", None), options.pop("local_socket", None)
    profile = profiles.of_names(options.pop("profile", ()))
    socket = Path(local) if local else None
    ends = Endpoints(host=host, port=port, tls_folder=folder, names=names, local_socket=socket)
    server = Server(Options(**{**profile.options, **options}), ends, realiser)
    profile.order(server.switch.faults)
    return server


async def _start(servers: list[Server]) -> None:
    for server in servers:
        await server.start()


async def _stop(servers: list[Server]) -> None:
    for server in servers:
        await server.stop()


def _wait(loop: asyncio.AbstractEventLoop, work: Any) -> Any:
    return asyncio.run_coroutine_threadsafe(work, loop).result(120)
