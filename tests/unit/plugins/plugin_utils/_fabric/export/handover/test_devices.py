# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of devices say what the slices say, counted from 1."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover import (
    sheets,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover.cables import (
    Cables,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover.devices import (
    Pages,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
    example,
)

from .reading import Page, brownfield


def pages(cables: Cables) -> tuple[str, Page]:
    made = Pages(cables)
    text = "".join("".join(made.page(t, own)) for t, own in sheets.of_devices(cables).values())
    return text, Page(text)


@pytest.mark.parametrize(
    "name", ["lab", "lab-2plane", "lab-3tier", "brownfield-256", "lab-converged"]
)
def test_every_port_of_every_device(name):
    cables = Cables(example(name))
    _text, page = pages(cables)
    of_port = {
        (device, port): cable.id
        for device in cables.fabric.devices()
        for cable, plug in cables.at(device)
        for port in plug.ports
    }
    for device in cables.fabric.devices():
        data = cables.fabric.slice(device)
        rows = {row[0]: row for row in page.sections[data["name"]] if len(row) > 1}
        assert data["name"] in page.anchors
        for port in (*data["ports"], *data.get("networks", [])):
            row = rows[port["port"]]
            peer = f"{port['peer']['device']} {port['peer']['port']}".strip()
            built = port.get("present", True)
            assert (peer if built else f"{peer}, not built") in row
            assert row[-1] == (of_port[device, port["port"]] if built else "")


def test_a_device_of_the_converged_fabric():
    _text, page = pages(Cables(example("lab-converged")))
    leaf = {row[0]: row for row in page.sections["storage-leaf-001-1"]}
    assert leaf["swp1s0"][3:] == ["storage array", "200G", "vast-1", "in bond5001", "SL1.1/01.1-A1"]
    assert leaf["swp1s2"][6] == ""
    assert ["swp1s1", "1", "2", "outside"] not in page.sections["border-leaf-01-1"]
    worker = {row[0]: row for row in page.sections["worker-su01-rack01-h01"]}
    assert worker["front2"] == [
        "front2", "front-end", "front-end-leaf-001-2 swp1s0", "in front", "", "FL1.2/01-N1.1/f2",
    ]  # fmt: skip


def test_numbers_are_counted_from_1():
    _text, page = pages(Cables(example("lab-2plane")))
    worker = page.sections["worker-su01-rack01-h01"]
    assert worker[2][:4] == ["rail1p1", "1", "1", "leaf-p1-su001-r1 swp1s0"]
    leaf = page.sections["leaf-p2-su001-r1"]
    assert leaf[3][:5] == ["swp1s1", "1", "2", "node", "400G"]


def test_who_and_where_a_device_is():
    text, _page = pages(brownfield())
    for pair in (
        ("Name in the plan", "leaf-p1-su001-r1"),
        ("Place", "plane 1, pod 1, SU 1, rail 1"),
        ("Serial", "MT2417XT1001"),
        ("ASN", "65101"),
        ("VTEP", "10.41.3.11"),
        ("Code on labels", "L1.1.1"),
        ("Place", "plane 1, pod 1, spine number 4"),
        ("What it is", "GPU node with 8 x BlueField-3"),
    ):
        assert "<dt>{}</dt><dd>{}</dd>".format(*pair) in text
    assert "tor-a1</h2><p>leaf, rack N1, unit 40</p>" in text


def test_tenants_of_a_node_and_of_a_leaf():
    text, _page = pages(Cables(example("h200-2048")))
    node = text[text.index('id="worker-su01-rack01-h01"') :]
    slug = node.partition("<dt>Tenant</dt><dd>")[2].partition("<")[0]
    leaf = (
        text[text.index('id="leaf-p1-su001-r1"') :]
        .partition("<dt>Tenants</dt><dd>")[2]
        .partition("<")[0]
    )
    counts = {
        name: int(n.split()[0]) for name, _s, n in (p.partition(" (") for p in leaf.split(", "))
    }
    assert sum(counts.values()) == 64
    assert slug in counts


def test_several_rails_of_a_leaf():
    made = build(capacity={"sus_per_pod": 1, "slots_per_su": 4}, wiring={"rails_per_leaf": 2})
    assert "SU 1, rails 3, 4</dd>" in pages(Cables(made))[0]
