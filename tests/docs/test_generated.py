# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Generated parts of the pages are as the data, the plugins and the playbooks say today."""

from __future__ import annotations

import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.steps import STEPS

from . import generate
from .blocks import GUIDES, README, pages


def test_nothing_generated_is_stale() -> None:
    names = [page.name for page in generate.stale()]
    assert names == [], "run: make pages"


def test_every_list_has_its_place() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in pages())
    assert [
        name for name in generate.MAKERS if f"generated: {name}\n" not in text.replace(" -->", "")
    ] == []


def test_the_readme_names_everything_that_is_inside() -> None:
    text = README.read_text(encoding="utf-8")
    names = [name for _title, folder in generate.KINDS for name, _said in generate.plugins(folder)]
    names += [name for name, _said in (*generate.roles(), *generate.playbooks())]
    assert len(names) > 25
    assert [name for name in names if f"`{name}`" not in text] == []


def test_the_readme_stays_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150


def test_every_guide_is_in_the_table_of_contents() -> None:
    index = yaml.safe_load((GUIDES.parent / "extra-docs.yml").read_text(encoding="utf-8"))
    listed = [name for section in index["sections"] for name in section["toctree"]]
    assert sorted(listed) == sorted(page.stem for page in GUIDES.glob("*.rst"))


def test_the_guide_on_tenants_names_every_hook() -> None:
    text = (GUIDES / "tenants.rst").read_text(encoding="utf-8")
    change = (GUIDES / "change.rst").read_text(encoding="utf-8")
    hooks = {path.stem for path in (generate.ROOT / "playbooks" / "hooks").glob("*.yml")}
    hooks |= {hook for step in STEPS.values() for hook in step.hooks}
    assert {name for name in hooks if f"``{name}``" not in text + change} == set()
