# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bits of an address as a picture."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.pictures_addresses import (
    draw,
    parts,
)

from ..fabrics import example


@pytest.mark.parametrize("name", ["lab", "lab-3tier", "multiplane-16384"])
def test_runs_fill_the_address_without_a_gap(name):
    layout = example(name).addresses.links
    runs = list(parts(layout))
    assert sum(run.width for run in runs) == layout.bits
    at = layout.bits
    for run in runs:
        at -= run.width
        assert run.shift == at
    assert [run.field for run in runs if run.field] == list(layout.fields)


def test_the_example_of_the_picture_is_an_address_of_the_fabric():
    text = "".join(draw(example("lab")).lines())
    assert "172.18.1.4" in text
    assert "rail 2, SU 2, slot 3, NIC side" in text
