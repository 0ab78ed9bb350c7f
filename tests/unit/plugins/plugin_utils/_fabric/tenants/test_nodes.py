# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes as people write them."""

from __future__ import annotations

import time

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import nodes
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves import jobs

from .rows import refused


@pytest.mark.parametrize(
    "text, expected",
    [
        ("worker-su01-rack01-h02", [(0, 0, 1)]),
        ("worker-su0[1-2]-rack01-h01", [(0, 0, 0), (0, 1, 0)]),
        ("worker-su01-rack01-h[01-02]", [(0, 0, 0), (0, 0, 1)]),
        ("worker-su0[1,2]-rack01-h[01,02]", [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1)]),
        ("su02/h03", [(0, 1, 2)]),
        ("pod01/su02/03", [(0, 1, 2)]),
        ("su01/[01-03]", [(0, 0, 0), (0, 0, 1), (0, 0, 2)]),
        ("su01", [(0, 0, 0), (0, 0, 1), (0, 0, 2)]),  # the fourth slot is not built
        ("*/h01", [(0, 0, 0), (0, 1, 0)]),
        ("*/*/h04", []),
        ("pod01", [(0, s, n) for s in range(2) for n in range(3)]),
    ],
)
def test_expand(lab, text, expected):
    """Names, places and ranges of both; what is not built is passed over in ranges."""
    assert nodes.expand(lab, text) == [Node(*place) for place in expected]


@pytest.mark.parametrize(
    "text, part",
    [
        ("worker-su09-rack01-h01", "is not a node of the fabric"),
        ("leaf-p1-su001-r1", "is a switch"),
        ("su01/h04", "which is not built"),
        ("worker-su01-rack02-h04", "is not built"),
        ("su03/h01", "su 03, and there are 1 to 2"),
        ("worker-su01-rack01-h[03-01]", "is not a range"),
        ("worker-su01-rack01-h[1-99999999]", "more than 16384 nodes are named"),
        ("w[01-100000]-h[01-100000]", "more than 16384 nodes are named"),
        ("worker-su01-rack01-h[1-2-3]", "is not a range"),
        (f"worker-su01-rack01-h[{'9' * 5000}]", "is not a range"),
        ("w" + "[1]" * 5000, "is not a node of the fabric"),
        ("w" + "[1-900000]" * 5000, "more than 16384 nodes are named"),
        ("su01/[" + "1," * 500 + "1]", "more than the 4 that there are"),
        (f"w[{','.join(['1-900000'] * 500)}]", "more than 16384 nodes are named"),
    ],
)
def test_refused(lab, text, part):
    """One sentence says what is wrong."""
    with pytest.raises(FabricError, match=part) as caught:
        nodes.expand(lab, text)
    assert len(caught.value.sentences) == 1


def test_compress_is_the_way_back(lab):
    """Few texts name exactly the same nodes."""
    held = [Node(0, 0, 0), Node(0, 0, 2), Node(0, 1, 1)]
    texts = nodes.compress(lab, held)
    assert texts == ["su01/[01,03]", "su02/h02"]
    assert [node for text in texts for node in nodes.expand(lab, text)] == held


STARS = ("*/*/*", "*/*", "*/*/[1-64]")


def test_a_list_that_names_too_many_is_refused_before_they_are_listed(load):
    """Of the largest fabric each of these texts means 65,536 nodes, which takes a second."""
    largest = load("max-524288")
    begin = time.process_time()
    for text in STARS:
        assert nodes.too_many(largest, [text]) == ""
        with pytest.raises(
            FabricError, match="spx_nodes: more than 262144 nodes are named"
        ) as caught:
            jobs.expand(largest, [text] * 2_000)
        assert len(caught.value.sentences) == 1
    assert time.process_time() - begin < 1


def test_a_file_that_names_too_many_is_one_sentence(load, registry):
    with pytest.raises(FabricError, match="absent: more than 262144 nodes are named") as caught:
        load("max-524288", absent=list(STARS) * 700)
    assert len(caught.value.sentences) == 1
    rows = f"tenants: [{{id: 21, slug: acme, nodes: {list(STARS) * 700}}}]"
    (sentence,) = refused(registry, rows, fabric=load("max-524288"))
    assert "tenants: in all lists more than 262144 nodes are named" in sentence
