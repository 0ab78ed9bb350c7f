# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fabrics that drills are run on."""

from __future__ import annotations

import pytest
from drills.running import FIRST, site_in_service
from unit.playbooks.leaves import running_lab


@pytest.fixture(scope="session")
def brought_up(tmp_path_factory):
    with site_in_service(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture
def site(brought_up):
    """The lab in service; every drill begins and ends with the same documents and no fault."""
    options = {"confirm_form": "confirm", "hostile_text": "", "step_seconds": 0.01}
    brought_up.heal()
    for double in brought_up.doubles.values():
        double.control.options(**options)
    brought_up.plan(FIRST)
    for name, double in brought_up.doubles.items():
        if double.applied != brought_up.before[name]:
            double.control.foreign(brought_up.before[name], replace=True)
        double.control.sessions("established")
    return brought_up


@pytest.fixture
def leaves(tmp_path, request):
    """The lab's leaves, whose routes follow from their documents, with the registry of the drill."""
    with running_lab(tmp_path, getattr(request, "param", "tenants: []\n")) as made:
        yield made
