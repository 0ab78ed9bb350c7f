# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The locate playbook as somebody runs it at night: what is broken elsewhere hides no place."""

from __future__ import annotations

import shutil

import pytest
from playing import extra_vars, play

from ansible_collections.spectrum_x.fabric.plugins.action import locate_info
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    NotInFabric,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    example,
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


def lines(example_name, text):
    """The sentences of a text, as the playbook prints them, or the one sentence that refuses it."""
    fabric = example(example_name)
    try:
        found = locate_info._found(fabric, text, Registry.load(fabric))
    except NotInFabric as exc:
        return str(exc)
    return "\n".join(map(locate_info._line, found))


SLOT2 = "lab: worker-su02-rack01-h02 is a node"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("L1.1.1/01-N1.1/r1p1", "cable L1.1.1/01-N1.1/r1p1"),
        ("leaf-p1-su001-r1:swp1", "cable L1.1.1/01-N1.1/r1p1"),
        ("su01-rack01", "lab: worker-su01-rack01-h01 is a node"),
        (
            "nowhere",
            "'nowhere' is not an address, device, port, place, cable label, rack, tenant, VLAN",
        ),
        ("::ffff:172.18.1.2", PLACE),
        (" 0000:0000:0000:0000:0000:FFFF:AC12:0102 ", PLACE),
        ("172.18.1.2/31", PLACE),
        ("172.18.1.2:4791", PLACE),
        ("'172.18.1.2',", PLACE),
        ("(172.18.1.2).", PLACE),
        ("https://172.18.1.2:8765/nvue_v1/system", PLACE),
        ("[::ffff:172.18.1.2]:8765", PLACE),
        ("::ffff:172.18.1.2%rail2p1", PLACE),
        ("worker-su02-rack01-h02:", SLOT2),
        ('"leaf-p1-su001-r1:swp1",', "cable L1.1.1/01-N1.1/r1p1"),
        ("::ffff:172.18.1.2/128", PLACE),
        ("WORKER-su02-rack01-h02.example.net", SLOT2),
        ("SU02/H02", SLOT2),
        (
            "Leaf-p1-su001-r1.example.net:SWP1S0",
            "leaf end of a host link, on leaf-p1-su001-r1 port swp1s0",
        ),
        ("worker-su02-rack01-h2", "of fabric lab, did you mean 'worker-su02-rack01-h02'"),
        ("acmee", "of fabric lab, did you mean 'acme'"),
        (
            "acme",
            "lab: acme is a network of acme on east-west (VRF t21-acme, L3VNI 4000021), with worker-",
        ),
        ("T21-ACME", "VRF t21-acme, L3VNI 4000021"),
        ("VNI 4000021", "lab: VNI 4000021 is a network of acme on east-west"),
        ("4000021", "VRF t21-acme"),
        ("AS4220000000", "lab: spine-p1-s01 is a spine (plane 1, pod 1, index 1, AS 4220000000)"),
        ("asn 4220000000", "lab: spine-p1-s02 is a spine"),
    ],
)
def test_what_people_paste(text, words):
    assert words in lines("lab", text)


@pytest.mark.parametrize(
    "mac", ["00:00:5E:00:53:01", "00-00-5e-00-53-01", "0000.5e00.5301", "00005E005301"]
)
def test_a_mac_in_every_form(tmp_path, mac):
    text = (INVENTORIES / "lab" / "model" / "fabric.yml").read_text()
    (tmp_path / "fabric.yml").write_text(f"{text}\ndevices: devices.csv\n")
    (tmp_path / "devices.csv").write_text("place,mac\nsu01/h01,0000.5e00.5301\n")
    (place,) = locate_info._found(Fabric.load(str(tmp_path / "fabric.yml")), mac, None)
    assert place["device"] == "worker-su01-rack01-h01"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "10.208.14.1",
            "is the gateway in the subnet 10.208.14.0/23 of acme on front-end (VLAN 21, L2VNI 4300021",
        ),
        ("::ffff:10.208.14.1", "is the gateway in the subnet 10.208.14.0/23 of acme"),
        ("10.208.14.0/23", "in the subnet 10.208.14.0/23 of acme on front-end"),
        (
            "198.51.100.2",
            "is the leaf end of the session isp-a of globex on front-end (VLAN 3022, VRF t22-globex",
        ),
        ("front-end-leaf-001-1:swp1s1", "tenant globex, VRF t22-globex, VLAN 22, L2VNI 4300022)"),
        ("su01/h03", "lab-converged: worker-su01-rack02-h03 is a node"),
        ("10.208.99.1", "and no tenant has that one"),
        ("vlan 21", "vlan 21 is a network of acme on front-end (VLAN 21, L2VNI 4300021"),
        ("L2VNI 4300022", "is a network of globex on front-end"),
        ("AS64700", "is the far end of the session isp-a of globex on front-end"),
    ],
)
def test_addresses_and_numbers_of_tenants(text, words):
    assert words in lines("lab-converged", text)


def test_a_rack_whose_name_ends_with_a_sign(tmp_path):
    text = (INVENTORIES / "lab" / "model" / "fabric.yml").read_text()
    (tmp_path / "fabric.yml").write_text(f"{text}\ndevices: devices.csv\n")
    (tmp_path / "devices.csv").write_text("place,rack\nsu01/h01,R1 (north)\n")
    fabric = Fabric.load(str(tmp_path / "fabric.yml"))
    (place,) = locate_info._found(fabric, "R1 (north)", None)
    assert place["device"] == "worker-su01-rack01-h01"
    with pytest.raises(NotInFabric, match="'R2 \\(north' is not an address"):
        locate_info._found(fabric, "R2 (north)", None)
