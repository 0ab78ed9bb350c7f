# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The first page."""

from __future__ import annotations

import collections

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover import (
    bill,
    index,
    lists,
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

from .reading import FAST, Page, brownfield, places, table


def text(cables: Cables) -> str:
    titles = [(file, title) for file, (title, _own) in sheets.of_devices(cables).items()]
    return "".join(
        index.page(cables, bill.items(cables), sheets=sheets.of_racks(cables), devices=titles)
    )


@pytest.mark.parametrize("made", [core_lab, lambda: example("lab-converged")])
def test_the_other_networks_are_on_it(made):
    assert "SN5600, 400G between switches" in text(Cables(made()))


def test_it_leads_everywhere():
    found = Page(text(brownfield()))
    assert {"cables.csv", "labels.csv", "bill-of-materials.csv"} < set(found.links)
    assert {"racks/row-01.html", "racks/row-01.html#rack-G08", "devices/pod-001-spines.html"} < set(
        found.links
    )


def test_the_bill_is_that_of_the_table():
    cables = brownfield()
    rows = Page(text(cables)).sections["Bill of materials"][1:]
    assert [int(row[4].replace(",", "")) for row in rows] == [i.amount for i in bill.items(cables)]


def test_assumptions_are_said_to_be_ours(tmp_path):
    made = places(
        tmp_path, {**FAST, "cabling": {"slack": 2.0}}, spots={}, racks="rack,row,position\nA,B,1\n"
    )
    rows = Page(text(made)).sections["How to read it"]
    assert ["cabling.slack", "2", "spare at each end", "the description"] in rows
    assert [
        "cabling.tray",
        "0.5",
        "from the top unit of a rack up to the tray",
        "our assumption",
    ] in rows


@pytest.mark.parametrize(
    "changes, beginnings",
    [
        ({}, ["No length between racks is given"]),
        (
            {"nics": {"model": "ConnectX-8"}},
            ["No length", "No public source says which cables fit ConnectX-8"],
        ),
        (
            {"switches": {"model": "SN5640"}},
            ["No length", "No public source says which cables fit SN5640"],
        ),
    ],
)
def test_what_is_not_known_is_said_once(changes, beginnings):
    made = Cables(build(**{**changes, "capacity": {"sus_per_pod": 1, "slots_per_su": 4}}))
    found = list(index.unknown(made))
    assert len(found) == len(beginnings)
    for sentence, begin in zip(found, beginnings):
        assert sentence.startswith(begin)
        assert text(made).count(sentence) == 1


def test_nodes_with_cables_of_several_media_are_said_once():
    """Counted from the list of cables, which is made otherwise."""
    made = brownfield()
    media = collections.defaultdict(set)
    for row in table("".join(lists.cables_csv(made, None))):
        for end in ("B1", "B2") if row["Kind"] == "host link" else ():
            media[row[f"{end} device"]].add(row["Medium"])
    several = sum(len(found) > 1 for name, found in media.items() if name)
    (said,) = index.mixed(made, made.fabric.nodes())
    assert said.startswith(f"{several} nodes have cables of several media, such as gpu-111 with")
    assert "active copper and multimode fibre" in said
    assert text(made).count(said) == 1
    other = Cables(example("lab"))
    assert list(index.mixed(other, other.fabric.nodes())) == []


def test_a_site_that_states_all_has_nothing_unknown():
    assert list(index.unknown(brownfield())) == []
    assert "Fabric lab" in Page(text(Cables(example("lab")))).sections
