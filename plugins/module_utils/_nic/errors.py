# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors on a host, each one sentence for an operator."""

from __future__ import annotations

from .. import _text


class NicError(Exception):
    """A sentence that says where, what was found, what is allowed and what to do."""

    def __init__(self, message: object = "") -> None:
        super().__init__(_text.line(message))
