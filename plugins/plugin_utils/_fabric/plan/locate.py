# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Search of a place by an address or a name. From an address or a name to the place, and to the other end of its
cable."""

from __future__ import annotations

import ipaddress
import itertools
import re
import typing as t

from ..catalog.roles import ROLES
from ..description.devices import is_mac
from ..description.errors import FabricError, NotInFabric, nearest, shown
from .addressing import codec, pools
from .addressing.addresses import NET_LINKS
from .addressing.oob import port_of, units_of
from .places import Coordinates, coordinates, site
from .topology.cabling import UP, AnyPort, NicPort, Node, Port, Switch
from .topology.cages import parse
from .topology.converged_cabling import FarEnd, NetPort
from .topology.oob import ACCESS, OobPort

if t.TYPE_CHECKING:
    from .addressing.addresses import AddressMeaning
    from .devices import Devices
    from .topology.cabling import End

_ADDRESS = re.compile(
    r"[0-9]+\.[0-9.]+|(?!([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}$)[0-9A-Fa-f]*:[0-9A-Fa-f:.]*"
)
"""An address in some form, and no MAC address."""


class Place(Coordinates):
    """Location as plain data; that of a port has the other end of its cable."""

    fabric: str
    kind: str
    tier: int
    device: str
    present: bool
    address: t.NotRequired[str | None]
    prefix: t.NotRequired[str | None]
    side: t.NotRequired[str]
    rail: t.NotRequired[int]
    node: t.NotRequired[str]
    port: t.NotRequired[str]
    cage: t.NotRequired[int]
    cable: t.NotRequired[str]
    peer_device: t.NotRequired[str]
    peer_port: t.NotRequired[str]
    peer_address: t.NotRequired[str | None]
    peer_rack: t.NotRequired[str]
    peer_unit: t.NotRequired[str]
    unit: t.NotRequired[str]
    extra: t.NotRequired[str]
    dpu: t.NotRequired[int]
    storage_port: t.NotRequired[int]
    network: t.NotRequired[str]
    tenant: t.NotRequired[str]
    vrf: t.NotRequired[str]
    vlan: t.NotRequired[int]
    l2vni: t.NotRequired[int]
    asn: t.NotRequired[int]


def is_address(text: str) -> bool:
    """Check whether a text is an IP address, or would be one."""
    return not is_mac(text.strip()) and _ADDRESS.match(text.strip()) is not None


def clean(text: str) -> str:
    """Return an address without its prefix length, one of IPv4 as such where it is mapped into IPv6, as in a GID."""
    text = text.strip()
    if not is_address(text):
        return text
    text = text.partition("/")[0]
    mapped = ipaddress.IPv6Address(text).ipv4_mapped if _is_six(text) else None
    return str(mapped or text)


_AROUND = " \t\r\n,;.'\"`()<>{}"
"""Signs around a word in a log or in prose."""
_PLACED = re.compile(
    r"(?:[a-z]{1,9}://)?(?:([0-9]{1,3}(?:\.[0-9]{1,3}){3})|\[([0-9A-Fa-f:.]{2,45})\])(?::[0-9]{1,5})?(?:/.*)?"
)
"""An address with a port, as in a log or URL."""


def bare(text: str) -> str:
    """Return what somebody pasted without the signs around it, and an address without port, zone and URL."""
    text = text.strip(_AROUND).removesuffix(":")
    if (found := _PLACED.fullmatch(text)) and (":" in text or "//" in text):
        return found[1] or found[2]
    return text.partition("%")[0] if is_address(text) else text


def _is_six(text: str) -> bool:
    try:
        return bool(ipaddress.IPv6Address(text))
    except ValueError:
        return False


def locate(fabric: Devices, text: str) -> list[Place]:
    """All places of an address or GID, a device name, `device:port`, a serial, a MAC or a node's place.

    Each place is plain data: fabric, kind, role, tier, device, zero-based coordinates, and where
    the thing is a port: port, cage, address, prefix, peer_device, peer_port, peer_address.
    NotInFabric says what the fabric owns.
    """
    text = clean(text)
    if not is_mac(text) and _ADDRESS.fullmatch(text):
        address, version = codec.number(text)
        return [_place(fabric, found, text) for found in fabric.addresses.find(address, version)]
    return [_named(fabric, text)]


def pasted(fabric: Devices, text: str) -> list[Place]:
    """Find what `locate` finds, also by names in any case, with their domain or without."""
    try:
        return locate(fabric, text)
    except NotInFabric:
        name, colon, port = text.partition(":")
        devices = [*fabric.called(name), *filter(None, [fabric.slot(name.lower())])]
        if not devices or is_address(text):
            raise
        ends = (f"{fabric.name(device)}{colon}{port.lower()}" for device in dict.fromkeys(devices))
        return [place for end in ends for place in locate(fabric, end)]


def _place(fabric: Devices, found: AddressMeaning, text: str) -> Place:
    if found.port is not None:
        return _link(fabric, found.device, found.port, found.side)
    made = _device(fabric, found.device, found.kind)
    made |= t.cast("Place", {"address": text, **found.detail})
    pool = fabric.addresses.pool_of(found.device, found.kind)
    if pool is not None:
        made["prefix"] = pool.base
    if found.kind == "management":
        made["prefix"] = fabric.rows[found.device].management_prefix
    if fabric.oob:
        made |= t.cast("Place", _cable_of(fabric, made, found))
    return made


_MANAGEMENT = ("switch_oob", "host_oob", "management", "oob_extra")


def _cable_of(fabric: Devices, place: Place, found: AddressMeaning) -> dict[str, str]:
    """Return the out-of-band cable of the device that an address is on, where it has one."""
    if found.kind not in _MANAGEMENT or fabric.oob is None:
        return {}
    if extra := place.get("extra"):
        _leaf, port = t.cast("tuple[Switch, Port]", fabric.oob.extra(extra))
        own = fabric.port_name(found.device, port)
        return {"port": own, "peer_device": extra, "peer_port": ""}
    unit = place.get("unit", "host")
    at = OobPort(port_of(unit) if isinstance(found.device, Node) else "eth0")
    end = fabric.end(found.device, at)
    if end is None or isinstance(end, FarEnd):
        return {}
    leaf, there = t.cast("tuple[Switch, Port]", end)
    cable = {"peer_device": fabric.name(leaf), "peer_port": fabric.port_name(leaf, there)}
    return {"port": at.unit, **cable, **_beyond(fabric, leaf)}


def _device(fabric: Devices, device: Node | Switch, kind: str) -> Place:
    place = coordinates(fabric, device)
    made: Place = {
        "fabric": fabric.description.name,
        "kind": kind,
        "tier": ROLES[place["role"]].tier,
        "device": fabric.name(device),
        "present": fabric.present(device),
        **place,  # type: ignore[typeddict-item]  # keys that need not be there
    }
    stated = site(fabric, device)
    stated.pop("mac", None)
    return {**made, **stated}


def _link(fabric: Devices, lower: Node | Switch, port: AnyPort | NetPort, side: int) -> Place:
    """One end of the cable that goes up from a port: side 0 is the lower end."""
    upper, down = t.cast("End", fabric.end(lower, port))
    numbers = fabric.addresses.ends(lower, port)
    ends = ((lower, port, numbers.low), (upper, down, numbers.high))
    (device, at, own), (peer, peer_at, other) = ends[::-1] if side else ends
    name, peer_name = fabric.port_name(device, at), fabric.port_name(peer, peer_at)
    if isinstance(port, NetPort):
        made = _net_link(fabric, device, t.cast(Node, lower), port)
    elif isinstance(lower, Node):
        made = _host_link(fabric, device, lower, t.cast(NicPort, port))
    else:
        made = _device(fabric, device, "inter_switch")
    made |= t.cast("Place", _beyond(fabric, peer))
    return {
        **made,
        "port": name,
        "cage": (parse(name) or parse(peer_name) or (0, 0))[0],
        "address": own or None,
        "prefix": numbers.prefix,
        "peer_device": fabric.name(peer),
        "peer_port": peer_name,
        "peer_address": other or None,
    }


def _beyond(fabric: Devices, peer: Node | Switch) -> dict[str, str]:
    """Return the site's place of the other end."""
    stated = site(fabric, peer)
    keys = {"site_rack": "peer_rack", "site_unit": "peer_unit"}
    return {ours: stated[key] for key, ours in keys.items() if key in stated}  # type: ignore[literal-required]


