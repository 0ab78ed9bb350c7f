# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The import files of a plan, given to an empty DCIM in the order of their numbers."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml
from dcim.imports import importer
from dcim.project import Project, cables, devices, silent
from dcim.proxy import Proxy
from dcim.rest import every, one
from dcim.servers import Server

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.plan_things import (
    wanted,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

pytestmark = pytest.mark.slow
LEAF = "leaf-p1-su001-r1"
ROWS = f"place,serial,mac,rack,unit\n{LEAF},MT2526X00042,00:00:5e:00:53:10,N1,40\n"
"""Rows that a site may have for a device."""
ARRAY = "10.216.14.9"
KINDS_OF = {
    "dcim/interfaces": "interface",
    "dcim/racks": "rack",
    "ipam/ip-addresses": "address",
    "ipam/prefixes": "prefix",
    "ipam/route-targets": "route_target",
    "ipam/vlans": "vlan",
    "ipam/vrfs": "vrf",
    "tenancy/tenants": "tenant",
}


def full(folder: Path, proxy: Proxy, server: Server) -> Project:
    """A laboratory of one SU with other networks, an array with an address, and a device that its site knows."""
    project = Project(folder, server, proxy.url, "lab-converged")
    (folder / "model" / "devices.csv").write_text(ROWS, encoding="utf-8")
    project.build_without("su02")
    project.change("fabric.yml", devices="devices.csv")
    path = folder / "model" / "tenants.yml"
    tenants = yaml.safe_load(path.read_text(encoding="utf-8"))["tenants"]
    tenants[0]["storage"] = {"vips": [ARRAY]}
    project.change("tenants.yml", tenants=tenants)
    return project


def planned(project: Project, server: Server) -> dict[str, int]:
    """Count the objects of each endpoint in the plan; cables and AS numbers are in no file for Nautobot."""
    fabric = project.fabric()
    things = Counter(thing.kind for thing in wanted(fabric, Registry.load(fabric)))
    found = {endpoint: things[kind] for endpoint, kind in KINDS_OF.items()}
    found["dcim/devices"] = len(devices(fabric))
    found["dcim/cables"] = len(cables(fabric)) if server.kind == "netbox" else 0
    return found


def there(server: Server, endpoints: dict[str, int]) -> dict[str, int]:
    """Count the objects of the endpoints in the DCIM."""
    return {endpoint: sum(1 for _one in every(server, endpoint)) for endpoint in endpoints}


def creations(said: str) -> set[str]:
    """The kinds of which a push would create something."""
    return set(re.findall(r"^ *(\w+): .*\d+ create", said, flags=re.MULTILINE))


def test_all_files_are_taken_and_a_push_goes_on_from_them(
    tmp_path: Path, proxy: Proxy, server: Server
) -> None:
    """Nothing is prepared by hand. A second import makes nothing twice, and neither does the push."""
    project = full(tmp_path / "lab", proxy, server)
    code, output = project.run("plan", spx_dest="plan", spx_exports=server.kind)
    assert code == 0, output
    files = sorted((project.folder / "plan" / server.kind).glob("*.csv"))
    texts = {file.stem[3:]: file.read_text(encoding="utf-8") for file in files}
    with importer(server) as person:
        refused = {
            name: said for name, text in texts.items() if (said := person.refusal(name, text))
        }
        assert refused == {}
        expected = planned(project, server)
        assert there(server, expected) == expected
        leaf = one(server, "dcim/devices", LEAF)
        assert (leaf["serial"], leaf["rack"]["name"], leaf["position"]) == (
            "MT2526X00042",
            "N1",
            40,
        )
        again = {
            name: person.refusal(name, texts[name]) for name in ("vrfs", "prefixes", "devices")
        }
        assert all(again.values()), again
        assert there(server, expected) == expected
    said = project.push("--check")
    if server.kind == "netbox":
        assert "no difference, nothing to write" in said
        return
    assert creations(said) - {"tag", "field", "status"} == {"asn", "cable", "primary"}
    project.push()
    whole = {**expected, "dcim/cables": len(cables(project.fabric()))}
    assert there(server, whole) == whole
    silent(project, proxy)
