# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page is written once, and a report that is none is refused."""

from __future__ import annotations


def test_a_second_page_changes_nothing(project, results):
    task = {"spectrum_x.fabric.atlas": {"dest": str(project / "atlas")}}
    other = {"spectrum_x.fabric.atlas": {"dest": str(project / "two"), "report": "/no/where"}}
    first, second, refused = results(task, task, other)
    assert first["changed"]
    assert first["page"] == f"{project}/atlas/atlas.html"
    assert (project / "atlas" / "atlas.html").is_file()
    assert (second["changed"], second["changed_files"]) == (False, [])
    assert refused["msg"].startswith("report /no/where is not a folder: name a report of validate")
    assert not (project / "two").exists()


def test_check_mode_writes_nothing(project, results):
    task = {"spectrum_x.fabric.atlas": {"dest": str(project / "atlas")}}
    (planned,) = results(task, arguments=["--check"])
    assert planned["changed"]
    assert not (project / "atlas").exists()
