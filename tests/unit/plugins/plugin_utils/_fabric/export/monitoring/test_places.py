# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Series of the plan: both ends of each cable, the tenant of a node, and hosts that may be scraped."""

from __future__ import annotations

import json

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.monitoring import (
    places,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    FEW,
    OOB,
    build,
    core_lab,
    example,
)

LEAF, SPINE = "leaf-p1-su001-r1", "spine-p1-s01"
NODE = "worker-su01-rack01-h01"


def lines(chunks, name):
    return [line for line in "".join(chunks).splitlines() if line.startswith(f"{name}{{")]


def test_a_cable_has_a_series_at_each_end():
    found = lines(places.ports(example("lab"), None), "spx_port_info")
    (nic,) = [line for line in found if f'device="{NODE}",interface="rail1p1"' in line]
    (leaf,) = [line for line in found if f'{{device="{LEAF}",interface="swp1s0"' in line]
    (uplink,) = [line for line in found if f'{{device="{LEAF}",interface="swp3s0"' in line]
    assert f'kind="nic",far_device="{LEAF}",far_interface="swp1s0",node="{NODE}",rail="1"' in nic
    assert f'kind="host",far_device="{NODE}",far_interface="rail1p1",node="{NODE}"' in leaf
    assert (
        f'kind="up",far_device="{SPINE}",far_interface="swp1s0",cage="swp3",peer_id="swp3s0"'
        in uplink
    )


def test_what_is_out_of_service_has_no_series(load):
    gone = [
        {"device": SPINE, "since": "2026-01-01", "reason": "a fan"},
        {"device": LEAF, "port": "swp1s0", "since": "2026-01-01", "reason": "a cable"},
    ]
    found = list(places.ports(load(out_of_service=gone), None))
    assert not [line for line in found if SPINE in line]
    assert not [line for line in found if f'{{device="{LEAF}",interface="swp1s0"' in line]
    assert [line for line in found if f'device="{LEAF}",interface="swp1s1"' in line]


def test_other_networks_are_named(load):
    found = lines(places.ports(core_lab(), None), "spx_port_info")
    assert {line.split('network="')[1].split('"')[0] for line in found if "network=" in line}


def test_a_node_has_its_tenant_and_a_rented_one_is_no_target(load):
    fabric = example("lab")
    text = (
        "tenants:\n  - {id: 21, slug: acme, nodes: [su01/h01]}\n"
        "  - {id: 22, slug: globex, nodes: [su01/h02], host_access: managed}\n"
    )
    registry = Registry.parse(fabric, text)
    found = lines(places.nodes(fabric, registry), "spx_node_info")
    (own,) = [line for line in found if f'node="{NODE}"' in line]
    assert 'tenant="acme",managed="no"' in own
    ((name, targets),) = places.targets(fabric, registry)
    assert name == "spx_hosts_pod001.json"
    names = [row["labels"]["device"] for row in json.loads(targets)]
    assert NODE not in names
    assert len(names) == 5


def test_switches_whose_asic_exports_nothing_are_not_expected_to():
    """Leaves of the out-of-band network are such."""
    fabric = build(oob=OOB, capacity=FEW)
    found = lines(places.ports(fabric, None), "spx_switch_info")
    assert not [line for line in found if 'role="oob_leaf"' in line]
    assert [line for line in found if 'role="leaf"' in line]
