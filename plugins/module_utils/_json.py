# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one way to read JSON, and what it can hold, as a type: for documents whose keys are not fixed.

parse('{"a": [1]}')     {"a": [1]}
parse("[" * 100_000)    NoJsonError, a ValueError: it has more than 64 levels

What reads a document goes down its levels by functions that call themselves, so that one which is too
deep would end them all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

Json = Union[None, bool, int, float, str, Sequence["Json"], Mapping[str, "Json"]]
Doc = dict[str, Json]

DEEPEST = 64
"""Levels; the deepest path of the published schema of a switch has about fifteen."""
_PLAIN = json.JSONDecoder()


class NoJsonError(ValueError):
    """A text is not the JSON that is awaited; the message says in what."""


def parse(content: Union[str, bytes], *, decoder: Optional[json.JSONDecoder] = None) -> Any:
    """Return what a JSON text holds; NoJsonError for other text, other encodings than UTF-8, and deeper levels."""
    try:
        text = content if isinstance(content, str) else content.decode("utf-8")
        found = (decoder or _PLAIN).decode(text)
    except NoJsonError:
        raise
    except UnicodeError:
        raise NoJsonError("it is not UTF-8") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        raise NoJsonError("it is not JSON") from None
    if text.count("{") + text.count("[") > DEEPEST:
        _check_depth(found)
    return found


def _check_depth(found: object) -> None:
    """Level by level, as a text may be deeper than functions may nest."""
    level = [found] if isinstance(found, (dict, list)) else []
    for _depth in range(DEEPEST):
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return
    raise _too_deep()


def _too_deep() -> NoJsonError:
    return NoJsonError(f"it has more than {DEEPEST} levels")
