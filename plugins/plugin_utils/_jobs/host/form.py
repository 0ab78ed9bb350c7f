# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The form of an answer: what breaks it is one sentence that names the device. Private."""

from __future__ import annotations

import contextlib
import typing as t

from ....module_utils import _text
from ..._fabric.description.errors import FabricError

NONSENSE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Errors of code that takes a value for one of another form."""
_SHOWN = 80


@contextlib.contextmanager
def in_form(device: str, module: str) -> t.Iterator[None]:
    """Turn what an answer of another form breaks into a sentence that names the device.

    A host answers what it likes, and Ansible itself builds objects of parts of an answer.
    """
    try:
        yield
    except NONSENSE as exc:
        why = _text.line(exc, _SHOWN)
        raise FabricError.of(
            f"{device}: its answer does not have the form of module {module} "
            f"({type(exc).__name__}: {why}): find out what answers on that host."
        ) from exc
