# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One record is all that names, groups, pictures and exports need of a device role."""

from __future__ import annotations

import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.roles import (
    ROLES,
    names,
)

ROOT = pathlib.Path(__file__).resolve().parents[6]
RECORD = """
service_leaf:
  {plural: service leaves, network: converged, tier: 1, place: [pair, member], fields: [pair, member],
   template: "service-leaf-{pair:02}-{member}", asn: {digit: 4, kind: 7}, pairs: true, vtep: false, code: VL,
   colour: "#eeeeee", dcim: service-leaf}
"""
SCRIPT = """
import dataclasses, json, sys
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.roles import ROLES
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import pictures_networks, rows
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover import elevation
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover.cables import Cables
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan import batches, places
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.addressing import asn
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.groups import Groups
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import Switch
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.names import Names

fabric = Fabric.load(sys.argv[1])
net, role = fabric.converged, ROLES["service_leaf"]
border = net.counts.leaves["border_leaf"]
own = dataclasses.replace(border, role=role.name, pairs=2, first=border.first + 100)
net.counts = dataclasses.replace(net.counts, leaves={**net.counts.leaves, role.name: own})
fabric.names = Names(fabric.clos, fabric.description.naming, net.counts)
leaf = Switch(role.name, 0, 1, 0)
number = asn.converged(role.name, site=0, index=2)
print(json.dumps({
    "name": fabric.names.name(leaf),
    "back": fabric.names.device("service-leaf-02-1") == leaf,
    "groups": Groups(fabric).of(leaf),
    "place": places.coordinates(fabric, leaf),
    "asn": [number, asn.converged_of(number, site=0)],
    "code": [Cables(fabric).code(leaf), Cables(fabric).coded("VL2.1") == leaf],
    "cable": rows.KINDS[role.name],
    "picture": "service" in pictures_networks.pictures(fabric),
    "colour": elevation.draw("r1", 42, [elevation.Box("x", role.label, "", 1, 1)]).count(role.colour),
    "batch": role.name in batches.TIERS,
}))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict:
    """Return what a copy of the collection says of a role that only its table has."""
    tree = tmp_path_factory.mktemp("collection")
    own = tree / "ansible_collections" / "spectrum_x" / "fabric"
    for part in ("plugin_utils", "module_utils"):
        shutil.copytree(ROOT / "plugins" / part, own / "plugins" / part)
    table = own / "plugins" / "plugin_utils" / "_fabric" / "catalog" / "roles.yaml"
    table.write_text(table.read_text() + RECORD)
    example = ROOT / "inventories" / "lab-converged" / "model" / "fabric.yml"
    result = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(example)],
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    "key, expected",
    [
        ("name", "service-leaf-02-1"),
        ("back", True),
        ("groups", ["spx_service_leaf", "spx_converged"]),
        ("place", {"role": "service_leaf", "pair": 1, "member": 0}),
        ("asn", [4_247_000_002, ["service_leaf", 2]]),
        ("code", ["VL2.1", True]),
        ("cable", "service-leaf to converged spine"),
        ("picture", True),
        ("colour", 1),
        ("batch", True),
    ],
)
def test_a_new_role_is_one_record(answers: dict, key: str, expected: object) -> None:
    assert answers[key] == expected


@pytest.mark.parametrize("field", ["code", "dcim", "plural", "asn"])
def test_records_differ_where_something_is_found_by_them(field: str) -> None:
    values = [getattr(role, field) for role in ROLES.values() if role.name != "node"]
    assert [value for value, times in collections.Counter(values).items() if times > 1] == []


def test_words_for_one_device() -> None:
    assert [ROLES[role].singular for role in ("leaf", "front_end_leaf", "super_spine")] == [
        "leaf",
        "front-end leaf",
        "super-spine",
    ]


def test_names_by_fields_of_the_record() -> None:
    assert names(tier=2) == ("spine", "converged_spine", "oob_spine")
    assert names(network="converged", pairs=False) == ("converged_spine",)
    assert names(network="out-of-band") == ("oob_spine", "oob_leaf")
