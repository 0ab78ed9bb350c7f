# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of links: which ports a fabric has, what is wrong with it, and how fast flows are.

    {"schema": 1,
     "ports": {"172.16.0.0": {"node": "worker-su01-rack01-h01", "port": "rail1p1", "leaf": "leaf-p1-su001-r1",
                              "gbps": 400}},
     "uplinks": {"leaf-p1-su001-r1": {"swp3s0": {"spine": "spine-p1-s01", "gbps": 400}}},
     "names": {"198.18.0.7": "worker-su01-rack01-h01"},
     "faults": [{"kind": "slow-nic", "node": "worker-su01-rack01-h01", "port": "rail1p1", "gbps": 180}]}

`uplinks` are the ports of a leaf to its spines, in Gb/s and in one direction. Ports of nodes are known by the address
from which they send, as GIDs are. Without a file of the model two ports are as fast as the slower one.

A cable without carrier carries nothing (`Links.dark`). Adaptive routing spreads what goes up over the uplinks that lead
to the receiver's leaf, as evenly as they have room: packet by packet, without a loss while it does so [inferred].
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Optional

from nicsim import paths

Fault = dict[str, Any]

KINDS: dict[str, tuple[str, ...]] = {
    "slow-nic": ("node", "gbps"),
    "bad-optic": ("node", "port", "share"),
    "slow-leaf": ("leaf", "share"),
    "lost-uplinks": ("leaf", "share"),
    "noisy-neighbour": ("leaf", "gbps"),
    "no-congestion-control": (),
    "wrong-class": ("node",),
    "tcp-fallback": ("node",),
    "unreachable": ("node",),
}
"""The faults of a model, and what each has to say. A fault with `node` and no `port` is of all its ports."""

INFINITE = float("inf")
BETWEEN = "between"
LEAST = 0.05
"""The part of a leaf's uplinks that a neighbour without congestion control leaves to others [inferred]."""


class Port(NamedTuple):
    """One port of a node, by its address."""

    address: str
    node: str
    port: str
    leaf: str
    gbps: float


class Uplink(NamedTuple):
    """A port of a leaf, the spine at its other end, and Gb/s."""

    port: str
    spine: str
    gbps: float


class Flow(NamedTuple):
    """Traffic from one port to another; `wish` is what it takes where nothing is in its way, in Gb/s."""

    source: str
    target: str
    wish: float


class BadModel(Exception):
    """The file of the model cannot be used; the text says why."""


