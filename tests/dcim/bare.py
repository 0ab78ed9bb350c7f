# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost of a bare object in a DCIM: no tag, no field of ours, nothing read, lists of up to 200, two at a time.

The speed of a machine differs from minute to minute. What a push costs is therefore held against this, of a server of
the same kind, which has the machine for itself while the push is stopped now and then. Bodies are those of the REST
APIs' own documents, not of our dialects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from dcim.figures import cpu
from dcim.rest import done, every
from dcim.servers import Server

DEVICES, PORTS = 40, 10
"""Devices, and interfaces of each. Each interface gets an address, and half of them a cable to the other half."""

Body = dict[str, Any]


def costs(server: Server, number: int) -> dict[str, float]:
    """Seconds of CPU that a server takes for a bare object of each endpoint; each round has its own number."""
    return {"netbox": _netbox, "nautobot": _nautobot}[server.kind](server, number)


def _netbox(server: Server, number: int) -> dict[str, float]:
    name = f"bare-{number}"
    site = _one(server, "dcim/sites", name=name, slug=name)
    maker = _one(server, "dcim/manufacturers", name=name, slug=name)
    model = _one(server, "dcim/device-types", manufacturer=maker, model=name, slug=name)
    role = _one(server, "dcim/device-roles", name=name, slug=name, color="9e9e9e")
    found: dict[str, float] = {}
    devices = _counted(
        *(server, found, "dcim/devices"),
        [{**each, "site": site, "device_type": model, "role": role} for each in _devices(name)],
    )
    ports = _counted(
        *(server, found, "dcim/interfaces"),
        [{**each, "type": "800gbase-x-osfp"} for each in _ports(devices)],
    )
    _counted(
        *(server, found, "dcim/cables"),
        _cables(
            ports,
            lambda side, port: {
                f"{side}_terminations": [{"object_type": "dcim.interface", "object_id": port}]
            },
            status="connected",
        ),
    )
    _counted(
        server, found, "ipam/prefixes", [{"prefix": each} for each in _prefixes(number, ports)]
    )
    assigned = {"assigned_object_type": "dcim.interface"}
    _counted(
        *(server, found, "ipam/ip-addresses"),
        [
            {"address": address, **assigned, "assigned_object_id": port}
            for address, port in zip(_prefixes(number, ports), ports, strict=True)
        ],
    )
    return found


def _nautobot(server: Server, number: int) -> dict[str, float]:
    name = f"bare-{number}"
    active, connected = (
        next(every(server, "extras/statuses", name=word))["id"] for word in ("Active", "Connected")
    )
    place = _one(server, "dcim/location-types", name=name, content_types=["dcim.device"])
    location = _one(server, "dcim/locations", name=name, location_type=place, status=active)
    maker = _one(server, "dcim/manufacturers", name=name)
    model = _one(server, "dcim/device-types", manufacturer=maker, model=name)
    role = _one(server, "extras/roles", name=name, content_types=["dcim.device"])
    space = _one(server, "ipam/namespaces", name=name)
    of_device = {"location": location, "device_type": model, "role": role, "status": active}
    found: dict[str, float] = {}
    devices = _counted(
        server, found, "dcim/devices", [{**each, **of_device} for each in _devices(name)]
    )
    ports = _counted(
        *(server, found, "dcim/interfaces"),
        [{**each, "type": "800gbase-x-osfp", "status": active} for each in _ports(devices)],
    )
    _counted(
        *(server, found, "dcim/cables"),
        _cables(
            ports,
            lambda side, port: {
                f"termination_{side}_type": "dcim.interface",
                f"termination_{side}_id": port,
            },
            status=connected,
        ),
    )
    of_space = {"namespace": space, "status": active}
    _counted(
        *(server, found, "ipam/prefixes"),
        [{"prefix": each, **of_space} for each in _prefixes(number, ports)],
    )
    addresses = _counted(
        *(server, found, "ipam/ip-addresses"),
        [{"address": each, **of_space} for each in _prefixes(number, ports)],
    )
    assigned: dict[str, float] = {}
    _counted(
        *(server, assigned, "ipam/ip-address-to-interface"),
        [
            {"ip_address": address, "interface": port}
            for address, port in zip(addresses, ports, strict=True)
        ],
    )
    found["ipam/ip-addresses"] += assigned["ipam/ip-address-to-interface"]
    return found


def _devices(name: str) -> list[Body]:
    return [{"name": f"{name}-{at}"} for at in range(DEVICES)]


def _ports(devices: Sequence[Any]) -> list[Body]:
    return [
        {"device": device, "name": f"swp{at}", "enabled": True, "mtu": 9216}
        for device in devices
        for at in range(PORTS)
    ]


def _cables(ports: Sequence[Any], end: Callable[[str, Any], Body], **more: Any) -> list[Body]:
    half = len(ports) // 2
    pairs = zip(ports[:half], ports[half:], strict=True)
    return [{**end("a", one), **end("b", other), **more} for one, other in pairs]


def _prefixes(number: int, ports: Sequence[Any]) -> list[str]:
    """A /31 of each port, which is an address as well; each round has its own."""
    first = number * len(ports)
    return [
        f"10.{2 * at >> 16}.{2 * at >> 8 & 255}.{2 * at & 255}/31"
        for at in range(first, first + len(ports))
    ]


def _one(server: Server, endpoint: str, **body: Any) -> Any:
    return done(server, f"/api/{endpoint}/", method="POST", body=body)["id"]


def _counted(
    server: Server, found: dict[str, float], endpoint: str, bodies: Sequence[Body]
) -> list[Any]:
    """Write and return ids; what the first objects need once is no cost of an object."""
    first = _written(server, endpoint, bodies[:2])
    before = cpu(server)
    ids = [*first, *_written(server, endpoint, bodies[2:])]
    found[endpoint] = (cpu(server) - before) / (len(bodies) - 2)
    return ids


def _written(server: Server, endpoint: str, bodies: Sequence[Body]) -> list[Any]:
    """Write both halves at once, and return ids."""

    def post(half: Sequence[Body]) -> list[Any]:
        made = done(server, f"/api/{endpoint}/", method="POST", body=half)
        return [each["id"] for each in made]

    middle = len(bodies) // 2
    with ThreadPoolExecutor(2) as pool:
        return [id_ for ids in pool.map(post, (bodies[:middle], bodies[middle:])) for id_ in ids]
