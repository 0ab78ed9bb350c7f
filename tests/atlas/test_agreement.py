# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page locates as the controller does: the same places for the same texts, key by key."""

from __future__ import annotations

import ipaddress
import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import atlas, rows
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.addressing import codec
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.prefixes import (
    tenant_prefixes,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    BY_RAIL,
    EXAMPLES,
    INVENTORIES,
    TWO_PLANES,
    build,
    example,
)

from .browser import Page

CX8 = {"model": "ConnectX-8"}
THREE = {
    "tiers": 3,
    "rails": 2,
    "switches": {"usable_ports": 16},
    "capacity": {"pods": 3, "sus_per_pod": 2, "slots_per_su": 3},
}
FABRICS: dict[str, Callable[[], Fabric]] = {
    **{name: lambda name=name: example(name) for name in EXAMPLES},
    "swplb": lambda: build(planes=TWO_PLANES),
    "hwplb": lambda: build(nics=CX8, planes={**TWO_PLANES, "balancing": "hwplb"}),
    "by-rail": lambda: build(planes=BY_RAIL, capacity={"slots_per_su": 32}),
    "v6": lambda: build(addressing={"profile": "nvidia-guide-v6"}, site=0),
    "v6-127": lambda: build(
        addressing={
            "profile": "nvidia-guide-v6",
            "p2p127": True,
            "inter_switch": "numbered-127",
        }
    ),
    "top-of-rack": lambda: build(
        wiring={"mode": "top-of-rack"}, capacity={"slots_per_su": 20}, absent=["su02"]
    ),
    "two-rails-a-leaf": lambda: build(
        wiring={"rails_per_leaf": 2}, capacity={"slots_per_su": 32}, absent=["su01/h01"]
    ),
    "numbered": lambda: build(
        **THREE, addressing={"inter_switch": "numbered-31"}, absent=["pod03", "pod01/su02"]
    ),
    "dense": lambda: build(
        **THREE,
        addressing={"profile": "dense-v4"},
        naming={"leaf": "L{plane}.{pod}.{su}.{rail:03}"},
    ),
    "custom": lambda: build(
        addressing={
            "profile": "custom",
            "custom": {
                "base": "10.0.0.0/9",
                "link_length": 31,
                "fields": [
                    {"name": "su", "width": 4, "max": 3},
                    {"name": "pad", "width": 2, "value": 1},
                    {"name": "slot", "width": 7},
                    {"name": "rail", "width": 3},
                    {"name": "side", "width": 1, "values": {"host": 1, "leaf": 0}},
                ],
            },
        }
    ),
    "swapped": lambda: build(
        swapped_ports=[{"device": "leaf-p1-su001-r1", "ports": ["swp1s0", "swp40s1"]}]
    ),
}
EACH = 60


