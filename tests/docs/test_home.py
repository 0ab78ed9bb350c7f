# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The front page of the site says what the README says, and leads to every page."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
SITE = ROOT / "docs" / "docsite"
HOME = (SITE / "home.rst").read_text(encoding="utf-8")
WRITTEN = """Spectrum_X.Fabric
=================

Collection version 1.0.0

.. contents::
   :local:

Description
-----------

One line.

.. ansible-links::

  - title: "Issue Tracker"

.. toctree::
    :maxdepth: 1

Start
-----

.. toctree::
    :maxdepth: 1

    docsite/quickstart
"""
"""What antsibull-docs writes, in short."""


def plain(text: str) -> str:
    """Return the words without markup and line breaks."""
    return " ".join(re.sub(r"[*`]", "", text).split())


def test_the_pitch_and_the_limits_are_those_of_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pitch = re.sub(r"!\[.*", "", readme.split("\n## ")[0].partition("\n")[2])
    limits = readme.partition("\n## Limits\n")[2].partition("\n[")[0]
    for part in (*pitch.split("\n\n"), limits):
        assert plain(part) in plain(HOME)


def test_every_page_is_found_by_what_one_wants():
    sections = yaml.safe_load((SITE / "extra-docs.yml").read_text(encoding="utf-8"))["sections"]
    pages = [page for section in sections for page in section["toctree"]]
    index = HOME.partition("I want to ...")[2]
    listed = re.findall(r":ref:`ansible_collections\.spectrum_x\.fabric\.docsite\.(\w+)`", index)
    assert sorted(listed) == sorted(pages)


def test_the_front_page_begins_with_it_and_keeps_the_navigation():
    source = [WRITTEN]
    runpy.run_path(str(SITE / "conf.py"))["front_page"](None, "index", source)
    assert source[0].index("=\n\n.. Copyright") < source[0].index("I want to ...")
    assert "One line." not in source[0]
    assert source[0].index("ansible-links") < source[0].index(":caption: Start")
