# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which parts of a fabric a run is about: spx_pods and spx_sus, or the hosts of --limit. Private.

A DCIM holds cables and prefixes, which no single host owns. A limit therefore means the whole SU of each node
and leaf in it, the whole pod of each spine, and what belongs to no pod for a super-spine or a converged switch.
"""

from __future__ import annotations

import ipaddress
import typing as t

from ..._dcim.port import Scope
from ..._fabric.description.errors import FabricError
from ..._fabric.export.dcim import converged, prefixes
from ..._fabric.export.dcim.mark import tail
from ..._fabric.export.dcim.part import WHOLE, Part, is_top, parts, su_of
from ..._fabric.export.dcim.wanted import of_kind
from ..._fabric.report.report import pools

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..._fabric.export.dcim.context import Context
    from ..._fabric.export.dcim.things import Ref
    from ..._fabric.plan.fabric import Fabric


class Asked(t.NamedTuple):
    """What a command line asks for: one-based pods and SUs, and the hosts of a limit, if there is one."""

    pods: Sequence[int] = ()
    sus: Sequence[int] = ()
    hosts: Sequence[str] | None = None


def chosen(fabric: Fabric, asked: Asked) -> tuple[Part, ...]:
    """The parts to work on, one after the other; FabricError for numbers outside the capacity.

    All of a fabric of several pods is what belongs to no pod, then each pod, so that memory stays flat.
    """
    if asked.hosts is not None:
        if asked.pods or asked.sus:
            raise FabricError.of(
                "--limit: it chooses SUs, and so do spx_pods and spx_sus: use the limit or the variables."
            )
        return limited(fabric, asked.hosts)
    if asked.pods or asked.sus:
        _inside("spx_pods", asked.pods, fabric.clos.pods)
        _inside("spx_sus", asked.sus, fabric.description.capacity.sus_per_pod)
        return (Part(_zero_based(asked.pods), _zero_based(asked.sus), top=False),)
    return (WHOLE,) if fabric.clos.pods == 1 else tuple(parts(fabric))


def _inside(variable: str, numbers: Iterable[int], most: int) -> None:
    wrong = [number for number in numbers if not 1 <= number <= most]
    if wrong:
        raise FabricError.of(
            f"variable {variable}: {wrong[0]} is outside the capacity: use numbers from 1 to {most}."
        )


def _zero_based(numbers: Iterable[int]) -> tuple[int, ...] | None:
    return tuple(sorted({number - 1 for number in numbers})) or None


def limited(fabric: Fabric, hosts: Iterable[str]) -> tuple[Part, ...]:
    """The parts of the hosts of a limit; FabricError where none of them is a device of the fabric."""
    places: dict[int, set[int] | None] = {}
    top = False
    for name in hosts:
        device = fabric.device(name)
        if device is None:
            continue
        if is_top(device):
            top = True
            continue
        _widen(places, device.pod, su_of(fabric, device))
    made = [Part(pods=())] if top else []
    for pod, sus in sorted(places.items()):
        made.append(Part((pod,), None if sus is None else tuple(sorted(sus)), top=False))
    if not made:
        raise FabricError.of(
            f"--limit: no host of it is a device of fabric {fabric.description.name}: name some, or leave it out."
        )
    return tuple(made)


def _widen(places: dict[int, set[int] | None], pod: int, su: int | None) -> None:
    """Add an SU to its pod, or all of the pod."""
    held = places.setdefault(pod, set())
    if su is None or held is None:
        places[pod] = None
    else:
        held.add(su)


def scope(context: Context) -> Scope:
    """What is read for a part: its devices, the ports at the far ends of its cables, and its networks."""
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