def _host_link(fabric: Devices, device: Node | Switch, node: Node, nic: NicPort) -> Place:
    """Either end, the node or its leaf, has the place of the node."""
    side = int(device != node)
    stated = site(fabric, device)
    for own in ("serial", "mac"):
        stated.pop(own, None)  # type: ignore[misc]  # they are the device's, not the port's
    return {
        **stated,  # type: ignore[typeddict-item]  # keys that need not be there
        "fabric": fabric.description.name,
        "kind": "host_link",
        "side": ("host", "leaf")[side],
        "tier": side,
        "role": ("node", "leaf")[side],
        "device": fabric.name(device),
        "present": fabric.present(node),
        "plane": nic.plane,
        "pod": node.pod,
        "su": node.su,
        "rail": nic.rail,
        "node": fabric.name(node),
        "slot": node.slot,
        "rack": node.slot // fabric.clos.nodes_per_rack,
    }


def _net_link(fabric: Devices, device: Node | Switch, node: Node, port: NetPort) -> Place:
    """Either end of the cable of a node on the converged fabric."""
    made = _device(fabric, device, NET_LINKS[port.network])
    for own in ("serial", "mac"):
        made.pop(own, None)  # type: ignore[misc]  # they are the device's, not the port's
    side = ("host", "leaf")[int(device != node)]
    there = {"network": port.network, "side": side, "node": fabric.name(node)}
    return {**made, **there, "present": fabric.present(node)}  # type: ignore[typeddict-item]


