# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leases of the plan, as Kea and dnsmasq read them: what is stated, and nothing for anybody else."""

from __future__ import annotations

import ipaddress
import json

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import oob
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    FEW,
    NETWORKS,
    OOB,
    build,
    described,
)

BMC, SERIAL = "48:b0:2d:00:01:01", "MT2231X00001"


@pytest.fixture
def stated(tmp_path):
    """Return a function that loads a fabric whose devices have MAC addresses and serials."""

    def load(macs=f"su01/h01,bmc,{BMC}", devices="", **changes):
        own = {**OOB, "macs": "macs.csv", "url": "http://192.0.2.1/5f2c", **changes}
        made = described(capacity=FEW, networks=NETWORKS, oob=own, devices="devices.csv")
        (tmp_path / "fabric.yml").write_text(yaml.safe_dump(made))
        (tmp_path / "macs.csv").write_text(f"device,unit,mac\n{macs}\n")
        rows = (
            f"place,serial,mac\nleaf-p1-su001-r1,{SERIAL},\nsu01/h01,,48:b0:2d:00:01:02\n{devices}"
        )
        (tmp_path / "devices.csv").write_text(rows)
        return Fabric.load(str(tmp_path / "fabric.yml"))

    return load


def files(fabric):
    return {name: "".join(chunks) for name, chunks in oob.files(fabric, None)}


def subnets(fabric):
    made = json.loads(files(fabric)["oob/kea-dhcp4.json"])["Dhcp4"]
    return made, [*made["subnet4"], *made["shared-networks"][0]["subnet4"]]


def test_without_the_network_and_of_a_part_there_are_no_files():
    assert files(build(capacity=FEW)) == {}
    assert list(oob.files(build(capacity=FEW, oob=OOB), [0])) == []


def test_kea_has_every_stated_device_in_the_subnet_of_its_gateway(stated):
    made, nets = subnets(stated())
    found = {row["ip-address"]: row for net in nets for row in net["reservations"]}
    assert found["10.176.0.2"] == {
        "hw-address": BMC,
        "ip-address": "10.176.0.2",
        "hostname": "bmc.worker-su01-rack01-h01",
    }
    leaf = next(row for row in found.values() if "client-id" in row)
    assert leaf["client-id"] == f"'{SERIAL}'"
    assert leaf["option-data"] == [
        {"name": "provision-url", "data": "http://192.0.2.1/5f2c/ztp/leaf-p1-su001-r1.sh"}
    ]
    assert len(found) == 5, "a leaf, a host, its BMC, and two extras with a MAC address"
    for net in nets:
        inside = ipaddress.ip_network(net["subnet"])
        assert all(ipaddress.ip_address(row["ip-address"]) in inside for row in net["reservations"])
        assert "pools" not in net
    assert len({net["id"] for net in nets}) == len(nets)
    assert "client-classes" not in made


def test_a_gateway_selects_the_segments_of_its_leaf_alone(stated):
    made, _nets = subnets(stated())
    relays = [net["relay"]["ip-addresses"] for net in made["subnet4"]]
    assert len({*map(tuple, relays)}) == len(relays)
    shared = made["shared-networks"][0]
    leaves = sum(1 for _leaf in stated().oob.switches())
    assert len(shared["subnet4"]) > leaves, "each leaf's, and those that are spread over all"
    assert len(shared["relay"]["ip-addresses"]) == len(shared["subnet4"])


def test_an_unknown_device_gets_nothing_or_a_pool_that_no_reservation_is_in(stated):
    assert "dhcp-ignore=tag:!known" in files(stated())["oob/dnsmasq.conf"]
    fabric = stated(quarantine=True)
    assert "dhcp-ignore" not in files(fabric)["oob/dnsmasq.conf"]
    made, nets = subnets(fabric)
    pools = [pool for net in nets for pool in net.get("pools", ())]
    assert pools
    addresses = {ipaddress.ip_address(lease.address) for lease in oob.leases(fabric)}
    for pool in pools:
        first, last = map(ipaddress.ip_address, pool["pool"].split(" - "))
        assert not any(first <= address <= last for address in addresses)
    assert {pool["client-class"] for pool in pools} == {
        one["name"] for one in made["client-classes"]
    }


def test_dnsmasq_knows_serials_and_addresses(stated):
    text = files(stated())["oob/dnsmasq.conf"]
    assert f"dhcp-host={BMC},10.176.0.2,bmc-worker-su01-rack01-h01\n" in text
    assert f"dhcp-host=id:{SERIAL},set:leaf-p1-su001-r1,10.198.0.1,leaf-p1-su001-r1\n" in text
    assert "dhcp-option=tag:leaf-p1-su001-r1,239," in text


def test_what_a_leaf_hides_is_all_that_is_cabled_to_it(stated):
    fabric = stated()
    found = list(oob.hidden(oob.leases(fabric)))
    assert ("oob-leaf-001", "worker-su01-rack01-h01", "bmc") in found
    assert ("oob-leaf-002", "oob-leaf-001", "eth0") in found
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    "macs, sentence",
    [
        ("su01/h01,bmc,12", "macs.csv line 2, mac: '12' is no MAC address"),
        (f"su01/h01,bmc,{BMC}\nsu01/h02,bmc,{BMC}", "line 3, mac: .* is in line 2 already"),
        (f"su01/h01,dpu3_bmc,{BMC}", "unit: 'dpu3_bmc' of 'su01/h01' is not planned"),
        (f"leaf-p1-su001-r1,bmc,{BMC}", "is not planned: name a node"),
        (f"su99/h01,bmc,{BMC}", "is not planned"),
        ("su01/h01,bmc,48:b0:2d:00:00:01", "is another port's in the description or devices.csv"),
    ],
)
def test_a_wrong_mac_address_is_one_sentence(stated, macs, sentence):
    with pytest.raises(FabricError, match=sentence):
        stated(macs)
