# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wanted interfaces, typed, and the ones found on the host.

{"name": "rail1p1", "pci": "0000:18:00.0", "address": "172.16.0.0", "length": 31,
 "gateway": "172.16.0.1", "mtu": 9166, "table": 1001,
 "routes": [{"to": "172.16.0.0/15", "metric": 100}]}

A port without an address shares that of its NIC's first port: it gets its name and its MTU.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Union

from .. import _json
from .._nic.check import each, fields_of, whole
from .._nic.discover import full_address, is_address, physical_netdev, rdma_of
from .._nic.errors import NicError
from .._nic.tools import Host
from .records import LinkRow, RouteRow, RuleRow

Network = Union[ipaddress.IPv4Network, ipaddress.IPv6Network]
KEYS = (
    *("name", "card", "pci", "rail", "plane", "address", "length", "gateway", "mtu", "table"),
    *("routes", "peer", "rdma", "bond", "network", "idle"),
)

RP_FILTER = "ipv4.rp_filter"
NO_LINKDOWN = {version: f"ipv{version}.ignore_routes_with_linkdown" for version in (4, 6)}
SETTINGS = (RP_FILTER, "ipv4.arp_ignore", "ipv4.arp_announce", *NO_LINKDOWN.values())
"""Settings of an interface: the version of IP, and the name below net.ipvN.conf."""
ANYWHERE = {4: "0.0.0.0/0", 6: "::/0"}
"""Destination of a default route, by the version of IP."""
LAYER3 = ("length", "gateway", "table", "routes")
"""Fields that only a port with an address has."""


@dataclass(frozen=True)
class Route:
    """A prefix behind the gateway of an interface; a smaller metric wins."""

    to: str
    metric: int


@dataclass(frozen=True)
class Interface:
    """One port of a rail; `address` is "" where another port of its NIC has the rail's.

    `rdma` is what its RDMA device is to be called, "" to leave that as it is. A port of another network
    has its name in `network`, and in `bond` the bond that it is in and that has the address.
    """

    name: str
    pci: str
    address: str
    length: int
    gateway: str
    mtu: int
    table: int
    routes: tuple[Route, ...]
    rdma: str = ""
    bond: str = ""
    network: str = ""

    @property
    def version(self) -> int:
        """4 or 6."""
        return 6 if ":" in self.address else 4

    @property
    def max_length(self) -> int:
        """32 or 128."""
        return 128 if self.version == 6 else 32

    @property
    def cidr(self) -> str:
        """Address and length."""
        return f"{self.address}/{self.length}"


def interfaces_from(data: object) -> tuple[Interface, ...]:
    """The option `interfaces` of the module; NicError with one sentence."""
    return tuple(interface_from(entry, f"interfaces[{n}]") for n, entry in enumerate(each(data)))


def interface_name(value: object, where: str) -> str:
    """A name of a network device; NicError when it is none."""
    name = str(value or "")
    if not re.match(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,14}$", name):
        raise NicError(f"{where}.name: '{name}' is not an interface name of 1 to 15 characters.")
    return name


def interface_from(data: object, where: str) -> Interface:
    """One port, of a rail or of another network; NicError with one sentence."""
    known = fields_of(data, where, KEYS)
    name, pci = interface_name(known.get("name"), where), str(known.get("pci") or "")
    if not is_address(pci):
        raise NicError(f"{where}.pci: '{pci}' is not a PCI address such as 0000:1a:00.0.")
    rdma = str(known.get("rdma") or "")
    if not re.match(r"^([A-Za-z][A-Za-z0-9_.-]{0,62})?$", rdma):
        raise NicError(
            f"{where}.rdma: '{rdma}' is not the name of an RDMA device, of 1 to 63 characters."
        )
    addressed = bool(known.get("address"))
    for key in LAYER3:
        if known.get(key) and not addressed:
            raise NicError(
                f"{where}.{key}: {known[key]} needs an address, and the port has none; give it "
                f"an address or remove {', '.join(LAYER3)}."
            )
    return Interface(
        name=name,
        pci=full_address(pci),
        address=address_from(known.get("address"), f"{where}.address") if addressed else "",
        length=whole(known.get("length"), f"{where}.length", 1, 128) if addressed else 0,
        gateway=address_from(known.get("gateway"), f"{where}.gateway") if addressed else "",
        mtu=whole(known.get("mtu", 1500), f"{where}.mtu", 1280, 65535),
        table=whole(known.get("table", 0), f"{where}.table", 0, 2**31),
        routes=routes_from(known.get("routes"), f"{where}.routes"),
        rdma=rdma,
        bond=str(known.get("bond") or ""),
        network=str(known.get("network") or ""),
    )


def routes_from(data: object, where: str) -> tuple[Route, ...]:
    """Parse routes through a gateway; raise NicError with one sentence."""
    return tuple(_route(row, where) for row in each(data))


def _route(data: object, where: str) -> Route:
    known = fields_of(data, where, ("to", "metric"))
    return Route(
        str(network(known.get("to"), where)), whole(known.get("metric", 0), where, 0, 2**31)
    )


