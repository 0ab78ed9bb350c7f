# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents of switches of the examples, as files that a person has read.

`SPX_UPDATE_GOLDEN=1 pytest tests/golden/switch` writes them anew; read the difference before it is
committed. A row names the ports that are kept, so that a large leaf stays readable.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose

HERE = Path(__file__).parent

CASES = [
    ("lab", "leaf-p1-su001-r1", None),
    ("lab", "spine-p1-s01", None),
    ("lab-3tier", "leaf-p1-pod01-su001-r1", None),
    ("lab-3tier", "spine-p1-pod02-s02", None),
    ("lab-3tier", "super-spine-p1-g01-s01", None),
    (
        "b300-4096",
        "leaf-p2-su008-r8",
        ("eth0", "lo", "swp1", "swp1s0", "swp33", "swp33s0", "swp64s1"),
    ),
]


class Plain(yaml.SafeDumper):
    """Writes every mapping out, never an alias."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def trimmed(document: dict, ports: tuple[str, ...] | None) -> dict:
    if ports is None:
        return document
    document["interface"] = {port: document["interface"][port] for port in ports}
    neighbors = document["vrf"]["default"]["router"]["bgp"]["neighbor"]
    kept = {port: row for port, row in neighbors.items() if port in ports}
    document["vrf"]["default"]["router"]["bgp"]["neighbor"] = kept
    return document


@pytest.mark.parametrize("name, device, ports", CASES)
def test_document(name: str, device: str, ports: tuple[str, ...] | None) -> None:
    fabric = Fabric.load(str(HERE / "input" / f"{name}.yml"))
    text = yaml.dump(trimmed(compose.document(fabric, device), ports), Dumper=Plain, width=100)
    expected = HERE / "expected" / name / f"{device}.yml"
    if os.environ.get("SPX_UPDATE_GOLDEN"):
        expected.parent.mkdir(parents=True, exist_ok=True)
        expected.write_text(text)
    assert text == expected.read_text()
