# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The traces of a host: of ports on PCI alone, and nothing where a tool is missing or answers nonsense."""

from __future__ import annotations

import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.identity import traces
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host, Result

PCI = "0000:18:00.0"
LINKS = [
    {"ifname": "lo", "address": "00:00:00:00:00:00"},
    {
        "ifname": "rail1p1",
        "address": "0C:42:a1:00:00:01",
        "permaddr": "0c:42:a1:00:00:02",
        "addr_info": [{"local": "172.16.0.0"}, {}],
    },
    {"ifname": "docker0", "addr_info": [{"local": "172.16.0.2"}]},
]
NEIGHBOUR = {"chassis": [{"name": [{"value": "leaf"}]}], "port": [{"id": [{"value": "swp1"}]}]}
HEARD = {"lldp": [{"interface": [NEIGHBOUR, {"chassis": [{}], "port": [{}]}, "x"]}]}
GONE = Result(127, "", "")


@pytest.fixture
def read(tmp_path):
    """Reads the traces of a host whose tools answer as given."""
    folder = tmp_path / "sys"
    (folder / f"bus/pci/devices/{PCI}/net/rail1p1").mkdir(parents=True)
    (folder / "class/dmi/id").mkdir(parents=True)
    (folder / "class/dmi/id/product_serial").write_text("SN1\n")

    def made(ip=None, lldp=GONE):
        answers = {"ip": ip or Result(0, json.dumps(LINKS), ""), "lldpctl": lldp}
        host = Host(
            root=str(tmp_path), sysfs=str(folder), run=lambda argv, _limit: answers[argv[0]]
        )
        return traces(host)

    return made


def test_what_tells_a_host_from_others(read):
    found = read(lldp=Result(0, json.dumps(HEARD), ""))
    assert found == {
        "error": "",
        "serials": ["SN1"],
        "macs": ["0c:42:a1:00:00:01", "0c:42:a1:00:00:02"],
        "addresses": ["172.16.0.0"],
        "heard": [("leaf", "swp1")],
        "ports": [("rail1p1", "0c:42:a1:00:00:01"), ("rail1p1", "0c:42:a1:00:00:02")],
    }


@pytest.mark.parametrize("out", ["", "nonsense", "[]", '{"lldp": 7}', "[" * 5000])
def test_a_host_without_lldpd_hears_nobody(read, out):
    assert read(lldp=Result(0, out, ""))["heard"] == []


def test_a_host_whose_addresses_cannot_be_read_says_so(read):
    found = read(ip=Result(1, "", "no such tool"))
    assert found == {"error": "ip address show: it failed: no such tool."}
