# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a fabric that a run is about: spx_where, or the hosts of --limit. Private.

A DCIM holds cables and prefixes, which no single host owns. A node or leaf therefore means its whole SU, a spine its
whole pod, and a super-spine or a converged switch what belongs to no pod.
"""

from __future__ import annotations

import ipaddress
import typing as t

from ..._dcim.port import Scope
from ..._fabric.audit import selection
from ..._fabric.description.errors import FabricError
from ..._fabric.export.dcim import converged, prefixes
from ..._fabric.export.dcim.mark import tail
from ..._fabric.export.dcim.part import WHOLE, Part, is_top, parts, su_of
from ..._fabric.export.dcim.plan_things import of_kind
from ..._fabric.report.report import pools

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..._fabric.export.dcim.context import Context
    from ..._fabric.export.dcim.things import Ref
    from ..._fabric.plan.fabric import Fabric
    from ..._fabric.plan.topology.cabling import Device
    from ..._fabric.tenants.registry import Registry


def chosen(
    fabric: Fabric,
    registry: Registry | None,
    words: Sequence[str] = (),
    hosts: Sequence[str] | None = None,
) -> tuple[Part, ...]:
    """The parts to work on, one after the other; FabricError for what means none.

    All of a fabric of several pods is what belongs to no pod, then each pod, so that memory stays flat.
    """
    if hosts is not None:
        if words:
            raise FabricError.of("--limit: it chooses SUs, and so does spx_where: use one of them.")
        return limited(fabric, hosts)
    if words:
        named = [device for word in words if (device := fabric.device(word))]
        others = [word for word in words if fabric.device(word) is None]
        places = [_place(fabric, device) for device in named]
        places += selection.meant(fabric, others, registry)
        if not places:
            raise FabricError.of(
                f"spx_where: {', '.join(words)} means no node or switch of fabric {fabric.description.name}: name a "
                "place, such as su01."
            )
        return _parts(places)
    return (WHOLE,) if fabric.clos.pods == 1 else tuple(parts(fabric))


def limited(fabric: Fabric, hosts: Iterable[str]) -> tuple[Part, ...]:
    """The parts of the hosts of a limit; FabricError where none of them is a device of the fabric."""
    named = [device for name in hosts if (device := fabric.device(name))]
    if not named:
        raise FabricError.of(
            f"--limit: no host of it is a device of fabric {fabric.description.name}: name some, or leave it out."
        )
    return _parts([_place(fabric, device) for device in named])


def _place(fabric: Fabric, device: Device) -> tuple[int, ...]:
    """The SU of a node or leaf, the pod of a spine, or () of what belongs to no pod."""
    if is_top(device):
        return ()
    su = su_of(fabric, device)
    return (device.pod,) if su is None else (device.pod, su)


def _parts(places: Sequence[tuple[int, ...]]) -> tuple[Part, ...]:
    """Parts of a scope: first the devices of no pod, then the SUs of each pod, or all of it where a place is a pod."""
    made = [Part(pods=())] if () in places else []
    for pod in sorted({place[0] for place in places if place}):
        inside = [place for place in places if place[:1] == (pod,)]
        sus = None if (pod,) in inside else tuple(sorted({place[1] for place in inside}))
        made.append(Part((pod,), sus, top=False))
    return tuple(made)


def scope(context: Context) -> Scope:
    """Return the scope of a part: its devices, the ports at the far ends of its cables, and its networks."""
    name, place = context.fabric.description.name, context.location.key
    if context.part.whole:
        return Scope(name, place, None, tuple(sorted(set(pools(context.fabric).values()))))
    own = {
        context.device(one).key: context.fabric.name(one)
        for one in context.part.slots(context.fabric)
    }
    beyond, ports = _beyond(context, own)
    keys = tuple(context.key(each, "") for each in prefixes.PLACELESS)
    wanted = (thing for thing in of_kind("prefix", context) if thing.key.startswith(keys))
    return Scope(
        *(
            name,
            place,
            own,
            tuple(prefixes.link_networks(context)),
            _loose(context),
            beyond,
            ports,
            keys,
        ),
        exact=tuple(sorted({str(thing.values["prefix"]) for thing in wanted})),
        top=context.part.top,
    )


def _loose(context: Context) -> tuple[str, ...]:
    """The subnets of storage: the addresses of arrays are on no device, and belong to no pod."""
    if not context.part.top:
        return ()
    whole = {ipaddress.IPv4Network(net.subnet) for net in converged.storage(context) if net.subnet}
    return tuple(map(str, ipaddress.collapse_addresses(whole)))


def _beyond(context: Context, own: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The devices at the far ends of a part's cables, and the names of their ports there."""
    devices: dict[str, str] = {}
    ports = set[str]()
    for cable in of_kind("cable", context):
        for end in t.cast("tuple[Ref, Ref]", cable.values["ends"]):
            key, _slash, port = end.key.rpartition("/")
            device = None if key in own else context.fabric.names.device(tail(key))
            if device is not None:
                devices[key] = context.fabric.name(device)
                ports.add(port)
    return devices, tuple(sorted(ports))
