# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switch doubles in processes of their own, so that their CPU time is told apart.

    with Doubles([{"release": "5.16.1"}, ...]) as doubles:
        doubles.ports, doubles.ca
        doubles.take()   {"requests": [["GET /system", ...], ...], "cpu": 1.2}; forgets what was asked

There are as many processes as the machine has cores: switches answer at the same time, each with its own
CPU, while all doubles of one process wait for one another. A process is this file: the first line on its
standard input holds the options of its doubles, every further one is ``take`` or ``up``; it answers each
with one line of JSON and ends with its input.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import chain, zip_longest
from typing import Any


class Doubles:
    """The other processes, as a benchmark sees them; everything listens on 127.0.0.1."""

    def __init__(self, options: list[dict[str, Any]]) -> None:
        several = min(os.cpu_count() or 1, len(options))
        self._options = [options[first::several] for first in range(several)]
        self._processes: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Doubles:
        self._tls = tempfile.TemporaryDirectory()
        ports = []
        for options in self._options:
            self._processes.append(
                subprocess.Popen(
                    [sys.executable, __file__, self._tls.name],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            started = _ask(self._processes[-1], json.dumps(options))
            ports.append(started["ports"])
        self.ports = _dealt(ports)
        self.ca, self.user, self.password = (started[key] for key in ("ca", "user", "password"))
        return self

    def __exit__(self, *_error: object) -> None:
        for process in self._processes:
            process.communicate(timeout=60)
        self._tls.cleanup()

    def take(self) -> dict[str, Any]:
        """Take the requests to every double since the last time, and the CPU seconds of all."""
        taken = [_ask(process, "take") for process in self._processes]
        requests = _dealt([one["requests"] for one in taken])
        return {"requests": requests, "cpu": sum(one["cpu"] for one in taken)}

    def up(self) -> None:
        """Let every session of every double be established."""
        for process in self._processes:
            _ask(process, "up")


def _ask(process: subprocess.Popen[str], line: str) -> dict[str, Any]:
    assert process.stdin
    assert process.stdout
    process.stdin.write(line + "\n")
    process.stdin.flush()
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def _dealt(parts: list[list[Any]]) -> list[Any]:
    """The answers of all processes in the order of the options, which were dealt out one by one."""
    return [one for one in chain.from_iterable(zip_longest(*parts)) if one is not None]


def serve(tls_folder: str) -> None:
    """Run the doubles until nobody asks any more."""
    from nvue_double.testing import running_doubles

    options = json.loads(sys.stdin.readline())
    with running_doubles(options, tls_folder=tls_folder) as doubles:
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
    serve(sys.argv[1])
