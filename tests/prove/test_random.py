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

import people
import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from layouts import may_reach, worlds
from namespaces import Host, cable
from story import Switch

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)

if t.TYPE_CHECKING:
    from pathlib import Path

EXAMPLE = "random fabrics"
KINDS = [
    ("octet-v4", "one"),
    ("nvidia-guide-v6", "one"),
    ("octet-v4", "by-rail"),
    ("nvidia-guide-v6", "split"),
]
PATIENCE = 60
"""Seconds until sessions are up and routes are everywhere."""


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

    def flows(self) -> t.Iterable[tuple[str, str, str, bool]]:
        """(node, its address, another's on the same rail and plane, whether it may be heard)."""
        for one, two in itertools.permutations(self.fabric.nodes(), 2):
            allowed = may_reach(self.registry, one, two)
            ports = (self.fabric.slice(node)["ports"] for node in (one, two))
            for mine, theirs in zip(*ports):
                yield self.fabric.name(one), mine["address"], theirs["address"], allowed

    def wrong(self) -> list[str]:
        """The flows that go otherwise than the registry says, all tried at the same time."""
        flows = list(self.flows())

        def heard(flow: tuple[str, str, str, bool]) -> bool:
            name, source, target, _allowed = flow
            return self.hosts[name].ping(target, "-I", source)

        with ThreadPoolExecutor(max_workers=16) as pool:
            answers = list(pool.map(heard, flows))
        return [
            f"{name} {source} to {target}: {'heard' if answer else 'silent'}"
            for (name, source, target, allowed), answer in zip(flows, answers)
            if answer != allowed
        ]

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
            begun = time.monotonic()
            while (wrong := lab.wrong()) and time.monotonic() - begun < PATIENCE:
                time.sleep(1)
            assert not wrong, wrong[:6]
            flows = list(lab.flows())
            reached = sum(allowed for *_flow, allowed in flows)
            figure = (
                f"{reached} + {len(flows) - reached} flows, after {time.monotonic() - begun:.1f} s"
            )
            saw(f"a random fabric ({profile}, planes {planes})", figure)

    hold()
