# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The export as a whole."""

from __future__ import annotations

import re

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover import files
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._pages import html
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
    example,
)

from ..exported import export, tree
from .reading import Page


@pytest.mark.parametrize("name", ["lab", "brownfield-256", "lab-3tier", "lab-converged"])
def test_every_link_of_every_page_leads_to_something(name, tmp_path):
    export(example(name), tmp_path, kinds=["handover"])
    pages = {path: Page(path.read_text()) for path in tmp_path.rglob("*.html")}
    assert len(pages) >= 3
    for path, page in pages.items():
        for link in page.links:
            target, _hash, anchor = link.partition("#")
            to = (path.parent / target).resolve()
            assert to.is_file(), link
            assert not anchor or anchor in pages[to].anchors


def test_a_second_run_changes_nothing_and_old_pages_go(tmp_path):
    whole = {"capacity": {"sus_per_pod": 2, "slots_per_su": 4}, "switches": {"usable_ports": 16}}
    export(build(**whole), tmp_path, kinds=["handover"])
    own = tmp_path / "handover" / "racks" / "notes.html"
    own.write_text("<!doctype html><p>of the site")
    before = tree(tmp_path)
    assert export(build(**whole), tmp_path, kinds=["handover"]).changed == []
    assert tree(tmp_path) == before
    export(build(**whole, absent=["su02"]), tmp_path, kinds=["handover"])
    left = {str(path) for path in tree(tmp_path)}
    assert not any("su-0002" in path for path in left)
    assert own.is_file()


def test_it_is_written_when_it_is_asked_for(tmp_path):
    export(example("lab"), tmp_path)
    assert not (tmp_path / "handover").exists()


def test_what_no_cable_can_be_is_refused_before_anything_is_written(tmp_path):
    made = build(
        tiers=3,
        capacity={"pods": 2, "sus_per_pod": 1, "slots_per_su": 2},
        switches={"usable_ports": 4},
        rails=2,
        cabling={"fabric": "acc"},
    )
    with pytest.raises(FabricError, match=re.escape("export handover: cabling.fabric is acc")):
        export(made, tmp_path, kinds=["handover"])
    assert tree(tmp_path) == {}


def test_pages_are_known_by_how_they_begin():
    page = "".join(html.page("x", [])).encode()
    assert files.BEGINS.match(page)
    assert not files.BEGINS.match(b"<!doctype html>")
