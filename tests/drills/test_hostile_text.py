# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drill: names, serial numbers and banners from outside hold escapes, a bidirectional override and markup.

None of it reaches a terminal, the log, a report or a page as anything but text.
"""

from __future__ import annotations

import unicodedata
import xml.etree.ElementTree
from pathlib import Path

import pytest
from drills.running import OTHER, Run, Site
from unit.playbooks.fleet import SPINE

HOSTILE = "\x1b[2J\x1b[31mX\x07\r\n\u202e\u2066<script>alert(1)</script>&\x00\x9b"
CALLBACKS = ("ansible.builtin.default", "spectrum_x.fabric.summary")


def unprintable(text: str) -> set[str]:
    """The characters of a text that do something instead of being shown."""
    return {
        f"U+{ord(character):04X}"
        for character in text
        if unicodedata.category(character) in ("Cc", "Cf") and character not in "\n\t"
    }


def clean(path: Path) -> None:
    """A file holds no such character, and no markup from outside."""
    text = path.read_bytes().decode()
    assert not unprintable(text), path
    if path.suffix == ".html":
        assert "<script>alert(1)" not in text, path
    if path.suffix == ".xml":
        xml.etree.ElementTree.fromstring(text)


@pytest.fixture
def hostile(site: Site) -> Site:
    """Every switch has hostile names, serial numbers and banners, and every LLDP neighbour too."""
    for double in site.doubles.values():
        double.control.options(hostile_text=HOSTILE)
    return site


@pytest.mark.parametrize("callback", CALLBACKS)
def test_no_control_character_gets_out(hostile: Site, callback: str) -> None:
    site, report = hostile, hostile.folder / f"report-{callback}"
    log = site.folder / f"{callback}.log"
    environment = {"ANSIBLE_STDOUT_CALLBACK": callback, "ANSIBLE_LOG_PATH": str(log)}
    said = []

    def run(playbook: str, *words: str, **variables: object) -> None:
        given = {"environment": environment, "spx_report": report, **variables}
        code, output = Run(site.folder, playbook, *words, **given).end()
        assert code in (0, 2), output
        assert "Traceback" not in output
        said.append(output)

    run("validate", "--limit", "localhost,spx_leaf,spx_spine", "-vv")
    site.doubles[SPINE].control.fault("apply_fail", message="frr reload failed")
    site.plan(OTHER)
    run("switches", "--limit", "spx_spine", "-vv", "--diff")
    run("atlas", spx_dest=site.folder / f"page-{callback}")
    output = "".join(said)
    assert "alert(1)" in output, "nothing hostile was said: the drill shows nothing"
    assert not unprintable(output), unprintable(output)
    clean(log)
    files = [
        path for folder in (report, site.folder / f"page-{callback}") for path in folder.rglob("*")
    ]
    texts = [path for path in files if path.suffix in (".json", ".xml", ".diff", ".html", ".js")]
    assert {path.suffix for path in texts} >= {".json", ".xml", ".html"}
    assert any("alert(1)" in path.read_text() for path in texts), "no report has it"
    for path in texts:
        clean(path)
