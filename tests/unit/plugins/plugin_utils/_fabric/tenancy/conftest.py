# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabrics of the examples, and registries over them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)

ROOT = Path(__file__).resolve().parents[6]


@pytest.fixture
def load(tmp_path):
    """Return the fabric of an example, with top-level keys merged in."""

    def _load(name: str = "lab", **changes) -> Fabric:
        text = (ROOT / "inventories" / name / "model" / "fabric.yml").read_text()
        described = yaml.safe_load(text)
        for key, value in changes.items():
            old = described.get(key)
            described[key] = {**old, **value} if isinstance(old, dict) else value
        path = tmp_path / f"{name}-{len(list(tmp_path.iterdir()))}.yml"
        path.write_text(yaml.safe_dump(described))
        return Fabric.load(str(path))

    return _load


@pytest.fixture
def lab(load):
    """Return the laboratory."""
    return load()


@pytest.fixture
def registry(lab):
    """Return a function from text to a registry over the laboratory."""
    return lambda text="", fabric=None: Registry.parse(fabric or lab, text)
