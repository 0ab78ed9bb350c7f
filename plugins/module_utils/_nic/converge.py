# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read, compare, act, read again: one flow for everything that is set at run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from .errors import NicError
from .plan.base import Plan
from .tools import Host, Step

Found = TypeVar("Found")


def converge(host: Host, read: Callable[[], Found], plan: Callable[[Found], Plan]) -> Plan:
    """Bring one thing to the wanted state, and read it again; NicError when a written value did not take."""
    first = plan(read())
    for step in first.steps:
        host.perform(step)
    if first.steps and not host.check_mode:
        _verify(host, plan(read()).steps)
    return first


def _verify(host: Host, left: tuple[Step, ...]) -> None:
    host.untaken(left)
    if left:
        step = left[0]
        raise NicError(
            f"{step.target}: {step.setting} did not take: it is {step.before} after writing "
            f"{step.after}; '{step.command}' reported no error."
        )
