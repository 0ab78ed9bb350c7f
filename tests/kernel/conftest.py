# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stories in a kernel that has what they need: this machine's own, or that of a guest (`lab.guest`)."""

from __future__ import annotations

import os

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without root there is no network namespace, and that is a failure of the set-up, not a skip."""
    if items and os.geteuid() != 0:
        pytest.exit("the kernel's stories need root: run tests/kernel/run.sh", returncode=1)
