# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches that take over the traffic of one that is drained."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from .fabric import Fabric
    from .topology.cabling import Switch


def of_switch(fabric: Fabric, switch: Switch) -> Iterator[Switch]:
    """The built switches that do its work: one of them in service is enough.

    For one that relays EVPN routes these are others that do: without any, tenants lose their routes.
    """
    cabling = fabric.cabling_of(switch)
    relays = cabling.relays_evpn
    for other in cabling.alike(switch):
        if other != switch and fabric.present(other) and relays(other) >= relays(switch):
            yield other
