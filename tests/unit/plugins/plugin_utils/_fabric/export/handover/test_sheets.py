# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every device is on one page of racks and on one of devices."""

from __future__ import annotations

import collections

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover import (
    sheets,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover.cables import (
    Cables,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
    core_lab,
    example,
)

from .reading import FAST, brownfield, places


@pytest.mark.parametrize(
    "name", ["lab", "lab-3tier", "h200-2048", "brownfield-256", "b300-1024-converged"]
)
def test_every_device_is_on_one_page(name):
    cables = Cables(example(name))
    racks = collections.Counter(
        device
        for sheet in sheets.of_racks(cables)
        for rack in sheet.racks.values()
        for device in rack.devices
    )
    pages = collections.Counter(
        d for _title, own in sheets.of_devices(cables).values() for d in own
    )
    assert racks == pages == collections.Counter(cables.fabric.devices())


def test_the_converged_fabric_has_pages_of_its_own():
    files = sheets.of_devices(Cables(example("b300-1024-converged")))
    assert [title for title, _devices in files.values()][-4:] == [
        "Border leaves, pairs 1 to 16", "Storage leaves, pairs 1 to 16", "Front-end leaves, pairs 1 to 16",
        "Converged spines",
    ]  # fmt: skip


def test_a_core_has_one_page():
    files = sheets.of_devices(Cables(core_lab()))
    assert [(title, len([*own])) for title, own in files.values()][-1] == ("Converged core", 2)


def test_rows_hold_their_racks_in_order_even_empty_ones(tmp_path):
    racks = "rack,row,position\nC,north,3\nA,north,1\nB,south,1\n"
    cables = places(
        tmp_path, {**FAST}, spots={"su01/h01": ("C", 1), "su01/h02": ("X", 1)}, racks=racks
    )
    found = {sheet.title: list(sheet.racks) for sheet in sheets.of_racks(cables)}
    assert found["Row north"] == ["A", "C"]
    assert found["Row south"] == ["B"]
    assert found["Racks without a row"] == ["X"]
    assert set(found["SU 1"]) == {"", "su01-rack01"}


def test_a_computed_rack_can_have_a_row(tmp_path):
    racks = "rack,row,position\nsu01-rack01,A,1\n"
    cables = places(tmp_path, {**FAST}, spots={"su02/h01": ("Z", 1)}, racks=racks)
    row = next(sheet for sheet in sheets.of_racks(cables) if sheet.title == "Row A")
    assert len(row.racks["su01-rack01"].devices) == 4


def test_pages_of_a_large_fabric_are_small():
    """By SU, pod and group of super-spines, so that no page grows with the fabric."""
    cables = Cables(
        build(
            tiers=3,
            capacity={"pods": 3, "sus_per_pod": 2, "slots_per_su": 4},
            switches={"usable_ports": 32},
        )
    )
    files = [sheet.file for sheet in sheets.of_racks(cables)]
    assert set(files) == {f"pod-{p:03}-su-{s:04}" for p in (1, 2, 3) for s in (1, 2)} | {
        f"pod-{p:03}-spines" for p in (1, 2, 3)
    } | {f"super-spine-group-{g + 1:03}" for g in range(cables.fabric.clos.groups)}
    part = {sheet.file for sheet in sheets.of_racks(cables, [1])}
    assert part == {"pod-002-su-0001", "pod-002-su-0002", "pod-002-spines"}


def test_titles_say_the_pod_where_there_are_several():
    cables = Cables(example("lab-3tier"))
    assert "Pod 2, SU 1" in {sheet.title for sheet in sheets.of_racks(cables)}
    assert {sheet.title for sheet in sheets.of_racks(brownfield())} == {"Row A"}
