# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of all switches, as people read and approve them. Private.

    changes.txt    changes.html    changes.md, for the comment of a merge request

A heading for each feature, and below it each block of commands once, with all switches that get it.
"""

from __future__ import annotations

import typing as t

from ..._fabric.description.words import count
from ..._nvue.change import commands
from ..._pages import html

Row = t.Mapping[str, object]
TITLE = "Changes of "
MOST_NAMES = 6
WIDTH = 80
MOST_COMMENT = 60_000
"""Characters of the Markdown: GitHub takes 65,536 in a comment."""


class Block(t.NamedTuple):
    """Commands of a feature that several switches share."""

    feature: str
    lines: list[commands.Line]
    devices: list[str]


class Review(t.NamedTuple):
    """Everything that is said of a run: sentences and blocks, each with its switches."""

    differing: int
    devices: int
    sentences: dict[str, list[str]]
    blocks: list[Block]

    @property
    def title(self) -> str:
        """The first line."""
        return f"{TITLE}{self.differing} of {count(range(self.devices), 'switch', 'switches')}"


def review(rows: t.Iterable[Row]) -> Review:
    """Collect what the switches share; of each only its entry of the report is read."""
    features: dict[str, dict[commands.Line, list[str]]] = {}
    sentences: dict[str, list[str]] = {}
    differing = devices = 0
    for row in sorted(rows, key=lambda row: commands.natural(str(row["device"]))):
        name, found = str(row["device"]), t.cast("list[t.Any]", row.get("commands") or [])
        devices += 1
        differing += bool(row.get("paths"))
        for feature, lines in commands.by_feature(found).items():
            shared = features.setdefault(feature, {})
            for line in lines:
                shared.setdefault(line, []).append(name)
        for sentence in t.cast("list[str]", row.get("warnings") or []):
            sentences.setdefault(sentence, []).append(name)
    blocks = [
        Block(feature, lines, names)
        for feature in sorted(features, key=commands.order)
        for names, lines in _shared(features[feature])
    ]
    return Review(differing, devices, sentences, blocks)


def _shared(lines: dict[commands.Line, list[str]]) -> list[tuple[list[str], list[commands.Line]]]:
    """Group the lines that the same switches get, those of many switches first."""
    groups: dict[tuple[str, ...], list[commands.Line]] = {}
    for line, names in lines.items():
        groups.setdefault(tuple(names), []).append(line)
    return sorted(
        ((list(names), own) for names, own in groups.items()), key=lambda one: -len(one[0])
    )


def files(rows: t.Iterable[Row]) -> dict[str, str]:
    """The three files, by name."""
    found = review(rows)
    return {
        "changes.txt": "".join(_text(found)),
        "changes.md": _markdown(found),
        "changes.html": "".join(html.page(found.title, _page(found), more=_STYLE)),
    }


BEGINS = {"changes.txt": TITLE, "changes.md": f"## {TITLE}", "changes.html": html.BEGIN}
"""Beginnings by which an earlier file is recognised."""


def _names(devices: t.Sequence[str]) -> str:
    more = len(devices) - MOST_NAMES
    named = ", ".join(devices[:MOST_NAMES])
    return f"{named} and {more} more" if more > 0 else named


def _lines(block: Block) -> str:
    """The commands, each with its place in the JSON behind it."""
    width = min(max(len(line.command) for line in block.lines), WIDTH)
    return "".join(
        f"{line.command:{width}}  # {line.place}{f', was {line.was}' if line.was else ''}\n"
        for line in block.lines
    )


def _text(found: Review) -> t.Iterator[str]:
    yield f"{found.title}\n"
    for sentence, devices in found.sentences.items():
        yield f"\n{_names(devices)}:\n  {sentence}\n"
    feature = ""
    for block in found.blocks:
        if block.feature != feature:
            feature = block.feature
            yield f"\n{feature}\n{'=' * len(feature)}\n"
        yield f"\n{_names(block.devices)} ({len(block.devices)}):\n{_lines(block)}"


def _markdown(found: Review) -> str:
    """A comment, which ends with a sentence where it would be too long."""
    parts = [f"## {found.title}\n"]
    parts += [f"\n* **{_names(names)}**: {_plain(said)}" for said, names in found.sentences.items()]
    parts += ["\n"] if found.sentences else []
    feature = ""
    size = sum(map(len, parts))
    for number, block in enumerate(found.blocks):
        head = f"\n### {block.feature}\n" if block.feature != feature else ""
        feature = block.feature
        made = (
            f"{head}\n<details><summary>{_plain(_names(block.devices))}: {count(block.lines, 'command')}"
            f"</summary>\n\n```text\n{_lines(block).replace('`', chr(39))}```\n\n</details>\n"
        )
        size += len(made)
        if size > MOST_COMMENT:
            left = found.blocks[number:]
            parts.append(f"\nAnd {count(left, 'block')} more in `changes.html`.\n")
            break
        parts.append(made)
    return "".join(parts)


def _plain(text: str) -> str:
    """Text of a switch that is neither HTML nor Markdown."""
    escaped = html.text(text)
    return "".join(f"\\{letter}" if letter in "\\`*_[]|@#" else letter for letter in escaped)


_STYLE = "\ntd.mono { white-space: normal; overflow-wrap: anywhere; }\n"
_COLUMNS = (("Command", "mono"), ("Place in the JSON", "mono"), ("Before", "mono"))


def _page(found: Review) -> t.Iterator[str]:
    yield html.element("h1", found.title)
    yield html.facts((_names(names), said) for said, names in found.sentences.items())
    feature = ""
    for block in found.blocks:
        if block.feature != feature:
            feature = block.feature
            yield html.heading(feature, "")
        number = count(block.devices, "switch", "switches")
        yield from html.table(_COLUMNS, block.lines, above=f"{number}: {', '.join(block.devices)}")
