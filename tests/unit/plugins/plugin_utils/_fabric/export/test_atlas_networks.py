# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page lists every switch of the converged fabric, with the ports of its slice."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import atlas_networks
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.converged_cabling import (
    is_converged,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    NETWORKS,
    example,
)

from .dcim.wishes import changed


def pods():
    """The lab of several pods with all networks."""
    return changed("lab-3tier", networks=NETWORKS, addressing={"profile": "octet-v4"})


def test_every_switch_with_every_port():
    fabric = example("lab-converged")
    made = atlas_networks.switches(fabric, Registry.load(fabric))
    slices = [fabric.slice(switch) for switch in fabric.switches() if is_converged(switch)]
    assert [one["name"] for one in made] == [data["name"] for data in slices]
    for one, data in zip(made, slices):
        ports = [(p["port"], p["peer"]["device"], p["peer"]["port"]) for p in data["ports"]]
        assert [(p[0], p[4], p[5]) for p in one["ports"]] == ports


def test_a_port_has_its_tenants():
    fabric = example("lab-converged")
    made = {one["name"]: one for one in atlas_networks.switches(fabric, Registry.load(fabric))}
    whose = {port[0]: port[9] for port in made["storage-leaf-001-1"]["ports"]}
    assert whose["swp1s0"] == ["storage", "acme", "globex"]
    assert whose["swp2s0"] == ["acme"]
    assert made["border-leaf-01-1"]["ports"][0][9] == ["acme", "globex"]
    assert ["s21-acme", "storage", 4200021, "2021", "acme"] in made["storage-leaf-001-1"]["vrfs"]


def test_a_pod_has_the_leaves_that_its_nodes_meet_with_the_ports_to_them():
    """Every port of every node is on the page of its pod, and on no other; a switch may be on several."""
    fabric = pods()
    registry, seen = Registry.parse(fabric, ""), []
    whole = {one["name"]: one for one in atlas_networks.switches(fabric, registry)}
    for pod in range(fabric.clos.pods):
        for one in atlas_networks.of_pod(fabric, registry, pod):
            assert one["role"] in ("front_end_leaf", "storage_leaf")
            assert [row for row in whole[one["name"]]["ports"] if row in one["ports"]] == one[
                "ports"
            ]
            assert {fabric.device(row[4]).pod for row in one["ports"]} == {pod}
            seen += [(one["name"], row[0]) for row in one["ports"]]
    hosts = [
        (x["name"], p[0]) for x in whole.values() for p in x["ports"] if p[1] == "host" and p[3]
    ]
    assert sorted(seen) == sorted(hosts)


def test_addresses_of_tenants_are_their_subnets_in_use_and_their_sessions():
    fabric = example("lab-converged")
    made = atlas_networks.addresses(fabric, Registry.load(fabric))
    rows = {one["prefix"]: one for one in made["subnets"]}
    acme = rows["10.208.14.0/23"]
    assert (acme["tenant"], acme["vlan"], acme["address"]) == ("acme", 21, "10.208.14.1")
    assert acme["own"] == {
        "10.208.15.254": "front-end-leaf-001-1",
        "10.208.15.252": "front-end-leaf-001-2",
    }
    assert [one["address"] for one in made["sessions"]] == ["198.51.100.0", "198.51.100.2"]
    assert made["arrays"]["storage-leaf-001-1 swp1s2"] == "nfs-1"


def test_without_other_networks_there_is_nothing():
    fabric = example("lab")
    assert atlas_networks.addresses(fabric, Registry.load(fabric)) is None
    assert atlas_networks.switches(fabric, Registry.load(fabric)) is None
    assert atlas_networks.of_pod(fabric, Registry.load(fabric), 0) is None
