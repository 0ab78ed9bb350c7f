# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Making the kernel as a machine description says: ports, addresses, VRFs, VXLAN devices.

Everything is compared with what the kernel has, so that only differences are touched, and a
half-finished change is finished by the next run. With the netns backend a VRF is a network
namespace of its name, and a port's change of VRF moves it; the vxlan device of an L3VNI is made
in the device's own namespace, where its underlay stays, and then moved. With the kernel backend
a VRF is a vrf device and everything stays in one namespace.
"""

from __future__ import annotations

import hashlib
import itertools
import operator
from collections.abc import Callable, Iterable

from . import kernel, switching
from .kernel import BRIDGE, VXLAN, Link
from .model import Machine, Port, Vrf
from .shell import bridge_batch, ip_batch, run

Links = dict[tuple[str, str], Link]
LAST = "metric 4278198272"
"""Metric of the route at the end of a VRF: FRR reads it as [255/8192], after every other."""
FIRST_TABLE = 1001
KEEP = frozenset({"127.0.0.1/8", "::1/128"})


class Fabricator:
    """Changes the kernel; knows the backend and the device's own MAC address."""

    def __init__(
        self, backend: str, mac: str, await_vrf: Callable[[str], bool], vxlan_port: int = 4789
    ) -> None:
        self.backend = backend
        self.mac = mac
        self._await_vrf = await_vrf
        self.vxlan_port = vxlan_port
        self.absent: list[str] = []
        self._todo: list[tuple[str, str]] = []
        self._devices: set[str] | None = None
        """The VRF devices, once they have been listed: to list all devices is what takes longest in a guest."""

    def add(self, now: Links, wanted: Machine) -> None:
        """Everything that has to be there beside what `prepare` found, VRFs apart; `remove` takes what must go."""
        if self.backend == "kernel":
            now = self._layer2(now, wanted)
        self._loopback(now, "", wanted.loopback)
        self.absent = [port for port in wanted.layer2.members if ("", port) not in now]
        for port in wanted.ports.values():
            self._port(now, port)
        for port in self._forgotten(now, wanted):
            self._port(now, port)
        for vrf in wanted.vrfs.values():
            self._loopback(now, vrf.name, vrf.loopback)
            self._overlay(now, wanted, vrf)
        self._flush()
        if wanted.layer2.anycast:
            self._anycast(now, wanted)

    def _do(self, namespace: str, lines: Iterable[str]) -> None:
        """Have lines for ip(8) carried out with the next `_flush`, in the order in which they came."""
        self._todo += [(namespace, line) for line in lines]

    def _flush(self) -> None:
        """Carry out what is to be done; one process for all that follows one another in a namespace."""
        todo, self._todo = self._todo, []
        for namespace, rows in itertools.groupby(todo, key=operator.itemgetter(0)):
            ip_batch(namespace, [line for dummy, line in rows])

    def _layer2(self, now: Links, wanted: Machine) -> Links:
        """Bonds, bridge, 802.1Q devices and L2 VNIs; their addresses and VRFs come as those of ports.

        Returns the devices that there are then; they are listed again only where some went or came.
        """
        below = wanted.layer2
        if gone := switching.surplus(_named(now), wanted, wanted.vtep):
            ip_batch("", gone)
            now = kernel.links("kernel")
        mtu = {name: port.mtu for name, port in wanted.ports.items()}
        lines = switching.bonds(_named(now), below, mtu)
        lines += switching.bridge(_named(now), below, self._bridge_mac("bridge"))
        lines += switching.tagged(_named(now), below)
        lines += switching.tunnels(_named(now), wanted, self.vxlan_port)
        ip_batch("", lines)
        if any(line.startswith("link add ") for line in lines):
            now = kernel.links("kernel")
        if below.bridge:
            bridge_batch(switching.memberships(below, switching.has_vlans()))
        self._do("", switching.rises(_named(now), wanted))
        return now

    def _anycast(self, now: Links, wanted: Machine) -> None:
        """Gateway addresses that switches share; each device answers for its own addresses only."""
        lines, entries = switching.anycast(_named(now), wanted)
        ip_batch("", lines)
        bridge_batch(entries)
        names = [name for svi in wanted.layer2.anycast for name in (svi, f"{svi}-v0")]
        kernel.sysctl("", {f"net/ipv4/conf/{name}/arp_ignore": "1" for name in names})

    def nudge(self, vrf: str, vni: int) -> None:
        """Take the devices of an L3VNI down and up, so that zebra looks at them again."""
        names = (f"{VXLAN}{vni}", f"{BRIDGE}{vni}")
        lines = [f"link set {name} {state}" for state in ("down", "up") for name in names]
        ip_batch(self._space(vrf), lines, check=False)

    def prepare(self, wanted: Machine) -> Links:
        """Make missing VRFs and take ports down that move, so that filters can be laid between two of their places.

        A port keeps its old filter until it is down, and has its new one before it is up. Returns what there was.
        """
        self._todo = []
        new = sorted(set(wanted.vrfs) - self.vrfs())
        if self.backend == "kernel":
            self._make_vrfs(new)
        else:
            self._make_spaces(new)
        now = kernel.links(self.backend)
        for port in (*wanted.ports.values(), *self._forgotten(now, wanted)):
            link = _port(now, port.name)
            if link and link.vrf != port.vrf:
                self._do(self._space(link.vrf), _flushed(link))
        self._flush()
        return now

    def _make_spaces(self, new: list[str]) -> None:
        for name in new:
            run(["ip", "netns", "add", name])
            kernel.sysctl(name, kernel.FORWARDING)
            ip_batch(name, ["link set lo up"])
        for name in new:
            self._await_vrf(name)

    def remove(self, wanted: Machine) -> None:
        """VRFs that are not wanted any more, with what is left in them."""
        if gone := sorted(self.vrfs() - set(wanted.vrfs)):
            now = kernel.links(self.backend)
            for name in gone:
                self._unmake_vrf(now, name)

    def vrfs(self) -> set[str]:
        """The VRFs that exist, but for that of the management port, which is the lab's."""
        if self.backend == "netns":
            return set(kernel.namespaces())
        if self._devices is None:
            known = {link.name for link in kernel.links("kernel").values() if link.kind == "vrf"}
            self._devices = known - {"mgmt"}
        return set(self._devices)

    def _space(self, vrf: str) -> str:
        """The namespace of a VRF."""
        return vrf if self.backend == "netns" else ""

    def _make_vrfs(self, names: list[str]) -> None:
        """VRF devices, each with a table of its own whose last route leads nowhere."""
        if not names:
            return
        kernel.vrfs_before_local()
        known = [link for link in kernel.links("kernel").values() if link.kind == "vrf"]
        tables = {int(link.details.get("table", 0)) for link in known}
        free = (n for n in range(FIRST_TABLE, FIRST_TABLE + 255) if n not in tables)
        for name, table in zip(names, free):
            self._do("", [f"link add {name} type vrf table {table}", f"link set {name} up"])
            for every in ("0.0.0.0/0", "::/0"):
                self._do("", [f"route replace unreachable {every} table {table} {LAST}"])
        self._flush()
        self._devices = self.vrfs() | set(names)

    def _unmake_vrf(self, now: Links, name: str) -> None:
        for (vrf, port), link in now.items():
            if vrf == name and port.startswith("swp"):
                self._move(link, "")
        self._flush()
        if self.backend == "netns":
            gone = [item.name for item in now.values() if _is_overlay(item) and item.vrf == name]
            ip_batch(name, [f"link del {item}" for item in gone], check=False)
            run(["ip", "netns", "del", name])
            return
        bridges = [item.name for item in now.values() if item.vrf == name and _is_overlay(item)]
        tunnels = [bridge.replace(BRIDGE, VXLAN, 1) for bridge in bridges]
        lines = [f"link del {item}" for item in (*tunnels, *bridges, name)]
        ip_batch("", lines, check=False)
        self._devices = self.vrfs() - {name}

    def _move(self, link: Link, vrf: str) -> None:
        """Take a port into another VRF: down, without addresses, as on a switch."""
        was, flush = self._space(link.vrf), _flushed(link)
        if self.backend == "netns":
            target = vrf or str(kernel.own_pid())
            self._do(was, [*flush, f"link set {link.name} netns {target}"])
        elif vrf:
            self._do("", [*flush, f"link set {link.name} master {vrf}"])
        else:
            self._do("", [*flush, f"link set {link.name} nomaster"])

    def _port(self, now: Links, port: Port) -> None:
        link = _port(now, port.name)
        if link is None:
            self.absent.append(port.name)
            return
        moved = link.vrf != port.vrf
        if moved:
            self._move(link, port.vrf)
        has = frozenset() if moved else link.addresses
        lines = [f"link set {port.name} mtu {port.mtu}"] if link.mtu != port.mtu else []
        lines += [f"addr del {text} dev {port.name}" for text in sorted(has - port.addresses)]
        if moved or link.up != port.up:
            lines.append(f"link set {port.name} {'up' if port.up else 'down'}")
        if self.backend == "netns":
            self._flush()
        self._ipv6(port, moved)
        lines += [f"addr replace {text} dev {port.name}" for text in sorted(port.addresses - has)]
        self._do(self._space(port.vrf), lines)

    def _ipv6(self, port: Port, moved: bool) -> None:
        """Switch IPv6 of a port off or on; a port that just moved has it on."""
        path = f"net/ipv6/conf/{port.name}/disable_ipv6"
        wanted = "0" if port.ipv6 else "1"
        space = self._space(port.vrf)
        if space and not (moved and wanted == "0"):
            kernel.sysctl(space, {path: wanted})
        elif not space:
            try:
                with open(f"/proc/sys/{path}", encoding="ascii") as file:
                    now = file.read().strip()
            except OSError:
                return
            if now != wanted:
                kernel.sysctl("", {path: wanted})

    @staticmethod
    def _forgotten(now: Links, wanted: Machine) -> list[Port]:
        """Ports the document does not name: in the default VRF, up, without addresses."""
        return [
            Port(name, "", link.mtu, True, frozenset(), True)
            for (dummy, name), link in now.items()
            if name.startswith("swp")
            and name not in {*wanted.ports, *wanted.layer2.members}
            and link.kind != "vlan"
        ]

    def _loopback(self, now: Links, vrf: str, wanted: frozenset[str]) -> None:
        space = self._space(vrf)
        device = vrf if self.backend == "kernel" and vrf else "lo"
        link = now.get((vrf if space else "", device))
        has = (link.addresses if link else frozenset()) - KEEP
        lines = [f"addr del {text} dev {device}" for text in sorted(has - wanted)]
        lines += [f"addr replace {text} dev {device}" for text in sorted(wanted - has)]
        if link is None or not link.up:
            lines.insert(0, f"link set {device} up")
        self._do(space, lines)

    def _overlay(self, now: Links, wanted: Machine, vrf: Vrf) -> None:
        """The vxlan device and the bridge of a VRF's L3VNI: as wanted, or gone."""
        tunnels = [item for item in now.values() if item.kind == "vxlan" and _of(item, vrf, now)]
        bridges = [item for item in now.values() if _is_bridge(item) and item.vrf == vrf.name]
        fitting = vrf.vni is not None and wanted.vtep is not None
        for item in tunnels:
            keep = fitting and item.name == f"{VXLAN}{vrf.vni}"
            if not keep or item.details.get("local") != wanted.vtep:
                self._do(self._space(item.vrf or vrf.name), [f"link del {item.name}"])
                tunnels = []
        for item in bridges:
            if not (fitting and item.name == f"{BRIDGE}{vrf.vni}"):
                self._do(self._space(vrf.name), [f"link del {item.name}"])
        if fitting and not tunnels:
            self._make_overlay(wanted, vrf)
        elif fitting and tunnels[0].mtu != wanted.overlay_mtu:
            self._do(self._space(vrf.name), self._mtu(vrf, wanted.overlay_mtu))

    def _mtu(self, vrf: Vrf, mtu: int) -> list[str]:
        return [f"link set {VXLAN}{vrf.vni} mtu {mtu}", f"link set {BRIDGE}{vrf.vni} mtu {mtu}"]

    def _make_overlay(self, wanted: Machine, vrf: Vrf) -> None:
        tunnel, bridge = f"{VXLAN}{vrf.vni}", f"{BRIDGE}{vrf.vni}"
        space = self._space(vrf.name)
        self._do(
            "",
            [
                f"link add {tunnel} type vxlan id {vrf.vni} dstport {self.vxlan_port} "
                f"local {wanted.vtep} nolearning",
                *([f"link set {tunnel} netns {space}"] if space else []),
            ],
        )
        lines = [
            f"link add {bridge} address {self._bridge_mac(vrf.name)} type bridge stp_state 0",
            f"link set {tunnel} master {bridge} addrgenmode none",
            f"link set {tunnel} type bridge_slave neigh_suppress on learning off",
            *([] if space else [f"link set {bridge} master {vrf.name}"]),
            *self._mtu(vrf, wanted.overlay_mtu),
            f"link set {bridge} addrgenmode none",
            f"link set {tunnel} up",
            f"link set {bridge} up",
        ]
        self._do(space, lines)

    def _bridge_mac(self, vrf: str) -> str:
        """The router MAC of a VRF: the device's own, mixed with the name, locally administered."""
        digest = hashlib.sha256(f"{self.mac} {vrf}".encode()).digest()
        return ":".join(f"{byte:02x}" for byte in (0x02, *digest[:5]))


def _named(now: Links) -> dict[str, Link]:
    """The devices of a switch whose VRFs are devices, by name."""
    return {link.name: link for link in now.values()}


def _port(now: Links, name: str) -> Link | None:
    """The device of a port, in whatever VRF it is."""
    return next((item for (dummy, found), item in now.items() if found == name), None)


def _flushed(link: Link) -> list[str]:
    return [f"link set {link.name} down", f"addr flush dev {link.name}"]


def _is_bridge(link: Link) -> bool:
    return link.kind == "bridge" and link.name.startswith(BRIDGE)


def _is_overlay(link: Link) -> bool:
    return _is_bridge(link) or link.kind == "vxlan"


def _of(tunnel: Link, vrf: Vrf, now: Links) -> bool:
    """Check whether a vxlan device belongs to a VRF: by namespace, or by the bridge it is in."""
    if tunnel.vrf:
        return tunnel.vrf == vrf.name
    bridge = next((item for item in now.values() if item.name == tunnel.details["master"]), None)
    return bridge is not None and bridge.vrf == vrf.name
