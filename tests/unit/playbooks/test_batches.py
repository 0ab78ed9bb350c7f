# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Batches of a play end with the first host that is lost, whether it failed or cannot be reached."""

from __future__ import annotations

import pytest
import yaml
from playing import play

LOCAL = {"ansible_connection": "local"}
LOST = {"ansible_host": "127.0.0.1", "ansible_port": 1, "ansible_connection": "ssh"}


@pytest.mark.parametrize("lost, batches", [("b", 1), ("c", 2), ("", 3)])
def test_a_host_that_is_not_reached_stops_the_batches_after_its_own(tmp_path, lost, batches):
    hosts = {name: LOST if name == lost else LOCAL for name in "abcdef"}
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts}}))
    work = {"ansible.builtin.raw": f"echo $0 >{tmp_path}/did-{{{{ inventory_hostname }}}}"}
    tasks = [
        {"spectrum_x.fabric.host": {"do": "wait", "done": "__did"}, "run_once": True},
        {**work, "register": "__did"},
    ]
    options = {"gather_facts": False, "serial": 2, "max_fail_percentage": 0}
    (tmp_path / "book.yml").write_text(
        yaml.safe_dump([{"hosts": "all", **options, "tasks": tasks}])
    )
    rc, said = play(tmp_path, "-i", tmp_path / "hosts.yml", tmp_path / "book.yml")
    did = {path.name.removeprefix("did-") for path in tmp_path.glob("did-*")}
    assert did == set("abcdef"[: 2 * batches]) - {lost}, said
    assert (rc == 0) is (not lost)
    assert (f"{lost} did not finish their batch" in " ".join(said.split())) is bool(lost)
