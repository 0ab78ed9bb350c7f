# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A browser for the whole run, pages that must stay clean, and pictures of them in build/atlas/."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .browser import Browser, Page, binary

PICTURES = Path(__file__).parents[2] / "build" / "atlas"


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if binary() is None:
        pytest.skip("no Chromium: install the package chromium")
    with Browser(tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens pages; afterwards none of them may have complained or asked the network."""
    pages: list[Page] = []

    def work(path: Path, fragment: str = "") -> Page:
        pages.append(browser.open(path.as_uri() + (f"#{fragment}" if fragment else "")))
        return pages[-1]

    yield work
    for page in pages:
        page.eval("1")
        assert page.troubles == []
        page.call("Page.close")


@pytest.fixture(scope="session")
def keep() -> Callable[[Page, str], None]:
    """Keeps what is visible of a page for people to look at: keep(page, name)."""

    def picture(page: Page, name: str) -> None:
        PICTURES.mkdir(parents=True, exist_ok=True)
        page.screenshot(PICTURES / f"{name}.png")

    return picture
