# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""With the package alone in hand, every cable of a rack is found: both ends, length, label."""

from __future__ import annotations

import csv

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover import (
    lists,
    racks,
    sheets,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover.cables import (
    Cables,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    build,
    example,
)

from .reading import FAST, Page, brownfield, places, table


def page(cables: Cables, number: int = 0) -> Page:
    return Page("".join(racks.page(cables, sheets.of_racks(cables)[number])))


def plugs(found: list[list[str]]) -> list[list[str]]:
    """The rows of the table of plugs, without the box to tick."""
    begin = next(n for n, row in enumerate(found) if "Label: cable" in row)
    return [row[1:] for row in found[begin + 1 :] if len(row) > 1]


def cabled(rack: str) -> set[tuple[str, str, str, str]]:
    """(device, port, far device, far port) of a rack, by the site's own table and the slices."""
    fabric = example("brownfield-256")
    with (INVENTORIES / "brownfield-256" / "model" / "devices.csv").open(
        encoding="utf-8"
    ) as handle:
        names = [row["name"] for row in csv.DictReader(handle) if row["rack"] == rack]
    return {
        (name, port["port"], port["peer"]["device"], port["peer"]["port"])
        for name in names
        for port in fabric.slice(name)["ports"]
    }


@pytest.mark.parametrize("rack", ["G01", "G04", "N1", "N3"])
def test_every_cable_of_a_rack_is_found(rack):
    """The page against the slices; the list against the page. Nothing else is read."""
    cables = brownfield()
    listed = {row["Cable"]: row for row in table("".join(lists.cables_csv(cables, None)))}
    found = set()
    for cable, here, to, where, part, length in plugs(page(cables).sections[f"Rack {rack}"]):
        row = listed[cable]
        ends = [
            [
                row[f"{e} {key}"]
                for key in ("device", "port", "rack", "unit", "label", "transceiver")
            ]
            for e in ("A", "B1", "B2")
        ]
        own = next(end for end in ends if f"{end[0]} {end[1]}" == here)
        assert own[2] == rack
        assert own[4] == f"{here} / {' + '.join(to.splitlines())}"
        here_is = f"this end: {own[5]}" if own[5] else ""
        assert (row["Part"] + here_is, row["Length to order (m)"]) == (part, length)
        assert float(length) >= float(row["Way (m)"])
        others = {(end[0], f"{end[2]}, {end[3]}") for end in ends if end[0] and end is not own}
        seen = {
            (text.split()[0], place) for text, place in zip(to.splitlines(), where.splitlines())
        }
        assert seen <= others
        found |= links(cables, here, to)
    assert found == cabled(rack)


def links(cables: Cables, here: str, to: str) -> set[tuple[str, str, str, str]]:
    """Return the links of a label: a whole cage has its ports in order."""
    device, port = here.split()
    others = [line.split() for line in to.splitlines()]
    own = [port] if port.startswith("rail") or "s" in port[3:] else [f"{port}s0", f"{port}s1"]
    far = [
        (name, p)
        for name, end in others
        for p in ([end] if end.startswith("rail") or "s" in end[3:] else [f"{end}s0", f"{end}s1"])
    ]
    assert len(own) == len(far)
    return {(device, port, *end) for port, end in zip(own, far)}


def test_each_end_of_a_fibre_has_its_transceiver():
    made = Cables(build(**FAST, cabling={"host": "multimode"}))
    rows = plugs(page(made).sections["SU 1, rack not stated"])
    assert "this end: twin-port OSFP 800G, 2xSR4, multimode" in rows[0][4]
    ends = plugs(page(made).sections["Rack su01-rack01"])
    assert "this end: QSFP112 400G, multimode" in ends[0][4]


def test_a_rack_shows_what_is_in_it():
    text = page(brownfield()).sections["Rack N2"]
    assert text[1] == ["40", "tor-a3", "leaf", "MT2417XT1005", "46"]


def test_bundles_add_up_to_the_cables_of_the_rack():
    text = "".join(racks.page(brownfield(), sheets.of_racks(brownfield())[0]))
    section = text.split("<section>")[5]
    found = Page(section).sections["Rack N1"]
    begin = found.index(["From and to", "Cables", "Lengths"])
    rows = [row for row in found[begin + 1 :] if len(row) == 3]
    assert sum(int(row[1]) for row in rows) == int(section.split(" cables;")[0].split()[-1])
    assert ["N1 to N3", "64", "4 of 4 m, 60 of 5 m"] in rows


def test_devices_without_rack_or_unit_are_listed_beside():
    made = Cables(example("lab"))
    text = "".join(racks.page(made, sheets.of_racks(made)[0]))
    assert "<svg" not in text
    assert "No rack is stated for these devices" in text
    found = Page(text).sections
    assert set(found) == {"SU 1, rack not stated", "Rack su01-rack01", "Rack su01-rack02"}
    assert found["Rack su01-rack02"][1] == ["-", "worker-su01-rack02-h03", "node", "", "2"]


def test_an_empty_rack_and_a_crowded_one(tmp_path):
    spots = {"su01/h01": ("A1", 1), "su01/h02": ("A1", 1)}
    made = places(tmp_path, {**FAST}, spots=spots, racks="rack,row,position\nA1,A,1\nA2,A,2\n")
    text = "".join(racks.page(made, sheets.of_racks(made)[0]))
    assert "The plan has no device in this rack." in text
    assert "are both in unit 1." in text
    assert "whose height is not stated" in text


def test_remarks_are_beside_their_cable():
    made = Cables(build(**FAST, absent=["su01/h02"]))
    found = plugs(page(made).sections["SU 1, rack not stated"])
    assert "The end at swp1s1 stays free: worker-su01-rack01-h02 is not built." in found[0][4]


def test_links_lead_to_pages_that_are_written():
    made = brownfield()
    files = sheets.of_devices(made)
    for link in page(made).links:
        target, _hash, name = link.partition("#")
        if target != "../index.html":
            own = files[target.removeprefix("../devices/").removesuffix(".html")][1]
            assert name in {made.fabric.name(device) for device in own}
