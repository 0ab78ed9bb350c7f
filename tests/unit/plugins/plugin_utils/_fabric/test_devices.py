# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices: what is known and what is built, and all breaches of a description at once."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
    NotInFabric,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.topology.cabling import (
    Switch,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
    example,
)


def test_known():
    fabric = example("lab")
    assert fabric.known("leaf-p1-su001-r1") == Switch("leaf", 0, 0, 0)
    with pytest.raises(NotInFabric, match="is no device of fabric lab: use a name such as leaf"):
        fabric.known("leaf-p1-su009-r1")
    with pytest.raises(NotInFabric, match="is not built"):
        fabric.known("worker-su01-rack02-h04")


def test_all_stages_of_a_description_are_told_together():
    with pytest.raises(FabricError) as caught:
        build(naming={"leaf": "leaf"}, addressing={"pools": {"vtep": "10.1.0.0/13"}})
    assert len(caught.value.sentences) == 2
