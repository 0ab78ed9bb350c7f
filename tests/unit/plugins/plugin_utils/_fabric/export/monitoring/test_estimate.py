# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of large fabrics stay below what one Prometheus is asked to hold, and more is refused with the remedy."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import exports
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.monitoring import (
    estimate,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)


@pytest.mark.parametrize(("name", "most"), [("h200-2048", 200_000), ("b300-4096", 700_000)])
def test_switches_make_no_more_series_than_intended(name, most):
    found = estimate.estimate(example(name))
    assert found.series <= most
    assert found.series * 7 <= found.whole
    assert found.samples <= found.series / 10
    assert found.sentence.startswith("monitoring: about ")


def test_more_series_than_allowed_are_refused_before_a_file_is_written(load, tmp_path):
    fabric = load(monitoring={"most_series": 1000})
    with pytest.raises(FabricError) as refused:
        exports.write(fabric, Output(str(tmp_path / "plan")))
    assert "monitoring.most_series is 1,000: raise it" in str(refused.value)
    assert not (tmp_path / "plan").exists()
