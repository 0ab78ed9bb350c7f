# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys and references."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.context import (
    Context,
    words,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

from .wishes import fabric_of


def _context(fabric):
    return Context(fabric, Registry.empty(fabric))


def test_keys_have_the_name_of_the_plan(load, tmp_path):
    """A name of the site may change; the place of a thing does not."""
    (tmp_path / "devices.csv").write_text("place,name\nsu01/h01,gpu-1\n")
    c = _context(load("lab", devices="devices.csv"))
    assert c.fabric.name(Node(0, 0, 0)) == "gpu-1"
    assert c.device(Node(0, 0, 0)).key == "lab/worker-su01-rack01-h01"
    assert c.interface(Node(0, 0, 0), "mgmt").key == "lab/worker-su01-rack01-h01/mgmt"


def test_ports_with_one_pair_of_addresses_are_together():
    shared = list(_context(fabric_of("hwplb")).host_links(Node(0, 0, 0)))
    assert {len(nics) for nics in shared} == {2}
    assert all(len({nic.rail for nic in nics}) == 1 for nics in shared)
    alone = list(_context(example("lab")).host_links(Node(0, 0, 0)))
    assert {len(nics) for nics in alone} == {1}


def test_every_card_and_speed_has_a_type():
    made = words()
    speeds = {"100G", "200G", "400G", "800G"}
    assert set(made["types"]["OSFP"]) == speeds
    assert {row["cage"] for row in made["cages"].values()} <= set(made["types"])
    assert all(row["source"] for row in made["cages"].values())
    assert all(row["source"] for row in made["heights"].values())
