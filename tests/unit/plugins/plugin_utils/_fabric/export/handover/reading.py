# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reader of the package alone: tables and printed pages, read as text."""

from __future__ import annotations

import csv
import html.parser
import io
import pathlib

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover.cables import (
    Cables,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
    example,
)

FAST = {"switches": {"usable_ports": 16}, "capacity": {"sus_per_pod": 2, "slots_per_su": 4}}


def places(
    folder: pathlib.Path, changes: dict, *, spots: dict[str, tuple[str, int]], racks: str
) -> Cables:
    """The cables of a fabric whose devices are where `spots` says."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [f"{place},{rack},{unit}" for place, (rack, unit) in spots.items()]
    (folder / "devices.csv").write_text("\n".join(["place,rack,unit", *rows, ""]))
    (folder / "racks.csv").write_text(racks)
    cabling = {"racks": str(folder / "racks.csv"), **changes.pop("cabling", {})}
    return Cables(build(**changes, devices=str(folder / "devices.csv"), cabling=cabling))


def brownfield() -> Cables:
    return Cables(example("brownfield-256"))


def table(text: str) -> list[dict[str, str]]:
    """A CSV as a spreadsheet reads it."""
    assert text.startswith("\ufeff")
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


class Page(html.parser.HTMLParser):
    """The sections of a page: {title: rows of cells}; lines of a cell are separated by newlines."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.sections: dict[str, list[list[str]]] = {}
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self._title, self._into, self._text = "", "", ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.links += [found["href"] or ""] if tag == "a" else []
        self.anchors |= {found["id"] or ""} if "id" in found else set()
        if tag in ("h1", "h2", "td", "th"):
            self._into, self._text = tag, ""
        if tag == "tr" and self._title:
            self.sections[self._title].append([])

    def handle_endtag(self, tag: str) -> None:
        if tag in ("h1", "h2"):
            self._title = self._text
            self.sections[self._title] = []
        elif tag in ("td", "th"):
            self.sections[self._title][-1].append(self._text.strip())
        elif tag == "span":
            self._text += "\n"
        if tag == self._into:
            self._into = ""

    def handle_data(self, data: str) -> None:
        if self._into:
            self._text += data
