# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML that is changed and written again with its comments, its quotes and its order.

yaml, data = read(text, "fabric.yml")
data["absent"] = ["su02"]
text = dumped(yaml, data)
"""

from __future__ import annotations

import io
import typing as t
from pathlib import Path

from . import yaml_source
from ._third_party import ruamel
from .errors import FabricError

if t.TYPE_CHECKING:
    from ruamel.yaml import YAML


def _yaml(text: str) -> YAML:
    """A reader and writer that keeps quotes, long lines and the indentation of the text."""
    library = ruamel()
    yaml: YAML = library.YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096
    _data, step, offset = library.util.load_yaml_guess_indent(text or "# none\n")
    lists = any(line.lstrip().startswith("- ") for line in text.splitlines())
    step, offset = (step or 2, offset or 0) if lists else (4, 2)
    yaml.indent(mapping=max(step - offset, 2), sequence=step, offset=offset)
    return yaml


def read(text: str, path: str) -> tuple[YAML, t.Any]:
    """The library and the text in it; it reads days in what is text to other readers."""
    yaml_source.refuse_depth(text, path)
    try:
        yaml = _yaml(text)
        return yaml, yaml.load(text) if text.strip() else None
    except (ruamel().error.YAMLError, ValueError, AssertionError) as exc:
        why = getattr(exc, "problem", None) or exc
        raise FabricError.of(
            f"{Path(path).name}: the file cannot be edited with its comments kept ({why}): write text "
            "that looks like a day in quotes, and no directives or tags."
        ) from exc


def dumped(yaml: YAML, data: object) -> str:
    """The text again, with the comments that it had."""
    stream = io.StringIO()
    yaml.dump(data, stream)
    return stream.getvalue()
