# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switch doubles in a process of their own, so that their CPU time is told apart.

    with Doubles([{"release": "5.16.1"}, ...]) as doubles:
        doubles.ports, doubles.ca
        doubles.take()   {"requests": [["GET /system", ...], ...], "cpu": 1.2}; forgets what was asked

The process is this file: the first line on its standard input holds the options of all doubles, every
further one is ``take`` or ``up``; it answers each with one line of JSON and ends with its input.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from typing import Any


class Doubles:
    """The other process, as a benchmark sees it; everything listens on 127.0.0.1."""

    def __init__(self, options: list[dict[str, Any]]) -> None:
        self._options = options

    def __enter__(self) -> Doubles:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        started = self._ask(json.dumps(self._options))
        self.ports, self.ca = started["ports"], started["ca"]
        self.user, self.password = started["user"], started["password"]
        return self

    def __exit__(self, *_error: object) -> None:
        self._process.communicate(timeout=60)

    def take(self) -> dict[str, Any]:
        """What every double was asked since the last time, and the CPU seconds it all took."""
        return self._ask("take")

    def up(self) -> None:
        """Let every session of every double be established."""
        self._ask("up")

    def _ask(self, line: str) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


def serve() -> None:
    """Run the doubles until nobody asks any more."""
    from nvue_double.testing import running_doubles

    options = json.loads(sys.stdin.readline())
    with running_doubles(options) as doubles:
        _say(
            ports=[double.port for double in doubles],
            ca=doubles[0].ca_file,
            user=doubles[0].username,
            password=doubles[0].password,
        )
        gc.freeze()
        before = time.process_time()
        for line in sys.stdin:
            if line.strip() == "up":
                for double in doubles:
                    double.control.sessions("established")
            now = time.process_time()
            _say(requests=[_taken(double) for double in doubles], cpu=now - before)
            before = now


def _taken(double: Any) -> list[str]:
    asked = [f"{one.method} {one.path}" for one in double.log.requests]
    double.log.clear()
    return asked


def _say(**answer: Any) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve()
