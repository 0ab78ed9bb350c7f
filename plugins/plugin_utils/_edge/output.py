# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines that are shown at once, whatever callback writes the rest. Private."""

from __future__ import annotations

import typing as t

from ansible import constants
from ansible.utils.display import Display

from ...module_utils import _text


def show(lines: t.Iterable[str]) -> None:
    """Show lines."""
    for line in lines:
        Display().display(_text.line(line))


def say(text: str) -> None:
    """Show a warning, apart from the output of the run."""
    Display().display(_text.line(text), color=constants.COLOR_WARN, stderr=True)
