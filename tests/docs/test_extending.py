# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The worked examples of extending.rst, carried out on the real code."""

from __future__ import annotations

import copy
import ipaddress
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import data, ra
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
    compose,
    ownership,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document import (
    dialect,
    dialect_table,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import parse

from .blocks import ROOT, Block, blocks

EXAMPLES = [block for block in blocks() if block.page == "extending.rst"]
LAB = ROOT / "inventories" / "lab" / "model" / "fabric.yml"


def example(text: str) -> Block:
    """The block that holds a text."""
    (found,) = [block for block in EXAMPLES if text in block.text]
    return found


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The catalog with tables of this test's own, by name."""
    own: dict[str, Any] = {}
    for name in ("ra_profiles", "profiles", "ownership"):
        own[name] = copy.deepcopy(data.table(name))
    shipped = data.table

    def table(name: str) -> Any:
        return own[name] if name in own else shipped(name)

    for module in list(sys.modules.values()):
        if getattr(module, "table", None) is shipped:
            monkeypatch.setattr(module, "table", table)
    return own


def test_a_release_of_the_reference_architecture(tables: dict[str, Any]) -> None:
    tables["ra_profiles"]["releases"].update(yaml.safe_load(example('"2.5"').text))
    bluefield = ra.load_profile("2.5", "a2dc", "none")
    connectx = ra.load_profile("2.5", "1023", "none")
    assert bluefield["nic"]["nvconfig"]["INTERNAL_CPU_OFFLOAD_ENGINE"] == 1
    assert "INTERNAL_CPU_OFFLOAD_ENGINE" not in connectx["nic"]["nvconfig"]
    assert connectx["cc_package"] == "3.6.0"


def test_a_renamed_place(monkeypatch: pytest.MonkeyPatch) -> None:
    row = eval(example("Move(").text, {"Move": dialect_table.Move})
    monkeypatch.setattr(dialect_table, "MOVES", (row, *dialect_table.MOVES))
    new = {"system": {"telemetry": {"optics-stats": {"sample-interval": 5}}}}
    old = dialect.spell(new, parse("5.14"))
    assert old == {"system": {"telemetry": {"transceiver-stats": {"sample-interval": 5}}}}
    assert dialect.from_release(old, parse("5.14")) == new


def test_an_address_profile(tables: dict[str, Any], tmp_path: Path) -> None:
    tables["profiles"]["profiles"].update(yaml.safe_load(example("flat-v4").text))
    path = tmp_path / "fabric.yml"
    text = LAB.read_text(encoding="utf-8")
    path.write_text(text.replace("nvidia-guide-v4-2tier", "flat-v4"), encoding="utf-8")
    fabric = Fabric.load(str(path))
    ports = [row for node in fabric.nodes() for row in fabric.slice(node)["ports"]]
    assert len({row["address"] for row in ports}) == len(ports) == 12
    for row in ports:
        assert ipaddress.ip_address(row["address"]) in ipaddress.ip_network("10.0.0.0/9")
        assert fabric.locate(row["address"])


def test_a_feature_of_a_switch(tables: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    scope: dict[str, Any] = {"Context": object, "Doc": dict}
    exec("from __future__ import annotations\n" + example("def optics").text, scope)
    feature = compose.Feature("optics", "switch_underlay", scope["optics"])
    monkeypatch.setattr(compose, "FEATURES", (*compose.FEATURES, feature))
    tables["ownership"]["switch_underlay"].append("interface/{host}/link/low-power")
    fabric = Fabric.load(str(LAB))
    made = compose.document(fabric, "leaf-p1-su001-r1", features=["optics"])
    assert made == {"interface": {"swp2s1": {"link": {"low-power": "enabled"}}}}
    context = compose.context(fabric, "leaf-p1-su001-r1")
    owned = ownership.owned(context, ["switch_underlay"])
    assert "interface/swp2s1/link/low-power" in owned
    assert compose.document(fabric, "spine-p1-s01", features=["optics"]) == {}
