# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties are tried on the same examples in every run, however busy the machine is."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("core", deadline=None, derandomize=True, database=None)
settings.load_profile("core")
