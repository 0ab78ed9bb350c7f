# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Making bonds, the VLAN-aware bridge, 802.1Q devices, L2 VNIs and anycast gateways in the kernel.

Each function returns lines for ip(8) or bridge(8) that turn what the kernel has into what is wanted.
A switch has one VXLAN device for all VNIs; here each VNI has one, which is an access port of its VLAN.
"""

from __future__ import annotations

import json

from .kernel import VXLAN, Link
from .layer2 import Bond, Bridge, Layer2, Tagged
from .model import DEFAULT_MTU, Machine
from .shell import run

Links = dict[str, Link]
Vlans = dict[str, dict[int, bool]]
"""The VLANs of each port of the bridge: VLAN -> whether it is the one of untagged frames."""


def surplus(now: Links, wanted: Machine, vtep: str | None) -> list[str]:
    """Devices of before that are not wanted, or not as they are: gone, upper ones first."""
    below = wanted.layer2
    gone = [
        name
        for name, link in now.items()
        if link.kind == "macvlan" and not _fits(name, link, below)
    ]
    gone += [
        name
        for name, link in now.items()
        if link.kind == "vlan" and not _same(link, below.tagged.get(name))
    ]
    gone += [
        name
        for name, link in now.items()
        if _l2vni(link, now) and not _carried(link, below.bridge, vtep)
    ]
    lines = [f"link del {name}" for name in gone]
    for name, link in now.items():
        if link.kind == "bond" and not _bonded(link, below.bonds.get(name)):
            lines.append(f"link del {name}")
    lines += [f"link set {name} nomaster" for name, link in now.items() if _stray(link, now, below)]
    kept = below.bridge.name if below.bridge else None
    return lines + [
        f"link del {name}" for name, link in now.items() if _plain(link) and name != kept
    ]


def bonds(now: Links, below: Layer2, mtu: dict[str, int]) -> list[str]:
    """Bonds with their ports; LACP's system id is the segment's, so that the host sees one partner."""
    lines = []
    for name, bond in below.bonds.items():
        if name not in now or not _bonded(now[name], bond):
            mode = (
                "802.3ad lacp_rate " + ("fast" if bond.fast else "slow")
                if bond.lacp
                else "balance-xor"
            )
            system = f" ad_actor_system {bond.system}" if bond.system and bond.lacp else ""
            lines.append(
                f"link add {name} type bond mode {mode} miimon 100 xmit_hash_policy layer3+4{system}"
            )
        wanted = mtu.get(name, DEFAULT_MTU)
        if name not in now or now[name].mtu != wanted:
            lines.append(f"link set {name} mtu {wanted}")
        for port in (port for port in bond.members if port in now):
            if now[port].details["master"] != name or name not in now:
                lines += [
                    f"link set {port} down",
                    f"addr flush dev {port}",
                    f"link set {port} master {name}",
                    f"link set {port} up",
                ]
            elif not now[port].up:
                lines.append(f"link set {port} up")
    return lines


def bridge(now: Links, below: Layer2, mac: str) -> list[str]:
    """The bridge and its ports; VLANs come with `memberships`."""
    wanted = below.bridge
    if wanted is None:
        return []
    lines = []
    if wanted.name not in now:
        kind = "type bridge vlan_filtering 1 vlan_default_pvid 0 stp_state 0 mcast_snooping 0"
        lines += [
            f"link add {wanted.name} address {mac} {kind}",
            f"link set {wanted.name} mtu {DEFAULT_MTU}",
        ]
        lines += [f"link set {wanted.name} addrgenmode none", f"link set {wanted.name} up"]
    for port in wanted.ports:
        made = port in now or port in below.bonds
        if made and (port not in now or now[port].details["master"] != wanted.name):
            lines += [f"link set {port} master {wanted.name} addrgenmode none"]
    return lines


def tagged(now: Links, below: Layer2) -> list[str]:
    """Subinterfaces and SVIs; one whose port is not plugged is left out."""
    made = {*now, *below.bonds, *([below.bridge.name] if below.bridge else [])}
    return [
        f"link add link {item.base} name {name} type vlan id {item.vlan}"
        for name, item in below.tagged.items()
        if not _same(now.get(name), item) and item.base in made
    ]


def tunnels(now: Links, wanted: Machine, port: int) -> list[str]:
    """A VXLAN device for each VLAN that a VNI carries; up comes after its VLAN."""
    carried = wanted.layer2.bridge
    if carried is None or wanted.vtep is None:
        return []
    lines = []
    for vni in carried.vnis.values():
        name = f"{VXLAN}{vni}"
        if name not in now or not _carried(now[name], carried, wanted.vtep):
            lines += [
                f"link add {name} type vxlan id {vni} dstport {port} local {wanted.vtep} nolearning",
                f"link set {name} master {carried.name} addrgenmode none",
                f"link set {name} type bridge_slave neigh_suppress on learning off",
            ]
        if name not in now or now[name].mtu != wanted.overlay_mtu:
            lines += [f"link set {name} mtu {wanted.overlay_mtu}"]
    return lines


def rises(now: Links, wanted: Machine) -> list[str]:
    """The VXLAN devices that are not up, once they have their VLANs."""
    carried = wanted.layer2.bridge
    if carried is None or wanted.vtep is None:
        return []
    names = [f"{VXLAN}{vni}" for vni in carried.vnis.values()]
    return [f"link set {name} up" for name in names if name not in now or not now[name].up]


def memberships(below: Layer2, has: Vlans) -> list[str]:
    """Lines for bridge(8): the VLANs of every port of the bridge, and of the bridge itself."""
    if below.bridge is None:
        return []
    wanted = _vlans(below.bridge, below.tagged)
    lines = []
    for port, vlans in wanted.items():
        own = " self" if port == below.bridge.name else ""
        now = has.get(port, {})
        lines += [f"vlan del dev {port} vid {vlan}{own}" for vlan in now if vlan not in vlans]
        for vlan, untagged in vlans.items():
            if now.get(vlan) != untagged:
                words = " pvid untagged" if untagged else ""
                lines.append(f"vlan add dev {port} vid {vlan}{words}{own}")
    return lines


def _vlans(wanted: Bridge, devices: dict[str, Tagged]) -> Vlans:
    found: Vlans = {
        wanted.name: {item.vlan: False for item in devices.values() if item.base == wanted.name}
    }
    for port, member in wanted.ports.items():
        found[port] = dict.fromkeys(sorted(member.tagged), False)
        if member.untagged is not None:
            found[port][member.untagged] = True
    for vlan, vni in wanted.vnis.items():
        found[f"{VXLAN}{vni}"] = {vlan: True}
    return found


def has_vlans() -> Vlans:
    """The VLANs that the kernel's bridge ports have."""
    found: Vlans = {}
    for row in json.loads(run(["bridge", "-j", "vlan", "show"]) or "[]"):
        mine = found.setdefault(row["ifname"], {})
        for item in row.get("vlans", []):
            for vlan in range(item["vlan"], item.get("vlanEnd", item["vlan"]) + 1):
                mine[vlan] = "PVID" in item.get("flags", [])
    return found