class Links:
    """The model as it is read from its file; `dark` are the ends ("device:port") of cables without carrier now."""

    def __init__(self, model: dict[str, Any]) -> None:
        self.ports = {
            address: _port(address, row) for address, row in model.get("ports", {}).items()
        }
        self.uplinks = {
            leaf: [_uplink(port, row) for port, row in rows.items()]
            for leaf, rows in model.get("uplinks", {}).items()
        }
        self.names: dict[str, str] = model.get("names", {})
        self.faults: list[Fault] = [_checked(fault) for fault in model.get("faults", [])]
        self.pace = float(model.get("pace", 0))
        self.known = bool(model)
        self.dark: frozenset[str] = frozenset()

    def port(self, address: str, *, gbps: float) -> Port:
        """The port with an address; one that the model does not have is a leaf of its own."""
        return self.ports.get(address) or Port(address, address, "", "", gbps)

    def node(self, name: str) -> Optional[str]:
        """The node that a launcher knows by a name or an address, or None."""
        found = self.names.get(name) or (self.ports[name].node if name in self.ports else name)
        return found if any(port.node == found for port in self.ports.values()) else None

    def of_node(self, node: str) -> list[Port]:
        """The ports of a node, by name."""
        return sorted((p for p in self.ports.values() if p.node == node), key=lambda p: p.port)

    def about(self, kind: str, port: Port) -> list[Fault]:
        """The faults of a kind that concern a port: its own, its node's, its leaf's, or everybody's."""
        return [fault for fault in self.faults if fault["kind"] == kind and _concerns(fault, port)]

    def rate(self, port: Port) -> float:
        """Limit of a port's rate, in Gb/s."""
        rate = 0.0 if f"{port.node}:{port.port}" in self.dark else port.gbps
        for fault in self.about("slow-nic", port):
            rate = min(rate, fault["gbps"])
        for kind in ("bad-optic", "slow-leaf"):
            for fault in self.about(kind, port):
                rate *= fault["share"]
        return rate

    def uplink(self, leaf: str) -> float:
        """Limit of a leaf towards its spines, after lost uplinks and neighbours that do not yield."""
        whole = sum(self._by_spine(leaf).values()) if leaf in self.uplinks else INFINITE
        for fault in self.faults:
            if fault["kind"] == "lost-uplinks" and fault["leaf"] == leaf:
                whole *= 1 - fault["share"]
        taken = sum(f["gbps"] for f in self._neighbours(leaf) if not f.get("congestion_control"))
        return max(whole - taken, whole * LEAST) if taken else whole

    def between(self, one: str, other: str) -> float:
        """Limit from a leaf to another: by each spine as much as it has to both. No limit from pod to pod."""
        here, there = self._by_spine(one), self._by_spine(other)
        common = here.keys() & there.keys()
        return sum(min(here[spine], there[spine]) for spine in common) if common else INFINITE

    def _by_spine(self, leaf: str) -> dict[str, float]:
        """Gb/s to each spine of a leaf, 0 where all cables to it are dark."""
        found: dict[str, float] = {}
        for port, spine, gbps in self.uplinks.get(leaf, ()):
            lit = 0.0 if f"{leaf}:{port}" in self.dark else gbps
            found[spine] = found.get(spine, 0.0) + lit
        return found

    def passes(self, flow: Flow) -> bool:
        """Check whether there is a way for a flow."""
        return self.rates([flow], gbps=flow.wish)[0] > 0

    def _neighbours(self, leaf: str) -> list[Fault]:
        return [f for f in self.faults if f["kind"] == "noisy-neighbour" and f["leaf"] == leaf]

    def rates(self, flows: Sequence[Flow], *, gbps: float) -> list[float]:
        """Return the rate of each flow when all run at the same time, in Gb/s; `gbps` is the speed of unknown ports.

        Every port, every leaf's uplinks and the ways between two leaves are shared fairly. Without congestion control
        the queues of a port that is asked for more than it takes back up into its leaf: whoever sends to that leaf is
        slowed as much.
        """
        sent = [*flows, *self._yielding()]
        ways = [self._way(flow, gbps=gbps) for flow in sent]
        found = fair([flow.wish for flow in sent], ways, self._room(ways, gbps=gbps))
        slowed = self._backed_up(flows, gbps=gbps)
        return [rate * slowed.get(way[1], 1.0) for rate, way in zip(found[: len(flows)], ways)]

    def _yielding(self) -> list[Flow]:
        """Neighbours with congestion control: flows over the uplinks that share fairly."""
        made = []
        for fault in self.faults:
            if fault["kind"] == "noisy-neighbour" and fault.get("congestion_control"):
                count = max(1, round(fault["gbps"] / 400))
                made += [Flow("", fault["leaf"], fault["gbps"] / count)] * count
        return made

    def _way(self, flow: Flow, *, gbps: float) -> tuple[str, ...]:
        """The names of everything that a flow passes and shares."""
        if not flow.source:
            return ("", "", f"up {flow.target}")
        source, target = self.port(flow.source, gbps=gbps), self.port(flow.target, gbps=gbps)
        ends = (f"tx {flow.source}", f"rx {flow.target}")
        if source.leaf == target.leaf:
            return ends
        between = f"{BETWEEN} {source.leaf} {target.leaf}"
        return (*ends, f"up {source.leaf}", f"down {target.leaf}", between)

    def _room(self, ways: Iterable[Sequence[str]], *, gbps: float) -> dict[str, float]:
        room = {}
        for name in {name for way in ways for name in way if name}:
            kind, _blank, place = name.partition(" ")
            if kind in ("tx", "rx"):
                room[name] = self.rate(self.port(place, gbps=gbps))
            elif kind == BETWEEN:
                room[name] = self.between(*place.split(" "))
            else:
                room[name] = self.uplink(place)
        return room

    def _backed_up(self, flows: Sequence[Flow], *, gbps: float) -> dict[str, float]:
        """For receivers below a leaf without congestion control whose ports are asked for too much: what is left."""
        asked: dict[str, float] = {}
        for flow in flows:
            asked[flow.target] = asked.get(flow.target, 0) + flow.wish
        left: dict[str, float] = {}
        for address, wish in asked.items():
            port = self.port(address, gbps=gbps)
            rate = self.rate(port)
            if rate and wish > 1.01 * rate and self.about("no-congestion-control", port):
                left[port.leaf] = min(left.get(port.leaf, 1.0), rate / wish)
        victims = {address: self.port(address, gbps=gbps).leaf for address in asked}
        crowded = {
            a for a, wish in asked.items() if wish > 1.01 * self.rate(self.port(a, gbps=gbps))
        }
        return {
            f"rx {a}": left[leaf]
            for a, leaf in victims.items()
            if leaf in left and a not in crowded
        }


def fair(
    wishes: Sequence[float], ways: Sequence[Sequence[str]], room: dict[str, float]
) -> list[float]:
    """Max-min fair rates: the most crowded place is divided first, and what it leaves goes to the others."""
    rates, open_flows, left = [0.0] * len(wishes), set(range(len(wishes))), dict(room)
    while open_flows:
        users: dict[str, list[int]] = {}
        for index in sorted(open_flows):
            for name in ways[index]:
                if name in left:
                    users.setdefault(name, []).append(index)
        shares = {name: left[name] / len(found) for name, found in users.items()}
        name = min(shares, key=lambda key: (shares[key], key), default="")
        modest = [i for i in open_flows if not name or wishes[i] <= shares[name]]
        for index in modest or users[name]:
            rates[index] = wishes[index] if modest else shares[name]
            open_flows.discard(index)
            for passed in ways[index]:
                if passed in left:
                    left[passed] = max(0.0, left[passed] - rates[index])
    return rates


def load() -> Links:
    """The model of this host; raises BadModel where its file cannot be used."""
    path = paths.links_model()
    try:
        return Links(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return Links({})
    except (ValueError, TypeError, AttributeError, KeyError) as exc:
        raise BadModel(f"{path} is no model of links: {exc!r}") from exc


def _port(address: str, row: dict[str, Any]) -> Port:
    return Port(address, row["node"], row["port"], row["leaf"], float(row["gbps"]))


def _uplink(port: str, row: dict[str, Any]) -> Uplink:
    return Uplink(port, row["spine"], float(row["gbps"]))


def _checked(fault: Fault) -> Fault:
    if fault.get("kind") not in KINDS:
        raise ValueError(f"fault {fault}: its kind is one of {', '.join(KINDS)}")
    missing = [name for name in KINDS[fault["kind"]] if name not in fault]
    if missing:
        raise ValueError(f"fault {fault} lacks {', '.join(missing)}")
    return fault


def _concerns(fault: Fault, port: Port) -> bool:
    named = {"node": port.node, "port": port.port, "leaf": port.leaf}
    return all(fault[key] == value for key, value in named.items() if key in fault)
