# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables that people write say what the code says: the traces of a contributor, the steps and hooks of a move."""

from __future__ import annotations

import itertools
import re

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.steps import STEPS

from .blocks import GUIDES, ROOT

MOST_FILES = 25
TRACES = (
    "From the description to a VRF on the wire",
    "From ``tenant_move`` to a leaf",
    "From a host to ``mlxconfig``",
)
ROW = re.compile(r"^   \* - (.*(?:\n     [^-].*)*)((?:\n     -.*(?:\n       .*)*)+)", re.MULTILINE)


def section(page: str, title: str) -> str:
    """The text under a heading."""
    text = (GUIDES / page).read_text(encoding="utf-8")
    underlined = re.search(rf"^{re.escape(title)}\n([=^-])\1+\n", text, re.MULTILINE)
    assert underlined, title
    rest = text[underlined.end() :]
    following = re.search(r"^.+\n([=^-])\1{3,}\n", rest, re.MULTILINE)
    return rest[: following.start()] if following else rest


@pytest.mark.parametrize("title", TRACES)
def test_a_trace_names_few_files_that_exist(title: str) -> None:
    files = re.findall(r"``([\w./-]+\.(?:py|yml))``", section("contributing.rst", title))
    assert 5 < len(files) <= MOST_FILES
    assert len(set(files)) == len(files)
    assert [name for name in files if not (ROOT / name).is_file()] == []


def test_the_steps_of_a_move_are_those_of_the_code() -> None:
    found = {}
    for match in ROW.finditer(section("tenants.rst", "A move, step by step")):
        cells = re.split(r"\n     -", match[2])
        if (name := match[1].strip("`")) in STEPS:
            found[name] = tuple(re.findall(r"``(\w+)``", cells[2]))
    assert found == {name: step.hooks for name, step in STEPS.items()}
    assert list(found) == list(STEPS)


LOOKED_UP = {"facts.rst", "reference.rst"}
"""Pages of tables, in which people search."""
EARLY = 24
"""Lines in which a page shows its first example."""
MOST_LINES = 6
"""Of a paragraph or an item of a list."""
HEADING = re.compile(r"^.+\n([=^*-])\1{3,}$", re.MULTILINE)
NO_TEXT = re.compile(r"^ *(\.\. |\* - |- :|:\w|[=+|]{2})|^   * - |^[=-]{4,}( |$)")
ITEM = re.compile(r"^ *(\*|-|[0-9]+\.) ")


def body(page: str) -> str:
    """Text behind the title and the list of contents."""
    text = (GUIDES / page).read_text(encoding="utf-8")
    heading = HEADING.search(text)
    assert heading, page
    return re.sub(r"^\s*(\*+\n)?\s*(\.\. contents::\n +:local:\n)?\s*", "", text[heading.end() :])


def paragraphs(page: str) -> list[list[str]]:
    """The paragraphs and items of a page, as lines; neither code, nor tables, nor directives."""
    text = re.sub(
        r"^( *)\.\. code-block::.*\n(?:(?:\1 +.*)?\n)+", "\n", body(page), flags=re.MULTILINE
    )
    found: list[list[str]] = []
    for part in re.split(r"\n\s*\n", text):
        lines = part.splitlines()
        if not lines or any(map(NO_TEXT.match, lines)):
            continue
        begins = [0, *(n for n, line in enumerate(lines) if n and ITEM.match(line)), len(lines)]
        found += [lines[one:two] for one, two in itertools.pairwise(begins)]
    return found


GUIDE_PAGES = sorted(path.name for path in GUIDES.glob("*.rst"))


@pytest.mark.parametrize("page", [page for page in GUIDE_PAGES if page not in LOOKED_UP])
def test_a_page_begins_with_what_a_reader_wants_to_do_and_an_example(page: str) -> None:
    beginning = "\n".join(body(page).splitlines()[:EARLY])
    first = HEADING.search(beginning)
    example = beginning.find(".. code-block::")
    assert not first or first.start() > 0, "it begins with a heading"
    assert example >= 0, f"no example in its first {EARLY} lines"


@pytest.mark.parametrize("page", GUIDE_PAGES)
def test_no_paragraph_is_long(page: str) -> None:
    found = paragraphs(page)
    assert found or page == "reference.rst"
    assert [lines[0] for lines in found if len(lines) > MOST_LINES] == []