def anycast(now: Links, wanted: Machine) -> tuple[list[str], list[str]]:
    """Lines for ip(8) and for bridge(8): gateways as macvlan devices, whose MAC address is the bridge's own."""
    lines, entries = [], []
    for svi, item in wanted.layer2.anycast.items():
        name, vrf = f"{svi}-v0", wanted.ports[svi].vrf
        has = now[name].addresses if name in now else frozenset()
        if name not in now:
            lines.append(
                f"link add link {svi} name {name} address {item.mac} type macvlan mode private"
            )
        if vrf and (name not in now or now[name].vrf != vrf):
            lines.append(f"link set {name} master {vrf}")
        lines += [f"addr del {text} dev {name}" for text in sorted(has - item.addresses)]
        if name not in now or now[name].up != item.up:
            lines.append(f"link set {name} {'up' if item.up else 'down'}")
        lines += [
            f"addr replace {text} dev {name} metric 1024" for text in sorted(item.addresses - has)
        ]
        if name not in now:
            own = wanted.layer2.tagged[svi]
            entries.append(f"fdb replace {item.mac} dev {own.base} vlan {own.vlan} self local")
    return lines, entries


def _fits(name: str, link: Link, below: Layer2) -> bool:
    item = below.anycast.get(name.removesuffix("-v0"))
    device = below.tagged.get(name.removesuffix("-v0"))
    return item is not None and device is not None and item.mac == link.mac


def _same(link: Link | None, item: Tagged | None) -> bool:
    if link is None or item is None:
        return False
    return (link.details.get("link"), link.details.get("id")) == (item.base, item.vlan)


def _bonded(link: Link, bond: Bond | None) -> bool:
    if bond is None:
        return False
    mode = "802.3ad" if bond.lacp else "balance-xor"
    system = str(link.details.get("ad_actor_system", "")).lower()
    return link.details.get("mode") == mode and (system == bond.system or not bond.system)


def _l2vni(link: Link, now: Links) -> bool:
    master = now.get(str(link.details["master"]))
    return link.kind == "vxlan" and master is not None and _plain(master)


def _plain(link: Link) -> bool:
    """The bridge of VLANs, not that of an L3VNI."""
    return link.kind == "bridge" and bool(link.details.get("vlan_filtering"))


def _carried(link: Link, carried: Bridge | None, vtep: str | None) -> bool:
    known = {f"{VXLAN}{vni}" for vni in carried.vnis.values()} if carried and vtep else set()
    return link.name in known and link.details.get("local") == vtep


def _stray(link: Link, now: Links, below: Layer2) -> bool:
    """Check whether a port is in a bond or in the bridge, and has to be in another one or in none."""
    master = now.get(str(link.details["master"]))
    if master is None or link.kind == "vxlan":
        return False
    if master.kind == "bond":
        return below.members.get(link.name) != master.name and _bonded(
            master, below.bonds.get(master.name)
        )
    return _plain(master) and not (below.bridge and link.name in below.bridge.ports)
