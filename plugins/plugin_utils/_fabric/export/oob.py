# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of the out-of-band network: leases for DHCP servers, and which switch hides whom.

    oob/leases.csv        every address behind an access port: device, unit, MAC or serial, leaf and port
    oob/kea-dhcp4.json    of these, those with a MAC address or a serial, for Kea
    oob/dnsmasq.conf      the same for dnsmasq
    oob/hidden.csv        for each switch the devices that nobody reaches while it is down

A switch of Cumulus Linux 5.10 or newer has its serial as client id, so that it needs no MAC address. Segments have
no pool, so that others get no lease; with `quarantine` those of oob.prefix have a small one. Subnets of switches are
spread over all leaves: in both servers they share one network, which the gateway of any leaf selects.
"""

from __future__ import annotations

import ipaddress
import json
import typing as t

from ..plan.addressing import codec
from ..plan.addressing.oob import OF_SWITCHES
from ..plan.topology.converged_cabling import FarEnd
from ..plan.topology.oob import ETH0, LEAF
from ..report.report import csv_lines

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..plan.addressing.oob import OobAddresses, Segment
    from ..plan.fabric import Fabric
    from ..plan.topology.cabling import Port, Switch
    from . import rows

COLUMNS = "device,unit,address,length,gateway,mac,client_id,url,leaf,port,vlan"
PROVISION = 239
"""The option by which Cumulus Linux learns the address of its ZTP script."""


class Lease(t.NamedTuple):
    """An address behind an access port; without MAC address and client id no server can give it."""

    device: str
    unit: str
    address: str
    network: str
    gateway: str
    mac: str
    client_id: str
    url: str
    leaf: str
    port: str
    vlan: int

    @property
    def known(self) -> bool:
        """Check whether a server can recognise the device."""
        return bool(self.mac or self.client_id)

    @property
    def name(self) -> str:
        """The host name: of a unit beside the first that of the device behind its own."""
        return (
            self.device
            if self.unit in ("host", ETH0)
            else f"{self.unit.replace('_', '-')}.{self.device}"
        )


class Net(t.NamedTuple):
    """A subnet of a server, its gateway, and addresses for unknown devices.

    A `shared` one is of switches; of these a `spread` one is on all leaves.
    """

    network: str
    gateway: str
    shared: bool
    spread: bool = False
    pool: tuple[str, ...] = ()


def files(fabric: Fabric, pods: rows.Pods) -> Iterator[tuple[str, Iterable[str]]]:
    """(path, chunks) of each file; none without the network, or of a part of a fabric."""
    if fabric.oob is None or pods is not None:
        return
    found = list(leases(fabric))
    yield "oob/leases.csv", csv_lines(COLUMNS, map(_row, found))
    yield "oob/kea-dhcp4.json", iter([json.dumps(kea(fabric, found), indent=1) + "\n"])
    yield "oob/dnsmasq.conf", dnsmasq(fabric, found)
    yield "oob/hidden.csv", csv_lines("switch,device,unit", hidden(found))


def _leaves(fabric: Fabric) -> Iterator[Switch]:
    return (switch for switch in fabric.in_no_pod() if switch.role == LEAF)


def leases(fabric: Fabric) -> Iterator[Lease]:
    """Every address behind an access port of a leaf, port by port; those of devices that are not built too."""
    numbers = t.cast("OobAddresses", fabric.addresses.oob)
    for leaf in _leaves(fabric):
        for port, device, unit in numbers.accesses(leaf):
            yield _lease(fabric, numbers, leaf, port, device, unit)


def _lease(
    fabric: Fabric, numbers: OobAddresses, leaf: Switch, port: Port, device: t.Any, unit: str
) -> Lease:
    far = isinstance(device, FarEnd)
    segment = t.cast("Segment", numbers.segment_of(leaf, port, unit))
    length, gateway = segment.length, segment.gateway
    row = None if far else fabric.rows.get(device)
    if unit == ETH0:
        _address, length, gateway = fabric.addresses.management(device)
    name = device.name if far else fabric.name(device)
    address = codec.text(fabric.addresses.behind(leaf, port, unit), 4)
    url = t.cast("t.Any", fabric.description.oob).url
    return Lease(
        device=name,
        unit=unit,
        address=address,
        network=str(ipaddress.ip_network(f"{address}/{length}", strict=False)),
        gateway=codec.text(gateway, 4) if gateway else "",
        mac=fabric.macs.get((name if far else device, unit), ""),
        client_id=row.serial if row and unit == ETH0 else "",
        url=f"{url}/ztp/{name}.sh" if url and unit == ETH0 else "",
        leaf=fabric.name(leaf),
        port=fabric.port_name(leaf, port),
        vlan=segment.vlan,
    )


def _row(one: Lease) -> tuple[object, ...]:
    length = one.network.partition("/")[2]
    ids = (one.mac, one.client_id, one.url, one.leaf, one.port, one.vlan)
    return (one.device, one.unit, one.address, length, one.gateway, *ids)


def nets(fabric: Fabric, found: Iterable[Lease]) -> list[Net]:
    """The subnets of the segments, then those of switches, which all leaves' gateways of switches select."""
    numbers, made = t.cast("OobAddresses", fabric.addresses.oob), dict[str, Net]()
    for leaf in _leaves(fabric):
        for one in numbers.segments(leaf):
            gateway = codec.text(one.gateway, 4)
            network = f"{codec.text(one.network, 4)}/{one.length}"
            pool = (
                tuple(codec.text(end, 4) for end in one.pool or ()) if _quarantine(fabric) else ()
            )
            made[network] = Net(network, gateway, one.kind == OF_SWITCHES, pool=pool)
    for lease in found:
        if lease.network not in made and lease.gateway:
            made[lease.network] = Net(lease.network, lease.gateway, shared=True, spread=True)
    return list(made.values())


