# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ..plugin_utils._edge.project import fabric
from ..plugin_utils._edge.wrappers import Refusal, sentences
from ..plugin_utils._fabric.locate import address_of


@sentences(Refusal)
def address(
    place: str | dict[str, t.Any], description: str | None = None, side: str = "host"
) -> str:
    """The address of a place, as text."""
    return address_of(fabric(description), place, side=side)


@sentences(Refusal)
def locate(text: str, description: str | None = None) -> list[dict[str, t.Any]]:
    """The places of an address or name, as plain data."""
    return fabric(description).locate(str(text))


class FilterModule:
    """Places to addresses, and back."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """The pair."""
        return {"address": address, "locate": locate}
