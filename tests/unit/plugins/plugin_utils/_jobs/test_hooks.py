# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hooks that count as the site's own: what does nothing is none."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs import hooks

OWN = (hooks.OWN_HOOKS / "drain.yml").read_text(encoding="utf-8")
TASK = "- name: Wipe\n  ansible.builtin.command: wipefs --all /dev/sda\n"


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        (None, None, []),
        (None, TASK, ["wipe"]),
        (TASK, None, ["wipe"]),
        (OWN, None, []),
        (OWN, TASK, []),
        ("", TASK, []),
        ("---\n# to do\n[]\n", None, []),
        (OWN + TASK, None, ["wipe"]),
        ("--- # to be written\n# by us\n", None, []),
        ("null\n", None, []),
        ("~\n", None, []),
        ("[ ]\n", None, []),
        ("\ufeff# to do\n", None, []),
        ("%YAML 1.1\n---\n", None, []),
        (OWN.replace("# A site", "# Another"), None, []),
        (OWN.replace("\n", "\r\n") + "\n", None, []),
        (TASK + "  environment: {KEY: !vault abc}\n", None, ["wipe"]),
    ],
)
def test_a_hook_that_does_nothing_is_none(tmp_path, first, second, found):
    """The first file of the name is the one that is run, so that it decides."""
    folders = [tmp_path / "stated", tmp_path / "project"]
    for folder, text in zip(folders, (first, second), strict=True):
        folder.mkdir()
        if text is not None:
            (folder / "wipe.yml").write_text(text, encoding="utf-8")
    files = hooks.site_hooks([str(folder) for folder in folders], ["wipe"])
    assert list(files) == found
    assert all(str(tmp_path) in path for path in files.values())


def test_a_hook_that_is_no_yaml_is_an_error(tmp_path):
    """It is the site's, and nobody knows what it does."""
    (tmp_path / "wipe.yml").write_text("- name: [\n")
    with pytest.raises(FabricError, match=r"wipe\.yml: it is not a list of tasks .* correct it\."):
        hooks.site_hooks([str(tmp_path)], ["wipe"])


def test_the_collections_own_folder_is_no_sites():
    """Whoever names it in spx_hooks has no hook."""
    assert hooks.site_hooks([str(hooks.OWN_HOOKS)], ["drain", "resume", "registry_commit"]) == {}


def test_a_hook_that_nests_without_an_end_is_an_error(tmp_path):
    (tmp_path / "wipe.yml").write_text("- [" + '"]", [' * 100_000)
    with pytest.raises(
        FabricError, match=r"wipe\.yml line 1: the YAML nests more than 64 levels deep"
    ):
        hooks.site_hooks([str(tmp_path)], ["wipe"])


@pytest.mark.parametrize("text", ["a: 1\n", "erase\n", "- erase\n", "- [erase]\n"])
def test_a_hook_that_is_no_list_of_tasks_is_an_error(tmp_path, text):
    """Ansible would find that at its step, when the node is already shut."""
    (tmp_path / "wipe.yml").write_text(text)
    with pytest.raises(FabricError, match=r"wipe\.yml: it is not a list of tasks: correct it\."):
        hooks.site_hooks([str(tmp_path)], ["wipe"])
