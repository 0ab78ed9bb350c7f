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


def result(found):
    return SimpleNamespace(
        host=SimpleNamespace(get_name=lambda: "leaf"), task_name="Task", result=found
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
