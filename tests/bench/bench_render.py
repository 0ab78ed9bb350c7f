# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed of making switches' documents: one leaf, the largest fabric as a stream, and beside PyAVD.

Every figure is of plan slice and document together. The comparison renders an equal leaf-spine of 32
leaves and 16 spines, 64 uplinks each, in PyAVD's structured configuration; both run in this process's
turn, one after the other, five times, and the best of each counts. The ratio is one of CPU seconds:
both only compute, and a busy machine would weigh on one of them.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LEAVES, SPINES, LINKS = 32, 16, 4
SAMPLE = 4000
LEAF_MS = 5.0
"""Limit for one leaf."""


def say(name: str, value: float, unit: str) -> None:
    """Print a measure."""
    print(json.dumps({"name": name, "value": round(value, 4), "unit": unit}), flush=True)


def best(work: Callable[[], Any], *, times: int) -> tuple[float, float]:
    """Seconds, and CPU seconds, of the fastest of several runs."""
    found = []
    for dummy in range(times):
        start, worked = time.perf_counter(), time.process_time()
        work()
        found.append((time.perf_counter() - start, time.process_time() - worked))
    return min(wall for wall, _cpu in found), min(cpu for _wall, cpu in found)


def memory() -> float:
    """Peak resident memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def load(name: str) -> Any:
    """The fabric of an example."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import (
        Fabric,
    )

    return Fabric.load(str(ROOT / "inventories" / name / "model" / "fabric.yml"))


def one_leaf(compose: Any) -> None:
    """The whole document of a 128-port leaf, tenants included."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
        Registry,
    )

    fabric = load("max-524288")
    leaf, registry = next(fabric.switches()), Registry.empty(fabric)
    ports = len(fabric.slice(leaf)["ports"])
    say("leaf_ports", ports, "ports")
    wall, _cpu = best(lambda: compose.document(fabric, leaf, tenants=registry), times=50)
    spent = 1000 * wall
    say("leaf_document_ms", spent, f"ms, at most {LEAF_MS:g}")
    assert spent <= LEAF_MS, f"{spent:.1f} ms for one leaf"


def stream(compose: Any) -> None:
    """Every switch of the largest fabric, one after the other, nothing kept."""
    fabric = load("max-524288")
    start, early = time.perf_counter(), 0.0
    count = leaves = 0
    for switch in fabric.switches():
        document = compose.document(fabric, switch)
        leaves += len(document["interface"])
        count += 1
        if count == SAMPLE:
            early = memory()
    spent = time.perf_counter() - start
    say("stream_switches", count, "switches")
    say("stream_rate", count / spent, "switches/s")
    say("stream_ms_per_switch", 1000 * spent / count, "ms")
    say("stream_memory_growth", memory() - early, "MB")


def side_by_side(compose: Any) -> None:
    """The same 48 switches here and in PyAVD, where that is installed."""
    python = os.environ.get("SPX_BENCH_PYAVD", "")
    fabric = load("h200-2048")
    switches = list(fabric.switches())

    def ours() -> None:
        for switch in switches:
            compose.document(fabric, switch)

    wall, cpu = best(ours, times=5)
    say("switch_ms", 1000 * wall / len(switches), "ms")
    if not python or not Path(python).exists():
        print("PyAVD is not installed: no comparison.", file=sys.stderr)
        return
    done = subprocess.run(
        [python, __file__, "pyavd"], capture_output=True, text=True, timeout=500, check=False
    )
    if done.returncode:
        print(f"PyAVD did not render: {done.stderr[-2000:]}", file=sys.stderr)
        return
    other_wall, other_cpu = json.loads(done.stdout.strip().splitlines()[-1])
    say("pyavd_switch_ms", 1000 * other_wall / (LEAVES + SPINES), "ms")
    say("pyavd_ratio", other_cpu / cpu, "times, at least 20")


# Runs in PyAVD's own environment


def avd_inputs() -> dict[str, dict[str, Any]]:
    """The same leaf-spine in PyAVD's words: eBGP underlay, EVPN, one L3 node group."""
    spines = [f"spine{n + 1}" for n in range(SPINES)]
    down = LEAVES * LINKS
    common = {
        "fabric_name": "BENCH",
        "underlay_routing_protocol": "ebgp",
        "overlay_routing_protocol": "ebgp",
        "avd_eos_validate_inputs_mode": "disabled",
        "spine": {
            "defaults": {
                "platform": "vEOS",
                "loopback_ipv4_pool": "10.254.0.0/24",
                "bgp_as": "65000",
            },
            "nodes": [{"name": name, "id": n + 1} for n, name in enumerate(spines)],
        },
        "l3leaf": {
            "defaults": {
                "platform": "vEOS",
                "loopback_ipv4_pool": "10.255.0.0/24",
                "loopback_ipv4_offset": 0,
                "vtep_loopback_ipv4_pool": "10.253.0.0/24",
                "uplink_ipv4_pool": "10.0.0.0/16",
                "max_uplink_switches": SPINES,
                "max_parallel_uplinks": LINKS,
                "uplink_interfaces": [f"Ethernet{65 + n}" for n in range(SPINES * LINKS)],
                "uplink_switches": [s for s in spines for _link in range(LINKS)],
                "mlag": False,
            },
            "node_groups": [avd_leaf(n, spines) for n in range(LEAVES)],
        },
    }
    inputs = {name: {**common, "type": "spine"} for name in spines}
    for n in range(LEAVES):
        inputs[f"leaf{n + 1}"] = {**common, "type": "l3leaf"}
    assert down <= 128
    return inputs


def avd_leaf(n: int, spines: list[str]) -> dict[str, Any]:
    """A leaf and where its uplinks end."""
    far = [f"Ethernet{n * LINKS + link + 1}" for _spine in spines for link in range(LINKS)]
    node = {"name": f"leaf{n + 1}", "id": n + 1, "uplink_switch_interfaces": far}
    return {"group": f"GROUP{n + 1}", "bgp_as": str(65100 + n), "nodes": [node]}


def avd() -> tuple[float, float]:
    """Seconds, and CPU seconds, that PyAVD takes for the structured configuration of all switches."""
    from pyavd import get_avd_facts, get_device_structured_config

    def work() -> None:
        inputs = avd_inputs()
        facts = get_avd_facts(inputs)
        for name, variables in inputs.items():
            get_device_structured_config(name, variables, facts)

    return best(work, times=5)


def main() -> None:
    """All figures."""
    if sys.argv[1:] == ["pyavd"]:
        print(json.dumps(avd()))
        return
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
        compose,
    )

    one_leaf(compose)
    side_by_side(compose)
    stream(compose)


if __name__ == "__main__":
    main()
