# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Range keys: ``swp1-64s0-1`` means 128 ports.

NVUE takes ranges as keys and gives them back unexpanded, so both sides of a comparison are
expanded first. Only keys of collections that hold interfaces or VLANs are looked at: a tenant may
well be called ``t21-33``. A port that is also named alone keeps what is said of it alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....module_utils._json import Doc
from ..errors import RefusedError
from .tree import merge

# Collections of the object model whose keys are interfaces or VLANs.
INTERFACES = frozenset({"interface", "neighbor", "watch-interface", "listen", "port"})
VLANS = frozenset({"vlan"})

# More members than any collection of a switch can hold.
MOST = 8192

_PORTS = re.compile(
    r"(?P<name>swp|eth|bond|vlan)(?P<first>\d+)(?:-(?P<last>\d+))?"
    r"(?:s(?P<sub>\d+)(?:-(?P<sublast>\d+))?)?"
)
_NUMBERS = re.compile(r"(?P<first>\d+)(?:-(?P<last>\d+))?")


def expand(doc: Doc, *, unsets: bool = False) -> Doc:
    """Return the document with every range key written out; ``unsets`` keeps what is ``None``."""
    return _expand(doc, "", unsets)


def _expand(doc: Doc, parent: str, unsets: bool) -> Doc:
    kind = parent in INTERFACES or parent in VLANS
    if kind and any("-" in key or "," in key for key in doc):
        doc = _members(doc, vlans=parent in VLANS)
    return {
        key: _expand(value, key, unsets) if isinstance(value, dict) and value else value
        for key, value in doc.items()
        if unsets or value is not None
    }


def _members(doc: Doc, *, vlans: bool) -> Doc:
    named: dict[str, list[str]] = {key: members(key, vlans=vlans) for key in doc}
    written_out: Doc = {}
    for key in sorted(doc, key=lambda key: -len(named[key])):
        for member in named[key]:
            written_out |= merge({member: written_out.get(member)}, {member: doc[key]})
    return written_out


def members(key: str, *, vlans: bool = False) -> list[str]:
    """Return the members that a key means; a key that is not a range means itself.

    >>> members("swp1-2s0-1")
    ['swp1s0', 'swp1s1', 'swp2s0', 'swp2s1']
    """
    found: list[str] = []
    for token in key.split(","):
        match = (_NUMBERS if vlans else _PORTS).fullmatch(token)
        if match is None:
            return [key]
        if vlans:
            found.extend(map(str, _span(match["first"], match["last"], token)))
        else:
            found.extend(_ports(match))
        if len(found) > MOST:
            raise RefusedError(f"The range {key!r} has more than {MOST} members; no switch does.")
    return found


def _ports(match: re.Match[str]) -> Iterator[str]:
    for cage in _span(match["first"], match["last"], match.string):
        if match["sub"] is None:
            yield f"{match['name']}{cage}"
            continue
        for lane in _span(match["sub"], match["sublast"], match.string):
            yield f"{match['name']}{cage}s{lane}"


def _span(first: str, last: str | None, key: str) -> range:
    low, high = int(first), int(last if last is not None else first)
    if high < low:
        raise RefusedError(f"The range {key!r} runs backwards; write the lower number first.")
    if high - low >= MOST:
        raise RefusedError(f"The range {key!r} has more than {MOST} members; no switch does.")
    return range(low, high + 1)
