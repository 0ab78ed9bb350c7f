# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Things of a DCIM, sorted by the devices of the plan; for a pull."""

from __future__ import annotations

import typing as t

from .mark import tail
from .part import place_of

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import Device
    from .things import DcimObject


class DcimState(t.NamedTuple):
    """Things of a fabric: its devices, and others by kind and key; names of devices that occur `twice`."""

    devices: dict[Device, DcimObject]
    others: dict[tuple[str, str], DcimObject]
    twice: list[str]

    def interfaces(self, fabric: Fabric) -> Iterator[tuple[Device, str, DcimObject]]:
        """Each interface with its device and its name at the site."""
        for (kind, key), one in self.others.items():
            device = fabric.names.device(place_of(key)) if kind == "interface" else None
            if device is not None:
                yield device, tail(key).partition("/")[2], one


def reading(fabric: Fabric, found: Iterable[DcimObject]) -> DcimState:
    """The things of this fabric: by our key, and a device without one by its name.

    Of two with one key, that with the tag and the name is ours, as somebody copied the other; else neither.
    """
    read = DcimState({}, {}, [])
    several: dict[Device, list[DcimObject]] = {}
    for one in found:
        if one.key and one.key.partition("/")[0] != fabric.description.name:
            continue
        if one.kind == "device":
            device = fabric.names.device(place_of(one.key)) if one.key else fabric.device(one.name)
            if device is not None:
                several.setdefault(device, []).append(one)
        elif one.key:
            read.others[one.kind, one.key] = one
    for device, alike in several.items():
        name = fabric.name(device)
        ranks = [(bool(one.key), one.owned, one.name == name) for one in alike]
        if ranks.count(max(ranks)) > 1:
            read.twice.append(name)
        else:
            read.devices[device] = alike[ranks.index(max(ranks))]
    return read