def _outside(fabric: Devices, device: Switch, port: Port, end: FarEnd) -> Place:
    """A port of a leaf that is cabled to an array, a server or the outside, whose own port is not known."""
    name = fabric.port_name(device, port)
    cage = (parse(name) or (0, None))[0]
    if port.kind == ACCESS:
        own = codec.text(fabric.addresses.behind(device, port, end.kind), 4)
        made = _device(fabric, device, "oob_extra")
        there = {"port": name, "cage": cage, "address": own, "extra": end.name}
        return {**made, **there, "peer_device": end.name, "peer_port": ""}  # type: ignore[typeddict-item]
    made = _device(fabric, device, f"{end.kind}_link")
    there = {"port": name, "cage": cage, "address": None, "prefix": None}
    return {**made, **there, "peer_device": end.name, "peer_port": ""}  # type: ignore[typeddict-item]


def _access(fabric: Devices, device: Node | Switch, name: str, end: t.Any, *, lower: bool) -> Place:
    """Either end of an out-of-band cable, with the first address behind it."""
    far, at = end
    leaf: Switch = t.cast(Switch, far if lower else device)
    port = t.cast(Port, at if lower else fabric.port(device, name))
    unit = name if lower else at.unit
    own = codec.text(fabric.addresses.behind(leaf, port, units_of(unit)[0]), 4)
    made = _device(fabric, device, "oob_link")
    return {
        **made,
        "port": name,
        "address": own if lower else None,
        "peer_device": fabric.name(far),
        "peer_port": fabric.port_name(far, at),
        "peer_address": None if lower else own,
    }


def _named(fabric: Devices, text: str) -> Place:
    name, _colon, port = (text, "", "") if is_mac(text) else text.partition(":")
    device = fabric.device(name) or fabric.slot(name)
    at = fabric.oob.named(name) if fabric.oob and device is None else None
    if at:
        return _port(fabric, at[0], fabric.port_name(*at))
    if device is None:
        raise unknown(fabric, text, "address, device, port or place")
    return _port(fabric, device, port) if port else _device(fabric, device, "device")


_MOST_NAMES = 20_000
"""Names of devices that a near miss is looked for in."""


def unknown(
    fabric: Devices, text: str, kinds: str, *, also: str = "", names: t.Iterable[str] = ()
) -> FabricError:
    """The NotInFabric of a text that is nothing of these kinds, with a near miss among devices and `names`.

    `also` is what else is known.
    """
    devices = map(fabric.name, itertools.islice(fabric.devices(), _MOST_NAMES))
    near = nearest(text.lower(), [*names, *devices])
    return NotInFabric.of(
        f"{shown(text)} is not an {kinds} of fabric {fabric.description.name}{near}{also}: use a name such as "
        f"{fabric.some_name()}, or an address of {fabric.addresses.pool_text()}."
    )


