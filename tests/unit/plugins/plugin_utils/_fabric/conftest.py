# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabrics of the examples, changed as a test wants them.

Properties are tried on the same examples in every run, however busy the machine is.
"""

from __future__ import annotations

import pytest
import yaml
from hypothesis import settings

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

settings.register_profile("core", deadline=None, derandomize=True, database=None)
settings.load_profile("core")


@pytest.fixture
def load(tmp_path):
    """Return the fabric of an example, with top-level keys merged in; `...` takes one out."""

    def _load(name: str = "lab", **changes) -> Fabric:
        text = (INVENTORIES / name / "model" / "fabric.yml").read_text()
        described = yaml.safe_load(text)
        for key, value in changes.items():
            old = described.get(key)
            if value is ...:
                del described[key]
                continue
            described[key] = {**old, **value} if isinstance(old, dict) else value
        path = tmp_path / f"{name}-{len(list(tmp_path.iterdir()))}.yml"
        path.write_text(yaml.safe_dump(described))
        return Fabric.load(str(path))

    return _load
