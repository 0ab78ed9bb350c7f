# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from .running import Run

ALL = "rest: [{nodes: ['su01/[01-03]', 'su02/[01-03]'], acceptance: burn-in}]\n"


@pytest.fixture
def run(project, begin):
    """A run over the example lab, all nodes of which are in one acceptance group."""
    (project / "model" / "tenants.yml").write_text(ALL)
    begin()
    return Run(project)
