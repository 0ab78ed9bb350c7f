# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Argument reading that the MFT stand-ins share."""

from __future__ import annotations

from collections.abc import Sequence

from nicsim import hardware
from nicsim.call import ToolError
from nicsim.store import State


def read_options(
    argv: Sequence[str], values: dict[str, str], flags: dict[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Split argv into options and words.

    `values` maps a spelling to the name of an option that takes a value (also as
    `--name=value`), `flags` to one that takes none (stored as "1"). An unknown spelling
    raises ToolError.
    """
    found: dict[str, str] = {}
    words: list[str] = []
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        head, equals, tail = word.partition("=")
        if word in flags:
            found[flags[word]] = "1"
        elif word in values:
            if not rest:
                raise ToolError(f"-E- Missing value for flag {word}.")
            found[values[word]] = rest.pop(0)
        elif equals and head.startswith("--") and head in values:
            found[values[head]] = tail
        elif word.startswith("-") and not words:
            raise ToolError(f"-E- unrecognized option: {word}.")
        else:
            words.append(word)
    return found, words


def device(state: State, token: str) -> tuple[hardware.Nic, hardware.Function]:
    """The device an option named, or the tool's error."""
    found = hardware.find(state, token)
    if found is None:
        raise ToolError(f"-E- Failed to open device: {token}. No such device")
    return found
