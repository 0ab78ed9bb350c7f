# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The export is written with its key of the description, and a second run changes nothing."""

from __future__ import annotations

import json

import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import exports
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.monitoring import (
    files,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)


def test_the_key_of_the_description_asks_for_it(load):
    assert "monitoring" not in exports.default(example("lab"))
    assert exports.default(load(monitoring={}))[-1] == "monitoring"


def test_files_are_what_they_are_called_and_stay_as_they_are(tmp_path):
    fabric = example("lab")
    first = Output(str(tmp_path))
    exports.write(fabric, first, kinds=["monitoring"])
    for name in first.changed:
        text = (tmp_path / name).read_text()
        if name.endswith((".yml", ".json")):
            assert (json.loads if name.endswith("json") else yaml.safe_load)(text)
    again = Output(str(tmp_path))
    exports.write(fabric, again, kinds=["monitoring"])
    assert again.changed == []


def test_a_change_of_the_registry_writes_nodes_and_targets_again(load, tmp_path):
    fabric = load(monitoring={"textfile": "kept"})
    assert files.rewrite(fabric, Registry.load(fabric)) == []
    folder = tmp_path / "kept"
    assert 'tenant="acme"' not in (folder / "spx_nodes.prom").read_text()
    registry = Registry.parse(fabric, "tenants: [{id: 21, slug: acme, nodes: [su01/h01]}]\n")
    assert files.rewrite(fabric, registry) == []
    assert 'tenant="acme"' in (folder / "spx_nodes.prom").read_text()
    assert "worker-su01-rack01-h01" not in (folder / "spx_hosts_pod001.json").read_text()


def test_a_folder_that_cannot_be_written_is_a_warning(load, tmp_path):
    (tmp_path / "kept").write_text("in the way")
    fabric = load(monitoring={"textfile": "kept"})
    (warning,) = files.rewrite(fabric, Registry.load(fabric))
    assert "kept/spx_nodes.prom cannot be written" in warning
    assert files.rewrite(load(), Registry.load(fabric)) == []
