# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random small fabrics and layouts of tenants: what their documents promise, packets hold.

One of each kind, of IPv4 and IPv6, of one plane, two planes and planes by rail. Nothing is between
our documents and FRR here but the realiser; the example fabrics come up by playbooks beside this.
"""

from __future__ import annotations

import contextlib
import itertools
import time
import typing as t
from concurrent.futures import ThreadPoolExecutor

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from unit.plugins.plugin_utils._fabric.tenants.layouts import may_reach, worlds
from unit.targets.switch.namespaces import Host, cable

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

from . import people
from .bare import Switch, looks

if t.TYPE_CHECKING:
    from pathlib import Path

EXAMPLE = "random fabrics"
KINDS = [
    ("octet-v4", "one"),
    ("nvidia-guide-v6", "split"),
    pytest.param("nvidia-guide-v6", "one", marks=pytest.mark.large),
    pytest.param("octet-v4", "by-rail", marks=pytest.mark.large),
]
PATIENCE = 60
"""Seconds until sessions are up and routes are everywhere."""


class Flow(t.NamedTuple):
    """Echo requests from a node's address to another's, and whether they may be heard."""

    node: str
    source: str
    target: str
    allowed: bool


class Machines:
    """A fabric whose switches run documents, and hosts that have the addresses of the plan."""

    def __init__(self, fabric: Fabric, registry: Registry, folder: Path) -> None:
        self.fabric, self.registry = fabric, registry
        switches = list(fabric.switches())
        names = [fabric.name(switch) for switch in switches]
        self.switches = {name: Switch(name, n, folder) for n, name in enumerate(names, 1)}
        self.hosts = {fabric.name(node): Host(fabric.name(node), folder) for node in fabric.nodes()}
        self._cables()
        for switch in self.switches.values():
            switch.go()
        for name in self.hosts:
            self._address(name)
        for name in names:
            self.switches[name].put(compose.document(fabric, name, tenants=registry))
        for switch in self.switches.values():
            switch.report()

    def _cables(self) -> None:
        every, laid = {**self.switches, **self.hosts}, set()
        for name in self.switches:
            for row in self.fabric.slice(name)["ports"]:
                ends = frozenset(
                    [(name, row["port"]), (row["peer"]["device"], row["peer"]["port"])]
                )
                if row["present"] and ends not in laid:
                    laid.add(ends)
                    (one, port), (two, other) = ends
                    cable(every[one], port, every[two], other)

    def _address(self, name: str) -> None:
        """Each port with its address, and a table of its own that leads to its leaf."""
        for number, row in enumerate(self.fabric.slice(name)["ports"], 1):
            port, address = row["port"], row["address"]
            version, wide = ("-6", 128) if ":" in address else ("-4", 32)
            self.hosts[name].sh(
                f"ip link set {port} mtu {row['mtu']} up; "
                f"ip {version} address add {address}/{row['length']} dev {port} {'nodad' * (wide > 32)}; "
                f"ip {version} route add default via {row['gateway']} dev {port} table {number}; "
                f"ip {version} rule add from {address}/{wide} table {number}"
            )

    def flows(self) -> t.Iterable[Flow]:
        """To the same port of the nodes that may be heard, and to every port of all others."""
        for one, two in itertools.permutations(self.fabric.nodes(), 2):
            allowed = may_reach(self.registry, one, two)
            ports = [self.fabric.slice(node)["ports"] for node in (one, two)]
            for mine, theirs in zip(*ports) if allowed else itertools.product(*ports):
                yield Flow(self.fabric.name(one), mine["address"], theirs["address"], allowed)

    def settle(self) -> float:
        """Wait until everybody hears whom the registry lets them hear; returns how long that took."""
        begun, flows = time.monotonic(), [flow for flow in self.flows() if flow.allowed]
        while deaf := [flow for flow, answer in self._heard(flows).items() if not answer]:
            assert time.monotonic() - begun < PATIENCE, f"{deaf[:6]}\n{looks(self.switches)}"
            time.sleep(1)
        return time.monotonic() - begun

    def leaks(self) -> list[str]:
        """The flows that are answered and may not be, and nodes at which requests of strangers arrive."""
        before = self._requests()
        answers = self._heard([flow for flow in self.flows() if not flow.allowed])
        arrived = [name for name, count in self._requests().items() if count > before[name]]
        said = [f"{flow} is answered" for flow, answer in answers.items() if answer]
        return said + [f"requests of strangers arrive at {name}" for name in arrived]

    def _heard(self, flows: list[Flow]) -> dict[Flow, bool]:
        """Return the flows that are answered, all tried at the same time."""

        def heard(flow: Flow) -> bool:
            return self.hosts[flow.node].ping(flow.target, "-I", flow.source)

        with ThreadPoolExecutor(max_workers=64) as pool:
            return dict(zip(flows, pool.map(heard, flows)))

    def _requests(self) -> dict[str, int]:
        """Count the echo requests that each node has received."""
        told = {
            name: host.sh("cat /proc/net/snmp /proc/net/snmp6") for name, host in self.hosts.items()
        }
        return {name: people.requests(text) for name, text in told.items()}

    def stop(self) -> None:
        """End everything."""
        for node in (*self.switches.values(), *self.hosts.values()):
            node.stop()


@contextlib.contextmanager
def machines(described: dict[str, t.Any], text: str, folder: Path) -> t.Iterator[Machines]:
    """A described fabric with that registry, up; taken down afterwards."""
    path = folder / "fabric.yml"
    path.write_text(yaml.safe_dump(described))
    fabric = Fabric.load(str(path))
    made = Machines(fabric, Registry.parse(fabric, text), folder)
    try:
        yield made
    finally:
        made.stop()


@pytest.mark.parametrize(("profile", "planes"), KINDS)
def test_random_fabrics_hold_for_packets(profile, planes, saw, tmp_path_factory):
    """Drawn anew in every run; hypothesis prints what it drew when a packet goes wrong."""
    drawn = worlds(profiles=(profile,), planes=(planes,), most_sus=2)

    @settings(
        max_examples=1,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(world=drawn.filter(lambda world: people.mixed(world[1])))
    def hold(world):
        with machines(*world, tmp_path_factory.mktemp("random")) as lab:
            seconds = lab.settle()
            assert not lab.leaks()
            flows = list(lab.flows())
            reached = sum(flow.allowed for flow in flows)
            figure = f"{reached} + {len(flows) - reached} flows, after {seconds:.1f} s"
            saw(f"a random fabric ({profile}, planes {planes})", figure)

    hold()
