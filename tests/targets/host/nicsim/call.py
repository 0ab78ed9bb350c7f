# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One call of a stand-in: its arguments, its entry in the call log, and how it fails."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from typing import Any

from nicsim import paths, store


class ToolError(Exception):
    """The tool ends with a message; `status` is its exit status, `stream` where it is written."""

    def __init__(self, text: str, status: int = 1, stream: str = "stdout") -> None:
        super().__init__(text)
        self.text, self.status, self.stream = text, status, stream


class Call:
    """A running stand-in. `write` becomes true as soon as a change was asked for."""

    def __init__(self, tool: str, argv: list[str]) -> None:
        self.tool, self.argv = tool, argv
        self.write = False
        self.started = time.time()

    def wants_write(self) -> None:
        """Note that this call asked to change something, whether or not it succeeds."""
        self.write = True

    def state(self) -> contextlib.AbstractContextManager[store.State]:
        """The simulated hardware, locked for the length of the block."""
        return store.transaction()


def say(text: str = "", end: str = "\n") -> None:
    """Print to standard output (line by line at once in the long-running tools)."""
    sys.stdout.write(text + end)


def record(entry: dict[str, Any]) -> None:
    """Append one line to the call log; a single write call keeps lines whole."""
    log = paths.call_log()
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as handle:
        handle.write(json.dumps(entry, sort_keys=True) + "\n")


def record_call(call: Call, status: int) -> None:
    """Log a finished call: tool, argv, time (seconds), write, rc, pid."""
    record(
        {
            "tool": call.tool,
            "argv": call.argv,
            "time": round(call.started, 3),
            "write": call.write,
            "rc": status,
            "pid": os.getpid(),
        }
    )
