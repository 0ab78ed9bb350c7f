# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds a host for a run as long as ranks of its collective run there, whichever host has started them.

Nobody knows how long a collective takes, and a controller that was killed does not let go of its hosts. So a process
on each host looks for what has the mark of a measurement. What launchers start has it too, as they hand it on.
"""

from __future__ import annotations

from collections.abc import Callable

from .._nic.state import load, save
from .._nic.tools import Host
from . import lease, serve

NOTE = "measure-keeper"
EVERY = 30
"""Seconds between two looks. Ours."""


def keep(host: Host, run: str) -> None:
    """Start the process, unless it runs already; it ends by itself when no run holds the host any longer."""
    if run and not host.check_mode and not serve.runs(host, load(host, NOTE)):
        serve.detached(lambda noted: _work(host, noted))


def _work(host: Host, noted: Callable[[], None]) -> None:
    save(host, NOTE, serve.itself(host))
    noted()
    while lease.renew(host, busy=serve.measures(host)):
        host.sleep(EVERY)
