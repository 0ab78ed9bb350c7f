# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one family of exceptions. Each message is a sentence for the person at the keyboard."""

from __future__ import annotations

from ...module_utils import _text


class NvueError(Exception):
    """Anything that a user or a switch can cause; what a switch said in it is shown on one line."""

    def __init__(self, message: object = "") -> None:
        super().__init__(_text.line(message))


class RefusedError(NvueError):
    """A rule forbids what was asked; nothing was written."""


class TransportError(NvueError):
    """No answer came: refused connection, time-out, broken TLS.

    ``sent`` tells whether the request may have reached the switch.
    """

    def __init__(self, message: str, *, sent: bool = False) -> None:
        super().__init__(message)
        self.sent = sent


class ApiError(NvueError):
    """The switch answered with an HTTP error or with something that is not JSON."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


class ApplyError(NvueError):
    """A revision did not become the applied configuration."""


class OvertakenError(NvueError):
    """Somebody else began to apply after this change was planned; a draft stays behind."""
