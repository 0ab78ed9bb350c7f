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


class UnapprovedError(RefusedError):
    """The change is not the one that was approved."""


class TransportError(NvueError):
    """No usable answer came: refused connection, time-out, broken TLS, or ``UnfitError``."""


class UnfitError(TransportError):
    """Answer that does not fit the question: empty, redirected, cut off, of another shape.

    It is never read as data. A question that changes nothing may be put again.
    """


class UntrustedError(NvueError):
    """The certificate of the switch was not trusted. The address answers, so it is reachable."""


class ApiError(NvueError):
    """The switch answered with an HTTP error.

    ``absent`` says whether the switch itself said that it has no such item, ``again`` whether it may be over in a
    moment.
    """

    def __init__(
        self, message: str, *, status: int, absent: bool = False, again: bool = False
    ) -> None:
        super().__init__(message)
        self.status = status
        self.absent = absent
        self.again = again


class ApplyError(NvueError):
    """A revision did not become the applied configuration."""


class LoginError(ApplyError):
    """A login that a change made or touched does not work, so that the change was not kept."""


class OvertakenError(NvueError):
    """Somebody else began to apply after this change was planned; a draft stays behind."""
