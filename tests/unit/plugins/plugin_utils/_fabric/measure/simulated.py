# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fabric whose elements have rates, written apart from the scorer: what a pair measures, and what counters show.

A flow gets the least of the rates of its nodes, NICs, cables, leaves and plane. Between leaves it is spread evenly over
all uplinks (adaptive routing), so it gets the mean of the rates of these ways: a bad uplink takes its share only.
Everything is found in the links of the plan (`links.csv`), by name.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import random
from collections.abc import Callable, Collection, Sequence
from typing import Any

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import rows
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric

HEALTHY = 0.98
"""Of the link, what a healthy pair reaches: 392.1 of 400 Gb/s, NVIDIA/nccl issue 2409."""
LIMIT = 0.95
MOST_ROUNDS = 60
"""Limit of a search: CRE ADR-055 has 57 tests for five bad nodes of 232."""


@dataclasses.dataclass(frozen=True)
class Fault:
    """A kind, a place as a suspect names it, and the rate (0 to 1) that is left.

    `only` limits it to one direction of a host's port (`sends`, `receives`); `steady` is how often it shows (0 to 1).
    """

    kind: str
    place: str
    rate: float
    only: str = ""
    steady: float = 1.0


class Links:
    """Names of the ends of all cables of a fabric, or of those of some nodes and of all uplinks."""

    def __init__(self, fabric: Fabric, nodes: Collection[str] = ()) -> None:
        self.host: dict[tuple[str, int, int], rows.Link] = {}
        self.up: dict[str, list[rows.Link]] = collections.defaultdict(list)
        for link in rows.links(fabric):
            if link.kind != "host":
                self.up[link.a.device].append(link)
            elif not nodes or link.a.device in nodes:
                self.host[link.a.device, link.rail or 0, link.plane] = link
        self.nodes = sorted({name for name, _rail, _plane in self.host})
        self.ports = sorted({(rail, plane) for _name, rail, plane in self.host})
        self.leaves = sorted({link.b.device for link in self.host.values()})

    def nic(self, name: str, rail: int) -> str:
        """A NIC by its first port."""
        first = min(plane for own, plane in self.ports if own == rail)
        return f"{name}:{self.host[name, rail, first].a.port}"


def named(link: rows.Link) -> str:
    """A cable as a suspect names it."""
    return f"{link.a.device} port {link.a.port} <-> {link.b.device} port {link.b.port}"


