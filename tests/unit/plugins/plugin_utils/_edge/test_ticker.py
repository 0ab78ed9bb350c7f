# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""It ticks while the main thread waits, never while somebody else has the output, and not once it is stopped."""

from __future__ import annotations

import os
import threading
import time

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.ticker import Ticker


class Ticks:
    def __init__(self, error: Exception | None = None) -> None:
        self.count, self.error = 0, error
        self.heard = threading.Event()

    def __call__(self) -> None:
        self.count += 1
        self.heard.set()
        if self.error:
            raise self.error


def test_it_ticks_until_it_is_stopped() -> None:
    ticks, lock = Ticks(), threading.RLock()
    ticker = Ticker(ticks, lock=lock, seconds=0.005)
    assert ticks.heard.wait(5)
    ticker.stop()
    count = ticks.count
    time.sleep(0.03)
    assert ticks.count == count


def test_it_waits_for_the_output() -> None:
    ticks, lock = Ticks(), threading.RLock()
    with lock:
        ticker = Ticker(ticks, lock=lock, seconds=0.001)
        assert not ticks.heard.wait(0.05)
    assert ticks.heard.wait(5)
    ticker.stop()


@pytest.mark.parametrize("error", [BrokenPipeError(), ValueError("I/O operation on closed file")])
def test_it_ends_with_the_output(error: Exception) -> None:
    ticks = Ticks(error)
    Ticker(ticks, lock=threading.RLock(), seconds=0.001)._thread.join(5)
    assert ticks.count == 1


def test_a_fork_under_the_lock_inherits_it_from_nobody_else() -> None:
    """As core forks its workers; a child takes the lock at once."""
    lock = threading.RLock()
    ticker = Ticker(Ticks(), lock=lock, seconds=0.0001)
    for dummy in range(20):
        with lock:
            child = os.fork()
            if not child:
                os._exit(0 if lock.acquire(timeout=2) else 1)
        assert os.waitpid(child, 0)[1] == 0
    ticker.stop()
