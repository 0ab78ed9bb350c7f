# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The code blocks of the guides and the README, and what each is tested as.

A comment right above a block says so:

    .. tested: description of lab-3tier

    .. code-block:: yaml

       name: ...

In the README the comment is ``<!-- tested: description -->`` above a fenced block. The first word
is the kind (see ``test_yaml_blocks.py``), the rest its argument.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GUIDES = ROOT / "docs" / "docsite" / "rst"
README = ROOT / "README.md"

_RST = re.compile(
    r"(?:^ *\.\. tested: (?P<mark>.+)\n\n)?"
    r"^(?P<indent> *)\.\. code-block:: (?P<language>\S+)\n(?: *:.+\n)*\n"
    r"(?P<body>(?:(?:(?P=indent)   .*)?\n)+)",
    re.MULTILINE,
)
_MARKDOWN = re.compile(
    r"(?:^<!-- tested: (?P<mark>[^\n]+) -->\n)?^```(?P<language>\w+)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """One code block: where it stands, its language, the mark above it, and its text."""

    page: str
    line: int
    language: str
    mark: str
    text: str

    @property
    def kind(self) -> str:
        """The first word of the mark."""
        return self.mark.split(" ")[0]

    @property
    def argument(self) -> str:
        """Text behind the first word."""
        return self.mark.partition(" ")[2]

    def quotes(self, output: str) -> bool:
        """Check whether its lines are in an output; `...` is anything."""
        parts = " ".join(self.text.split()).split(" ... ")
        pattern = ".*?".join(re.escape(part) for part in parts)
        return re.search(pattern, " ".join(output.split())) is not None

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[Path]:
    """The README and every guide."""
    return [README, *sorted(GUIDES.glob("*.rst"))]


def blocks(language: str | None = None) -> list[Block]:
    """The code blocks of all pages, of one language where it is given."""
    found = [block for page in pages() for block in _of(page)]
    return [block for block in found if language in (None, block.language)]


def _of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    pattern = _MARKDOWN if page.suffix == ".md" else _RST
    return [_block(page, text, match) for match in pattern.finditer(text)]


def _block(page: Path, text: str, match: re.Match[str]) -> Block:
    line = text.count("\n", 0, match.start("body")) + 1
    body = textwrap.dedent(match["body"]).strip("\n") + "\n"
    return Block(page.name, line, match["language"], match["mark"] or "", body)


def site_files(page: str) -> dict[str, str]:
    """The files of ``model`` that a page has whole: the YAML of a site, and the tables beside it."""
    texts = [block.text for block in blocks() if block.page == page]
    heads = {
        "fabric.yml": "name: ",
        "tenants.yml": "tenants:",
        "devices.csv": "place,",
        "racks.csv": "rack,",
    }
    return {name: next(t for t in texts if t.startswith(head)) for name, head in heads.items()}