def address_from(value: object, where: str) -> str:
    """An address; NicError when it is none."""
    try:
        return str(ipaddress.ip_address(str(value)))
    except ValueError:
        raise NicError(f"{where}: '{value}' is not an address.") from None


def network(value: object, where: str) -> Network:
    """A prefix; NicError when it is none."""
    try:
        return ipaddress.ip_network(str(value), strict=False)
    except ValueError:
        raise NicError(f"{where}: '{value}' is not a prefix such as 172.16.0.0/12.") from None


@dataclass(frozen=True)
class LiveState:
    """The live state: interfaces by name, all routes by hop, all rules, as iproute2 prints them.

    `settings` are those of `SETTINGS` of `all` and of the wanted interfaces, by their names now;
    `rdma` are the names of RDMA devices now, by PCI address, of ports that have one.
    """

    links: dict[str, LinkRow]
    routes: tuple[RouteRow, ...]
    rules: tuple[RuleRow, ...]
    by_pci: dict[str, str]
    settings: dict[str, dict[str, int]] = field(default_factory=dict)
    rdma: dict[str, str] = field(default_factory=dict)

    def name_of(self, one: Interface) -> str:
        """Return the current name of the port, "" where the driver shows none."""
        return self.by_pci.get(one.pci, "")

    def wrong_rdma(self, one: Interface) -> str:
        """Return the current name of its RDMA device where the plan has another, else ""."""
        name = self.rdma.get(one.pci, "")
        return name if one.rdma and name != one.rdma else ""


def read(
    host: Host, wanted: Iterable[Interface], *, version: int = 4, more: bool = False
) -> LiveState:
    """Everything in three calls and a few looks into sysfs and procfs.

    With `more` details of bonds and VLANs, and routes and rules of both versions of IP: two calls more.
    """
    by_pci = {one.pci: physical_netdev(host, one.pci) for one in wanted}
    versions, details = ((4, 6), ("-d",)) if more else ((version,), ())
    routes = [
        row for v in versions for row in _rows(host, f"-{v}", "route", "show", "table", "all")
    ]
    return LiveState(
        links={row["ifname"]: row for row in links(host, *details)},
        routes=by_hop(routes),
        rules=tuple(row for v in versions for row in _rows(host, f"-{v}", "rule", "show")),
        by_pci=by_pci,
        settings={name: _settings(host, name) for name in ("all", *by_pci.values()) if name},
        rdma={pci: rdma_of(host, pci) for pci in by_pci},
    )


def links(host: Host, *details: str) -> list[LinkRow]:
    """Read every interface with its addresses; NicError in one sentence."""
    return _rows(host, *details, "address", "show")


def _settings(host: Host, name: str) -> dict[str, int]:
    found = {key: host.number(setting_path(name, key)) for key in SETTINGS}
    return {key: value for key, value in found.items() if value is not None}


def setting_path(name: str, key: str) -> str:
    """Path of an interface's setting in the kernel."""
    version, _dot, own = key.partition(".")
    return f"/proc/sys/net/{version}/conf/{name}/{own}"


def by_hop(routes: Iterable[RouteRow]) -> tuple[RouteRow, ...]:
    """A row for each next hop: the kernel keeps equal routes of several interfaces as one."""
    return tuple({**row, **hop} for row in routes for hop in row.get("nexthops") or [RouteRow()])


def destination(row: RouteRow) -> str:
    """Return the destination of a route, in the spelling of the plan."""
    found = row.get("dst", "")
    return ANYWHERE[6 if ":" in row.get("gateway", "") else 4] if found == "default" else found


def _rows(host: Host, *words: str) -> list[Any]:
    said = host.ask("ip", "-j", *words)
    if said.rc:
        raise NicError(f"ip {' '.join(words)}: it failed: {said.text.strip()}.")
    try:
        rows = _json.parse(said.out or "[]")
    except ValueError:
        raise NicError(f"ip {' '.join(words)}: its answer is not JSON; update iproute2.") from None
    return [row for row in rows if row]


def gid_index(host: Host, rdma: str, netdev: str, address: str) -> int | None:
    """First place of the address, as RoCE v2 of this netdev, in the table of GIDs."""
    base = f"/sys/class/infiniband/{rdma}/ports/1"
    parsed = ipaddress.ip_address(address)
    wanted = parsed if parsed.version == 6 else ipaddress.IPv6Address(f"::ffff:{parsed}")
    indexes = sorted(int(n) for n in host.entries(f"{base}/gids") if n.isdigit())
    for index in indexes:
        if "v2" not in (host.text(f"{base}/gid_attrs/types/{index}") or ""):
            continue
        if (host.text(f"{base}/gid_attrs/ndevs/{index}") or netdev) != netdev:
            continue
        text = host.text(f"{base}/gids/{index}") or ""
        if text and ipaddress.IPv6Address(text) == wanted:
            return index
    return None
