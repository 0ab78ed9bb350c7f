# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drill: hosts announce by LLDP what they are not. They prove no switch, stop none, and hide no wrong cable."""

from __future__ import annotations

from typing import Any

import pytest
from drills.running import OTHER, Site, sentence
from unit.playbooks.fleet import LEAF

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric

SECOND = "leaf-p1-su001-r2"
MAC = "0c:42:a1:00:00:01"
OUTPUT = ("--limit", f"localhost,{LEAF}", "-e", "spx_checks=switch.lldp")


def fabric(site: Site) -> Fabric:
    return Fabric.load(str(site.folder / "model" / "fabric.yml"))


def host_ports(site: Site, leaf: str = LEAF) -> list[dict[str, Any]]:
    """The ports of a leaf at which a host is planned."""
    rows = fabric(site).slice(leaf)["ports"]
    return [row for row in rows if row["present"] and row["peer"]["device"].startswith("worker")]


def hear(site: Site, device: str, port: str, *heard: tuple[str, str]) -> None:
    """Let LLDP of a switch hear these neighbours at a port, in this order."""
    neighbours = {
        str(number): {"chassis": {"system-name": system}, "port": {"name": far}}
        for number, (system, far) in enumerate(heard, start=1)
    }
    options = site.doubles[device].switch.operational
    place = options.extra["interface"].setdefault(port, {}).setdefault("lldp", {})
    place["neighbor"] = neighbours


@pytest.fixture
def heard(site: Site) -> Any:
    """The site, whose neighbours are as planned before and after."""
    site.lab.come_up()
    yield site
    for name in (LEAF, SECOND):
        for row in fabric(site).slice(name)["ports"]:
            if row["present"]:
                hear(site, name, row["port"], (row["peer"]["device"], row["peer"]["port"]))


def lldp(site: Site) -> tuple[int, str]:
    return site.run("validate", *OUTPUT, spx_report=site.folder / "report")


def test_honest_neighbours_pass(heard: Site) -> None:
    code, output = lldp(heard)
    assert code == 0, output


LIES = {
    "another host": lambda own, other: [other],
    "a spine": lambda own, other: [("spine-p1-s01", "swp1s0")],
    "itself and another host": lambda own, other: [own, other],
    "another host and itself": lambda own, other: [other, own],
    "itself and a spine": lambda own, other: [own, ("spine-p1-s01", "swp1s0")],
    "itself and its own leaf": lambda own, other: [own, (LEAF, "swp1s0")],
}


@pytest.mark.parametrize("lie", LIES)
def test_a_port_does_not_pass_by_a_lie(heard: Site, lie: str) -> None:
    """The port, its leaf and who is heard there are named."""
    row, further = host_ports(heard)[:2]
    own, other = ((one["peer"]["device"], one["peer"]["port"]) for one in (row, further))
    hear(heard, LEAF, row["port"], *LIES[lie](own, other))
    code, output = lldp(heard)
    assert code == 2, output
    sentence(output)
    assert f"{row['port']}" in output, output


@pytest.mark.parametrize(
    "lie", ["all its hosts are another leaf's", "a host is a spine", "each host is every device"]
)
def test_no_host_stops_a_switch(heard: Site, lie: str) -> None:
    """The switch is known by its name and by what spines say: hosts alone keep no change away."""
    names = [heard.doubles[name] for name in (LEAF,)]
    for row, far in zip(host_ports(heard), host_ports(heard, SECOND)):
        peer = (far["peer"]["device"], far["peer"]["port"])
        every = [(device, "swp1s0") for device in heard.doubles]
        told = {
            "all its hosts are another leaf's": [peer],
            "a host is a spine": [("spine-p1-s01", "swp1s0")],
        }
        hear(heard, LEAF, row["port"], *told.get(lie, every))
    heard.plan(OTHER)
    code, output = heard.run("switches", "--limit", LEAF)
    assert code == 0, output
    heard.settled([LEAF], OTHER)
    assert names


def test_no_host_proves_a_switch(heard: Site) -> None:
    """Two leaves answer at each other's address; hosts say that all is well, and nothing is written."""
    before = {name: len(heard.doubles[name].log.writes) for name in (LEAF, SECOND)}
    folder = heard.folder / "inventory" / "host_vars"
    texts = {name: (folder / f"{name}.yml").read_text() for name in (LEAF, SECOND)}
    try:
        for name, other in ((LEAF, SECOND), (SECOND, LEAF)):
            (folder / f"{name}.yml").write_text(texts[other])
            for row, told in zip(host_ports(heard, other), host_ports(heard, name)):
                hear(heard, other, row["port"], (told["peer"]["device"], told["peer"]["port"]))
        heard.plan(OTHER)
        code, output = heard.run("switches", "--limit", f"{LEAF},{SECOND}")
    finally:
        for name, text in texts.items():
            (folder / f"{name}.yml").write_text(text)
    assert code == 2, output
    sentence(output)
    assert "is another one" in output, output
    assert {name: len(heard.doubles[name].log.writes) for name in (LEAF, SECOND)} == before
