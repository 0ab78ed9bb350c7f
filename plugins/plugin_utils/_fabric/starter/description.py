# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A design as the text of `fabric.yml`, with comments for a person.

The comments are those of the typed model, so that they say what the reference says.
"""

from __future__ import annotations

import textwrap
import typing as t

from ..description._third_party import yaml
from ..description.description import ROLES_THAT_WRITE, Description
from ..report.report import sizes

if t.TYPE_CHECKING:
    from ..sizing.designs import Design

SCHEMA = "fabric.schema.json"
"""The schema for editors, beside the description."""
WIDTH = 110
PCI = ("0000:18:00.0", "0000:3b:00.0")
"""Addresses that show the form; a site has its own."""
OPEN: tuple[tuple[str, str], ...] = (
    ("management", "{ntp: [192.0.2.10], dns: [192.0.2.53]}"),
    ("devices", "devices.csv"),
    (
        "wipe",
        '{nic_elsewhere: "the image service flashes and sets the cards of every node it installs"}',
    ),
    ("manage", f"[{', '.join(ROLES_THAT_WRITE)}]"),
)
"""Keys that a site decides later, each with an example."""


def text(design: Design) -> str:
    """The description of a design."""
    data = design.fabric.description.model_dump(exclude_defaults=True)
    parts = [
        f"# yaml-language-server: $schema={SCHEMA}\n" + _comment(_head(design)),
        *(_section(key, data[key]) for key in Description.model_fields if key in data),
        _comment(
            "Decide later; playbook plan names what is needed. Remove '# ' where you have it."
        ),
        *(_later(key, example) for key, example in OPEN),
    ]
    return "\n".join(parts)


def _head(design: Design) -> str:
    return f"{', '.join(sizes(design.fabric))}. The reason for this design: {design.reason}."


def _section(key: str, value: object) -> str:
    made = _comment(_meaning(key)) + _dumped(key, value)
    if key == "nics":
        shown = ", ".join(f'"{one}"' for one in PCI)
        made += f"  # {_meaning_below(key, 'pci')}\n  # pci: [{shown}, ...]\n"
    return made


def _later(key: str, example: str) -> str:
    line = f"{key}: {example}"
    return _comment(_meaning(key)) + textwrap.indent(
        "\n".join(textwrap.wrap(line, WIDTH, subsequent_indent="  ")) + "\n", "# "
    )


def _meaning(key: str) -> str:
    """Return the reference's description of a key."""
    field = Description.model_fields[key]
    section = t.cast("type | None", field.annotation)
    return field.description or (getattr(section, "__doc__", "") or "").partition("\n")[0]


def _meaning_below(section: str, key: str) -> str:
    model = t.cast("t.Any", Description.model_fields[section].annotation)
    return str(model.model_fields[key].description)


def _comment(words: str) -> str:
    return "".join(f"# {line}\n" for line in textwrap.wrap(words, WIDTH))


def _dumped(key: str, value: object) -> str:
    """A key of one value on a line, of a mapping on a line for each of its keys."""
    if isinstance(value, dict):
        return f"{key}:\n" + "".join(f"  {name}: {_inline(one)}\n" for name, one in value.items())
    return f"{key}: {_inline(value)}\n"


def _inline(value: object) -> str:
    made = yaml.safe_dump(value, default_flow_style=True, width=float("inf"))
    return str(made).partition("\n")[0]
