# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The story of the documentation: what would be written, writing it, and silence afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from dcim.hierarchy import misplaced
from dcim.project import Project, cables, devices
from dcim.proxy import Proxy
from dcim.rest import counts, every
from dcim.servers import Server


@pytest.mark.parametrize("example", ["lab", pytest.param("lab-converged", marks=pytest.mark.slow)])
def test_a_check_says_what_a_push_writes_and_the_next_push_writes_nothing(
    tmp_path: Path, proxy: Proxy, server: Server, example: str
) -> None:
    project = Project(tmp_path / example, server, proxy.url, example)
    said = project.push("--check")
    assert proxy.writes == []
    assert set(counts(server).values()) == {0}
    names = devices(project.fabric())
    assert f"device: {len(names)} create" in said
    project.push()
    assert {device["name"] for device in every(server, "dcim/devices")} == names
    assert counts(server)["dcim/cables"] == len(cables(project.fabric()))
    assert misplaced(server) == {}
    before = len(proxy.writes)
    assert "no difference, nothing to write" in project.push()
    assert proxy.writes[before:] == []
