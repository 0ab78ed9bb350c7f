# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The description that a run means."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import project
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)


@pytest.fixture
def fabrics(tmp_path, monkeypatch):
    """Return a function that sets what a run was given, with two projects, `a` and `b`; it returns the one found."""
    paths = {name: tmp_path / name / "model" / "fabric.yml" for name in "ab"}
    for path in paths.values():
        path.parent.mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a")

    def _found(sources, *, variable="", environment="", option=""):
        held = {f"{number}.fabric.yml": str(paths[name]) for number, name in enumerate(sources)}
        monkeypatch.setattr(project, "INVENTORIED", held)
        monkeypatch.setenv("SPX_PROJECT", str(tmp_path / environment) if environment else "")
        stated = {"spx_description": str(paths[variable])} if variable else {}
        path = project.description_path(str(paths[option]) if option else None, stated)
        return next(name for name in paths if str(paths[name]) == path)

    return _found


@pytest.mark.parametrize(
    ("sources", "stated", "found"),
    [
        ("", {}, "a"),
        ("", {"environment": "b"}, "b"),
        ("", {"environment": "a", "variable": "b"}, "b"),
        ("b", {}, "b"),
        ("bb", {}, "b"),
        ("b", {"variable": "b"}, "b"),
        ("b", {"environment": "b"}, "b"),
        ("ab", {"variable": "b"}, "b"),
        ("b", {"option": "a"}, "a"),
    ],
)
def test_the_inventory_source_says_which_fabric(fabrics, sources, stated, found):
    """The variable, the environment and the current folder count where there is no source."""
    assert fabrics(sources, **stated) == found


@pytest.mark.parametrize(
    ("source", "variable", "environment"),
    [("", "", ""), ("x", "", ""), ("", "x", ""), ("", "", "x")],
)
def test_a_run_may_name_no_description(monkeypatch, source, variable, environment):
    """What lies in the current folder is no word of the user."""
    monkeypatch.setattr(project, "INVENTORIED", {source: source} if source else {})
    monkeypatch.setenv("SPX_PROJECT", environment)
    named = bool(source or variable or environment)
    assert project.is_named({"spx_description": variable}) is named


@pytest.mark.parametrize(
    ("sources", "stated", "sentence"),
    [
        (
            "b",
            {"variable": "a"},
            r"variable spx_description: it names \S+/a/model/fabric.yml, and .*/b/",
        ),
        ("b", {"environment": "a"}, "environment variable SPX_PROJECT: .* leave SPX_PROJECT out"),
        ("ab", {}, "-i: the inventory sources are of 2 descriptions"),
    ],
)
def test_a_run_that_names_two_fabrics_is_refused(fabrics, sources, stated, sentence):
    """It would answer for one, and a person would take it for the other."""
    with pytest.raises(FabricError, match=sentence):
        fabrics(sources, **stated)


def test_an_exported_inventory_is_of_the_description(monkeypatch):
    """It has no source here; the group of its hosts says which fabric it is of."""
    monkeypatch.setattr(project, "INVENTORIED", {})
    stated = {"spx_description": str(INVENTORIES / "lab"), "groups": {"spx_fabric_lab": []}}
    assert project.fabric(None, stated).description.name == "lab"
    with pytest.raises(
        FabricError, match="is of fabric lab, and the inventory has the group spx_fab"
    ):
        project.fabric(None, stated | {"groups": {"spx_fabric_other": []}})
