# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`absent` and `out_of_service` of a description, as a DCIM has the devices.

A node that is not in the DCIM is absent, and one that is there and not only planned is not. A device that
failed or is offline is out of service; one that is active is not.
"""

from __future__ import annotations

import itertools
import typing as t

from ...description import places, yaml_edit
from ...plan.topology.cabling import Node

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...plan.fabric import Fabric
    from .dcim_state import DcimState

DOWN = ("failed", "offline")
"""The statuses of a device that is out of service."""


def text(
    fabric: Fabric, read: DcimState, before: str, *, today: str, whole: bool, devices: str = ""
) -> tuple[str, list[str]]:
    """The description with what differs; `devices` is the file to name where none is named yet."""
    status = {device: str(one.values.get("status") or "") for device, one in read.devices.items()}
    nodes = {device: word for device, word in status.items() if isinstance(device, Node)}
    came = {node for node, word in nodes.items() if word != "planned" and not fabric.present(node)}
    gone = {node for node in fabric.nodes() if node not in nodes} if whole and nodes else set()
    absent = _absent(fabric, came, gone)
    outages, changed = _outages(fabric, {fabric.name(x): word for x, word in status.items()}, today)
    if absent == list(fabric.description.absent) and not changed and not devices:
        return before, []
    yaml, data = yaml_edit.read(before, fabric.source.path)
    if devices:
        data["devices"] = devices
    if absent != list(fabric.description.absent):
        _set(data, "absent", absent)
    if changed:
        _set(data, "out_of_service", outages)
    return yaml_edit.dumped(yaml, data), []


def _set(data: t.Any, key: str, rows: list[t.Any]) -> None:
    """Set a list, keeping the comments at rows that stay; an empty one is left out."""
    old = data.get(key)
    if not rows:
        data.pop(key, None)
        return
    if old is None:
        data[key] = rows
        return
    for number in range(len(old) - 1, -1, -1):
        if old[number] not in rows:
            del old[number]
    for row in rows:
        if row not in old:
            old.append(row)


def _absent(fabric: Fabric, came: set[Node], gone: set[Node]) -> list[str]:
    """The list with some nodes less and others more; an entry that keeps all of its nodes stays as it is."""
    made: list[str] = []
    for entry in fabric.description.absent:
        held = set(_slots(fabric, entry))
        if held & came:
            made += _texts(fabric, held - came)
        else:
            made.append(entry)
    return made + _texts(fabric, gone)


def _slots(fabric: Fabric, entry: str) -> Iterator[Node]:
    """The slots of an entry of `absent`."""
    c = fabric.clos
    for place in places.expand(entry, limits=c.limits):
        pod, su, slot = (*place, None, None)[:3]
        for one in range(c.sus) if su is None else [su]:
            for other in range(c.slots) if slot is None else [slot]:
                yield Node(t.cast(int, pod), one, other)


def _texts(fabric: Fabric, nodes: Iterable[Node]) -> list[str]:
    """Some slots as entries: whole SUs as such, of others the ranges."""
    made = []
    for (pod, su), group in itertools.groupby(sorted(nodes), key=lambda node: node[:2]):
        slots = [node.slot for node in group]
        text_ = places.text_of((pod, su), pods=fabric.clos.pods)
        made.append(text_ if len(slots) == fabric.clos.slots else f"{text_}/{_range(slots)}")
    return made


def _range(slots: list[int]) -> str:
    """`h03` of one slot, `[01-04,07]` of several."""
    if len(slots) == 1:
        return f"h{slots[0] + 1:02}"
    runs = []
    for _step, run in itertools.groupby(enumerate(slots), key=lambda pair: pair[1] - pair[0]):
        first, *_rest, last = [slot + 1 for _n, slot in run] * 2
        runs.append(f"{first:02}-{last:02}" if last > first else f"{first:02}")
    return f"[{','.join(runs)}]"


def _outages(
    fabric: Fabric, status: dict[str, str], today: str
) -> tuple[list[dict[str, t.Any]], bool]:
    """The outages, and whether they differ. Those of single ports are none of the DCIM's."""
    rows = [dict(row) for row in fabric.source.data.get("out_of_service") or []]
    kept = [row for row in rows if row.get("port") or status.get(row["device"]) != "active"]
    new = [
        {"device": name, "since": today, "reason": f"status {word} in the DCIM"}
        for name, word in status.items()
        if word in DOWN and name not in fabric.resting
    ]
    return kept + new, bool(new) or len(kept) != len(rows)
