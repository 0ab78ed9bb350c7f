# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The VRFs of a leaf of the east-west network; those of the other networks are in `test_converged.py`."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import vrfs

TWO = (
    "tenants:\n"
    "  - {id: 21, slug: acme, nodes: ['*/h01']}\n"
    "  - {id: 22, slug: globex, nodes: [su02/h02]}\n"
)


def of(fabric, registry, name):
    """Return the VRFs of a leaf by slug."""
    rows = vrfs.of_leaf(fabric, registry, fabric.device(name), with_routes=True)
    return {row["slug"]: row for row in rows}


def test_a_leaf(lab, registry):
    """Names, numbers, ports and routes; a leaf without the tenant has nothing of it."""
    found = of(lab, registry(TWO), "leaf-p1-su001-r1")
    assert list(found) == ["quarantine", "acme"]
    acme = found["acme"]
    assert (acme["vrf"], acme["l3vni"]) == ("t21-acme", 4_000_021)
    assert acme["rd"] == f"{lab.slice('leaf-p1-su001-r1')['loopback']}:21"
    assert acme["imports"] == acme["exports"] == ["64512:4000021"]
    assert [(port["port"], port["address"], port["length"]) for port in acme["routed"]] == [
        ("swp1s0", "172.16.0.1", 31)
    ]
    assert sorted(acme["routes"]) == [
        "172.16.0.0/31",
        "172.16.1.0/31",
        "172.18.0.0/31",
        "172.18.1.0/31",
    ]
    assert found["quarantine"]["l3vni"] is None
    assert found["quarantine"]["routes"] == ["172.16.0.2/31", "172.16.0.4/31"]


def test_spines_have_none(lab, registry):
    """Nothing of a tenant is on a spine."""
    assert of(lab, registry(TWO), "spine-p1-s01") == {}


def test_the_absent_node(lab, registry):
    """A port without a node is in quarantine, down."""
    ports = of(lab, registry(TWO), "leaf-p1-su001-r1")["quarantine"]["routed"]
    assert [(p["port"], p["present"], p["up"]) for p in ports][-1] == ("swp2s1", False, False)


def test_site_moves_the_route_targets(load, registry):
    """Two sites never share a route target."""
    pools = {"loopback": "10.64.0.0/13", "vtep": "10.72.0.0/13"}
    fabric = load(site=2, addressing={"profile": "nvidia-guide-v4-2tier", "pools": pools})
    assert registry(TWO, fabric).owner("acme").exports == ("64514:6000021",)
