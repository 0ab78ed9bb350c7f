# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every address and ASN of a fabric, as arithmetic on places, and the way back.

Nothing here is materialised: each value follows from coordinates in constant time.
"""

from __future__ import annotations

import functools
import ipaddress
import itertools
import typing as t
from types import MappingProxyType

from ...description.errors import NotInFabric
from ..topology import converged, oob
from ..topology.cabling import EAST_WEST, UP, AnyPort, Device, NicPort, Node, Port, Switch
from ..topology.converged_cabling import NETWORKS, FarEnd, NetPort
from . import asn as asns
from . import codec, pools, profiles
from .converged import ConvergedAddresses
from .oob import OobAddresses

if t.TYPE_CHECKING:
    from ...description.description import Description
    from ...description.devices import Row
    from ..topology.clos import Clos
    from .table import Table

LINK_NAMES = ("plane", "rail", "pod", "su", "slot", "side")
_OF_SWITCH = ("role", "plane", "ordinal")
_POOL_NAMES = {
    "loopback": _OF_SWITCH,
    "vtep": _OF_SWITCH,
    "switch_oob": _OF_SWITCH,
    "host_oob": ("pod", "su", "slot", "index"),
    "inter_switch": ("site", "plane", "tier", "link", "side"),
}
_CARRIED = (
    "loopback",
    "vtep",
    "switch_oob",
    "host_oob",
    "inter_switch",
    "storage",
    "dpu",
    pools.CONVERGED,
    pools.OOB,
)
_COLUMN = {"switch_oob": "management"}
"""The column of devices.csv that takes the place of an address, where it is named otherwise."""
NET_LINKS = {network: f"{network.replace('-', '_')}_link" for network in NETWORKS}
"""The kind of a routed link by network."""


def link_index(network: str, index: int) -> int:
    """Return the index of a port among the four links of a node in the block `storage`; each network has two."""
    return 2 * list(NETWORKS).index(network) + index


class Ends(t.NamedTuple):
    """The addresses of a cable as text, of its lower end first; "" where it is unnumbered."""

    low: str = ""
    high: str = ""
    length: int = 0

    @property
    def prefix(self) -> str | None:
        """Return the prefix of both ends."""
        if not self.low:
            return None
        address, version = codec.number(self.low)
        rest = (32 if version == 4 else 128) - self.length
        return f"{codec.text(address >> rest << rest, version)}/{self.length}"


class AddressMeaning(t.NamedTuple):
    """Meaning of an address: its kind, the place that has it, and its further coordinates.

    Of a cable `device` and `port` are the lower end; `side` is 0 there and 1 at the other.
    """

    kind: str
    device: Device
    port: AnyPort | NetPort | None = None
    side: int = 0
    detail: t.Mapping[str, int | str] = MappingProxyType({})


class Addresses:
    """Addresses of places, and places of addresses."""

    def __init__(
        self,
        description: Description,
        clos: Clos,
        *,
        table: Table | None = None,
        rows: t.Mapping[Device, Row] | None = None,
    ) -> None:
        self.d, self.clos, self.table = description, clos, table
        self.rows = dict(rows or {})
        self.first_asn = description.addressing.asn_base or asns.FIRST
        self.links = None if table else profiles.link_layout(description, clos)
        self.pools = pools.build(description, clos, self.links)
        self.layouts = {"host links": self.links, **self.pools} if self.links else self.pools
        self.version = table.version if table else self.links.version  # type: ignore[union-attr]
        self.link_length = table.link_length if table else self.links.link_length  # type: ignore[union-attr]
        self.plane_in_address = profiles.carries_plane(description)
        self._pack = {
            name: self.pools[name].packer(names)
            for name, names in _POOL_NAMES.items()
            if name in self.pools
        }
        self._subnet = functools.cache(self._subnet_of)
        counts = converged.of(description, clos)
        self.converged: ConvergedAddresses | None = None
        if counts:
            own = self.pools[pools.CONVERGED]
            self.converged = ConvergedAddresses(own, counts, description.site, first=self.first_asn)
        self.oob = self._of_oob(counts)
        self.routed_ports = _routed(description)
        self.routed_version = self.pools["storage"].version
        if self.links:
            pack = self.links.packer(("site", *LINK_NAMES))
            self._pack_link = functools.partial(pack, description.site)
            self._unpack_link = self.links.unpacker(("site", *LINK_NAMES))
        self._own = {
            codec.number(value): AddressMeaning(kind, device)
            for device, row in self.rows.items()
            for kind in ("loopback", "vtep", "management")
            if (value := getattr(row, kind))
        }

    def _of_oob(self, others: converged.Converged | None) -> OobAddresses | None:
        """The numbers of the out-of-band network, where there is one."""
        counts = oob.of(self.d, self.clos, others)
        if counts is None or self.d.oob is None:
            return None
        cabling = oob.OobCabling(self.d.oob, counts, self.clos, others)
        own, host = self.pools[pools.OOB], self._pack["host_oob"]
        return OobAddresses(own, cabling, host, site=self.d.site, first=self.first_asn)

    def behind(self, leaf: Switch, port: Port, unit: str) -> int:
        """The address of a unit behind an access port of a leaf, the site's own where it states one."""
        own = t.cast(OobAddresses, self.oob)
        end = own.cabling.peer(leaf, port)
        if isinstance(end, FarEnd):
            address, _segment = own.extra(end.name) or (0, None)
            return address
        device = t.cast("tuple[Device, t.Any]", end)[0]
        if isinstance(device, Node) and unit != "host":
            return own.of_unit(device, unit)
        return self.management(device)[0]

    def holds(self, device: Device) -> bool:
        """Check whether the capacity has such a place."""
        c = self.clos
        if isinstance(device, Node):
            return device.pod < c.pods and device.su < c.sus and device.slot < c.slots
        if device.role in asns.CONVERGED:
            return self.converged is not None and self.converged.holds(device)
        if device.role in asns.OOB:
            return self.oob is not None and self.oob.holds(device)
        fits = 0 <= device.pod < (c.groups if device.role == "super_spine" else c.pods)
        return fits and device.plane < c.planes and device.index < c.per_pod(device.role)

    # Host links

    def link(self, node: Node, nic: NicPort) -> tuple[int, int]:
        """The two ends (host, leaf) of a host link; zeros of an absent slot that a table leaves out."""
        if self.table:
            return self.table.links.get((node, nic), (0, 0))
        plane = nic.plane if self.plane_in_address else 0
        pod, su, slot = node
        return (
            self._pack_link(plane, nic.rail, pod, su, slot, 0),
            self._pack_link(plane, nic.rail, pod, su, slot, 1),
        )

    def routes(self, node: Node, nic: NicPort) -> list[str]:
        """Prefixes that a host reaches through this port, the narrowest first."""
        if self.table:
            return self.table.routes(nic)
        if self.links is None:
            return []
        host, _leaf = self.link(node, nic)
        cuts = profiles.host_routes(self.d)
        known = [cut if self.links.carries(cut) else "base" for cut in cuts]
        while len(cuts) > 1 and cuts[0] != "base" and known[0] == "base":
            del cuts[0], known[0]  # one rail: there is nothing narrower than its plane
        made = list(dict.fromkeys(self.links.prefix(host, after=cut) for cut in known))
        return made[:1] if self.clos.by_rail else made

    # Switches

    def ordinal(self, switch: Switch) -> int:
        """The number of a switch within its role and plane, at capacity."""
        return switch.pod * self.clos.per_pod(switch.role) + switch.index

    def loopback(self, switch: Switch) -> int:
        """The loopback and router id."""
        return self._numbered("loopback", switch)

    def vtep(self, switch: Switch) -> int:
        """The VXLAN source of a leaf."""
        return self._numbered("vtep", switch)

    def _numbered(self, kind: str, switch: Switch) -> int:
        row = self.rows.get(switch)
        own = getattr(row, kind) if row else ""
        if own:
            return codec.number(own)[0]
        if self.converged and switch.role in asns.CONVERGED:
            return self.converged.number(kind, switch)
        if self.oob and switch.role in asns.OOB:
            return self.oob.loopback(switch)
        return self._pack[kind](asns.ROLE[switch.role], switch.plane, self.ordinal(switch))

    def asn(self, switch: Switch) -> int:
        """The AS number."""
        row = self.rows.get(switch)
        if row and row.asn:
            return row.asn
        if self.converged and switch.role in asns.CONVERGED:
            return self.converged.asn(switch)
        if self.oob and switch.role in asns.OOB:
            return self.oob.asn(switch)
        return asns.switch(
            switch.role,
            site=self.d.site,
            plane=switch.plane,
            pod=switch.pod,
            index=switch.index,
            first=self.first_asn,
        )

    def leaf_with(self, asn: int) -> Switch | None:
        """The leaf that the plan itself gives an ASN to."""
        place = asns.leaf_of(asn, site=self.d.site, first=self.first_asn)
        leaf = Switch("leaf", *place) if place else None
        return leaf if leaf and self.holds(leaf) and self.asn(leaf) == asn else None

    def converged_with(self, asn: int) -> Switch | None:
        """The switch beside the east-west fabric that the plan itself gives an ASN to; of the spines the first."""
        found = self.converged.with_asn(asn) if self.converged else None
        found = found or (self.oob.with_asn(asn) if self.oob else None)
        return found if found and self.asn(found) == asn else None

    def tier_with(self, asn: int) -> Switch | None:
        """A spine or super-spine that the plan itself gives an ASN to."""
        tier = asns.tier_of(asn, site=self.d.site, first=self.first_asn)
        if tier is None:
            return None
        role, plane, pod = tier
        pods = range(self.clos.groups) if role == "super_spine" else [pod]
        places = itertools.product(pods, range(self.clos.per_pod(role)))
        found = (Switch(role, plane, *place) for place in places)
        return next((s for s in found if self.holds(s) and self.asn(s) == asn), None)

    # Out of band

    def management(self, device: Device, index: int = 1) -> codec.Management:
        """An out-of-band port."""
        row = self.rows.get(device)
        if row and row.management and index == 1:
            return codec.Management(codec.number(row.management)[0], row.management_length)
        if isinstance(device, Node):
            address = self._pack["host_oob"](device.pod, device.su, device.slot, index)
            own = self.oob.subnet(device) if self.oob else None
            subnet = own or self._subnet("host_oob", device.pod, device.su)
            return codec.Management(address, *subnet)
        if self.converged and device.role in asns.CONVERGED:
            return self.converged.management(device)
        if self.oob and device.role in asns.OOB:
            return self.oob.management(device)
        role = asns.ROLE[device.role]
        address = self._pack["switch_oob"](role, device.plane, self.ordinal(device) + 1)
        return codec.Management(address, *self._subnet("switch_oob", role, device.plane))

    def _subnet_of(self, pool: str, *place: int) -> tuple[int, int]:
        """(prefix length, gateway) of the out-of-band subnet of a pod and SU, or of a role and plane."""
        layout, pack = self.pools[pool], self._pack[pool]
        if pool == "host_oob":
            return 32 - layout.shift("slot") - layout.width("slot"), pack(
                *place, 0, pools.OOB_GATEWAY
            )
        return 32 - layout.fields[-1].width, pack(*place, layout.top("ordinal") - 1)

    def in_pool(self, name: str, node: Node, **index: int) -> int:
        """The address of a node in one of its pools; FabricError when an index does not fit."""
        place = {"site": self.d.site, "pod": node.pod, "su": node.su, "slot": node.slot}
        return self.pools[name].encode({**place, **index})

    # Inter-switch links

    def inter_switch(self, lower: Switch, uplink: int) -> tuple[int, int] | None:
        """(lower, upper) address of a numbered link between switches; None when unnumbered."""
        if self.d.addressing.inter_switch == "unnumbered":
            return None
        link = self.ordinal(lower) * self._uplinks(lower.role) + uplink
        tier = 0 if lower.role == "leaf" else 1
        first = self._pack["inter_switch"](self.d.site, lower.plane, tier, link, 0)
        return first, first + 1

    def _uplinks(self, role: str) -> int:
        return self.clos.leaf_up.count if role == "leaf" else self.clos.spine_up.count

    def net_link(self, node: Node, port: NetPort) -> Ends:
        """Both addresses of a routed port of a node on the converged fabric, also where it is in a bond so far."""
        host = self.in_pool("storage", node, index=link_index(*port), side=0)
        return _ends(host, self.routed_version)

    def version_on(self, network: str) -> int:
        """The version of IP that owners have on a network: that of its routed links; subnets are IPv4."""
        if network == EAST_WEST:
            return self.version
        return self.routed_version if network in self.routed_ports else 4

    def pool_of(self, device: Device, kind: str) -> codec.Layout | None:
        """The pool that an address of a kind on a device is from."""
        if isinstance(device, Node):
            return self.pools.get(kind)
        own = pools.OOB if device.role in asns.OOB else kind
        return self.pools.get(pools.CONVERGED if device.role in asns.CONVERGED else own)

    def ends(self, lower: Device, port: AnyPort | NetPort) -> Ends:
        """Both addresses of the cable that goes up from a port."""
        if isinstance(port, NetPort):
            routed = port.network in self.routed_ports
            return self.net_link(t.cast(Node, lower), port) if routed else Ends()
        if isinstance(lower, Node):
            pair = self.link(lower, t.cast(NicPort, port))
            host, leaf = (codec.text(address, self.version) for address in pair)
            return Ends(host, leaf, self.link_length) if pair != (0, 0) else Ends()
        if lower.role in asns.CONVERGED or lower.role in asns.OOB:
            return Ends()  # links beside the east-west fabric are unnumbered
        between = self.inter_switch(lower, t.cast(Port, port).index)
        return _ends(between[0], self.pools["inter_switch"].version) if between else Ends()

    # The way back

    def find(self, address: int, version: int) -> list[AddressMeaning]:
        """Every place that carries an address; NotInFabric says which pools exist."""
        if (address, version) in self._own:
            return [self._own[address, version]]
        found = self.computed(address, version)
        if found:
            return found
        text = codec.text(address, version)
        if spare := self.converged.spare(address) if self.converged and version == 4 else "":
            raise NotInFabric.of(
                f"{text} {spare} in fabric {self.d.name}, and nothing has it: check the address."
            )
        raise NotInFabric.of(
            f"{text} belongs to no place of fabric {self.d.name}, whose pools are {self.pool_text()}: check the "
            "address, or name its fabric's description."
        )

    def computed(self, address: int, version: int) -> list[AddressMeaning]:
        """Find the places of an address in the plan alone, without a site's own values; empty when nothing has it."""
        found = self._host_link(address) if version == self.version else []
        for name in _CARRIED:
            layout = self.pools.get(name)
            if not found and layout and layout.version == version and address in layout:
                return self._in_pool(name, address)
        return found

    def blocks(
        self, version: int
    ) -> list[tuple[str, ipaddress.IPv4Network | ipaddress.IPv6Network]]:
        """The prefixes of an IP version that the plan draws from, by name."""
        return [
            (name, ipaddress.ip_network(layout.base))
            for name, layout in self.layouts.items()
            if layout.version == version
        ]

    def pool_text(self) -> str:
        """The prefixes that the fabric owns, by name."""
        own = [] if self.links else ["host links of the table"]
        return ", ".join(own + [f"{name} {layout.base}" for name, layout in self.layouts.items()])

    def _host_link(self, address: int) -> list[AddressMeaning]:
        if self.table:
            row = self.table.places.get(address)
            return [AddressMeaning("host_link", *row)] if row else []
        values = self._unpack_link(address)
        if values is None:
            return []
        site, plane, rail, *place, side = values
        node = Node(*place)
        own = self.d.site if self.links and self.links.carries("site") else 0
        if site != own or rail >= self.clos.rails or not self.holds(node):
            return []
        return [
            AddressMeaning("host_link", node, NicPort(rail, one), side)
            for one in self._planes(plane, rail)
        ]

    def _planes(self, plane: int, rail: int) -> t.Sequence[int]:
        """The planes that an address can stand in, given what it carries."""
        c = self.clos
        if self.plane_in_address:
            return (plane,) if plane < c.planes else ()
        if plane:
            return ()
        return (rail,) if c.by_rail else range(c.planes)

    def _in_pool(self, name: str, address: int) -> list[AddressMeaning]:
        try:
            f = self.pools[name].decode(address)
        except NotInFabric:
            return []
        if name == pools.CONVERGED:
            return self._of_converged(address)
        if name == pools.OOB:
            return self._in_oob(address)
        if "ordinal" in f:
            return self._switch(name, f)
        if name == "inter_switch":
            return self._inter_switch(f)
        node = Node(f.get("pod", 0), f.get("su", 0), f["slot"])
        if not self.holds(node) or f.get("site", self.d.site) != self.d.site:
            return []
        if name == "host_oob":
            return self._host_oob(node, f["index"])
        if name == "dpu":
            return [AddressMeaning(name, node, detail={"dpu": f["index"]})]
        network = list(NETWORKS)[f["index"] // 2]
        if network in self.routed_ports:
            return self._net_link(node, NetPort(network, f["index"] % 2), f["side"])
        side = ("host", "leaf")[f["side"]]
        return [AddressMeaning(name, node, detail={"storage_port": f["index"], "side": side})]

    def _net_link(self, node: Node, port: NetPort, side: int) -> list[AddressMeaning]:
        """A routed port of a node on the converged fabric, or the port of the leaf that it meets."""
        if port.index >= self.routed_ports[port.network]:
            return []
        return [AddressMeaning(NET_LINKS[port.network], node, port, side)]

    def _of_converged(self, address: int) -> list[AddressMeaning]:
        found = self.converged.find(address) if self.converged else None
        return [] if found is None else self._unless_stated(*found)

    def _unless_stated(self, kind: str, switch: Switch) -> list[AddressMeaning]:
        """Return the switch's computed place, where the site's own file has nothing in its place."""
        row = self.rows.get(switch)
        return (
            [] if row and getattr(row, _COLUMN.get(kind, kind)) else [AddressMeaning(kind, switch)]
        )

    def _in_oob(self, address: int) -> list[AddressMeaning]:
        found = self.oob.find(address) if self.oob else None
        if found is None:
            return []
        kind, device, detail = found
        if detail or isinstance(device, Node):
            return [AddressMeaning(kind, device, detail=detail)]
        return self._unless_stated(kind, device)

    def _host_oob(self, node: Node, index: int) -> list[AddressMeaning]:
        first = node.slot % self.oob.cabling.counts.group if self.oob else node.slot
        if index == pools.OOB_GATEWAY and first == 0:
            return [AddressMeaning("oob_gateway", node)]
        row = self.rows.get(node)
        moved = index == pools.OOB_INDEX["host"] and row and row.management
        if moved or not 1 <= index <= 6:
            return []
        second = self.oob is not None and self.oob.dpus > 1
        unit = pools.oob_unit(index, second=second)
        return [AddressMeaning("host_oob", node, detail={"unit": unit})]

    def _switch(self, name: str, f: dict[str, int]) -> list[AddressMeaning]:
        role = asns.ROLE_OF.get(f["role"], "")
        switch = (
            self._at(role, f.get("plane", 0), f["ordinal"] - (name == "switch_oob"))
            if role
            else None
        )
        if switch is None or (name == "vtep" and role != "leaf"):
            return []
        return self._unless_stated(name, switch)

    def _inter_switch(self, f: dict[str, int]) -> list[AddressMeaning]:
        role = {0: "leaf", 1: "spine"}.get(f["tier"], "")
        per = self._uplinks(role) if role else 0
        if not per or f.get("site", self.d.site) != self.d.site:
            return []
        ordinal, uplink = divmod(f.get("link", 0), per)
        lower = self._at(role, f.get("plane", 0), ordinal)
        return [AddressMeaning("inter_switch", lower, Port(UP, uplink), f["side"])] if lower else []

    def _at(self, role: str, plane: int, ordinal: int) -> Switch | None:
        """The inverse of `ordinal`."""
        switch = Switch(role, plane, *divmod(ordinal, max(1, self.clos.per_pod(role))))
        return switch if self.holds(switch) else None


def _ends(low: int, version: int) -> Ends:
    """A link of two addresses: a /31 or a /127."""
    return Ends(codec.text(low, version), codec.text(low + 1, version), 31 if version == 4 else 127)


def _routed(d: Description) -> dict[str, int]:
    """Ports of a node by network, of the networks whose ports have addresses of their own."""
    net, made = d.networks, dict[str, int]()
    if net and net.front_end and net.front_end.attachment == "routed":
        made["front-end"] = net.front_end.ports_per_node
    if net and net.storage and net.storage.attachment == "routed":
        made["storage"] = net.storage.node_ports
    return made
