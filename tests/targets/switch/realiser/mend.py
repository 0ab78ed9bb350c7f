# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives zebra and the kernel back what FRR 8.4 forgets, of one configuration that has not changed.

Four ailments, of which a switch's own FRR is not known to have any; each time is counted in the
report as ``mended``, so that no proof hides it:

* a router MAC: when the best path of a type-5 route moves to another spine while the VTEP stays
  the same, zebra 8.4.4 drops the VTEP's router MAC and does not install it again: the route stands,
  its next hop resolves to nothing. Announcing the VRF's routes anew (a change of BGP's distance and
  back, which loses no packet) restores it;
* a route: bgpd has a best path that is not in the kernel's table; announcing anew restores it;
* a connected network: the address is on a port, and zebra has no connected route of it; the
  address is taken away and given again;
* the neighbour 169.254.0.1 of a link, by which zebra writes IPv4 routes over IPv6: without it a
  path swallows what is hashed onto it.
"""

from __future__ import annotations

import ipaddress
import itertools
import json
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from . import vty
from .shell import CommandError, run

PERIOD = 0.5
"""Seconds between two looks; what is wrong must be wrong in two looks in a row."""
IN_A_GUEST = 1.0
"""The same with VRF devices, which are a guest's more often than not: there a look costs ten times as much."""
ROUTES_AFTER = 5
"""There, looks at router MACs between two at the routes."""
SELDOM = 20
"""Each twentieth look is at everything; the others, which must cost little, are at router MACs."""
UNSETTLED = 15.0
"""Seconds after a change of the underlay or of the configuration: best paths move in these only."""
OVER_IPV6 = "169.254.0.1"
FAMILIES = {"ipv4": "ip", "ipv6": "ipv6"}

Symptoms = set[tuple[str, ...]]


class Mender:
    """Watches the tenant VRFs and the underlay of one switch in a thread of its own."""

    def __init__(self, backend: str = "netns") -> None:
        self.backend = backend
        self.mended: list[str] = []
        self.rests = False
        """Set while no look is taken: in a guest the looks of several switches take most of its processor."""
        self._instances: Mapping[str, tuple[str, int]] = {}
        self._seen: dict[str, Symptoms] = {}
        self._underlay = ""
        self._settled = 0.0
        self._thread: threading.Thread | None = None
        self._known: dict[str, Symptoms] = {}
        self._hops: dict[str, Symptoms] = {}
        self._count = itertools.count()

    def follow(self, instances: Mapping[str, tuple[str, int]]) -> None:
        """Watch these VRFs from now on: name -> (line of its BGP instance, VNI)."""
        self._instances = dict(instances)
        self._settled = time.monotonic() + UNSETTLED
        if self._instances and self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def _run(self) -> None:
        pause = threading.Event()
        for number in itertools.count():
            pause.wait(PERIOD if self.backend == "netns" else IN_A_GUEST)
            if self.rests:
                continue
            whole = number % SELDOM == 0
            if whole or self.backend == "kernel" or self.unsettled():
                self.look(whole=whole)

    def unsettled(self) -> bool:
        """Check whether best paths may be moving: the underlay's routes, or the VRFs, changed of late."""
        try:
            underlay = next((text for text in map(_underlay, FAMILIES) if text), "")
        except (CommandError, subprocess.TimeoutExpired):
            return True
        if underlay != self._underlay:
            self._underlay, self._settled = underlay, time.monotonic() + UNSETTLED
        return time.monotonic() < self._settled

    def look(self, *, whole: bool = True) -> None:
        """One look at router MACs, and at all else with `whole`."""
        find = self._router_macs if self.backend == "netns" else self._router_macs_of_devices
        self._look("router MAC", lambda: find("ipv4"), self._announce)
        if whole:
            self._look("router MAC (IPv6)", lambda: find("ipv6"), self._announce)
        if whole and self.backend == "netns":
            self._look("route", self._routes, self._announce)
            self._look("connected network", self._connected, self._address)
        if whole:
            self._look("neighbour", self._neighbours, self._resolve)

    def _look(
        self, kind: str, find: Callable[[], Symptoms], heal: Callable[[Symptoms], None]
    ) -> None:
        """Heal what this look and the last one found alike."""
        try:
            found = find()
            if chronic := found & self._seen.get(kind, set()):
                self.mended += [f"{kind}: {' '.join(symptom)}" for symptom in sorted(chronic)]
                heal(chronic)
            self._seen[kind] = found - chronic
        except (CommandError, OSError, subprocess.TimeoutExpired, ValueError, LookupError):
            self._seen[kind] = set()  # a VRF is going or coming; the next look tells

    def _router_macs(self, afi: str) -> Symptoms:
        """(VRF, VTEP) that routes of a VRF lead to, and that nothing resolves."""
        found: Symptoms = set()
        for name, (_line, vni) in self._instances.items():
            routes = _rows("ip", f"-{afi[-1]}", "-n", name, "-j", "route", "show", "proto", "bgp")
            known = _rows("ip", "-n", name, "-j", "neigh", "show", "nud", "noarp")
            resolved = {(row["dev"], row["dst"]) for row in known}
            lacking = _hops_of(routes) - resolved
            found |= {(name, hop) for device, hop in lacking if device == f"br{vni}"}
        return found

    def _router_macs_of_devices(self, afi: str) -> Symptoms:
        """The same where VRFs are devices of one namespace: routes are read when router MACs changed, or seldom."""
        bridges = {f"br{vni}": name for name, (_line, vni) in self._instances.items()}
        rows = _rows("ip", "-j", "neigh", "show", "nud", "noarp")
        known = {(row["dev"], row["dst"]) for row in rows}
        if known != self._known.get(afi) or not next(self._count) % ROUTES_AFTER:
            self._known[afi], self._hops[afi] = known, _hops(afi)
        lacking = self._hops[afi] - known
        return {(bridges[device], hop) for device, hop in lacking if device in bridges}

    def _routes(self) -> Symptoms:
        """(VRF, prefix) of best paths from elsewhere that the kernel's table lacks."""
        found: Symptoms = set()
        tables = _told(*(f"show bgp vrf all {afi} unicast json" for afi in FAMILIES))
        for name, table in (item for each in tables for item in each.items()):
            if name in self._instances:
                best = {prefix for prefix, paths in table["routes"].items() if _comes(paths)}
                versions = {"-6" if ":" in prefix else "-4" for prefix in best}
                laid = [row for v in versions for row in _rows("ip", v, "-n", name, "-j", "route")]
                found |= {(name, prefix) for prefix in best - {_prefix(row) for row in laid}}
        return found

    def _announce(self, symptoms: Symptoms) -> None:
        for name in sorted({symptom[0] for symptom in symptoms}):
            line, _vni = self._instances[name]
            afi = "ipv6" if any(":" in word for _name, word in symptoms) else "ipv4"
            lead = [line, f"address-family {afi} unicast"]
            vty.configured("bgpd", [*lead, "distance bgp 21 200 200", "no distance bgp"])

    def _connected(self) -> Symptoms:
        """(VRF, port, address) of ports that are up, of whose network zebra has no connected route."""
        known = {
            (entry["vrfName"], prefix)
            for table in _told(
                *(f"show {ip} route vrf all connected json" for ip in FAMILIES.values())
            )
            for prefix, entries in table.items()
            for entry in entries
        }
        return {
            (name, link["ifname"], address)
            for name in self._instances
            for link in _rows("ip", "-n", name, "-j", "addr", "show", "up")
            if link["ifname"].startswith("swp") and "LOWER_UP" in link["flags"]
            for address in _addresses(link)
            if (name, str(ipaddress.ip_interface(address).network)) not in known
        }

    def _address(self, symptoms: Symptoms) -> None:
        for name, port, address in sorted(symptoms):
            for verb in ("del", "add"):
                run(["ip", "-n", name, "addr", verb, address, "dev", port])

    def _neighbours(self) -> Symptoms:
        """(port, MAC of the router there) of links that routes lead over and nothing resolves."""
        ports = {
            hop["dev"]
            for row in _rows("ip", "-j", "route", "show", "proto", "bgp")
            for hop in row.get("nexthops", [row])
            if hop.get("gateway") == OVER_IPV6
        }
        resolved = {row["dev"] for row in _rows("ip", "-j", "neigh", "show", OVER_IPV6)}
        routers = _rows("ip", "-6", "-j", "neigh", "show") if ports - resolved else []
        return {
            (row["dev"], row["lladdr"])
            for row in routers
            if row["dev"] in ports - resolved and "router" in row and "lladdr" in row
        }

    def _resolve(self, symptoms: Symptoms) -> None:
        for port, mac in sorted(symptoms):
            entry = [OVER_IPV6, "lladdr", mac, "dev", port, "nud", "permanent"]
            run(["ip", "neigh", "replace", *entry])