def _quarantine(fabric: Fabric) -> bool:
    return bool(fabric.description.oob and fabric.description.oob.quarantine)


# Kea


def kea(fabric: Fabric, found: list[Lease]) -> dict[str, t.Any]:
    """The configuration of kea-dhcp4: subnets by relay, and reservations in them."""
    known: dict[str, list[Lease]] = {}
    for lease in found:
        if lease.known:
            known.setdefault(lease.network, []).append(lease)
    subnets = [(one, _subnet(one, known.get(one.network, []))) for one in nets(fabric, found)]
    shared = [subnet for one, subnet in subnets if one.shared]
    relays = [one.gateway for one, _subnet in subnets if one.shared]
    guarded = [one for one, _subnet in subnets if one.pool]
    made: dict[str, t.Any] = {
        "interfaces-config": {"interfaces": ["*"]},
        "host-reservation-identifiers": ["client-id", "hw-address"],
        "option-def": [{"name": "provision-url", "code": PROVISION, "type": "string"}],
        "shared-networks": [
            {"name": "switches", "relay": {"ip-addresses": relays}, "subnet4": shared}
        ],
        "subnet4": [
            {**subnet, "relay": {"ip-addresses": [one.gateway]}}
            for one, subnet in subnets
            if not one.shared
        ],
    }
    if guarded:
        tests = [{"name": _class(one), "test": f"pkt4.giaddr == {one.gateway}"} for one in guarded]
        made["client-classes"] = tests
    return {"Dhcp4": made}


def _class(one: Net) -> str:
    return f"at-{one.gateway}"


def _subnet(one: Net, known: list[Lease]) -> dict[str, t.Any]:
    made: dict[str, t.Any] = {
        "id": int(ipaddress.ip_network(one.network).network_address),
        "subnet": one.network,
        "option-data": [{"name": "routers", "data": one.gateway}],
        "reservations": [_reservation(lease) for lease in known],
    }
    if one.pool:
        made["pools"] = [{"pool": " - ".join(one.pool), "client-class": _class(one)}]
    return made


def _reservation(one: Lease) -> dict[str, t.Any]:
    own = {"client-id": f"'{one.client_id}'"} if one.client_id else {"hw-address": one.mac}
    made: dict[str, t.Any] = {**own, "ip-address": one.address, "hostname": one.name}
    if one.url:
        made["option-data"] = [{"name": "provision-url", "data": one.url}]
    return made


# dnsmasq


def dnsmasq(fabric: Fabric, found: list[Lease]) -> Iterator[str]:
    """The configuration of dnsmasq: it gives an address that is stated, or with `quarantine` one of a pool."""
    yield "# Written by playbook plan; do not edit.\n"
    yield "" if _quarantine(fabric) else "dhcp-ignore=tag:!known\n"
    every = nets(fabric, found)
    spread = [one for one in every if one.spread]
    for number, one in enumerate(every, start=1):
        network = ipaddress.ip_network(one.network)
        address, _slash, _length = one.network.partition("/")
        span = ",".join(one.pool) if one.pool else f"{address},static"
        yield f"dhcp-range=set:net{number},{span},{network.netmask}\n"
        yield f"dhcp-option=tag:net{number},option:router,{one.gateway}\n"
        for other in spread if one.shared and one not in spread else ():
            yield f"shared-network={one.gateway},{other.network.partition('/')[0]}\n"
    for lease in found:
        if lease.known:
            own = f"id:{lease.client_id}" if lease.client_id else lease.mac
            tag = f",set:{lease.device}" if lease.url else ""
            yield f"dhcp-host={own}{tag},{lease.address},{lease.name.replace('.', '-')}\n"
            if lease.url:
                yield f'dhcp-option=tag:{lease.device},{PROVISION},"{lease.url}"\n'


# Who is out of reach


def hidden(found: Iterable[Lease]) -> Iterator[tuple[str, str, str]]:
    """(switch, device, unit) for everything that nobody reaches while a switch is down: what hangs on a leaf alone."""
    return ((one.leaf, one.device, one.unit) for one in found)
