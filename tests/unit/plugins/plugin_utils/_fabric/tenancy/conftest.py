# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The laboratory, and registries over it."""

from __future__ import annotations

import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy import desk
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)

from .tenants import TENANTS


@pytest.fixture
def lab(load):
    """Return the laboratory."""
    return load()


@pytest.fixture
def registry(lab):
    """Return a function from text to a registry over the laboratory."""
    return lambda text="", fabric=None: Registry.parse(fabric or lab, text)


@pytest.fixture
def ask(lab, tmp_path):
    """Return a function that puts a question to the desk, over a registry file; the site has a hook wipe."""
    path = tmp_path / "tenants.yml"
    path.write_text(TENANTS)

    def _ask(term, **asked):
        answer = desk.answer(lab, term, {"hooks": ["wipe"], **asked}, str(path))
        json.dumps(answer)
        return answer

    return _ask
