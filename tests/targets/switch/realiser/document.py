# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading a document, and refusing what this realiser does not understand."""

from __future__ import annotations

from typing import Any

Doc = dict[str, Any]


class Refused(Exception):
    """Something in the document that this realiser does not understand; the text says what."""


def at(doc: Any, *path: str) -> Any:
    """The object below `path`, or an empty one."""
    for key in path:
        doc = doc.get(key, {}) if isinstance(doc, dict) else {}
    return doc


def on(value: Any) -> bool:
    """Check whether a switch of the document is on."""
    return bool(value == "enabled")