def _hops(afi: str) -> Symptoms:
    """(device, next hop) of the routes of all VRFs that are devices."""
    return _hops_of(
        _rows("ip", f"-{afi[-1]}", "-j", "route", "show", "table", "all", "proto", "bgp")
    )


def _hops_of(routes: list[dict[str, Any]]) -> Symptoms:
    """(device, next hop) of routes: one may lead to several border leaves."""
    return {
        (hop.get("dev", ""), hop["gateway"])
        for row in routes
        for hop in row.get("nexthops", [row])
        if "gateway" in hop
    }


def _comes(paths: list[dict[str, Any]]) -> bool:
    """Check whether the best path of a prefix leads elsewhere."""
    return any(
        path.get("bestpath") and hop.get("ip") not in (None, "0.0.0.0", "::")
        for path in paths
        for hop in path.get("nexthops", [])
    )


def _prefix(row: dict[str, Any]) -> str:
    """The destination of a route of the kernel's, with its length."""
    if row["dst"] == "default":
        return "::/0" if ":" in row.get("gateway", "") else "0.0.0.0/0"
    return str(ipaddress.ip_network(row["dst"]))


def _addresses(link: dict[str, Any]) -> list[str]:
    """The addresses of a port that others may reach, with their lengths."""
    rows = [row for row in link["addr_info"] if row["scope"] == "global"]
    return [f"{row['local']}/{row['prefixlen']}" for row in rows]


def _underlay(afi: str) -> str:
    """The routes of the fabric between switches, as text."""
    return run(["ip", f"-{afi[-1]}", "route", "show", "proto", "bgp"])


def _told(*commands: str) -> Iterator[dict[str, Any]]:
    """The objects that FRR prints for some commands."""
    return (found for command in commands for found in _objects(vty.shown(command)))


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The objects that FRR prints in a row."""
    decoder = json.JSONDecoder()
    while text := text.lstrip():
        found, end = decoder.raw_decode(text)
        yield found
        text = text[end:]


def _rows(*command: str) -> list[dict[str, Any]]:
    found = json.loads(run(list(command)) or "[]")
    return [row for row in found if row]
