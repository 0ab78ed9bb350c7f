# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Topologies for schedulers: trees without a gap, and of a tenant nothing but its own nodes."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import schedulers
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

INVENTORIES = Path(__file__).parents[6] / "inventories"


def made(name):
    fabric = Fabric.load(str(INVENTORIES / name / "model" / "fabric.yml"))
    return fabric, {path: "".join(chunks) for path, chunks in schedulers.files(fabric, None)}


@pytest.mark.parametrize(
    "names, expected",
    [
        (["h01", "h02", "h03", "h07"], "h[01-03,07]"),
        (["a-h1", "a-h2", "b-h3"], "a-h[1-2],b-h3"),
        (["h9", "h10", "h11"], "h[9,10-11]"),
        (["gpu", "gpu1"], "gpu,gpu1"),
        (["lab"], "lab"),
    ],
)
def test_names_are_joined_as_slurm_reads_them(names, expected):
    assert schedulers.hostlist(names) == expected


def test_the_files_of_slurm():
    _fabric, texts = made("lab-3tier")
    assert texts["schedulers/topology.conf"].splitlines()[1:] == [
        "SwitchName=pod01-su01 Nodes=worker-pod01-su01-rack01-h[01-02]",
        "SwitchName=pod02-su01 Nodes=worker-pod02-su01-rack01-h[01-02]",
        "SwitchName=pod01 Switches=pod01-su01",
        "SwitchName=pod02 Switches=pod02-su01",
        "SwitchName=lab-3tier Switches=pod[01-02]",
    ]
    (topology,) = yaml.safe_load(texts["schedulers/topology.yaml"])
    assert topology["tree"]["switches"][-1] == {"switch": "lab-3tier", "children": "pod[01-02]"}


@pytest.mark.parametrize("name", ["lab", "lab-3tier", "lab-2plane", "h200-2048"])
def test_each_node_is_there_once_and_a_tenant_has_its_own_alone(name):
    fabric, texts = made(name)
    registry = Registry.load(fabric)
    sets = {"schedulers": [fabric.name(node) for node in fabric.nodes()]}
    for tenant in registry.file.tenants:
        nodes = registry.nodes_of(tenant.slug)
        sets[f"schedulers/tenants/{tenant.slug}"] = [
            fabric.name(node) for node in nodes if fabric.present(node)
        ]
    foreign = set(sets["schedulers"])
    for folder, names in sets.items():
        own = {path: text for path, text in texts.items() if path.rpartition("/")[0] == folder}
        assert bool(own) == bool(names)
        if own:
            labels = [one["metadata"] for one in yaml.safe_load_all(own[f"{folder}/labels.yaml"])]
            assert [one["name"] for one in labels] == names
            text = "".join(own.values())
            assert not [name for name in foreign - set(names) if f"{name}\n" in text]
    assert all(schedulers.BEGINS.match(text.encode()) for text in texts.values())


def test_the_variables_of_nccl():
    _fabric, texts = made("lab")
    assert "NCCL_IB_TC=96\n" in texts["schedulers/nccl.conf"]
