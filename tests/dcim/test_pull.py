# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a DCIM knows better goes into the project as a diff, and the plan stays what it was."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from dcim.project import Project, cables, devices
from dcim.proxy import Proxy
from dcim.rest import done, one
from dcim.servers import Server

pytestmark = pytest.mark.slow
LEAF, SERIAL = "leaf-p1-su001-r1", "MT2526X00042"
DHCP_RESERVE = "dhcp-reserve"
"""By a serial DHCP recognises a switch, and NVIDIA's finds its management address in Nautobot by this tag."""


def pulled(project: Project, name: str) -> dict[str, Path]:
    """The diff files of a pull by the file that they are for."""
    dest = project.folder / name
    code, output = project.run("dcim_pull", spx_dest=str(dest))
    assert code == 0, output
    return {path.stem: path for path in sorted(dest.glob("*.diff"))}


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
    for name, diff in diffs.items():
        subprocess.run(
            ["patch", pushed.folder / "model" / name, diff], check=True, capture_output=True
        )
    assert pushed.fabric().device(LEAF) is not None
    assert (devices(pushed.fabric()), cables(pushed.fabric())) == planned
    assert pulled(pushed, "second") == {}
    if server.kind == "nautobot":
        pushed.push()
        assert written_tags(proxy) == [DHCP_RESERVE]
        proxy.exchanges.clear()
    assert "no difference, nothing to write" in pushed.push()
    assert proxy.writes == []
