# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The export is written with its key of the description, and a second run changes nothing."""

from __future__ import annotations

import json

import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import exports
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
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
