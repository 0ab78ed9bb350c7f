# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The applied configuration beside a plan: is it still the base, and is it what was planned.

A difference is what the next run would still change: the places of the wish, in the neutral spelling,
secrets by their presence only. So a change is done when nothing would be left to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ....module_utils._json import Doc
from ..document import dialect
from ..document.paths import to_text
from ..document.ranges import expand
from ..document.secrets import mask, mask_path
from ..document.shapes import mapping
from ..document.tree import diff
from ..wire import operational
from ..wire.api import Api
from .plan import Plan, Wish, make

MOST_NAMED = 3
WRITE_ONLY = ("system/aaa/user/*/password",)
"""Places that a switch never shows: it keeps the hash of a password alone (D518, User Accounts)."""


@dataclass(frozen=True)
class Readback:
    """The places that are not as planned; ``old`` where nothing of the change shows yet."""

    differences: tuple[str, ...] = ()
    old: bool = False

    @property
    def foreign(self) -> bool:
        """Return whether the switch shows neither the old configuration nor the planned one."""
        return bool(self.differences) and not self.old

    def named(self) -> str:
        """Return the first few places, and how many there are beside them."""
        more = len(self.differences) - MOST_NAMED
        words = ", ".join(self.differences[:MOST_NAMED])
        return f"{words} and {more} more" if more > 0 else words


def is_base(api: Api, plan: Plan) -> bool:
    """Return whether the applied configuration is the one that was planned on; one GET."""
    return _is_base(operational.applied(api), plan)


def _is_base(found: Doc, plan: Plan) -> bool:
    if found == plan.found:
        return True
    now = dialect.from_release(expand(found), plan.release)
    return not diff(mapping(mask(now)), mapping(mask(plan.before)))


def read(api: Api, plan: Plan, wish: Wish) -> Readback:
    """Compare the applied configuration with a plan of a wish; one GET."""
    found = operational.applied(api)
    unmanaged = (*wish.unmanaged, *plan.held.keep, *WRITE_ONLY)
    left = make(found, replace(wish, unmanaged=unmanaged, guard=None, rotate=()), plan.release)
    return Readback(_places(change.path for change in left.changes), _is_base(found, plan))


def _places(paths: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(to_text(mask_path(path)) for path in paths))
