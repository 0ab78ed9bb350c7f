# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run as one page: the verdict, what is suspected, the heat map, distributions, and what did not run.

The page is one file that asks nothing of a network. Only the heat map needs its script.
"""

from __future__ import annotations

import pathlib
import typing as t

from ...._pages.html import Html, element, text
from ...export import atlas
from ..plan.levels import LEVELS
from ..plan.records import FAIL
from . import figures, heat, page_tables
from .figures import SIGNS
from .page_parts import card, facts, scroll, sign

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..plan.records import Suspect
    from .schema import End, RunRecord, Where

HERE = pathlib.Path(__file__).parent
MOST_SUSPECTS = 40
MOST_DRAWN = 4
"""Suspects of one set that are drawn; of more there is a list."""


def page(record: RunRecord, baseline_record: RunRecord | None = None) -> str:
    """The HTML page of a run, compared with an earlier run where one is given."""
    style = atlas.part("atlas.css") + atlas.part("page.css", HERE)
    map_ = heat.data(record)
    sections = (
        _verdict(record),
        _suspects(record),
        page_tables.left_out(record),
        _heat() if map_["views"] else "",
        page_tables.measured(record),
        page_tables.failures(record),
        page_tables.comparison(record, baseline_record) if baseline_record else "",
        page_tables.counters(record),
    )
    parts = atlas.filled(
        atlas.part("page.html", HERE),
        f"{record['fabric']}: performance",
        style=style,
        script=atlas.part("page.js", HERE),
        data=map_,
        body="".join(sections),
    )
    return "".join(parts)


# Verdict


def _verdict(record: RunRecord) -> Html:
    result = record["summary"]["result"]
    began, ended = figures.time(record["began"]), figures.time(record["ended"])
    return card(
        f"{SIGNS[result]} {figures.RESULTS[result]}",
        element("p", figures.verdict(record), "said"),
        facts(
            (
                ("run", record["run"]),
                ("from", began),
                ("to", ended),
                ("by", record["by"]),
                ("nodes", f"{len(record['nodes']):,}"),
                ("NCCL plugin", record["nccl_plugin"]),
            )
        ),
        Html("".join(_levels(record))),
        css=f"card verdict {result}",
        anchor="result",
    )


def _levels(record: RunRecord) -> Iterator[str]:
    """A line for each level: what it came to."""
    yield '<ul class="levels">'
    for level in record["levels"]:
        counts = record["summary"]["levels"].get(level, {})
        failed, passed, every = counts.get(FAIL, 0), counts.get("pass", 0), sum(counts.values())
        if not failed + passed:
            said = sign("not_run", "not run")
        elif failed:
            said = sign(FAIL, f"{failed:,} of {every:,} failed")
        else:
            said = sign("pass" if passed == every else "not_run", f"{passed:,} of {every:,} passed")
        shows = element("span", LEVELS[level].shows, "quiet") if level in LEVELS else ""
        yield element("li", Html(element("b", level) + said + shows))
    yield "</ul>\n"


# Suspects


def _suspects(record: RunRecord) -> str:
    found = record["suspects"]
    if not found:
        failed = record["summary"]["result"] == FAIL
        said = "No part that the failed measurements share could be named. See them below."
        return card("Suspects", element("p", said)) if failed else ""
    groups: dict[tuple[object, ...], list[Suspect]] = {}
    for one in found:
        key = one["place"] if one["certain"] else (one["kind"], *one["reasons"])
        groups.setdefault((key,), []).append(one)
    more = len(groups) - MOST_SUSPECTS
    return card(
        "Suspects",
        element("p", _SURE if all(one["certain"] for one in found) else _UNSURE, "quiet"),
        *(_group(record, group) for group in list(groups.values())[:MOST_SUSPECTS]),
        element("p", f"{more} more are in the record, {record['run']}.json.") if more > 0 else "",
        anchor="suspects",
    )


_SURE = "What is named here explains failed measurements on its own."
_UNSURE = (
    "Of those that are one of several, measurements cannot show which is slow. At least one is."
)


def _group(record: RunRecord, group: Sequence[Suspect]) -> Html:
    """One suspect with its cable, or a set of which one is slow."""
    first, reasons = group[0], "".join(element("li", reason) for reason in group[0]["reasons"])
    if len(group) > MOST_DRAWN:
        title = f"{first['kind']}: one of {len(group)}"
        places = "".join(element("li", one["place"], "mono") for one in group)
        inside = scroll("Places", element("ul", Html(places)))
    else:
        title = f"{first['kind']}: " + ", or ".join(one["place"] for one in group)
        inside = Html("".join(_cable(**_drawn(record, one)) for one in group))
    sure = (
        "" if first["certain"] or len(group) > 1 else element("span", " (one of several)", "quiet")
    )
    head = element("h3", Html(text(title) + sure))
    parts = (
        f"<ul>{reasons}</ul>{inside}" if len(group) > MOST_DRAWN else f"{inside}<ul>{reasons}</ul>"
    )
    return Html(f'<article class="suspect">{head}{parts}</article>\n')


def _drawn(record: RunRecord, suspect: Suspect) -> Where:
    return record["where"].get(suspect["place"], {"label": "", "ends": []})


def _cable(*, ends: Sequence[End], label: str) -> str:
    """Both ends with the cable between them, or the device."""
    boxes = [_end(end) for end in ends]
    if len(boxes) < 2:
        return element("div", Html("".join(boxes)), "cable") if boxes else ""
    wire = element("span", Html(element("b", label, "mono")), "wire")
    return element("div", Html(boxes[0] + wire + boxes[1]), "cable")


def _end(end: End) -> Html:
    unit = f", U{end['unit']:g}" if end["unit"] else ""
    rack = f"rack {end['rack']}{unit}" if end["rack"] else "rack not known"
    port = element("span", end["port"], "mono") if end["port"] else ""
    inside = element("b", end["device"], "mono") + port + element("span", rack, "quiet")
    return element("div", Html(inside), "end")


# Heat map


def _heat() -> Html:
    """The place that the script fills."""
    legend = "".join(
        element("span", Html(f'<i class="{css}">{shown}</i> {words}'))
        for css, shown, words in _LEGEND
    )
    return card(
        "Bandwidth by SU and rail",
        Html(f'<p class="legend">{legend}</p>'),
        Html('<div id="views" class="tabs"></div><div id="heat"></div>'),
        Html(
            "<noscript><p>The map needs the script of this page. All its figures are in the tables.</p></noscript>"
        ),
        anchor="bandwidth",
    )


_LEGEND = (
    ("h1", "0", "at the limit"),
    ("h4", "0", "the best of the run"),
    ("some", "! 0", "some measurements of the port failed"),
    ("all", "✕ 0", "all failed"),
    ("none", "?", "not measured"),
)
