# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fabrics whose exports are tested."""

from __future__ import annotations

import pytest

from .exported import FABRICS


@pytest.fixture(params=FABRICS)
def fabric(request):
    return FABRICS[request.param]()
