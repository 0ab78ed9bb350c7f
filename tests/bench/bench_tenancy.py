# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Onboarding's cost follows the tenant, not the fabric; a large registry loads quickly.

A tenant of 64 nodes (one SU) is planned and its leaves rendered, in a fabric of 2,048 GPUs and in one
of 524,288; loading the fabrics is printed apart. The same with front end, storage and a session to the outside, in a
fabric of 256 nodes and in one of 4,096. Then a registry of 1,000 tenants of 64 nodes each is loaded and validated from
its file.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from described import NETWORKS, NODES

ROOT = Path(__file__).resolve().parents[2]
RATIO, SECONDS = 2.0, 2.0
"""Limits: the ratio of two fabrics, and seconds for 1,000 tenants."""


def say(name: str, value: float, unit: str) -> None:
    """Print a measure."""
    print(json.dumps({"name": name, "value": round(value, 4), "unit": unit}), flush=True)


def best(work: Callable[[], Any], *, times: int) -> float:
    """Seconds of the fastest of several runs."""
    found = []
    for _run in range(times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def load(name: str) -> tuple[Any, float]:
    """The fabric of an example, and the seconds it took to load."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import (
        Fabric,
    )

    start = time.perf_counter()
    fabric = Fabric.load(str(ROOT / "inventories" / name / "model" / "fabric.yml"))
    return fabric, time.perf_counter() - start


def onboard(fabric: Any, text: str) -> int:
    """Plan a tenant's onboarding and render its leaves; returns how many leaves that were."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
        compose,
    )
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
        leaf_guard,
        registry,
    )
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves import (
        jobs,
    )

    found = registry.Registry.parse(fabric, text)
    plan = jobs.onboarding(found, "acme")
    for name in plan.leaves:
        document = compose.document(fabric, name, ["tenants"], tenants=found)
        leaf_guard.Guard(fabric, found, fabric.device(name)).hold(document, document)
    return len(plan.leaves)


def sizes() -> None:
    """The same tenant in the two fabrics, in turn."""
    small, took_small = load("h200-2048")
    large, took_large = load("max-524288")
    say("tenancy_fabric_load_2048_gpus", took_small, "s")
    say("tenancy_fabric_load_524288_gpus", took_large, "s")
    tenant = "tenants: [{{id: 21, slug: acme, nodes: [{place}]}}]"
    compare(
        "tenancy_onboard",
        {"2048_gpus": (small, tenant.format(place="su03"))},
        {"524288_gpus": (large, tenant.format(place="pod100/su03"))},
    )


def networks() -> None:
    """A tenant with front end, storage and a session to the outside, in the two fabrics."""
    tenant = (
        "tenants: [{{id: 21, slug: acme, nodes: [{place}], networks: [east-west, front-end, storage],\n"
        "  external_peers: [{{name: isp-a, link: isp-a, asn: 64496}}]}}]"
    )
    small = described(pods=1, sus_per_pod=4)
    large = described(pods=8, sus_per_pod=8)
    compare(
        "tenancy_onboard_networks",
        {"256_nodes": (small, tenant.format(place="su01"))},
        {"4096_nodes": (large, tenant.format(place="pod01/su01"))},
    )


def described(*, pods: int, sus_per_pod: int) -> Any:
    """A fabric with all other networks."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description import (
        description,
        load,
        yaml_source,
    )
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan import fabric

    capacity = {"pods": pods, "sus_per_pod": sus_per_pod, "slots_per_su": 64, "nodes_per_rack": 4}
    stated = {**NODES, "networks": NETWORKS, "capacity": capacity, "tiers": 2 if pods == 1 else 3}
    source = yaml_source.Source("fabric.yml", stated, {})
    return fabric.Fabric(load.typed(description.Description, source), source)


def compare(
    what: str, small: dict[str, tuple[Any, str]], large: dict[str, tuple[Any, str]]
) -> None:
    """The same job in two fabrics, in turn: as many leaves, and about the same time."""
    ((few, job),) = small.items()
    ((many, same),) = large.items()
    leaves = [onboard(*job), onboard(*same)]
    pairs = [
        (best(lambda: onboard(*job), times=3), best(lambda: onboard(*same), times=3))
        for _pair in range(3)
    ]
    one, two = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
    say(f"{what}_leaves", leaves[0], "leaves")
    say(f"{what}_64_nodes_{few}", one, "s")
    say(f"{what}_64_nodes_{many}", two, "s")
    say(f"{what}_ratio", two / one, "x")
    assert leaves[0] == leaves[1], leaves
    assert two <= RATIO * one, f"the ratio {two / one:.2f} is more than {RATIO}"


def thousand() -> None:
    """1,000 tenants of an SU each, from a file, validated."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import registry

    fabric, _took = load("max-524288")
    rows = [
        f"  - id: {16 + n}\n    slug: t{n}\n    nodes: [pod{n // 8 + 1:03}/su{n % 8 + 1:02}]\n"
        "    networks: [east-west, storage]\n    quotas: {nodes: 64}\n"
        for n in range(1000)
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tenants.yml"
        path.write_text("tenants:\n" + "".join(rows), encoding="utf-8")

        def work() -> None:
            path.touch()
            found = registry.Registry.load(fabric, str(path))
            assert len(found.claims) == 64_000

        took = best(work, times=3)
    say("tenancy_1000_tenants_load_and_validate", took, "s")
    assert took <= SECONDS, f"{took:.2f} s is more than {SECONDS} s"


if __name__ == "__main__":
    sizes()
    networks()
    thousand()
