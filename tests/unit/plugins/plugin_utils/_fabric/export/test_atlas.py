# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The atlas without a browser: its files, its data, its policy, and how results are read."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from playing import play

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    atlas,
    atlas_data,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report import (
    results,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    EXAMPLES,
    INVENTORIES,
    example,
)

from ..measure import runs


def result(device: str, state: str, **more: Any) -> dict[str, Any]:
    row = {"schema": 1, "id": "switch.lldp", "fabric": "lab", "device": device, "state": state}
    return {**row, "port": None, "sentence": f"{device} {state}.", **more}


def data_of(path: Path) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', path.read_text())
    return json.loads(found[1])


def test_a_page_of_the_largest_fabric_is_small(tmp_path: Path) -> None:
    """There are 129 of them, each with all of the script."""
    fabric = example("max-524288")
    atlas.write(fabric, Registry.load(fabric), Output(str(tmp_path)))
    assert (tmp_path / "atlas" / "pod-001.html").stat().st_size < 76_000


@pytest.mark.parametrize("name", EXAMPLES)
def test_files(name: str, tmp_path: Path) -> None:
    """One page up to 2,048 nodes, beyond it an index and a page a pod; a second run changes none."""
    fabric = example(name)
    pods = fabric.clos.pods if fabric.clos.nodes > atlas.MOST_NODES else 0
    for changed in (pods + 1, 0):
        output = Output(str(tmp_path))
        atlas.write(fabric, Registry.load(fabric), output)
        assert (output.files, len(output.changed)) == (pods + 1, changed)
    assert (tmp_path / "atlas.html").stat().st_size < 400_000
    holders = data_of(tmp_path / "atlas.html")["holders"]
    assert sum(count for count, _owner in holders) == fabric.clos.nodes


def test_policy_allows_what_is_inside_and_no_more(tmp_path: Path) -> None:
    atlas.write(example("lab"), Registry.empty(example("lab")), Output(str(tmp_path)))
    text = (tmp_path / "atlas.html").read_text()
    for tag, directive in (("style", "style-src"), ("script", "script-src")):
        inside = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert len(inside) == 1
        digest = base64.b64encode(hashlib.sha256(inside[0].encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}';" in text
    assert "default-src 'none';" in text


def test_page_of_fewer_pods_leaves_none_behind(tmp_path: Path) -> None:
    (tmp_path / "atlas").mkdir()
    (tmp_path / "atlas" / "pod-001.html").write_text("<!doctype html> of an earlier plan")
    output = Output(str(tmp_path))
    atlas.write(example("lab"), Registry.empty(example("lab")), output)
    assert output.changed == ["atlas.html", "atlas/pod-001.html"]
    assert not (tmp_path / "atlas" / "pod-001.html").exists()


def test_each_page_has_the_last_run_with_its_own_devices(tmp_path: Path) -> None:
    fabric = example("max-524288")
    nodes = {"worker-pod001-su01-rack01-h01": [], "worker-pod002-su01-rack01-h01": []}
    last = {"run": "x", "suspects": [], "devices": nodes}
    content = atlas_data.Content(fabric, Registry.empty(fabric), {}, last)
    assert content.pod(1)["performance"]["devices"] == {"worker-pod002-su01-rack01-h01": []}
    assert content.index()["performance"]["devices"] == {}
    assert content.index()["performance"]["run"] == "x"


def test_playbook(tmp_path: Path) -> None:
    """Check the inputs and outputs of the playbook; a second page and check mode are tested beside the action."""
    (tmp_path / "report" / "results").mkdir(parents=True)
    rows = [result("leaf-p1-su001-r1", "fail")]
    (tmp_path / "report" / "results" / "a.json").write_text(json.dumps(rows))
    results.write(str(tmp_path / "report"), runs.of(example("lab")))
    named, lab = (tmp_path, "spectrum_x.fabric.atlas"), str(INVENTORIES / "lab")
    both = ("-e", "spx_dest=out", "-e", "spx_report=report")
    code, text = play(*named, *both, SPX_PROJECT=lab)
    assert (code, "changed=1" in text) == (0, True)
    assert data_of(tmp_path / "out" / "atlas.html")["totals"] == [0, 1, 0, 0, 0]
    assert data_of(tmp_path / "out" / "atlas.html")["performance"]["run"] == runs.RUN
    code, text = play(*named, SPX_PROJECT=lab)
    assert code == 2
    assert "variable spx_dest: this playbook needs it: add -e spx_dest=..." in text
