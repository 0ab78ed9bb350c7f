# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table fits on a screen, and says each thing once."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing.designs import (
    designs,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing.facts import facts
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing.request import (
    Request,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing.table import lines


def shown(**asked):
    return lines([facts(design) for design in designs(Request(**asked))])


@pytest.mark.parametrize(
    "asked",
    [
        {"gpus": 8},
        {"gpus": 256},
        {"gpus": 2048, "planes": 2},
        {"gpus": 20_000},
        {"gpus": 524_288},
        {"gpus": 72, "gpus_per_node": 8, "rails": 4},
    ],
    ids=str,
)
def test_it_fits_on_a_screen(asked):
    text = shown(**asked)
    assert max(map(len, text)) <= 102
    assert len(text) <= 43


def test_each_row_has_its_label_and_its_cells():
    text = shown(gpus=2048)
    assert (
        "GPUs                2,048                      2,048, later 4,096         2,048, later 8,192"
        in text
    )
    assert "oversubscription    none (1:1)" in text
    assert any(line.startswith("1: the fewest switches") for line in text)


def test_a_full_design_says_why():
    text = " ".join(" ".join(shown(gpus=2048)).split())
    assert (
        "It is full: 17 SUs make 136 leaves in a plane, more than the 128 ports of a spine" in text
    )


def test_gpus_that_the_plan_counts_otherwise_are_said():
    text = "\n".join(shown(gpus=72, gpus_per_node=8, rails=4))
    assert "one a rail" in text
    assert "one a rail" not in "\n".join(shown(gpus=72))
