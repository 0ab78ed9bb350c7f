# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A line of progress while nothing else happens: a thread that takes one lock, that of the output. Private.

Ansible forks while it holds that lock, so that no worker inherits it from this thread.
"""

from __future__ import annotations

import threading
import typing as t


class Ticker:
    """Calls `tick` every so many `seconds` until it is stopped, or the output is gone."""

    def __init__(
        self, tick: t.Callable[[], None], *, lock: t.ContextManager[object], seconds: float
    ) -> None:
        self._tick, self._lock, self._seconds = tick, lock, seconds
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="progress", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it; no tick comes after this."""
        with self._lock:
            self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.wait(self._seconds):
            with self._lock:
                if self._stopped.is_set():
                    return
                try:
                    self._tick()
                except (OSError, ValueError):
                    return
