# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Features of a configuration that exclude each other, whatever the release.

NVUE may take both; the switch then does not forward as either says. Only a change of one of them is refused, so that a
switch that has both already is not in the way of other changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ....module_utils._json import Doc
from ..document.paths import Globs, to_text
from ..document.tree import Change, leaves, select
from ..errors import RefusedError


@dataclass(frozen=True)
class Conflict:
    """Two features by the places that show them, with the value that does where not each one does."""

    one: str
    other: tuple[str, ...]
    why: str
    remedy: str
    one_is: str = ""


CONFLICTS = (
    # Cumulus Linux 5.18, EVPN Multihoming: remove any MLAG configuration first.
    Conflict(
        "evpn/multihoming/state",
        ("mlag", "interface/*/bond/mlag"),
        "EVPN multihoming and MLAG exclude each other on a switch",
        "remove MLAG first",
        one_is="enabled",
    ),
    # Cumulus Linux 5.19, System Power and Switch Reboot: no warm mode with bonds, MLAG or EVPN multihoming.
    Conflict(
        "system/reboot/mode",
        ("interface/*/bond/member", "evpn/multihoming/state"),
        "a switch with bonds or EVPN multihoming has no warm reboot",
        "set the mode to cold or fast",
        one_is="warm",
    ),
)


def check_conflicts(
    changes: Iterable[Change], _before: Doc, after: Doc, _user: str | None = None
) -> None:
    """Refuse a change of a feature that brings it beside one that it excludes."""
    changed = [change.path for change in changes if change.after is not None]
    for row in CONFLICTS:
        touched = Globs((row.one, *row.other))
        if not any(touched.covers(path) for path in changed):
            continue
        first = [
            path
            for path, value in leaves(select(after, Globs([row.one])))
            if not row.one_is or value == row.one_is
        ]
        second = [leaf for leaf in leaves(select(after, Globs(row.other))) if leaf[1] != "disabled"]
        if first and second:
            raise RefusedError(
                f"{row.why}, and the change leaves {to_text(first[0])} beside {to_text(second[0][0])}; "
                f"{row.remedy}."
            )
