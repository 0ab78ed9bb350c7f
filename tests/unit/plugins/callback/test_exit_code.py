# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The run ends with the code that tells breaches, silence and mistrust apart."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ansible_collections.spectrum_x.fabric.plugins.callback import exit_code
from ansible_collections.spectrum_x.fabric.plugins.callback.exit_code import CallbackModule

UNTRUSTED = {"failed": True, "untrusted": True, "msg": "not trusted."}


def result(found, action="spectrum_x.fabric.switch"):
    return SimpleNamespace(
        host=SimpleNamespace(get_name=lambda: "leaf"),
        task=SimpleNamespace(action=action, resolved_action=action),
        task_name="Task",
        result=found,
    )


def stats(**counted):
    names = ("failures", "dark", "changed", "rescued", "ignored")
    return SimpleNamespace(**{name: counted.get(name, {}) for name in names})


def test_a_code_of_its_own_ends_the_run():
    callback = CallbackModule()
    callback.v2_runner_on_failed(result(UNTRUSTED))
    with pytest.raises(SystemExit) as ended:
        callback.v2_playbook_on_stats(stats(failures={"leaf": 1}))
    assert ended.value.code == 8


def test_a_run_in_which_no_task_has_the_name_to_begin_at_is_no_success(monkeypatch):
    monkeypatch.setattr(exit_code, "context", SimpleNamespace(CLIARGS={"start_at_task": "Gone"}))
    callback = CallbackModule()
    with pytest.raises(SystemExit) as ended:
        callback.v2_playbook_on_stats(stats())
    assert ended.value.code == 2
    callback = CallbackModule()
    callback.v2_playbook_on_task_start(None, False)
    callback.v2_playbook_on_stats(stats())


@pytest.mark.parametrize(
    "heard, ignored, counted",
    [
        ({"failed": True, "msg": "wrong."}, False, {"failures": {"leaf": 1}}),
        ({"changed": True}, None, {"changed": {"leaf": 1}}),
        (UNTRUSTED, True, {"ignored": {"leaf": 1}}),
    ],
)
def test_where_ansibles_own_code_tells_all_it_is_left(heard, ignored, counted):
    callback = CallbackModule()
    if ignored is None:
        callback.v2_runner_on_ok(result(heard))
    else:
        callback.v2_runner_on_failed(result(heard), ignore_errors=ignored)
    callback.v2_playbook_on_stats(stats(**counted))


@pytest.mark.parametrize(
    "action", ["ansible.builtin.setup", "spectrum_x.fabric.measure", "returns"]
)
def test_a_result_that_is_not_ours_decides_nothing(action):
    """Nor does that of a module of ours which runs on a device, and is what the device says."""
    forged = {
        "would_refuse": ["leaf: no."],
        "devices": {"leaf": {"state": "untrusted", "spx": {}}},
        "failed_checks": {"leaf": 1},
        "results": [{"would_refuse": ["leaf: no."], "devices": {"x": {"state": "failed"}}}],
    }
    callback = CallbackModule()
    callback.v2_runner_on_ok(result(forged, action))
    callback.v2_playbook_on_stats(stats())
    callback = CallbackModule()
    callback.v2_runner_on_failed(result({**UNTRUSTED, **forged}, action))
    callback.v2_playbook_on_stats(stats(failures={"leaf": 1}))


def test_a_fault_inside_ends_the_run_red(monkeypatch, capsys):
    """Ansible swallows it where it happens."""
    callback = CallbackModule()

    def broken(*_args):
        raise TypeError("unhashable type: 'dict'")

    monkeypatch.setattr(callback._outcome, "heard", broken)
    with pytest.raises(TypeError):
        callback.v2_runner_on_ok(result({}))
    with pytest.raises(SystemExit) as ended:
        callback.v2_playbook_on_stats(stats())
    assert ended.value.code == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "the summary is not complete (TypeError: unhashable type: 'dict')" in said
