# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of the work on tenants beside the model, with the person and the time."""

from __future__ import annotations

import datetime
import json
from types import SimpleNamespace

import pytest
from ansible import context

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import provenance
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.run_store import store
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.tenant import reports

RUN = SimpleNamespace(store=store, origin=lambda: provenance.message("", {}))


@pytest.fixture
def plan(project, monkeypatch, begin):
    """The fabric of the project, and a run by hand."""
    begin()
    for name in ("JOB_ID", "CI_JOB_ID", "SUDO_USER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("USER", "ops")
    monkeypatch.setenv("SPX_PROJECT", str(project))
    arguments = {"args": ("spectrum_x.fabric.tenant_move",), "start_at_task": None}
    monkeypatch.setattr(context, "CLIARGS", arguments)
    return Fabric.load(str(project / "model" / "fabric.yml"))


def test_each_report_has_its_file_beside_the_model(plan, project):
    paths = reports.write(RUN, plan, {"tenant_move-h01": {"node": "h01"}, "rest": {}})
    folder = project / "report"
    assert paths == [str(folder / "tenant_move-h01.json"), str(folder / "rest.json")]
    assert sorted(path.name for path in folder.iterdir()) == ["rest.json", "tenant_move-h01.json"]


def test_the_head_says_who_and_when(plan, project, monkeypatch):
    reports.write(RUN, plan, {"move": {"node": "h01", "who": "somebody else"}})
    kept = json.loads((project / "report" / "move.json").read_text())
    when = datetime.datetime.strptime(kept.pop("when"), "%Y-%m-%dT%H:%M:%SZ")
    age = datetime.datetime.now(tz=datetime.UTC).replace(tzinfo=None) - when
    assert datetime.timedelta(seconds=-1) < age < datetime.timedelta(seconds=60)
    assert kept.pop("origin").startswith("spectrum_x.fabric.tenant_move")
    assert kept == {"node": "h01", "schema": 1, "fabric": "lab", "who": "ops"}
    monkeypatch.setenv("SUDO_USER", "alice")
    reports.write(RUN, plan, {"move": {}})
    assert json.loads((project / "report" / "move.json").read_text())["who"] == "alice"


def test_spx_report_names_the_folder_and_a_name_cannot_leave_it(plan, project, tmp_path, begin):
    begin(variables={"spx_report": str(tmp_path / "kept")})
    (path,) = reports.write(RUN, plan, {"../move": {}})
    assert path == str(tmp_path / "kept" / "move.json")
    assert not (project / "report").exists()


def test_a_report_that_cannot_be_written_is_a_sentence(plan, project):
    (project / "report").write_text("in the way")
    with pytest.raises(FabricError, match="report"):
        reports.write(RUN, plan, {"move": {}})
