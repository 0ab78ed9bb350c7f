# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of hooks are none until somebody removes the comments, and valid tasks then."""

from __future__ import annotations

import re

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.starter import hooks
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.hooks import (
    HOOKS,
    VARIABLES,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.hooks import site_hooks


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook.name)
def test_a_file_is_no_hook_until_its_comments_are_removed(hook, tmp_path):
    path = tmp_path / f"{hook.name}.yml"
    path.write_text(hooks.text(hook), encoding="utf-8")
    assert site_hooks([str(tmp_path)], [hook.name]) == {}
    head, _line, example = hooks.text(hook).partition("# An example:\n#\n")
    path.write_text("---\n" + re.sub(r"^# ", "", example, flags=re.M), encoding="utf-8")
    assert site_hooks([str(tmp_path)], [hook.name]) == {hook.name: str(path)}
    assert yaml.safe_load(path.read_text(encoding="utf-8")) == list(hook.example)
    for name in hook.variables:
        assert f"{name}: " in head
        assert VARIABLES[name].split(" ")[0] in head


def test_every_hook_has_a_file():
    assert list(hooks.files()) == [f"hooks/{hook.name}.yml" for hook in HOOKS]
