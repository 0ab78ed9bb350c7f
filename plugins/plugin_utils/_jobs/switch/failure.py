# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a task that a switch, or the way to it, has ended. Private."""

from __future__ import annotations

from ..._nvue.errors import NvueError, TransportError, UnapprovedError, UntrustedError


def ended(error: NvueError) -> dict[str, object]:
    """Return a task's result for an error of a switch, or of the way to it.

    A switch that gives no usable answer is unreachable. One whose certificate is not trusted is
    there: the task fails, and `untrusted` says that nobody knows whose answers they were.
    """
    if isinstance(error, UntrustedError):
        return {"failed": True, "untrusted": True, "msg": str(error)}
    if isinstance(error, TransportError):
        return {"unreachable": True, "msg": str(error)}
    more = {"unapproved": True} if isinstance(error, UnapprovedError) else {}
    return {"failed": True, "msg": str(error), **more}
