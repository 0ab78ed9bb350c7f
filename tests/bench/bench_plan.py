# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of 524,288 GPUs: all of it, one leaf of it, and the way back from an address.

`plan_whole`: every device gets its name, ASN, loopback, VTEP and out-of-band address, every host
link its two addresses, and each of them is turned back and compared with the place it came from.

`plan_networks_4096`: 4,096 nodes with front end, storage and border against the same nodes without them. Each is
loaded, and its cables and addresses are written out: the CPU time of the first over that of the second, best of three.
"""

from __future__ import annotations

import gc
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import time

from described import NETWORKS, NODES

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.description import (
    Description,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.load import (
    typed,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.yaml_source import (
    Source,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import exports
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.addressing import codec
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    NicPort,
    Node,
    Switch,
)

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZE = {
    "tiers": 3,
    "capacity": {"pods": 8, "sus_per_pod": 8, "slots_per_su": 64, "nodes_per_rack": 4},
}
DESCRIPTION = str(ROOT / "inventories" / "max-524288" / "model" / "fabric.yml")


def whole() -> dict[str, float]:
    """Encode, decode and verify everything; seconds, CPU seconds and MiB."""
    started, worked = time.perf_counter(), time.process_time()
    fabric = Fabric.load(DESCRIPTION)
    devices = sum(map(_switch, (fabric,) * 20_480, fabric.cabling.switches()))
    links = 0
    nics = tuple(fabric.cabling.nic_ports())
    for node in fabric.cabling.nodes():
        devices += _node(fabric, node)
        for nic in nics:
            links += _link(fabric, node, nic)
    if (devices, links) != (20_480 + 65_536, 524_288):
        sys.exit(f"{devices} devices and {links} links are not the whole plan.")
    return {
        "plan_whole_524288": time.perf_counter() - started,
        "plan_whole_524288_cpu": time.process_time() - worked,
        "plan_whole_524288_peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _switch(fabric: Fabric, switch: Switch) -> int:
    addresses, leaf = fabric.addresses, switch.role == "leaf"
    own = [
        ("loopback", addresses.loopback(switch)),
        ("switch_oob", addresses.management(switch)[0]),
    ]
    if leaf:
        own.append(("vtep", addresses.vtep(switch)))
        _same(addresses.leaf_with(addresses.asn(switch)), switch)
    else:
        addresses.asn(switch)
    return _device(fabric, switch, own)


def _node(fabric: Fabric, node: Node) -> int:
    return _device(fabric, node, [("host_oob", fabric.addresses.management(node)[0])])


def _device(fabric: Fabric, device: Switch | Node, addresses: list[tuple[str, int]]) -> int:
    _same(fabric.device(fabric.name(device)), device)
    for kind, address in addresses:
        (found,) = fabric.addresses.find(address, 4)
        _same((found.kind, found.device), (kind, device))
    return 1


def _link(fabric: Fabric, node: Node, nic: NicPort) -> int:
    host, leaf = fabric.addresses.link(node, nic)
    (low,), (high,) = fabric.addresses.find(host, 4), fabric.addresses.find(leaf, 4)
    _same(low[:4], ("host_link", node, nic, 0))
    _same(high[:4], ("host_link", node, nic, 1))
    return 1


def _same(found: object, expected: object) -> None:
    if found != expected:
        sys.exit(f"{found!r} came back where {expected!r} was sent.")


def leaf_slice(fabric: Fabric) -> float:
    """Milliseconds for the slice of a leaf, the median of 101 leaves all over the fabric."""
    taken = []
    for number in range(101):
        leaf = Switch("leaf", 0, number * 37 % 128, number * 29 % 64)
        started = time.perf_counter()
        fabric.slice(leaf)
        taken.append(time.perf_counter() - started)
    return statistics.median(taken) * 1e3


def locate(fabric: Fabric) -> float:
    """Microseconds for one address, text in and place out; the best of 40 rounds of 500."""
    places = ((n * 31 % 128, n * 7 % 8, n * 13 % 64, n * 3 % 8, n % 2) for n in range(20_000))
    texts = [
        codec.text(fabric.addresses.link(Node(pod, su, slot), NicPort(rail, 0))[side], 4)
        for pod, su, slot, rail, side in places
    ]
    best = float("inf")
    for first in range(0, len(texts), 500):
        started = time.perf_counter()
        for text in texts[first : first + 500]:
            fabric.locate(text)
        best = min(best, time.perf_counter() - started)
    return best / 500 * 1e6


def networks() -> float:
    """Ratio of the CPU time of a plan with all other networks to that of the east-west plan alone."""
    alone = {**NODES, **SIZE}
    rounds = [(_planned(alone), _planned({**alone, "networks": NETWORKS})) for _round in range(3)]
    return min(whole for _bare, whole in rounds) / min(bare for bare, _whole in rounds)


def _planned(described: dict[str, object]) -> float:
    """CPU seconds for one plan."""
    gc.collect()
    started = time.process_time()
    source = Source("fabric.yml", described, {})
    fabric = Fabric(typed(Description, source), source)
    exports.write(fabric, Output(None), kinds=["links", "addresses"])
    return time.process_time() - started


def main() -> None:
    """Print one JSON object for each figure; the whole plan runs in a process of its own."""
    own = subprocess.run(
        [sys.executable, __file__, "--whole"], capture_output=True, text=True, check=True
    )
    measured = json.loads(own.stdout)
    fabric = Fabric.load(DESCRIPTION)
    figures = (
        ("plan_whole_524288", measured["plan_whole_524288"], "s, at most 10"),
        ("plan_whole_524288_cpu", measured["plan_whole_524288_cpu"], "s of CPU"),
        ("plan_whole_524288_peak", measured["plan_whole_524288_peak"], "MiB, at most 476"),
        ("plan_leaf_slice", leaf_slice(fabric), "ms, at most 5"),
        ("plan_locate", locate(fabric), "us, at most 20"),
        ("plan_networks_4096", networks(), "times the east-west plan alone, at most 1.5"),
    )
    for name, value, unit in figures:
        print(json.dumps({"name": name, "value": round(value, 3), "unit": unit}), flush=True)


if __name__ == "__main__":
    if "--whole" in sys.argv:
        print(json.dumps(whole()))
    else:
        main()
