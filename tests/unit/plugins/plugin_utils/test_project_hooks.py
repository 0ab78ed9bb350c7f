# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which hooks count as the site's own: what does nothing is none."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils import _project

OWN = (_project.OWN_HOOKS / "wipe.yml").read_text(encoding="utf-8")
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
    ],
)
def test_a_hook_that_does_nothing_is_none(tmp_path, first, second, found):
    """The first file of the name is the one that is run, so that it decides."""
    folders = [tmp_path / "stated", tmp_path / "project"]
    for folder, text in zip(folders, (first, second), strict=True):
        folder.mkdir()
        if text is not None:
            (folder / "wipe.yml").write_text(text, encoding="utf-8")
    assert _project.site_hooks([str(folder) for folder in folders], ["wipe"]) == found


def test_the_collections_own_folder_is_no_sites():
    """Whoever names it in spx_hooks has no hook."""
    assert _project.site_hooks([str(_project.OWN_HOOKS)], ["wipe", "acceptance"]) == []
