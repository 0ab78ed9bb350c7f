# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Serving doubles: the REST API over TLS, the local socket, and the control API."""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

from . import control, tls
from .options import Options
from .switch import Realiser, Switch
from .web import application


@dataclass
class Endpoints:
    """Address of a double; None: not at all. A port of 0 is chosen by the system."""

    host: str = "127.0.0.1"
    port: int = 0
    tls_folder: Path | None = None
    names: list[str] = field(default_factory=lambda: ["localhost", "127.0.0.1"])
    local_socket: Path | None = None
    control_host: str = "127.0.0.1"
    control_port: int | None = None
    control_socket: Path | None = None


class Port:
    """The port of the API, which is refused while the switch boots and stays ours meanwhile."""

    def __init__(
        self, runner: web.AppRunner, host: str, port: int, context: ssl.SSLContext | None
    ) -> None:
        self._runner, self._context = runner, context
        self._socket = _bind(host, port)
        self.number: int = self._socket.getsockname()[1]
        self._site: web.SockSite | None = None

    async def open(self) -> None:
        """Accept connections."""
        self._socket.listen(128)
        self._site = web.SockSite(self._runner, self._socket.dup(), ssl_context=self._context)
        await self._site.start()

    async def close(self) -> None:
        """Refuse connections, and cut those that are open; the address stays bound."""
        if self._site is not None:
            await self._site.stop()
            self._site = None
        self._socket.shutdown(socket.SHUT_RDWR)
        server = self._runner.server
        for link in list(server.connections) if server is not None else ():
            if link.transport is not None:
                link.transport.abort()

    def release(self) -> None:
        """Give the address back."""
        self._socket.close()


class Server:
    """One double being served; `port` and `ca_file` are known after start."""

    def __init__(
        self, options: Options, endpoints: Endpoints, realiser: Realiser | None = None
    ) -> None:
        self.switch = Switch(options, realiser)
        self.control = control.Control(self.switch)
        self.endpoints = endpoints
        self.port = 0
        self.control_port: int | None = None
        self.ca_file: Path | None = None
        self._runners: list[web.AppRunner] = []

    async def start(self) -> None:
        """Begin to listen."""
        ends = self.endpoints
        runner = await self._runner(application(self.switch))
        context = None
        if ends.tls_folder is not None:
            self.ca_file, certificate, key = tls.ensure(ends.tls_folder, ends.names)
            context = tls.context(certificate, key)
            context.sni_callback = self._choose
        if ends.local_socket is not None:
            await self._unix(runner, ends.local_socket)
        await self._start_control()
        # Last, since who waits for a switch waits for this port.
        self.switch.listener = port = Port(runner, ends.host, ends.port, context)
        self.port = port.number
        await port.open()

    def _choose(self, link: Any, name: str | None, context: ssl.SSLContext) -> None:
        """Show the certificate that is bound to the API; called in each handshake, with a name or without."""
        bound = self.switch.certificates.bound(self.switch.running)
        if bound is not None:
            link.context = bound.context

    async def _start_control(self) -> None:
        ends = self.endpoints
        if ends.control_port is None and ends.control_socket is None:
            return
        runner = await self._runner(control.application(self.control))
        if ends.control_socket is not None:
            await self._unix(runner, ends.control_socket)
        if ends.control_port is not None:
            listener = _listen(ends.control_host, ends.control_port)
            self.control_port = listener.getsockname()[1]
            await web.SockSite(runner, listener).start()

    async def _runner(self, app: web.Application) -> web.AppRunner:
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        self._runners.append(runner)
        return runner

    async def _unix(self, runner: web.AppRunner, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        await web.UnixSite(runner, str(path)).start()

    async def stop(self) -> None:
        """Stop listening and everything in the background."""
        self.switch.close()
        for runner in self._runners:
            await runner.cleanup()
        if isinstance(self.switch.listener, Port):
            self.switch.listener.release()


def _listen(host: str, port: int) -> socket.socket:
    listener = _bound(host, port)
    listener.listen(128)
    return listener


def _bind(host: str, port: int) -> socket.socket:
    """A socket that keeps its port when it stops to listen: one that the kernel chose would be given back."""
    first = _bound(host, port)
    if port:
        return first
    with first:
        return _bound(host, first.getsockname()[1])


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    return listener
