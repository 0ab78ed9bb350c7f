# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab of the tenants' playbooks."""

from __future__ import annotations

import pytest

from .leaves import running_lab


@pytest.fixture
def lab(tmp_path, request):
    """The lab whose leaves run the registry that the test begins with."""
    with running_lab(tmp_path, getattr(request, "param", "tenants: []\n")) as made:
        yield made
