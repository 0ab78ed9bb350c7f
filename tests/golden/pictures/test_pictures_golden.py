# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of fabrics, as files that a person has looked at.

`SPX_UPDATE_GOLDEN=1 pytest tests/golden/pictures` draws them anew; look at them in a browser, in a
light and a dark scheme, before they are committed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    exports,
    pictures_tenants,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

HERE = Path(__file__).parent
CASES = [
    ("ipv6-hwplb", "topology"),
    ("ipv6-hwplb", "addresses"),
    ("ipv6-hwplb", "tenants"),
    ("growing", "topology"),
    ("growing", "addresses"),
    ("top-of-rack", "topology"),
    ("top-of-rack", "addresses"),
]


def drawn(name: str, kind: str) -> str:
    fabric = Fabric.load(str(HERE / "input" / f"{name}.yml"))
    if kind != "tenants":
        return "".join(exports.PICTURES[kind](fabric).lines())
    registry = Registry.load(fabric, str(HERE / "input" / f"{name}.tenants.yml"))
    return "".join(pictures_tenants.draw(fabric, registry).lines())


@pytest.mark.parametrize("name, kind", CASES)
def test_picture(name: str, kind: str) -> None:
    text = drawn(name, kind)
    expected = HERE / "expected" / f"{name}-{kind}.svg"
    if os.environ.get("SPX_UPDATE_GOLDEN"):
        expected.parent.mkdir(parents=True, exist_ok=True)
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")
