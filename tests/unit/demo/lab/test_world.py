# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A slice of a project as a lab, in plain namespaces on this machine's own files: about 10 s."""

from __future__ import annotations

import json
import os
import shutil
import time

import pytest
from lab import backends, boot, project, seeding, state
from lab.errors import LabError
from lab.world import World

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    example,
)

from .test_for_real import LISTEN

SCENARIOS = INVENTORIES.parent / "demo" / "scenarios" / "lab"
NAME = f"slice{os.getpid() % 100000}"
NODES = {"worker-su01-rack01-h01", "worker-su01-rack01-h02"}
SWITCHES = {"leaf-p1-su001-r1", "leaf-p1-su001-r2", "spine-p1-s01", "spine-p1-s02"}
namespaces = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("ip"), reason="namespaces need root and iproute2"
)


def test_names_and_addresses_stay(tmp_path):
    project.model(INVENTORIES / "lab", tmp_path, ["su01/h01", "su01/h02"])
    whole, part = example("lab"), Fabric.load(str(tmp_path / "model" / "fabric.yml"))
    assert {part.name(device) for device in part.devices()} == NODES | SWITCHES
    for name in NODES:
        assert part.slice(name)["ports"] == whole.slice(name)["ports"]
    for name in SWITCHES:
        assert part.slice(name)["loopback"] == whole.slice(name)["loopback"]


@namespaces
def test_a_slice_comes_up_with_its_names_and_its_cables(tmp_path, monkeypatch):
    for kind, text in LISTEN.items():
        home = tmp_path / "targets" / kind
        home.mkdir(parents=True)
        up = "for d in /sys/class/net/*; do ip link set ${d##*/} up; done\n"
        (home / "start.sh").write_text(up + text)
    monkeypatch.setattr(state, "ROOT", tmp_path)
    monkeypatch.setattr(World, "_tree", str(tmp_path))
    monkeypatch.setattr(World, "control", lambda *_words, **_more: None)
    for name, folder in (("DIR", "labs"), ("CACHE", "cache"), ("TARGETS", "targets")):
        monkeypatch.setenv(f"SPX_LAB_{name}", str(tmp_path / folder))
    made = World(NAME)
    options = ("--backend", "netns", "--rootfs", "host", "--host-names", "port")
    try:
        made.up(INVENTORIES / "lab", *options, where=["su01/h01", "su01/h02"])
        addresses = json.loads((made.project / "management.json").read_text())
        assert set(addresses) == NODES | SWITCHES
        made.address_hosts()
        leaf = made.fabric.slice("leaf-p1-su001-r1")
        for row in (row for row in leaf["ports"] if row["kind"] == "host" and row["present"]):
            made.node(leaf["name"], "ip", "addr", "add", f"{row['address']}/31", "dev", row["port"])
        rows = made.ping([{"from": name, "to": gateway(made, name)} for name in sorted(NODES)])
        assert [row["state"] for row in rows] == ["reached", "reached"]
        made.node(leaf["name"], "sysctl", "-qw", "net.ipv4.ip_forward=1")
        found = made.throughput(*sorted(NODES))
        assert found["reached"], found
        check_that_hosts_have_the_seeded_fault(made)
    finally:
        made.down()
    assert not made.folder.exists()


def check_that_hosts_have_the_seeded_fault(made):
    """Every host has the model, and they share the folder in which their stand-ins meet."""
    one, other = sorted(NODES)
    made.seed(SCENARIOS / "slow_cable.json")
    for name in (one, other):
        fault = json.loads(made.node(name, "cat", seeding.PLACE))["faults"][0]
        assert (fault["kind"], fault["port"]) == ("bad-optic", "rail2p1")
    made.node(one, "touch", f"{boot.SHARED}/met")
    assert "met" in made.node(other, "ls", boot.SHARED).split()
    check_that_hosts_know_of_cables_without_carrier(made, one, other)
    with pytest.raises(LabError, match="worker-su01-rack01-h01 has no rail 9"):
        made.throughput(one, other, rail=8)
    with pytest.raises(LabError, match="leaf-p1-su001-r1 is no node"):
        made.throughput("leaf-p1-su001-r1", other)


def check_that_hosts_know_of_cables_without_carrier(made, one, other):
    """A pulled cable is named by both of its ends, and a port that was shut by that of its host too."""

    def dark():
        return set(json.loads(made.node(other, "cat", f"{boot.SHARED}/{backends.DARK}")))

    before = dark()
    pulled = {"leaf-p1-su001-r1:swp1s0", f"{one}:rail1p1"}
    shut = {"leaf-p1-su001-r1:swp1s1", f"{other}:rail1p1"}
    assert not before & (pulled | shut)
    made.lab_command("cable", made.name, "leaf-p1-su001-r1:swp1s0", "down")
    made.node("leaf-p1-su001-r1", "ip", "link", "set", "swp1s1", "down")
    soon(lambda: dark() - before == pulled | shut)
    made.lab_command("cable", made.name, "leaf-p1-su001-r1:swp1s0", "up")
    made.node("leaf-p1-su001-r1", "ip", "link", "set", "swp1s1", "up")
    soon(lambda: dark() == before)


def soon(holds):
    """Carriers follow each other within some hundredths of a second."""
    until = time.monotonic() + 5
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


def gateway(world, name):
    """The address of the leaf on the first rail of a node."""
    return world.fabric.slice(name)["ports"][0]["gateway"]
