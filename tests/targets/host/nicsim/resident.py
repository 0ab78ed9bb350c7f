# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A process that has every stand-in imported: a call then costs a fork, not a start of Python.

A converging host calls its tools some hundred times. bin/nicsim-tool hands a short call over: its
arguments, folder, environment and three open files. A child made by fork answers as the tool itself
would, in the caller's files, and ends with its status. Where nobody listens, or a tool lives longer
than a moment, the caller does the work itself: nothing but the cost depends on this process.
"""

from __future__ import annotations

import array
import marshal
import os
import pathlib
import signal
import socket
import sys
from typing import Any, NoReturn

from nicsim import dispatch, paths, real

LONGEST = 1 << 17  # bytes of a call with its environment


def place() -> pathlib.Path:
    """The socket; bin/nicsim-tool knows it too."""
    return paths.door()


def serve() -> int:
    """Answer calls until the end of the service."""
    for module, _function in set(dispatch.TOOLS.values()):
        __import__(f"nicsim.tools.{module}")
    __import__("nicsim.views")
    place().unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
        door.bind(str(place()))
        place().chmod(0o600)
        door.listen(64)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            caller, _address = door.accept()
            if os.fork() == 0:
                door.close()
                _answer(caller)
            caller.close()


def _answer(caller: socket.socket) -> NoReturn:
    """In the child: become the tool, tell its status, and be gone."""
    status = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        message, files = _receive(caller)
        argv, folder, environment = marshal.loads(message)
        for number, given in enumerate(files):
            os.dup2(given, number)
            os.close(given)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        real.replace = lambda path, words: _hand_back(caller, path, words)
        status = dispatch.main(argv)
        sys.stdout.flush()
        caller.send(marshal.dumps(status))
    finally:
        os._exit(status)


def _receive(caller: socket.socket) -> tuple[bytes, list[int]]:
    files = array.array("i")
    size = socket.CMSG_SPACE(3 * files.itemsize)
    message, extra, _flags, _address = caller.recvmsg(LONGEST, size)
    for _level, _kind, data in extra:
        files.frombytes(data[: len(data) - len(data) % files.itemsize])
    return message, list(files)


def _hand_back(caller: socket.socket, path: str, words: list[str]) -> Any:
    """The system's own tool of this name shall answer: the caller itself becomes it."""
    sys.stdout.flush()
    caller.send(marshal.dumps([path, words]))
    os._exit(0)
