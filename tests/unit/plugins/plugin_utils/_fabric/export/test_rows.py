# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of links and devices, made one by one."""

from __future__ import annotations

import collections
import itertools

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    exports,
    rows,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    FEW,
    OOB,
    build,
    example,
)

from .exported import export, table, tree


@pytest.mark.large
def test_a_part_of_the_largest(tmp_path):
    """The first pod to disk, the last one into a sink that only counts: the same number of files."""
    fabric = example("max-524288")
    kinds = ["slices", "links", "addresses", "ptm", "netbox"]
    disk = export(fabric, tmp_path, kinds=kinds, pods=[0])
    assert disk.files == len(tree(tmp_path)) == 640 + 128 + 2 + 20
    assert len(table(tmp_path, "links.csv")) == 3 * 4096
    sink = Output(None)
    exports.write(fabric, sink, kinds=kinds, pods=[127])
    assert sink.files == disk.files
    assert abs(sink.size - disk.size) < disk.size // 50


def test_streams_are_lazy():
    """The first links of the largest fabric come at once."""
    first = list(itertools.islice(rows.links(example("max-524288")), 16))
    assert {link.a.device for link in first} == {
        "worker-pod001-su01-rack01-h01",
        "worker-pod001-su01-rack01-h02",
    }


def test_cables_of_the_converged_fabric_are_with_their_lower_end():
    fabric = example("lab-converged")
    found = list(rows.all_links(fabric))
    assert [link for link in found if link.plane is not None] == list(rows.links(fabric))
    kinds = collections.Counter(link.kind for link in found if link.plane is None)
    assert kinds == {
        "front-end": 12,
        "storage": 12,
        "border_leaf": 4,
        "storage_leaf": 12,
        "front_end_leaf": 8,
        "array": 6,
        "external": 2,
    }
    assert {link.a.role for link in found if link.kind == "external"} == {"border_leaf"}
    assert kinds.keys() <= rows.KINDS.keys()


def test_a_pod_has_the_cables_of_its_nodes_and_no_converged_switch():
    fabric = example("lab-converged")
    assert {link.kind for link in rows.all_links(fabric, [0])} == {
        "host",
        "leaf",
        "front-end",
        "storage",
    }
    assert len(list(rows.all_devices(fabric))) == len(list(rows.all_devices(fabric, [0]))) + 8


def test_out_of_band_cables_and_addresses_are_listed_once():
    fabric = build(capacity=FEW, oob=OOB)
    links = [link for link in rows.all_links(fabric) if link.kind == "access"]
    nodes, switches = 3 * 12, sum(1 for _switch in fabric.switches())
    assert len(links) == nodes * 4 + switches + len(OOB["extras"])
    assert [link.b.rack for link in links if link.b.device == "nvlink-1"] == ["r1"]
    found = [row.address for row in rows.addresses(fabric)]
    assert len(found) == len(set(found))
    assert {row.port for row in rows.addresses(fabric) if row.kind == "oob"} == {
        "bmc", "dpu-bmc", "dpu-oob", "dpu2-bmc", "dpu2-oob", "nvlink", "pdu"
    }  # fmt: skip
