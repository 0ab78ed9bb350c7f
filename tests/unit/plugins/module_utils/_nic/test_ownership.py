# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that root runs and reads: only root can write them, or nothing is done with them."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.agent import archive_of
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.ownership import (
    exposure,
    exposures,
    judged,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import (
    FOLDERS,
    search_path,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nicdata.zipapp import zipapp_bytes

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only what root runs is looked at")
FOLDER, FILE, LINK = stat.S_IFDIR, stat.S_IFREG, stat.S_IFLNK


@pytest.mark.parametrize(
    "uid, gid, mode, wrong",
    [
        (0, 50, FILE | 0o644, ""),
        (0, 50, FILE | 0o664, "/x has mode 0664, so users other than root can write it."),
        (0, 50, FILE | 0o646, "/x has mode 0646, so users other than root can write it."),
        (1000, 50, FILE | 0o600, "/x belongs to user 1000, not to root."),
        (0, 0, FILE | 0o664, ""),
        (0, 0, FILE | 0o666, "/x has mode 0666, so users other than root can write it."),
        (0, 50, FOLDER | 0o755, ""),
        (0, 50, FOLDER | 0o2775, "/x has mode 2775, so users other than root can write it."),
        (0, 50, FOLDER | 0o1777, ""),
        (0, 50, FILE | 0o1777, "/x has mode 1777, so users other than root can write it."),
        (0, 50, LINK | 0o777, ""),
        (33, 50, LINK | 0o777, "/x belongs to user 33, not to root."),
    ],
)
def test_judged(uid, gid, mode, wrong):
    assert judged("/x", os.stat_result((mode, 0, 0, 1, uid, gid, 0, 0, 0, 0))) == wrong


@pytest.fixture
def tree(tmp_path):
    tmp_path.chmod(0o755)
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/file").write_text("")
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil/file").write_text("")
    (tmp_path / "evil").chmod(0o777)
    return tmp_path


def locate(tree):
    return lambda name: tree / name.lstrip("/")


def test_every_folder_above_counts(tree):
    assert exposure("/a/b/file", locate(tree)) == ""
    assert exposure("/a/b/none/none", locate(tree)) == ""
    (tree / "a").chmod(0o777)
    assert exposure("/a/b/file", locate(tree)).startswith("/a has mode 0777")


@pytest.mark.parametrize("target", ["/evil/file", "../../evil/file", "../../b2/file"])
def test_a_link_leads_to_where_others_write(tree, target):
    (tree / "b2").symlink_to("evil")
    (tree / "a/b/link").symlink_to(target)
    assert [path for path, _said in exposures("/a/b/link", locate(tree))] == ["/evil"]


def test_links_in_a_circle_end(tree):
    (tree / "one").symlink_to("two")
    (tree / "two").symlink_to("one")
    assert "leads to itself" in exposure("/one", locate(tree))


def test_tools_are_looked_for_where_only_root_puts_them(tree):
    (tree / "a").chmod(0o755)
    search_path.cache_clear()
    found = search_path(f"{tree}/evil:bin::{tree}/a/b:/usr/bin").split(":")
    assert found == [f"{tree}/a/b", "/usr/bin", *(name for name in FOLDERS if name != "/usr/bin")]


@pytest.fixture
def tool(tree):
    """The tool as hosts have it, and a desired state that asks for nothing."""
    (tree / "a/spx-nic.pyz").write_bytes(zipapp_bytes())
    (tree / "a/desired.json").write_text(json.dumps({"schema": 1, "nics": []}))
    (tree / "sys").mkdir()
    return tree / "a"


def run(tool):
    argv = [sys.executable, "-I", str(tool / "spx-nic.pyz"), "--sysfs", str(tool.parent / "sys")]
    argv += ["apply", "--check", "--desired", str(tool / "desired.json")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr.strip()


@pytest.mark.parametrize("name", ["spx-nic.pyz", "desired.json", ""])
@pytest.mark.parametrize(
    "spoil", [lambda path: path.chmod(0o777), lambda path: os.chown(path, 1000, 1000)]
)
def test_the_tool_does_nothing_where_others_can_write_it_or_what_it_reads(tool, name, spoil):
    assert run(tool) == (0, "")
    spoil(tool / name)
    rc, said = run(tool)
    assert rc == 3
    assert said.startswith(str(tool / name))
    assert said.endswith("Nothing is done as root with it: run the playbook dpus.")
    assert len(said.splitlines()) == 1


def test_the_archive_is_known_by_the_module_in_it(tool):
    inside = f"{tool}/spx-nic.pyz/ansible_collections/x.py"
    assert (archive_of(inside), archive_of(__file__)) == (f"{tool}/spx-nic.pyz", "")
