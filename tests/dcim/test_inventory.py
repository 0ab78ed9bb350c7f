# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A site may use the community's own inventory: it has the same hosts, at the same addresses."""

from __future__ import annotations

import pytest
from dcim import community
from dcim.project import Project
from dcim.rest import every
from dcim.servers import Server

pytestmark = pytest.mark.slow


def test_the_inventory_of_a_dcim_has_the_same_hosts(pushed: Project, server: Server) -> None:
    """Of Nautobot, whose plugin no package registry has, the columns that its plugin reads."""
    ours = community.inventory(pushed.folder / "inventory")
    if server.kind == "nautobot":
        devices = every(server, "dcim/devices")
        theirs = {one["name"]: one["primary_ip4"]["host"] for one in devices}
    else:
        hosts = community.netbox(server, pushed.folder)
        theirs = {name: host["ansible_host"]["__ansible_unsafe"] for name, host in hosts.items()}
    assert theirs == {
        name: pushed.fabric().slice(name)["management"].partition("/")[0] for name in ours
    }
