# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of hooks says what playbooks run and give."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import hooks, steps

PLAYBOOKS = Path(__file__).parents[6] / "playbooks"
VARIABLE = re.compile(r"\bhook_(?:node|from|to|prefixes|managed|bmc|serial|macs|path|diff)\b")


def given(name):
    """The variables that a task file of the playbooks sets for a hook."""
    tasks = yaml.safe_load((PLAYBOOKS / "tasks" / f"{name}.yml").read_text(encoding="utf-8"))
    return set(VARIABLE.findall(yaml.safe_dump(tasks)))


def test_each_hook_of_the_collection_is_in_the_table():
    """It has those that a playbook runs where the site has none."""
    files = {path.stem for path in (PLAYBOOKS / "hooks").glob("*.yml")}
    assert files == {"credentials", "drain", "registry_commit", "resume"}
    assert files < {hook.name for hook in hooks.HOOKS}


def test_steps_of_a_move_run_the_hooks_of_a_move():
    of_steps = {name for step in steps.TABLE for name in step.hooks}
    assert of_steps == {hook.name for hook in hooks.HOOKS if hooks.MOVE in hook.runs_in}


def test_playbooks_give_the_variables_of_the_table():
    move = set(hooks.GIVEN[hooks.MOVE])
    assert given("tenant_hook") == move
    assert given("host_hook") == set(hooks.GIVEN[hooks.DPUS])
    assert given("tenant_registry") == set(hooks.GIVEN[hooks.COMMIT])
    assert set(hooks.VARIABLES) == {name for names in hooks.GIVEN.values() for name in names}


@pytest.mark.parametrize("hook", hooks.HOOKS, ids=lambda hook: hook.name)
def test_an_example_uses_what_it_gets_and_confirms_what_it_is_to_confirm(hook):
    text = yaml.safe_dump(list(hook.example))
    assert set(VARIABLE.findall(text)) <= set(hook.variables)
    asked = [task.get("spectrum_x.fabric.tenant", {}) for task in hook.example]
    confirmed = {options["what"]: options["by"] for options in asked if options}
    assert list(confirmed) == ([hook.confirms] if hook.confirms else [])
    assert all(by in hooks.BY[what] for what, by in confirmed.items())
    assert "set_fact" not in text


@pytest.mark.parametrize("what", hooks.BY)
def test_a_node_confirms_nothing(what):
    assert "node" not in hooks.BY[what]
    assert what in hooks.CONFIRMS.values()
    assert hooks.FORMER[what]


def test_a_hook_of_two_runs_gets_what_both_give():
    (drain,) = [hook for hook in hooks.HOOKS if hook.name == "drain"]
    assert drain.variables == ("hook_node", "hook_from", "hook_to")