def with_tables(folder: Path) -> Fabric:
    """The plant of tables with the cables of its switches in another order, and slots that wait for rows."""
    model = shutil.copytree(INVENTORIES / "brownfield-256" / "model", folder / "model")
    whole, pick = example("brownfield-256"), random.Random(1)
    cables = [x for x in rows.links(whole) if x.kind == "leaf"]
    orders: dict[str, list[str]] = {}
    for end in [end for x in cables for end in (x.a, x.b)]:
        orders.setdefault(end.device, []).append(end.port)
    orders = {device: pick.sample(ports, len(ports)) for device, ports in orders.items()}
    lines = ["lower,lower_port,upper,upper_port"]
    for x in cables:
        ends = [(end.device, orders[end.device].pop()) for end in (x.a, x.b)]
        lines.append(",".join(word for end in ends for word in end))
    (model / "uplinks.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    table = (model / "links.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    built = [line for line in table if not line.startswith("su01/h32/")]
    (model / "links.csv").write_text("".join(built), encoding="utf-8")
    with (model / "fabric.yml").open("a", encoding="utf-8") as handle:
        handle.write("uplinks: uplinks.csv\nabsent: [su01/h32]\n")
    return Fabric.load(str(model / "fabric.yml"))


def near(network: ipaddress.IPv4Network | ipaddress.IPv6Network, rng: random.Random) -> str:
    """An address in a network or a step beside it, with few bits set at random or all of them."""
    size = network.num_addresses
    offset = rng.choice((rng.randrange(size), rng.randrange(min(size, 1 << 16)), -1, size))
    number = int(network.network_address) + offset
    return codec.text(max(0, number), network.version)


def queries(fabric: Fabric, rng: random.Random) -> Iterator[str]:
    """Addresses in and around every block, names and ports of every role, places, and nonsense."""
    addresses, c = fabric.addresses, fabric.clos
    for version in (4, 6):
        for _name, network in addresses.blocks(version):
            yield from (near(network, rng) for _n in range(EACH // 2))
    for row in fabric.rows.values():
        yield from filter(None, (row.serial.lower(), row.mac, row.mac.upper().replace(":", "-")))
    switches = list(fabric.cabling.switches(pods=[rng.randrange(c.pods)]))
    switches += [s for s in fabric.cabling.switches(pods=None) if s.role == "super_spine"][:200]
    for switch in rng.sample(switches, min(EACH, len(switches))):
        name = fabric.name(switch)
        port = rng.choice(list(fabric.cabling.ports(switch)))
        yield from (
            name,
            f"{name}:{fabric.port_name(switch, port)}",
            f"{name}:swp{rng.randrange(140)}",
        )
        yield from (
            codec.text(addresses.loopback(switch), 4),
            codec.text(addresses.management(switch)[0], 4),
        )
        if switch.role == "leaf":
            yield codec.text(addresses.vtep(switch), 4)
        numbers = addresses.inter_switch(switch, port.index) if port.kind == "up" else None
        yield from (
            codec.text(number, addresses.pools["inter_switch"].version) for number in numbers or ()
        )
    for _n in range(EACH):
        node = Node(rng.randrange(c.pods), rng.randrange(c.sus), rng.randrange(c.slots))
        nic = rng.choice(list(fabric.cabling.nic_ports()))
        yield from (codec.text(number, addresses.version) for number in addresses.link(node, nic))
        yield from (fabric.name(node), f"{fabric.name(node)}:{fabric.names.nic(nic)}")
        yield f"pod{node.pod + 1:02}/su{node.su + 1:02}/h{node.slot + 1:02}"
        yield f"su{node.su + 1}/{node.slot + 1}"
        yield codec.text(addresses.management(node, rng.randrange(8))[0], 4)
    for row in fabric.rows.values():
        yield from (text for text in (row.name, row.serial, row.loopback, row.management) if text)
    yield from NONSENSE


def gids(fabric: Fabric) -> Iterator[str]:
    """The GIDs of a port as show_gids and NCCL print them."""
    node = next(fabric.nodes())
    for nic in fabric.cabling.nic_ports():
        text = fabric.addresses.ends(node, nic).low
        yield f"::ffff:{text}" if fabric.addresses.version == 4 else text
        yield ipaddress.ip_address(f"::ffff:{text}" if "." in text else text).exploded


NONSENSE = (
    "", ":", "::", "::1", "1.2.3", "1.2.3.4", "01.2.3.4", "300.1.1.1", "10.0.0.0/31", " 172.16.0.0 ",
    "leaf-p1-su000-r1", "leaf-p9-su001-r1", "leaf-p1-su1-r1", "LEAF-P1-SU001-R1", "su01/h00", "su99/h01",
    "su01/[01-02]", "su01/[1-1]", "su01/[02]", "*/*/h01", "pod01", "pod01/su01", "1/1/1", "1/1", "h01",
    "worker-su01-rack02-h01", "leaf-p1-su001-r1:eth0", "leaf-p1-su001-r1:swp1s0", "rail1p1", "fd02::",
    "fd02:0:0:0:0:0:0:1", "fd02::1::2", "fd02::g", "::ffff:10.0.0.1", "::ffff:1.2.3.4/128",
    "::fffe:10.0.0.1", "::ffff:", "fd02::1:0:0:2", "spine-p1-s01:swp1",
)  # fmt: skip


def expected(fabric: Fabric, text: str) -> list[dict[str, Any]]:
    try:
        return fabric.locate(text)
    except FabricError:
        return []


@pytest.mark.parametrize("name", FABRICS)
def test_same_places(name: str, visit: Callable[..., Page], tmp_path: Path) -> None:
    fabric = FABRICS[name]()
    atlas.write(fabric, Registry.empty(fabric), Output(str(tmp_path)))
    agree(fabric, visit(tmp_path / "atlas.html"), name)


def test_same_places_in_a_plant_of_tables(visit: Callable[..., Page], tmp_path: Path) -> None:
    fabric = with_tables(tmp_path)
    assert fabric.moved
    atlas.write(fabric, Registry.empty(fabric), Output(str(tmp_path)))
    agree(fabric, visit(tmp_path / "atlas.html"), "tables")


def test_same_places_on_the_page_of_a_pod(visit: Callable[..., Page], tmp_path: Path) -> None:
    """A pod's page knows the arithmetic of all pods."""
    fabric = FABRICS["max-524288"]()
    atlas.write(fabric, Registry.empty(fabric), Output(str(tmp_path)))
    agree(fabric, visit(tmp_path / "atlas" / "pod-007.html"), "max-524288, pod 7")


PREFIXES = "JSON.stringify(prefixesOf(ownerOf('acme'), nodesOf(ownerOf('acme'))))"
REGISTRY = """
tenants:
  - {id: 21, slug: acme, nodes: ["su01/[1-3]", su01/h07], networks: [east-west, storage, front-end]}
"""


@pytest.mark.parametrize("name", ["h200-2048", "brownfield-256", "swplb", "by-rail", "v6-127"])
def test_same_prefixes_of_a_tenant(name: str, visit: Callable[..., Page], tmp_path: Path) -> None:
    fabric = FABRICS[name]()
    registry = Registry.parse(fabric, REGISTRY)
    atlas.write(fabric, registry, Output(str(tmp_path)))
    found = json.loads(visit(tmp_path / "atlas.html").eval(PREFIXES))
    wanted = [
        [row["network"], row["rail"] + 1, row["plane"] + 1, row["prefixes"]]
        if "rail" in row
        else [row["network"], "", "", row["prefixes"]]
        for row in tenant_prefixes(fabric, registry, "acme")
    ]
    assert found == wanted


def agree(fabric: Fabric, page: Page, name: str) -> None:
    texts = sorted({*queries(fabric, random.Random(name)), *gids(fabric)})
    assert len(texts) > 250
    found = page.eval(f"JSON.stringify({json.dumps(texts)}.map((text) => spx.locate(text)))")
    located = 0
    for text, places in zip(texts, json.loads(found), strict=True):
        wanted = expected(fabric, text)
        assert places == wanted, text
        located += bool(wanted)
    assert located > (60 if name.startswith("lab") else 200)