class Model:
    """Measures pairs of a fabric that has faults."""

    def __init__(
        self,
        links: Links,
        faults: list[Fault],
        *,
        seed: int = 0,
        noise: float = 0.01,
        healthy: float = HEALTHY,
    ) -> None:
        self.links, self.noise, self.random = links, noise, random.Random(seed)
        self.faults = faults
        self.rates = {(fault.kind, fault.place): fault for fault in faults}
        self.healthy = healthy
        self._across = functools.cache(self._mean_across)
        self.rounds, self.tests = 0, list[dict[str, Any]]()

    def rate(self, kind: str, place: str, way: str = "") -> float:
        fault = self.rates.get((kind, place))
        if fault is None or (fault.only and fault.only != way):
            return 1.0
        return fault.rate if fault.steady >= 1 or self.random.random() < fault.steady else 1.0

    def _host(self, name: str, rail: int, plane: int, *, way: str) -> float:
        link = self.links.host[name, rail, plane]
        return min(
            self.rate("node", name, way),
            self.rate("nic", self.links.nic(name, rail), way),
            self.rate("cable", named(link), way),
            self.rate("leaf", link.b.device),
            self.rate("plane", f"plane {plane + 1}"),
        )

    def _mean_across(self, one: str, two: str) -> float:
        """The mean over the ways up from one leaf and down to the other; over super-spines where pods differ."""
        ways = []
        down: dict[str, list[float]] = collections.defaultdict(list)
        for link in self.links.up[two]:
            down[link.b.device].append(self.rate("uplink", named(link)))
        for link in self.links.up[one]:
            spine = link.b.device
            way = min(self.rate("uplink", named(link)), self.rate("spine", spine))
            if spine in down:
                way = min(way, sum(down[spine]) / len(down[spine]))
            ways.append(way)
        if not set(down) & {link.b.device for link in self.links.up[one]}:
            back = [
                min(self.rate("uplink", named(link)), self.rate("spine", link.b.device))
                for link in self.links.up[two]
            ]
            return min(sum(ways) / len(ways), sum(back) / len(back))
        return sum(ways) / len(ways)

    def measure(self, first: str, second: str, rail: int, plane: int) -> float:
        """Share of the link, with noise."""
        rate = self._host(first, rail, plane, way="sends")
        rate = min(rate, self._host(second, rail, plane, way="receives"))
        one = self.links.host[first, rail, plane].b.device
        two = self.links.host[second, rail, plane].b.device
        if one != two:
            rate = min(rate, self._across(one, two))
        return self.healthy * rate * (1 + self.random.uniform(-self.noise, self.noise))

    def run(self, rounds: list[Any], level: str = "pairs") -> None:
        """Measure rounds of pairs; none of them may use a port twice."""
        for pairs in rounds:
            self.rounds += 1
            busy = [(name, p.rail, p.plane) for p in pairs for name in (p.first, p.second)]
            assert len(busy) == len(set(busy))
            self.tests += [self._judged(pair, level) for pair in pairs]

    def _judged(self, pair: Any, level: str) -> dict[str, Any]:
        value = 400 * self.measure(pair.first, pair.second, pair.rail, pair.plane)
        return {
            "id": f"{level}/{self.rounds}/r{pair.rail}p{pair.plane}/{pair.first}>{pair.second}",
            "level": level,
            "step": "",
            "kind": "bandwidth",
            "first": pair.first,
            "second": pair.second,
            "rail": pair.rail,
            "to_rail": pair.to_rail,
            "plane": pair.plane,
            "distance": pair.distance,
            "nodes": [],
            "value": value,
            "unit": "Gb/s",
            "limit": 400 * LIMIT,
            "limit_source": "ours",
            "state": "pass" if value >= 400 * LIMIT else "fail",
            "sentence": "",
            "counters": {},
        }

    def counters(self) -> dict[str, dict[str, int]]:
        """Return the counters of ports: errors where a signal is bad, pauses and PCIe stalls where a NIC is slow."""
        made = self._usual()
        for fault in self.faults:
            if fault.kind in ("cable", "uplink"):
                one, two = (end.replace(" port ", ":") for end in fault.place.split(" <-> "))
                below = "rx_pcs_symbol_err_phy" if fault.kind == "cable" else "symbol-errors"
                made[one][below] = self.random.randrange(500, 90000)
                made[two]["symbol-errors"] = self.random.randrange(500, 90000)
            elif fault.kind == "nic":
                made[fault.place] |= {"outbound_pci_stalled_wr_events": 9, "tx_prio3_pause": 45000}
            elif fault.kind == "spine":
                for link in (one for ups in self.links.up.values() for one in ups):
                    if link.b.device == fault.place:
                        made[f"{link.a.device}:{link.a.port}"]["effective-errors"] = 700
        return made

    def _usual(self) -> dict[str, dict[str, int]]:
        made = {}
        for link in self.links.host.values():
            made[f"{link.a.device}:{link.a.port}"] = {
                "rx_pcs_symbol_err_phy": 0,
                "tx_prio3_pause": self.random.randrange(3),
                "np_cnp_sent": self.random.randrange(9000),
            }
            made[f"{link.b.device}:{link.b.port}"] = {"symbol-errors": 0}
        for link in (one for ups in self.links.up.values() for one in ups):
            for end in (link.a, link.b):
                made[f"{end.device}:{end.port}"] = {"symbol-errors": 0, "effective-errors": 0}
        return made


Next = Callable[[Sequence[Any]], "list[Any] | None"]


def searched(model: Model, following: Next, level: str = "pairs") -> Model:
    """Measure what a search asks for until it asks for nothing more."""
    while (rounds := following(model.tests)) is not None:
        model.run(rounds, level)
        assert model.rounds <= MOST_ROUNDS
    return model


def seeded(links: Links, kind: str, chance: random.Random) -> Fault:
    """A fault of a kind at some place; elements that flows are spread over lose more, so that it can be seen."""
    host = chance.choice(list(links.host.values()))
    up = chance.choice([one for leaf in links.leaves for one in links.up[leaf]])
    places = {
        "node": host.a.device,
        "nic": links.nic(host.a.device, host.rail or 0),
        "cable": named(host),
        "leaf": host.b.device,
        "plane": f"plane {host.plane + 1}",
        "uplink": named(up),
        "spine": up.b.device,
    }
    rate = chance.uniform(0, 0.5) if kind in ("uplink", "spine") else chance.uniform(0.3, 0.85)
    return Fault(kind, places[kind], rate)
