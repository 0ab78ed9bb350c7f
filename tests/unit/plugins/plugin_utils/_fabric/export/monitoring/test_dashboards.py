# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dashboards are what Grafana imports: each panel asks one thing, in a place of its own."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.monitoring import (
    dashboards,
    rules,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)


@pytest.mark.parametrize("name", dashboards.names())
def test_panels_do_not_overlap_and_ask_something(name):
    fabric = example("lab")
    made = dashboards.dashboard(fabric, name, rules.figures(fabric))
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in made["panels"]]
    assert len(set(places)) == len(places)
    assert len({panel["id"] for panel in made["panels"]}) == len(places)
    texts = [panel["targets"][0]["expr"] for panel in made["panels"]]
    assert all(text.count("(") == text.count(")") for text in texts)
    assert not [text for text in texts if "{{" in text]
    variables = [row["name"] for row in made["templating"]["list"]]
    assert variables == (["source", "place"] if name == "place" else ["source"])


def test_the_fabric_has_a_heat_map_of_rails_and_units():
    fabric = example("lab")
    made = dashboards.dashboard(fabric, "fabric", rules.figures(fabric))
    maps = [panel for panel in made["panels"] if panel["type"] == "heatmap"]
    assert maps
    assert all("by (rail, su)" in panel["targets"][0]["expr"] for panel in maps)
