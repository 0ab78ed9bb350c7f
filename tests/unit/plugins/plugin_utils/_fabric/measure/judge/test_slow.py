# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The seeded culprit comes first; without one, or with an uneven job, nobody is named."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge import slow
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

LEAF, SPINE, NODE = "leaf-p1-su001-r1", "spine-p1-s01", "worker-su01-rack01-h02"
TENANTS = "tenants: [{id: 21, slug: acme, nodes: [su01, su02]}]\n"
QUIET = {
    "carrier-transitions": 0,
    "in-errors": 0,
    "in-drops": 0,
    "out-drops": 0,
    "symbol-errors": 0,
    "effective-errors": 0,
    "rx-pfc-stats/pause-packets": 3,
    "in-bytes": 10**12,
    "out-bytes": 10**12,
}


@pytest.fixture(scope="module")
def job():
    fabric = example("lab")
    nodes = [fabric.name(node) for node in fabric.nodes()]
    return slow.Job(fabric, Registry.parse(fabric, TENANTS), nodes)


def quiet(job):
    """Every port of every switch counts nothing but traffic."""
    fabric = job.fabric
    return {
        f"{fabric.name(switch)}:{fabric.port_name(switch, port)}": dict(QUIET)
        for switch in fabric.east_west()
        for port in fabric.cabling.ports(switch)
        if fabric.present(fabric.cabling.peer(switch, port)[0])
    }


CULPRITS = [
    # what is seeded, the kind, device and port of the first suspect, words
    ({f"{LEAF}:swp1s1": {"symbol-errors": 40}}, "cable", LEAF, "swp1s1", f"(to {NODE} rail1p1), tenant acme"),
    ({f"{NODE}:rail1p1": {"rx_symbol_err_phy": 9}}, "cable", NODE, "rail1p1", "rx_symbol_err_phy"),
    ({f"{LEAF}:swp1s1": {slow.PAUSES: 90000}}, "nic", NODE, "rail1p1", "90000 pauses that the host sent"),
    ({f"{NODE}:rail1p1": {"outbound_pci_stalled_wr_events": 50}}, "nic", NODE, "rail1p1", "PCIe writes were stalled"),
    (
        {f"{LEAF}:{port}": {"out-drops": 7} for port in ("swp1s0", "swp1s1", "swp2s0")},
        "leaf", LEAF, "swp1s0", "3 ports of",
    ),
    ({f"{LEAF}:swp3s1": {"out-drops": 7}}, "path", LEAF, "swp3s1", f"(to {SPINE} swp1s1)"),
    ({f"{SPINE}:swp1s0": {"effective-errors": 7}}, "cable", SPINE, "swp1s0", f"(to {LEAF} swp3s0)"),
    ({f"{NODE}:rail1p1": {"local_ack_timeout_err": 7}}, "path", NODE, "rail1p1", "nobody acknowledged"),
    ({f"{LEAF}:swp3s0": {slow.PAUSES: 500}}, "congestion", LEAF, "swp3s0", "pauses that the spine sent"),
    (
        # a slow receiver fills the way behind it: the receiver comes first
        {f"{LEAF}:swp1s1": {slow.PAUSES: 90000}, f"{LEAF}:swp3s0": {slow.PAUSES: 500}},
        "nic", NODE, "rail1p1", "pauses that the host sent",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("seeded", "kind", "device", "port", "words"), CULPRITS)
def test_the_seeded_culprit_comes_first(job, seeded, kind, device, port, words):
    counters = quiet(job)
    for where, rows in seeded.items():
        counters.setdefault(where, {}).update(rows)
    first = slow.judge(job, counters, hosts=True).suspects[0]
    assert (first.kind, first.device, first.port) == (kind, device, port)
    assert words in first.sentence
    assert first.rose >= first.limit > 0
    assert first.command.startswith("ansible-playbook spectrum_x.fabric.")
    assert "{" not in first.command


def test_without_a_culprit_nobody_is_named(job):
    answer = slow.judge(job, quiet(job), hosts=True)
    assert answer.suspects == []
    assert answer.uneven == []
    assert answer.healthy == [
        "12 ports of leaves to 6 nodes count no fault, no pause and no drop that is unusual."
    ]
    assert answer.unknown == ["GPUs, their NVLink and the software of the job were not seen."]
    assert slow.lines(answer)[0] == "Nothing of the network is a suspect, as far as it was seen."


@pytest.mark.parametrize("share", [0, 100])
def test_an_uneven_job_is_no_fault(job, share):
    """Experts that nobody asks, and stages of a pipeline, are healthy."""
    counters = quiet(job)
    for port in (f"{LEAF}:swp1s1", "leaf-p1-su001-r2:swp1s1"):
        counters[port] |= {"in-bytes": 10**10 * share // 100, "out-bytes": 10**9}
    answer = slow.judge(job, counters, hosts=True)
    assert answer.suspects == []
    (sentence,) = answer.uneven
    assert sentence.startswith(f"{NODE} moves ")
    assert sentence.endswith(": uneven, perhaps the job.")


def test_pauses_of_all_hosts_alike_are_the_load(job):
    counters = quiet(job)
    for where in counters:
        counters[where][slow.PAUSES] = 5000 if "swp1" in where or "swp2" in where else 0
    assert slow.judge(job, counters, hosts=True).suspects == []


def test_nodes_of_others_are_not_named(job):
    few = slow.Job(job.fabric, job.registry, [NODE])
    counters = quiet(job)
    counters[f"{LEAF}:swp1s0"]["symbol-errors"] = 40
    assert slow.judge(few, counters, hosts=True).suspects == []
    assert slow.judge(job, counters, hosts=True).suspects


def test_without_a_reading_nothing_is_known(job):
    assert slow.lines(slow.judge(job, {}))[0] == "No counter was read twice, so nothing is known."


def test_what_was_not_read_is_unknown(job):
    counters = quiet(job)
    del counters[f"{LEAF}:swp1s1"]
    answer = slow.judge(job, counters, silent=["spine-p1-s02 did not answer."])
    assert answer.unknown[1:] == [
        "Counters of the NICs were not read: only their leaves' side was.",
        f"Errors, drops and pauses of {LEAF} swp1s1 were not all read twice.",
        "spine-p1-s02 did not answer.",
    ]
    assert answer.healthy[0].startswith("11 ports of leaves to 6 nodes")
    assert slow.plain(answer)["unknown"] == answer.unknown


@pytest.mark.parametrize("lacking", ["in-errors", "out-drops", slow.PAUSES])
def test_a_port_without_one_of_its_counters_is_not_healthy(job, lacking):
    counters = quiet(job)
    del counters[f"{LEAF}:swp1s1"][lacking]
    answer = slow.judge(job, counters)
    assert answer.healthy[0].startswith("11 ports of leaves to 6 nodes")
    assert f"{LEAF} swp1s1 were not all read twice" in " ".join(answer.unknown)
