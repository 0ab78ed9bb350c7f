# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The time, as results, waivers and reports have it: UTC. Private."""

from __future__ import annotations

import datetime


def now() -> datetime.datetime:
    """Return the time."""
    return datetime.datetime.now(tz=datetime.UTC)


def today() -> datetime.date:
    """Return the day that waivers and outages are compared with."""
    return now().date()


def stamp() -> str:
    """Return the time as 2026-11-23T05:12:00Z."""
    return now().strftime("%Y-%m-%dT%H:%M:%SZ")
