# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The look at a host, as a job asks for it. Private."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from ..._fabric.render.host.identity import Identity
    from ..run import Result


class Host(t.Protocol):
    """One host; an answer may say `unreachable` or `failed`, with `msg`."""

    @property
    def sysfs(self) -> str:
        """The place of sysfs on the host."""

    def run(self, options: Result) -> Result:
        """Return the answer of module host to options."""

    def look(self, *, probe: t.Callable[[Result], Result]) -> Result:
        """Look at the host, and try in the same execution what `probe` says by its desired state."""

    def identity(self, traces: Result) -> Identity:
        """Return whose host it is by its traces."""
