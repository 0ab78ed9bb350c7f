# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mlxconfig: the table of non-volatile settings, and what a `set` says about the reset.

The columns have no fixed width across builds: a row is stripped, loses its `*` and `RO` marks and
is split at runs of two or more spaces, else (a value as wide as its column) at single ones.
"""

from __future__ import annotations

import re

from ..records import Settings
from ..tools import Result, failed

NAME = re.compile(r"^[A-Z][A-Z0-9_]*(\[\d+(\.\.\d+)?\])?$")
ALIAS = re.compile(r"^(.*)\(([^()]*)\)$")

REBOOT = "reboot"
POWER_CYCLE = "power_cycle"
NOT_ARMED = "not_armed"
NOTHING = "nothing"
FAILED = "failed"


def parse_query(text: str) -> Settings:
    """The settings of `mlxconfig q` or `mlxconfig -e q`, as printed.

    `default` and `current` are "" in a query without `-e`.
    """
    found: Settings = {}
    in_table = False
    for line in text.splitlines():
        if re.match(r"^Device #\d+:", line):
            in_table = False
        elif line.startswith("Configurations:"):
            in_table = True
        elif in_table:
            words, read_only = _cells(line)
            if len(words) > 1 and NAME.match(words[0]):
                default, current, following = words[1:4] if len(words) > 3 else ("", "", words[-1])
                found[words[0]] = {
                    "default": default,
                    "current": current,
                    "next": following,
                    "read_only": read_only,
                }
    return found


def _cells(line: str) -> tuple[list[str], bool]:
    text = line.strip()
    if text.startswith("*"):
        text = text[1:].strip()
    read_only = bool(re.match(r"RO\s", text))
    if read_only:
        text = text[2:].strip()
    wide = re.split(r"\s{2,}", text)
    narrow = text.split()
    return (wide if len(wide) == len(narrow) else narrow), read_only


def number(value: object) -> str:
    """`True(1)` -> `1`, `0x1f` -> `31`, `ETH` -> `eth`: one spelling for comparing."""
    text = str(int(value)) if isinstance(value, bool) else str(value).strip()
    alias = ALIAS.match(text)
    if alias:
        text = alias.group(2)
    try:
        return str(int(text, 0))
    except ValueError:
        return text.lower()


def same(wanted: object, printed: str) -> bool:
    """Does a printed value (`ETH(2)`) mean the wanted one (`2`, `0x2` or `eth`)?"""
    if number(wanted) == number(printed):
        return True
    alias = ALIAS.match(printed.strip())
    return bool(alias) and str(wanted).strip().lower() == alias.group(1).strip().lower()  # type: ignore[union-attr]


def parse_set(result: Result) -> str:
    """`reboot`, `power_cycle`, `not_armed`, `nothing` or `failed`: what a `set` or `reset` left."""
    text = result.text
    if failed(result) or "Applying... Failed!" in text:
        return FAILED
    if "Please power cycle machine" in text:
        return POWER_CYCLE
    if "Skipped reset preparation" in text:
        return NOT_ARMED
    if "Nothing to set" in text:
        return NOTHING
    return REBOOT