def _port(fabric: Devices, device: Node | Switch, name: str) -> Place:
    port = fabric.port(device, name)
    end = fabric.end(device, port) if port is not None else None
    if port is None or end is None:
        raise NotInFabric.of(
            f"{fabric.name(device)} has no cable at {shown(name)}: use a port such as "
            f"{_some_port(fabric, device)}."
        )
    if isinstance(end, FarEnd):
        return _outside(fabric, t.cast(Switch, device), t.cast(Port, port), end)
    if isinstance(port, OobPort):
        return _access(fabric, device, port.unit, end, lower=True)
    if isinstance(end[1], OobPort):
        return _access(fabric, device, name, end, lower=False)
    if isinstance(device, Node) or t.cast(Port, port).kind == UP:
        return _link(fabric, device, port, 0)
    return _link(fabric, end[0], end[1], 1)


def _some_port(fabric: Devices, device: Node | Switch) -> str:
    if isinstance(device, Node):
        return fabric.port_name(device, next(fabric.cabling.nic_ports()))
    return fabric.port_name(device, next(fabric.cabling_of(device).ports(device)))


def address_of(fabric: Devices, place: str | Place, *, side: str = "host") -> str:
    """The address of a place: the inverse of `locate`.

    `place` is `device:port`, `su01/h01/rail1p1`, a switch's name (its loopback), or a place as
    `locate` gives it. `side` (host or leaf) says which end of a host link is meant when the place
    itself does not.
    """
    if side not in _END:
        raise FabricError.of(f"side: '{side}' is not allowed: use {' or '.join(_END)}.")
    if isinstance(place, dict):
        return _address_of_dict(fabric, place)
    if not isinstance(place, str):
        raise FabricError.of(
            f"{place!r} is not a place: name a NIC port such as {_some_nic(fabric)}, or a switch."
        )
    text = place.strip()
    head, _slash, last = text.rpartition("/")
    if head and (fabric.names.nic_port(last) or fabric.names.net_port(last)):
        text = f"{head}:{last}"
    found = _named(fabric, text)
    if found["kind"] in ("host_link", *NET_LINKS.values()) and found["address"]:
        return str(found["address"] if found["side"] == side else found["peer_address"])
    if found["kind"] == "inter_switch" and found["address"]:
        return str(found["address"])
    device = fabric.known(found["device"])
    if isinstance(device, Switch) and found["kind"] == "device":
        return codec.text(fabric.addresses.loopback(device), 4)
    raise _without_address(fabric, place)


def _address_of_dict(fabric: Devices, place: Place) -> str:
    """Return the address of a place as `locate` gives it, built or not."""
    name = str(place.get("device", ""))
    if "port" in place and place.get("kind") not in _MANAGEMENT:
        address = _named(fabric, f"{name}:{place['port']}")["address"]
        if address:
            return str(address)
        raise _without_address(fabric, f"{name}:{place['port']}")
    device = fabric.device(name) or fabric.known(name)
    if place.get("kind") in ("switch_oob", "management"):
        return fabric.addresses.management(device).text
    number = _carried(fabric, device, place)
    pool = fabric.addresses.pools.get(str(place.get("kind")))
    return (
        address_of(fabric, name)
        if number is None
        else codec.text(number, pool.version if pool else 4)
    )


def _carried(fabric: Devices, device: Node | Switch, place: Place) -> int | None:
    """The address of a kind that a device carries besides its ports; None of another kind."""
    addresses, kind = fabric.addresses, place.get("kind")
    if addresses.oob and kind == "oob_extra":
        return (addresses.oob.extra(str(place.get("extra"))) or (None,))[0]
    if isinstance(device, Switch):
        if kind == "oob_gateway" and addresses.oob and ROLES[device.role].oob:
            return addresses.oob.of_kind(device, str(place.get("unit"))).gateway
        if kind == "oob_gateway":
            return addresses.management(device)[2] or None
        ask = {"loopback": addresses.loopback, "vtep": addresses.vtep}.get(str(kind))
        return ask(device) if ask else None
    if addresses.oob and str(place.get("unit")).startswith("dpu"):
        return addresses.oob.of_unit(device, str(place.get("unit")))
    if kind == "host_oob":
        return addresses.management(device, pools.oob_index(str(place.get("unit"))))[0]
    if kind == "oob_gateway":
        return addresses.in_pool("host_oob", device, index=pools.OOB_GATEWAY)
    if kind == "dpu":
        return addresses.in_pool("dpu", device, index=place.get("dpu", 0))
    if kind == "storage":
        side = int(place.get("side") == "leaf")
        return addresses.in_pool("storage", device, index=place.get("storage_port", 0), side=side)
    return None


