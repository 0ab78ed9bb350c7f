# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""State of the kernel, in the device's namespace and in those of its VRFs."""

from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .shell import CommandError, inside, run

NETNS = Path("/run/netns")
BRIDGE, VXLAN = "br", "vni"
FAN_MAP = re.compile(r"(?<=\d)fan-map [^,}]*")


@dataclass(frozen=True)
class Link:
    """A network device: where it is (VRF, "" the default one) and how."""

    name: str
    vrf: str
    kind: str
    index: int
    mtu: int
    up: bool
    carrier: bool
    mac: str
    addresses: frozenset[str]
    details: dict[str, Any]
    counters: dict[str, Any]


def namespaces() -> list[str]:
    """The VRF namespaces of the device."""
    return sorted(path.name for path in NETNS.iterdir()) if NETNS.is_dir() else []


def links(backend: str, *, counted: bool = False) -> dict[tuple[str, str], Link]:
    """Every network device by (VRF, name); `counted`: with its counters."""
    found: dict[tuple[str, str], Link] = {}
    spaces = namespaces() if backend == "netns" else []
    for space in ["", *spaces]:
        for raw in _show(space, ["-s"] if counted else []):
            vrf = space
            if backend == "kernel":
                vrf = _master_vrf(raw)
            link = _link(raw, vrf)
            found[vrf, link.name] = link
    return found


def _show(space: str, more: list[str]) -> list[dict[str, Any]]:
    where = ["-n", space] if space else []
    try:
        text = run(["ip", *where, "-j", "-d", *more, "addr", "show"])
    except CommandError:
        return []
    return rows(text)


def rows(text: str) -> list[dict[str, Any]]:
    """Parse the output of `ip -j -d`. Ubuntu's prints a word of its own amid a VXLAN's JSON on a kernel that is not
    Ubuntu's.

    >>> rows('[{"id":10fan-map ,"port":4789},{}]')
    [{'id': 10, 'port': 4789}]
    """
    return [raw for raw in json.loads(FAN_MAP.sub("", text) or "[]") if raw]


def _master_vrf(raw: dict[str, Any]) -> str:
    """The kernel VRF a device is in: its master, unless it is a bridge's port."""
    master = raw.get("master", "")
    slave = raw.get("linkinfo", {}).get("info_slave_kind")
    return master if slave == "vrf" else ""


def _link(raw: dict[str, Any], vrf: str) -> Link:
    flags = raw.get("flags", [])
    addresses = [
        f"{ipaddress.ip_address(item['local'])}/{item['prefixlen']}"
        for item in raw.get("addr_info", [])
        if item.get("scope") == "global" or raw["ifname"] == "lo"
    ]
    info = raw.get("linkinfo", {})
    return Link(
        name=raw["ifname"],
        vrf=vrf,
        kind=info.get("info_kind", ""),
        index=raw["ifindex"],
        mtu=raw["mtu"],
        up="UP" in flags,
        carrier="LOWER_UP" in flags and "NO-CARRIER" not in flags,
        mac=raw.get("address", ""),
        addresses=frozenset(addresses),
        details={**info.get("info_data", {}), "master": raw.get("master"), "link": raw.get("link")},
        counters=raw.get("stats64", raw.get("stats", {})),
    )


def routes(backend: str, vrf: str, version: int) -> list[dict[str, Any]]:
    """The routes by which the kernel forwards in a VRF, as ip(8) tells them; none where it is not.

    Addresses of the machine's own, and broadcasts, are not among them, as `ip route show vrf` has it.
    """
    own = ["-n", vrf] if backend == "netns" and vrf != "default" else []
    named = ["vrf", vrf] if backend == "kernel" and vrf != "default" else []
    try:
        text = run(["ip", *own, "-j", f"-{version}", "route", "show", *named])
    except CommandError:
        return []
    return [item for item in json.loads(text or "[]") if item]


def has_vrf_device() -> bool:
    """Check whether this kernel has the vrf device, tried in a namespace that vanishes."""
    probe = ["unshare", "--net", "ip", "link", "add", "probe", "type", "vrf", "table", "1001"]
    try:
        run(probe)
    except (CommandError, FileNotFoundError):
        return False
    return True


def vrfs_before_local() -> None:
    """Have a VRF's table looked up before the device's own addresses, as a switch does.

    Else a host in a VRF reaches the loopback of the default VRF.
    """
    for family in ("-4", "-6"):
        if not run(["ip", family, "rule", "show", "pref", "32765"]).strip():
            run(["ip", family, "rule", "add", "pref", "32765", "table", "local"])
            run(["ip", family, "rule", "del", "pref", "0"])


def own_pid() -> int:
    """A process of the device's own namespace, to move ports back to."""
    return os.getpid()


def sysctl(space: str, values: dict[str, str]) -> None:
    """Set kernel variables in a namespace, leaving out those it does not have."""
    if not space:
        for key, value in values.items():
            with contextlib.suppress(OSError):
                Path("/proc/sys", key).write_text(value, encoding="ascii")
        return
    script = "".join(
        f'[ -e /proc/sys/{key} ] && echo "{value}" >/proc/sys/{key}\n'
        for key, value in values.items()
    )
    run(inside(space, ["sh", "-c", f"{script}true"]))


FORWARDING = {
    "net/ipv4/ip_forward": "1",
    "net/ipv6/conf/all/forwarding": "1",
    "net/ipv6/conf/default/forwarding": "1",
    "net/ipv4/conf/all/rp_filter": "0",
    "net/ipv4/conf/default/rp_filter": "0",
    "net/ipv4/fib_multipath_hash_policy": "1",
    "net/ipv4/conf/all/ignore_routes_with_linkdown": "1",
    "net/ipv4/conf/default/ignore_routes_with_linkdown": "1",
    "net/ipv6/conf/all/ignore_routes_with_linkdown": "1",
    "net/ipv6/conf/all/keep_addr_on_down": "1",
    "net/ipv6/conf/default/accept_dad": "0",
    "net/ipv6/conf/default/accept_ra": "0",
    "net/ipv4/conf/default/arp_notify": "1",
    "net/ipv4/conf/all/arp_notify": "1",
    "net/ipv4/icmp_errors_use_inbound_ifaddr": "1",
    "net/ipv4/tcp_l3mdev_accept": "1",
    "net/ipv4/udp_l3mdev_accept": "0",
}
