# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The locate playbook as somebody runs it at night: what is broken elsewhere hides no place."""

from __future__ import annotations

import shutil

import pytest
from playing import extra_vars, play

from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

PLACE = "lab: 172.18.1.2 is the NIC end of a host link, on worker-su02-rack01-h02 port rail2p1"


def locate(folder, **variables):
    """Nothing in it connects to anything: the play runs on the controller alone."""
    code, output = play(folder, "spectrum_x.fabric.locate", *extra_vars(variables))
    assert "Traceback" not in output
    return code, output


@pytest.fixture
def lab(tmp_path):
    return shutil.copytree(INVENTORIES / "lab", tmp_path / "lab")


def test_a_broken_registry_hides_no_place(lab):
    (lab / "model" / "tenants.yml").write_text("tenants: [{id: 21}]\n", encoding="utf-8")
    code, output = locate(lab, spx_address="172.18.1.2")
    assert code == 0
    assert PLACE in output
    assert (
        "tenants are not shown: tenants.yml line 1, tenants[0].slug: the key is missing" in output
    )


def test_a_broken_fabric_hides_no_other(lab, tmp_path):
    (tmp_path / "broken" / "model").mkdir(parents=True)
    (tmp_path / "broken" / "model" / "fabric.yml").write_text("name: no\n", encoding="utf-8")
    both = f"{tmp_path / 'broken'},{lab}"
    code, output = locate(lab, spx_address="172.18.1.2", spx_descriptions=both)
    assert code == 0
    assert PLACE in output
    assert "name: no is read by YAML as a boolean" in output
    code, output = locate(lab, spx_address="192.0.2.1", spx_descriptions=both)
    assert code == 2
    assert "name: no is read by YAML as a boolean" in output
    assert "192.0.2.1 belongs to no place of fabric lab" in output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("L1.1.1/01-N1.1/r1p1", "cable L1.1.1/01-N1.1/r1p1"),
        ("leaf-p1-su001-r1:swp1", "cable L1.1.1/01-N1.1/r1p1"),
        ("su01-rack01", "lab: worker-su01-rack01-h01 is a node"),
        (
            "nowhere",
            "'nowhere' is not an address, device, port, place, cable label or rack of fabric lab",
        ),
    ],
)
def test_labels_and_racks(lab, text, said):
    code, output = locate(lab, spx_address=text)
    assert (code, said in output) == (2 if text == "nowhere" else 0, True), output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "10.208.14.1",
            "is the gateway in the subnet 10.208.14.0/23 of acme on front-end (VLAN 21, L2VNI 4300021",
        ),
        (
            "198.51.100.2",
            "is the leaf end of the session isp-a of globex on front-end (VLAN 3022, VRF t22-globex",
        ),
        ("front-end-leaf-001-1:swp1s1", "tenant globex, VRF t22-globex, VLAN 22, L2VNI 4300022)"),
        ("su01/h03", "lab-converged: worker-su01-rack02-h03 is a node"),
        ("10.208.99.1", "and no tenant has that one"),
    ],
)
def test_addresses_of_tenants(tmp_path, text, said):
    lab = shutil.copytree(INVENTORIES / "lab-converged", tmp_path / "lab")
    code, output = locate(lab, spx_address=text)
    assert (code, said in output) == (2 if text == "10.208.99.1" else 0, True), output
