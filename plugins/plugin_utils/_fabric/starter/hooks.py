# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One file for each hook of a project, all of it commented out: a hook only once somebody removes the `# `."""

from __future__ import annotations

import textwrap
import typing as t

from ..description._third_party import yaml
from ..tenants.hooks import HOOKS, VARIABLES

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..tenants.hooks import Hook

WIDTH = 110


def files() -> dict[str, str]:
    """`hooks/wipe.yml` -> its text, for each hook."""
    return {f"hooks/{hook.name}.yml": text(hook) for hook in HOOKS}


def text(hook: Hook) -> str:
    """A hook's file."""
    tasks = yaml.safe_dump(list(hook.example), sort_keys=False, width=WIDTH)
    lines = [*_head(hook), "", *tasks.splitlines()]
    return "---\n" + "".join(f"# {line}".rstrip() + "\n" for line in lines)


def _head(hook: Hook) -> Iterator[str]:
    yield f"Hook {hook.name}: {hook.does}"
    yield f"It runs in {' and '.join(hook.runs_in)}."
    if hook.confirms:
        yield f"It must confirm '{hook.confirms}' where that is so; an answer of the node itself is not evidence."
    yield "While every line of this file is a comment, the project does not have this hook."
    yield "Variables:"
    for name in hook.variables:
        yield from textwrap.wrap(
            f"{name}: {VARIABLES[name]}", WIDTH - 4, initial_indent="  ", subsequent_indent="    "
        )
    yield "An example:"
