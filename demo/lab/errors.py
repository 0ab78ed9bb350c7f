# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one exception of the lab: its text is a sentence for a person."""

from __future__ import annotations


class LabError(Exception):
    """Something a person can correct; the text says where, what and how."""
