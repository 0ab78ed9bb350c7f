# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes wrong on a host, as one sentence for an operator."""

from __future__ import annotations

from collections.abc import Sequence


class NicError(Exception):
    """A sentence that says where, what was found, what is allowed and what to do.

    `done` lists the changes that were made before the failure, so that nothing stays half-applied
    without being said.
    """

    def __init__(self, sentence: str, done: Sequence[str] = ()) -> None:
        super().__init__(sentence)
        self.done = list(done)
