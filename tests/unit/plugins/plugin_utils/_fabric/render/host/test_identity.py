# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Identity of a host: evidence in its order, and the evidence that counts before a wipe."""

from __future__ import annotations

import shutil

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host import identity
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.identity import (
    Evidence,
    accepted,
    judge,
    macs_of,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

H01, H02 = "worker-su01-rack01-h01", "worker-su01-rack01-h02"
ONE, TWO = "leaf-p1-su001-r1", "leaf-p1-su001-r2"
MAC, SECOND, STRANGE = "0c:42:a1:00:00:01", "0c:42:a1:00:00:02", "0c:42:a1:00:00:99"
OWN, OTHERS, GATEWAY = "172.16.0.0", "172.16.0.2", "172.16.0.1"
AT_ONE, AT_TWO = (ONE, "swp1s0"), (TWO, "swp1s0")
HOST = f"the host at 192.0.2.7 (ansible_host of {H01})"
IS_OTHER = f"{HOST} is {H02}: "


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The lab, of which devices.csv knows two nodes."""
    folder = tmp_path_factory.mktemp("lab") / "model"
    shutil.copytree(INVENTORIES / "lab" / "model", folder)
    rows = f"place,serial,mac\nsu01/h01,SN1,00-00-5E-00-53-01\nsu01/h02,SN2,\n{TWO},SN9,\n"
    (folder / "devices.csv").write_text(rows)
    with (folder / "fabric.yml").open("a") as description:
        description.write("devices: devices.csv\n")
    return Fabric.load(str(folder / "fabric.yml"))


@pytest.fixture(scope="module")
def bare():
    return Fabric.load(str(INVENTORIES / "lab" / "model" / "fabric.yml"))


def of(fabric, *, outside=False, **evidence):
    node = fabric.known(H01)
    return judge(fabric, node, Evidence(**evidence), at="192.0.2.7", outside=outside)


LEAVES = {AT_ONE: [MAC.upper().replace(":", "-")], AT_TWO: [SECOND]}
HEARS = [(ONE, "swp1s0"), (f"{TWO}.example.com", "swp1s0")]
HEARS_OTHERS = [(ONE, "swp1s1"), (TWO, "swp1s1")]


@pytest.mark.parametrize(
    "evidence, state, outside, words",
    [
        ({}, "unknown", "unknown", "nothing proves that the host at 192.0.2.7"),
        ({"macs": [MAC, SECOND], "leaves": LEAVES}, "proven", "proven", f"{ONE} swp1s0 and {TWO}"),
        ({"macs": [MAC], "leaves": LEAVES}, "unknown", "unknown", "nothing proves"),
        ({"macs": [MAC], "leaves": {AT_ONE: [MAC]}}, "unknown", "unknown", "nothing proves"),
        (
            {"macs": [STRANGE], "leaves": LEAVES},
            *("other", "other"),
            f"{HOST} has none of the MAC addresses that leaves hear of {H01}, {MAC} at {ONE} swp1s0",
        ),
        ({"macs": [STRANGE], "leaves": LEAVES, "addresses": [OTHERS]}, "other", "other", IS_OTHER),
        ({"macs": [STRANGE], "leaves": {AT_ONE: [MAC]}}, "unknown", "unknown", "nothing proves"),
        ({"leaves": LEAVES}, "unknown", "unknown", "nothing proves"),
        (
            {"macs": [MAC, SECOND], "leaves": LEAVES, "addresses": [OTHERS]},
            *("unknown", "unknown", f"but it has the rail address {OTHERS} of {H02}, so that one"),
        ),
        (
            {"macs": [MAC, SECOND, STRANGE], "leaves": {**LEAVES, (ONE, "swp1s1"): [STRANGE]}},
            *("unknown", "unknown", f"but {STRANGE} is heard at {ONE} swp1s1 of {H02} too"),
        ),
        (
            {"macs": [MAC, SECOND], "leaves": {**LEAVES, (TWO, "swp1s1"): [SECOND]}},
            *("unknown", "unknown", f"but {SECOND} is heard at {TWO} swp1s1 of {H02} too"),
        ),
        (
            {"macs": [MAC, SECOND], "leaves": LEAVES, "heard": HEARS_OTHERS},
            *("unknown", "unknown", f"but it hears {ONE} swp1s1 and {TWO} swp1s1 of {H02}"),
        ),
        (
            {"macs": [MAC, SECOND], "leaves": {**LEAVES, (TWO, "swp1s1"): [STRANGE]}},
            *("proven", "proven", "are heard"),
        ),
        (
            {"macs": [STRANGE], "leaves": {**LEAVES, (ONE, "swp1s1"): [STRANGE]}},
            *("other", "other", IS_OTHER + "leaves hear others than its MAC addresses"),
        ),
        ({"addresses": [OTHERS]}, "other", "other", IS_OTHER + f"it has the rail address {OTHERS}"),
        ({"addresses": [OWN, OTHERS]}, "other", "other", IS_OTHER),
        ({"addresses": [OWN]}, "proven", "unknown", f"it has its rail address {OWN}"),
        ({"addresses": [GATEWAY, "fe80::1", "nonsense", "8.8.8.8"]}, "unknown", "unknown", ""),
        ({"heard": HEARS}, "proven", "unknown", f"it hears {ONE} swp1s0 and {TWO}"),
        ({"heard": HEARS[:1]}, "unknown", "unknown", ""),
        ({"heard": HEARS_OTHERS}, "other", "other", IS_OTHER + "it hears"),
        ({"heard": HEARS_OTHERS, "addresses": [OWN]}, "other", "other", IS_OTHER),
        ({"heard": [("toaster", "1"), (ONE, "eth0"), (H02, "rail1p1")]}, "unknown", "unknown", ""),
    ],
)
def test_without_a_table(bare, evidence, state, outside, words):
    found = of(bare, **evidence)
    assert (found.state, of(bare, outside=True, **evidence).state) == (state, outside)
    assert words in found.sentence
    assert found.sentence.endswith(".")


@pytest.mark.parametrize(
    "evidence, state, words",
    [
        ({"serials": ["sn1"]}, "proven", "devices.csv has serial sn1 for it"),
        ({"macs": ["00:00:5e:00:53:01"]}, "proven", "devices.csv has 00:00:5e:00:53:01 for it"),
        ({"serials": ["SN1"], "addresses": [OTHERS]}, "proven", "serial SN1"),
        ({"serials": ["SN2"]}, "other", IS_OTHER + "devices.csv has serial SN2 for that"),
        ({"serials": ["SN2"], "macs": ["00:00:5e:00:53:01"]}, "other", IS_OTHER),
        ({"serials": ["X7"]}, "other", f"has serial X7, and devices.csv has SN1 for {H01}"),
        ({"serials": ["SN9"]}, "other", "has serial SN9"),
        ({"serials": [H02]}, "other", f"has serial {H02}"),
        ({"macs": [STRANGE]}, "unknown", "nothing proves"),
        ({"serials": ["SN1"], "macs": [MAC, SECOND], "leaves": LEAVES}, "proven", "are heard"),
        (
            {"serials": ["SN2"], "macs": [MAC, SECOND], "leaves": LEAVES},
            *("unknown", f"but devices.csv has serial SN2 for {H02}"),
        ),
    ],
)
def test_with_a_table(lab, evidence, state, words):
    """A table is evidence from outside, before a wipe too."""
    for outside in (False, True):
        found = of(lab, outside=outside, **evidence)
        assert (found.state, words in found.sentence) == (state, True), found.sentence


def test_a_node_with_one_rail_in_service_has_that_alone(tmp_path):
    shutil.copytree(INVENTORIES / "lab" / "model", tmp_path / "model")
    path = tmp_path / "model" / "fabric.yml"
    row = f"{{device: {TWO}, since: '2026-01-01', reason: dead}}"
    path.write_text(f"{path.read_text()}out_of_service: [{row}]\n")
    fabric = Fabric.load(str(path))
    assert of(fabric, macs=[MAC], leaves={AT_ONE: [MAC]}, outside=True).state == "proven"


def test_a_run_accepts_the_unknown_and_never_another():
    for state, factory in (("proven", False), ("unknown", True), ("other", False)):
        found = identity.Identity(state, "")
        assert accepted(found, factory=True) is (factory or state == "proven")
        assert accepted(found, factory=False) is (state == "proven")


def test_mac_addresses_are_found_wherever_a_release_has_them():
    table = {"ipv4": {OWN: {MAC.upper(): {"state": {"reachable": {}}}}}}
    lldp = {"neighbor": {"x": {"chassis": {"chassis-id": SECOND}, "port": {"name": "rail1p1"}}}}
    assert macs_of([table, lldp, None, 7, ["x"]]) == {MAC, SECOND}


def test_what_module_host_read_is_evidence():
    traces = {"serials": ["A"], "macs": [MAC], "heard": [[ONE, "swp1s0"]]}
    found = Evidence.of(traces)
    assert (found.serials, found.macs, found.heard) == (["A"], [MAC], [(ONE, "swp1s0")])
