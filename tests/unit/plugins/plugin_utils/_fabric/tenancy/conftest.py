# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The laboratory, and registries over it."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)


@pytest.fixture
def lab(load):
    """Return the laboratory."""
    return load()


@pytest.fixture
def registry(lab):
    """Return a function from text to a registry over the laboratory."""
    return lambda text="", fabric=None: Registry.parse(fabric or lab, text)
