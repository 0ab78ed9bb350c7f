# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`absent` and `out_of_service`, as a DCIM has the devices."""

from __future__ import annotations

import pytest

from .pulling import TODAY, Project

LEAF, NODE = "leaf-p1-su001-r1", "worker-su01-rack01-h01"
OUT = "out_of_service:\n  - {device: leaf-p1-su001-r1, since: '2026-01-01', reason: fan}  # ticket 7\n"


def _absent(project, **options):
    project.accept(project.pull(**options))
    return list(project.fabric.description.absent)


def test_a_node_that_is_not_there_is_absent_where_all_were_read(tmp_path):
    project = Project(tmp_path)
    del project.there["device", f"lab/{NODE}"]
    assert project.pull().proposals == []
    assert _absent(project, whole=True) == ["*/*/h04", "su01/h01"]


def test_an_empty_answer_makes_nothing_absent(tmp_path):
    project = Project(tmp_path)
    project.there = {}
    assert project.pull(whole=True).proposals == []


def test_ranges_and_whole_sus(tmp_path):
    project = Project(tmp_path)
    for place in ("01-h01", "01-h02", "02-h03"):
        del project.there["device", f"lab/worker-su02-rack{place}"]
    del project.there["device", "lab/worker-su01-rack01-h02"]
    assert _absent(project, whole=True) == ["*/*/h04", "su01/h02", "su02/[01-03]"]


def test_a_node_that_has_come_is_not_absent_any_more(tmp_path):
    """Its entry is written again for the others; a planned node has not come."""
    project = Project(tmp_path)
    one = project.there["device", f"lab/{NODE}"]
    for su, status in ((1, "active"), (2, "planned")):
        name = f"worker-su0{su}-rack02-h04"
        values = {**one.values, "status": status, "rack": f"su0{su}-rack02"}
        project.there[name] = one._replace(key="", owned=False, name=name, values=values)
    assert _absent(project) == ["su02/h04"]


@pytest.mark.parametrize("status", ["failed", "offline"])
def test_a_device_that_is_down(tmp_path, status):
    project = Project(tmp_path)
    project.says("device", LEAF, status=status)
    project.accept(project.pull())
    (row,) = project.fabric.description.out_of_service
    assert (row.device, row.since, row.reason) == (LEAF, TODAY, f"status {status} in the DCIM")


def test_a_device_that_is_back(tmp_path):
    """The rows of others keep their comments."""
    more = (
        OUT
        + "  - {device: leaf-p1-su001-r2, since: '2026-01-02', reason: port, port: swp1s0}  # ticket 8\n"
    )
    project = Project(tmp_path, more=more)
    assert project.pull().proposals == []
    project.says("device", LEAF, status="active")
    pulled = project.pull()
    assert "ticket 8" in pulled.proposals[0].after
    assert "ticket 7" not in pulled.proposals[0].after
    project.accept(pulled)
    assert [row.port for row in project.fabric.description.out_of_service] == ["swp1s0"]


def test_the_last_one_takes_the_key_with_it(tmp_path):
    project = Project(tmp_path, more=OUT)
    project.says("device", LEAF, status="active")
    (made,) = project.pull().proposals
    assert "out_of_service" not in made.after


def test_what_is_out_of_service_already_is_not_repeated(tmp_path):
    project = Project(tmp_path, more=OUT)
    project.says("device", LEAF, status="failed")
    assert project.pull().proposals == []
