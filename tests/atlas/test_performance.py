# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a run, its sheet for the customer, and the run on the atlas, as a person meets them in a browser."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import atlas
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report import (
    handover,
    overlay,
    page,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report.schema import (
    RunRecord,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.measure import (
    runs,
)

from .browser import Page
from .test_page import CONTRAST

Visit = Callable[..., Page]
Keep = Callable[[Page, str], None]
NODE, LEAF = "worker-su02-rack01-h02", "leaf-p1-su002-r2"
LARGE = "worker-su03-rack05-h18"
"""A node of h200-2048 with a slow NIC."""
CELLS = "[...document.querySelectorAll('.heat td')].map((one) => [one.className, one.innerText])"


@pytest.fixture(scope="module")
def lab() -> tuple[Fabric, RunRecord]:
    """A run in the lab that found a slow cable."""
    fabric = example("lab")
    return fabric, runs.of(fabric, slow={(NODE, 1): 0.48}, suspects=[runs.cable(NODE, LEAF)])


@pytest.fixture(scope="module")
def lab_page(lab: tuple[Fabric, RunRecord], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "run.html"
    path.write_text(page.page(lab[1], runs.of(lab[0], seed=2, run="20261101T000000Z")))
    return path


@pytest.fixture(scope="module")
def large_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """256 nodes of 8 rails, of which one NIC is slow."""
    path = tmp_path_factory.mktemp("large") / "run.html"
    path.write_text(page.page(runs.of(example("h200-2048"), slow={(LARGE, 4): 0.7})))
    return path


def told(found: Page, selector: str) -> str:
    """The text of an element on one line."""
    return " ".join(found.text(selector).split())


def test_verdict_and_cable_come_first(visit: Visit, keep: Keep, lab_page: Path) -> None:
    found = visit(lab_page)
    keep(found, "performance-lab")
    assert told(found, ".verdict").startswith("✕ Failed 8 of 72 measurements failed.")
    assert told(found, ".cable") == (
        f"{NODE} rail2p1 rack su02-rack01 L1.2.2/01-N2.1/r2p1 {LEAF} swp1s1 rack not known"
    )
    top = found.eval("document.querySelector('.cable').getBoundingClientRect().bottom")
    assert top < 600, "a person sees both ends without scrolling"


def test_map_leads_from_an_su_to_its_ports(visit: Visit, keep: Keep, large_page: Path) -> None:
    found = visit(large_page)
    cells = found.eval(CELLS)
    assert len(cells) == 4 * 8
    # The neighbours of a slow NIC met it too: those beside it, and those in the SUs before and after.
    assert {number for number, (css, _text) in enumerate(cells) if css in ("all", "some")} == {
        8 + 4,
        16 + 4,
        24 + 4,
    }
    assert cells[16 + 4][0] == "all"
    found.eval("document.querySelectorAll('.heat button')[2].click()")
    found.wait("location.hash === '#map/0/2'")
    cells = found.eval(CELLS)
    keep(found, "performance-su")
    assert len(cells) == 64 * 8
    assert [number for number, (css, _text) in enumerate(cells) if css == "all"] == [17 * 8 + 4]
    assert f"{LARGE} to" in told(found, "#heat ul")
    found.eval("document.querySelectorAll('#views button')[1].click()")
    found.wait("location.hash === '#map/1/2'")
    assert "limit 372 Gb/s" in told(found, "#heat")
    found.eval("document.querySelector('nav a[href=\"#figures\"]').click()")
    found.wait("location.hash === '#figures'")
    assert len(found.eval(CELLS)) == 64 * 8, "the map is left as it is"


def test_a_cell_says_what_it_is(visit: Visit, lab_page: Path) -> None:
    found = visit(lab_page, "map/0/1")
    titles = found.eval("[...document.querySelectorAll('.heat td')].map((one) => one.title)")
    assert len(titles) == 6
    (slow,) = [title for title in titles if title.startswith(f"{NODE}, rail 2")]
    assert re.fullmatch(rf"{NODE}, rail 2: lowest 18\d Gb/s, 4 of 4 measurements failed", slow)
    assert f"{NODE}, rail 1: lowest 39" in str(titles)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(visit: Visit, keep: Keep, lab_page: Path, scheme: str) -> None:
    """Text differs from its ground by 4.5 to 1 (WCAG 2, level AA), in the map too."""
    found = visit(lab_page, "map/0/1")
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    found.call("Emulation.setEmulatedMedia", features=features)
    keep(found, f"performance-{scheme}")
    assert found.eval(CONTRAST) == []


@pytest.mark.parametrize("which", ["lab_page", "large_page"])
def test_a_narrow_window_scrolls_down_only(
    visit: Visit, keep: Keep, request: pytest.FixtureRequest, which: str
) -> None:
    found = visit(request.getfixturevalue(which))
    size = {"width": 400, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    found.call("Emulation.setDeviceMetricsOverride", **size)
    keep(found, f"performance-narrow-{which}")
    assert found.eval("document.documentElement.scrollWidth") <= 400


def test_2048_nodes_are_quick(visit: Visit, tmp_path: Path) -> None:
    fabric = example("multiplane-16384")
    record = runs.of(fabric, levels=["rails"])
    path = tmp_path / "run.html"
    path.write_text(page.page(record))
    assert path.stat().st_size < 400_000
    found = visit(path)
    milliseconds = (
        "(() => { const t = performance.now(); show(); return performance.now() - t; })()"
    )
    assert found.eval(milliseconds) < 2000
    assert found.eval("document.querySelectorAll('.heat td').length") == 8 * 8 * fabric.clos.planes


def test_the_sheet_is_one_page_of_paper(
    visit: Visit, lab: tuple[Fabric, RunRecord], tmp_path: Path
) -> None:
    """Also with the figures of all levels."""
    first = lab[1]["tests"]
    every: RunRecord = {
        **lab[1],
        "tests": [{**test, "level": f"{test['level']} {n}"} for n in range(3) for test in first],
    }
    path = tmp_path / "sheet.html"
    path.write_text(handover.handover(every))
    found = visit(path)
    pdf = base64.b64decode(found.call("Page.printToPDF", preferCSSPageSize=True)["data"])
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
    assert found.eval("document.querySelectorAll('tbody tr').length") == 18


def test_the_run_on_the_atlas(
    visit: Visit, keep: Keep, lab: tuple[Fabric, RunRecord], tmp_path: Path
) -> None:
    fabric, record = lab
    found = overlay.of(fabric, record)
    atlas.write(fabric, Registry.load(fabric), Output(str(tmp_path)), performance=found)
    shown = visit(tmp_path / "atlas.html")
    assert told(shown, "#measured") == (
        "Last performance run: 2026-11-25 03:52 UTC ✕ 8 of 72 measurements failed."
    )
    suspected = "[...document.querySelectorAll('.suspect')].map((one) => one.dataset.name).sort()"
    assert shown.eval(suspected) == [LEAF, NODE]
    shown.eval("document.querySelector('#measured a').click()")
    shown.wait("location.hash === '#performance'")
    keep(shown, "performance-atlas")
    answer = told(shown, "#answer")
    assert f"{NODE} rail2p1 to {LEAF} swp1s1" in answer
    assert f"{NODE} rail2p1 8 of 12 measurements failed 18" in answer
    shown.go((tmp_path / "atlas.html").as_uri() + f"#{NODE}")
    assert "The last performance run suspects it or a cable of it" in told(shown, "#answer")


def test_an_atlas_without_a_run_says_nothing_of_it(visit: Visit, tmp_path: Path) -> None:
    fabric = example("lab")
    atlas.write(fabric, Registry.load(fabric), Output(str(tmp_path)))
    shown = visit(tmp_path / "atlas.html", "performance")
    assert told(shown, "#measured") == ""
    assert "No performance run" in told(shown, "#answer")
