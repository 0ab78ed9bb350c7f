# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The TCP connection over which two programs of perftest arrange a test, and how it fails.

The messages are ours, one JSON object a line: these programs talk to each other only.
"""

from __future__ import annotations

import json
import signal
import socket
from typing import Any, Optional

from nicsim.call import ToolError
from nicsim.tools._perftest_options import DEBIAN, Options

PATIENCE = 10.0
"""Seconds for a connection to be accepted."""


class Gone(Exception):
    """The other side ended."""


class Peer:
    """The other side."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._file = line.makefile("r", encoding="utf-8")

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *_error: Any) -> None:
        self._file.close()
        self._line.close()

    def send(self, message: dict[str, Any]) -> None:
        """Tell the other side; raises Gone where it has ended."""
        try:
            self._line.sendall((json.dumps(message) + "\n").encode())
        except OSError as exc:
            raise Gone from exc

    def receive(self) -> dict[str, Any]:
        """Return the next message of the other side; raises Gone where it has ended."""
        try:
            line = self._file.readline()
            return json.loads(line) if line else _raise(None)
        except (OSError, ValueError) as exc:
            return _raise(exc)

    def swapped(self, message: dict[str, Any]) -> dict[str, Any]:
        """Both sides tell each other; a side that ends meanwhile ends this one."""
        try:
            self.send(message)
            return self.receive()
        except Gone:
            raise ToolError(
                "ethernet_read_keys: Couldn't read remote address\n Unable to read from socket/rdma_cm",
                1,
                "stderr",
            ) from None

    def wait(self) -> None:
        """Hang: each side waits for words that the other does not have."""
        while True:
            signal.pause()


def _raise(cause: Optional[Exception]) -> dict[str, Any]:
    raise Gone from cause


def accept(options: Options) -> Peer:
    """Wait for the client; a server has no patience of its own."""
    door = socket.socket(socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET)
    with door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if door.family == socket.AF_INET6:
            door.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        try:
            door.bind(("", options.port))
            door.listen(1)
        except (OSError, OverflowError):
            raise ToolError(
                f"Couldn't listen to port {options.port}\n{_end(options)}", 1, "stderr"
            ) from None
        line, _address = door.accept()
    return Peer(line)


def connect(options: Options) -> Peer:
    """The server at a host's port."""
    try:
        found = socket.getaddrinfo(options.host, options.port, type=socket.SOCK_STREAM)
    except (socket.gaierror, OverflowError) as exc:
        said = f"{exc.args[-1]} for {options.host}:{options.port}\nProblem in resolving basic address and port\n"
        raise ToolError(said + _end(options), 1, "stderr") from None
    for family, kind, protocol, _name, address in found:
        line = socket.socket(family, kind, protocol)
        line.settimeout(PATIENCE)
        try:
            line.connect(address)
        except OSError:
            line.close()
            continue
        line.settimeout(None)
        return Peer(line)
    raise ToolError(
        f"Couldn't connect to {options.host}:{options.port}\n{_end(options)}", 1, "stderr"
    )


def _end(options: Options) -> str:
    """Debian's program lacks the end of a line here (linux-rdma/perftest pull request 228)."""
    blank = "" if options.version == DEBIAN else "\n"
    return f"Unable to open file descriptor for socket connection{blank} Unable to init the socket connection"
