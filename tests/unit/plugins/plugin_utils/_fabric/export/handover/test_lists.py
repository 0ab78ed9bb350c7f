# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cables.csv and labels.csv, as a spreadsheet opens them."""

from __future__ import annotations

import re

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover import (
    bill,
    labels,
    lists,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover.cables import (
    Cables,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
    example,
)

from .reading import FAST, brownfield, table


def test_a_row_is_a_cable_with_both_ends():
    cables = brownfield()
    found = table("".join(lists.cables_csv(cables, None)))
    assert [row["Cable"] for row in found] == [cable.id for cable in cables.all()]
    row = next(row for row in found if row["B2 device"])
    assert {
        key: row[key]
        for key in ("Kind", "Rail", "Ports", "Medium", "Length to order (m)", "Bundle")
    } == {
        "Kind": "host link",
        "Rail": "1",
        "Ports": "2",
        "Medium": "active copper",
        "Length to order (m)": "5",
        "Bundle": "G03 to N1",
    }
    ends = [
        [row[f"{end} {what}"] for what in ("device", "rack", "unit", "port", "cage")]
        for end in ("A", "B1", "B2")
    ]
    assert ends == [
        ["tor-a1", "N1", "40", "swp6", "6"],
        ["gpu-111", "G03", "20", "rail1p1", ""],
        ["gpu-112", "G03", "28", "rail1p1", ""],
    ]


def test_the_ends_of_a_fibre_have_their_transceivers():
    cables = Cables(build(**FAST, cabling={"host": "multimode", "fabric": "single-mode"}))
    found = table("".join(lists.cables_csv(cables, None)))
    kinds = {row["Kind"]: (row["A transceiver"], row["B1 transceiver"]) for row in found}
    assert kinds["host link"] == (
        "twin-port OSFP 800G, 2xSR4, multimode",
        "QSFP112 400G, multimode",
    )
    assert len(set(kinds["leaf to spine"])) == 1
    counted = [item for item in bill.items(cables) if item.what == "Transceiver"]
    assert {item.part for item in counted} == {part for pair in kinds.values() for part in pair}
    found = table("".join(lists.cables_csv(brownfield(), None)))
    copper = [row for row in found if "copper" in row["Medium"]]
    assert copper
    assert {row["A transceiver"] for row in copper} == {""}


def test_no_cell_is_what_a_spreadsheet_takes_for_a_date_or_a_formula():
    for text in (lists.cables_csv(brownfield(), None), lists.labels_csv(brownfield(), None)):
        cells = {cell for row in table("".join(text)) for cell in row.values()}
        assert not [
            c
            for c in cells
            if re.fullmatch(r"[0-9]+[-/.][0-9]+([-/.][0-9]+)?", c)
            and not re.fullmatch(r"[0-9]+\.[0-9]", c)
        ]
        assert not [c for c in cells if c.startswith(("=", "+", "-", "@"))]


def test_the_converged_fabric_has_no_plane_and_unknown_ends():
    cables = Cables(example("lab-converged"))
    found = {row["Cable"]: row for row in table("".join(lists.cables_csv(cables, None)))}
    assert len(found) == sum(1 for _cable in cables.all())
    row = found["SL1.1/01.1-A1"]
    assert [row[key] for key in ("Kind", "Plane", "Speed of a port", "Part")] == [
        "array link", "", "200G", "1 x 200G, port to port, to be chosen",
    ]  # fmt: skip
    assert [row[f"B1 {key}"] for key in ("device", "port", "cage", "label")] == [
        "vast-1", "", "", "vast-1 / storage-leaf-001-1 swp1s0",
    ]  # fmt: skip


def test_what_is_not_known_is_empty():
    found = table("".join(lists.cables_csv(Cables(example("lab")), None)))
    assert {row["Length to order (m)"] + row["Way (m)"] + row["A rack"] for row in found} == {""}
    assert {row["Medium"] for row in found} == {"to be chosen"}


def test_a_label_for_each_plug():
    cables = Cables(example("lab"))
    found = table("".join(lists.labels_csv(cables, None)))
    built = [(c, plug) for c in cables.all() for plug in c.plugs if plug.built]
    assert [tuple(v for v in list(row.values())[3:] if v) for row in found] == [
        labels.label(cables, c, plug).lines for c, plug in built
    ]