def _without_address(fabric: Devices, text: str) -> FabricError:
    return NotInFabric.of(
        f"{shown(text)} has no address of its own: name a NIC port such as {_some_nic(fabric)}, or a "
        "switch for its loopback."
    )


def _some_nic(fabric: Devices) -> str:
    node = next(fabric.nodes(), next(fabric.cabling.nodes()))
    return f"{fabric.name(node)}:{_some_port(fabric, node)}"


_END = {"host": "NIC", "leaf": "leaf"}


def sentence(place: Place) -> str:
    """A place as one line for a person; numbers are one-based as in the names."""
    end = _END.get(place.get("side", ""), "leaf").replace("NIC", "node")
    words = [f"{place['fabric']}: {place.get('address') or place['device']} is"]
    what = {
        "host_link": f"the {_END.get(place.get('side', ''), 'leaf')} end of a host link, on",
        "inter_switch": "the end of a link between switches, on",
        **{f"{kind}_link": f"the port of an {kind} link, on" for kind in ("array", "external")},
        "server_link": "the port of a server link, on",
        **{kind: f"the {end} end of a {network} link, on" for network, kind in NET_LINKS.items()},
        "oob_gateway": "the gateway of the out-of-band subnet of",
        "oob_extra": "out-of-band equipment at",
        "oob_link": "the end of an out-of-band cable, on",
        "device": f"a {place['role'].replace('_', '-')}",
    }.get(place["kind"], f"the {place['kind'].replace('_', ' ')} address of")
    words.append(what)
    if place["kind"] != "device":
        words.append(place["device"] + (f" port {place['port']}" if "port" in place else ""))
    words.append(f"({', '.join(_where(place))})")
    if "peer_device" in place:
        other = f" {place['peer_address']}" if place.get("peer_address") else ""
        port = f" port {place['peer_port']}" if place["peer_port"] else ""
        words.append(f"<-> {place['peer_device']}{port}{other}")
        words += [f"({', '.join(there)})"] if (there := _there(place)) else []
    if not place["present"]:
        words.append("[not built]")
    return " ".join(word for word in words if word)


_NUMBERS = ("plane", "pod", "su", "rail", "slot", "rack", "group", "pair", "member", "index")
_SITE = {"site_rack": "rack", "site_unit": "unit"}
_STATED = {"cable": "cable", **_SITE, "serial": "serial", "tenant": "tenant"}
_STATED |= {"vrf": "VRF", "vlan": "VLAN", "l2vni": "L2VNI", "asn": "AS"}
_THERE = {"peer_rack": "rack", "peer_unit": "unit"}


def _where(place: Place) -> list[str]:
    """The place in words; where the site names the rack, its number in the plan is left out."""
    values: t.Mapping[str, object] = place
    numbers = ((name, values.get(name)) for name in _NUMBERS)
    found = [
        f"{name} {number + 1}"
        for name, number in numbers
        if isinstance(number, int) and not (name == "rack" and values.get("site_rack"))
    ]
    return [*found, *_cage(place.get("port", "")), *_words(values, _STATED)]


def _there(place: Place) -> list[str]:
    """The place of the other end in words."""
    return [*_cage(place["peer_port"]), *_words(place, _THERE)]


def _cage(port: str) -> list[str]:
    found = parse(port)
    return [f"cage {found[0]}"] if found else []


def _words(values: t.Mapping[str, object], words: t.Mapping[str, str]) -> list[str]:
    return [f"{word} {values[key]}" for key, word in words.items() if values.get(key)]
