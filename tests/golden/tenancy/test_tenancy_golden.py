# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tenants' parts of leaves, and the sentences about broken registries, as files somebody has read.

`SPX_UPDATE_GOLDEN=1 pytest tests/golden/tenancy` writes them anew; read the difference before it is
committed.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import handover
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

HERE = Path(__file__).parent


class Plain(yaml.SafeDumper):
    """Writes every mapping out, never an alias."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def compare(text: str, name: str) -> None:
    """Compare a text with the file that is expected, or write that file."""
    expected = HERE / "expected" / name
    if os.environ.get("SPX_UPDATE_GOLDEN"):
        expected.write_text(text)
    assert text == expected.read_text()


def load(fabric: str, registry: str) -> tuple[Fabric, Registry]:
    """Load a fabric and a registry of the input folder."""
    plan = Fabric.load(str(HERE / "input" / f"{fabric}.yml"))
    return plan, Registry.load(plan, str(HERE / "input" / f"{registry}.tenants.yml"))


@pytest.mark.parametrize(
    "fabric, device",
    [
        ("lab", "leaf-p1-su001-r1"),
        ("lab", "leaf-p1-su002-r2"),
        ("lab", "spine-p1-s01"),
        ("lab-v6", "leaf-p1-su001-r1"),
    ],
)
def test_document(fabric: str, device: str) -> None:
    plan, registry = load(fabric, "story")
    made = compose.document(plan, device, ["tenants"], tenants=registry)
    compare(yaml.dump(made, Dumper=Plain, width=100), f"{fabric}-{device}.yml")


@pytest.mark.parametrize("registry", ["nonsense", "types", "numbers"])
def test_errors(registry: str) -> None:
    with pytest.raises(FabricError) as caught:
        load("lab", registry)
    compare("".join(f"{sentence}\n" for sentence in caught.value.sentences), f"{registry}.txt")


def test_handover() -> None:
    made = handover.handover(*load("lab", "story"), "acme")
    compare(json.dumps(made, indent=2) + "\n", "handover-acme.json")
