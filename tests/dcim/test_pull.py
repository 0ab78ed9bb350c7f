# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pull: values that a DCIM knows better go into the project as a diff, and the plan stays."""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from dcim.project import Project, cables, devices, silent
from dcim.proxy import Proxy
from dcim.rest import done, every, one
from dcim.servers import Server

pytestmark = pytest.mark.slow
LEAF, SERIAL = "leaf-p1-su001-r1", "MT2526X00042"
NODE = "worker-su01-rack01-h01"
RACK, MAC = "N7", "00:00:5e:00:53:10"
DHCP_RESERVE = "dhcp-reserve"
"""By a serial DHCP recognises a switch, and NVIDIA's finds its management address in Nautobot by this tag."""


def pulled(project: Project, name: str) -> dict[str, Path]:
    """The diff files of a pull by the file that they are for."""
    dest = project.folder / name
    code, output = project.run("dcim_pull", spx_dest=str(dest))
    assert code == 0, output
    return {path.stem: path for path in sorted(dest.glob("*.diff"))}


def change(server: Server, endpoint: str, item: dict[str, Any], **values: Any) -> None:
    """Change an object as a person does."""
    done(server, f"/api/{endpoint}/{item['id']}/", method="PATCH", body=values)


def put_into_rack(server: Server, device: str, rack: dict[str, Any], unit: int) -> None:
    """Say where a device is."""
    place = {"rack": rack["id"], "position": unit, "face": "front"}
    change(server, "dcim/devices", one(server, "dcim/devices", device), **place)


def new_rack(server: Server, name: str) -> dict[str, Any]:
    """A rack that somebody made by hand beside those of the plan."""
    place = {"netbox": "site", "nautobot": "location"}[server.kind]
    location = one(server, f"dcim/{place}s", "lab")["id"]
    status = {"netbox": "active", "nautobot": "Active"}[server.kind]
    body = {"name": name, place: location, "status": status}
    return dict(done(server, "/api/dcim/racks/", method="POST", body=body))


def give_mac(server: Server, device: str, port: str, mac: str) -> None:
    """Say which MAC address a port has: a field of Nautobot, and an object of NetBox with a port."""
    (item,) = every(server, "dcim/interfaces", device=device, name=port)
    if server.kind == "nautobot":
        change(server, "dcim/interfaces", item, mac_address=mac)
        return
    at = {"assigned_object_type": "dcim.interface", "assigned_object_id": item["id"]}
    body = {"mac_address": mac, **at}
    made = done(server, "/api/dcim/mac-addresses/", method="POST", body=body)
    change(server, "dcim/interfaces", item, primary_mac_address=made["id"])


def apply(project: Project, diffs: dict[str, Path]) -> None:
    """Take all of a proposal, as the documentation says."""
    for name, diff in diffs.items():
        target = project.folder / "model" / name
        subprocess.run(["patch", target, diff], check=True, capture_output=True)


def written_tags(proxy: Proxy) -> list[str]:
    """The new tags of the one address that the only write was for; beside them it wrote our own field, as each does."""
    (written,) = proxy.writes
    (address,) = json.loads(written.sent)
    assert written.path.startswith("/api/ipam/ip-addresses/")
    assert address.keys() == {"id", "custom_fields", "tags"}
    assert address["custom_fields"].keys() == {"spx_place"}
    return [tag["name"] for tag in address["tags"] if "name" in tag]


def test_a_serial_comes_as_a_diff_and_the_round_trip_gives_the_same_plan(
    pushed: Project, proxy: Proxy, server: Server
) -> None:
    planned = devices(pushed.fabric()), cables(pushed.fabric())
    leaf = one(server, "dcim/devices", LEAF)
    done(server, f"/api/dcim/devices/{leaf['id']}/", method="PATCH", body={"serial": SERIAL})
    diffs = pulled(pushed, "first")
    assert SERIAL in diffs["devices.csv"].read_text(encoding="utf-8")
    assert not (pushed.folder / "model" / "devices.csv").exists()
    apply(pushed, diffs)
    assert pushed.fabric().device(LEAF) is not None
    assert (devices(pushed.fabric()), cables(pushed.fabric())) == planned
    assert pulled(pushed, "second") == {}
    assert proxy.writes == []
    if server.kind == "nautobot":
        pushed.push()
        assert written_tags(proxy) == [DHCP_RESERVE]
    silent(pushed, proxy)


def test_racks_units_and_macs_come_as_a_diff(pushed: Project, proxy: Proxy, server: Server) -> None:
    """A leaf in a rack that the plan does not know, and a node at a unit of the rack that the plan computed."""
    planned = devices(pushed.fabric()), cables(pushed.fabric())
    put_into_rack(server, LEAF, new_rack(server, RACK), 40)
    computed = one(server, "dcim/devices", NODE)["rack"]
    put_into_rack(server, NODE, computed, 10)
    give_mac(server, LEAF, "eth0", MAC.upper())
    give_mac(server, LEAF, "swp1s0", "00:00:5e:00:53:99")
    diffs = pulled(pushed, "first")
    apply(pushed, diffs)
    with (pushed.folder / "model" / "devices.csv").open(encoding="utf-8", newline="") as file:
        rows = {row.pop("place"): row for row in csv.DictReader(file)}
    assert rows == {
        LEAF: {"mac": MAC, "rack": RACK, "unit": "40"},
        NODE: {"mac": "", "rack": "", "unit": "10"},
    }
    assert (devices(pushed.fabric()), cables(pushed.fabric())) == planned
    assert pulled(pushed, "second") == {}
    assert proxy.writes == []
    if server.kind == "nautobot":
        pushed.push()
        assert written_tags(proxy) == [DHCP_RESERVE]
    silent(pushed, proxy)
