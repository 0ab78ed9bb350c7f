# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""2,048 GPUs in NetBox: what is there already comes through its database, as Nautobot's has no such way in."""

from __future__ import annotations

from pathlib import Path

import pytest
from dcim.filled import fill
from dcim.project import LARGE, MOVED, Project, cables, devices
from dcim.proxy import Proxy
from dcim.rest import counts, every
from dcim.servers import Server

pytestmark = pytest.mark.slow
KINDS = ("netbox",)


def changed(proxy: Proxy) -> set[str]:
    """The endpoints to which something else went than new objects; a new device gets its primary address so."""
    others = [one.path for one in proxy.writes if one.method != "POST"]
    return {"/".join(path.partition("?")[0].split("/")[2:4]) for path in others}


def test_a_large_fabric_grows_by_an_su_and_a_node_moves(
    tmp_path: Path, proxy: Proxy, server: Server
) -> None:
    project = Project(tmp_path / "large", server, proxy.url, LARGE)
    project.build_without("su04")
    fill(server, project.fabric())
    assert "no difference, nothing to write" in project.push()
    assert proxy.writes == []
    project.build_without()
    project.push()
    assert {one["name"] for one in every(server, "dcim/devices")} == devices(project.fabric())
    assert counts(server)["dcim/cables"] == len(cables(project.fabric()))
    assert changed(proxy) == {"dcim/devices"}
    proxy.exchanges.clear()
    before = counts(server)
    project.move(MOVED)
    project.push()
    assert counts(server) == before
    assert changed(proxy) == {"dcim/interfaces", "ipam/prefixes", "ipam/ip-addresses"}
    assert {one.method for one in proxy.writes} == {"PATCH"}
    assert len(proxy.writes) < 100
    proxy.exchanges.clear()
    assert "no difference, nothing to write" in project.push()
    assert proxy.writes == []
