# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks on the controller, with the project of the example lab; nothing is dialled."""

from __future__ import annotations

import base64
import json
import shutil

import pytest
from ansible import constants
from playing import play

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.run_store import store
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

KEEP = """from ansible.plugins.action import ActionBase
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.run_store import store


class ActionModule(ActionBase):
    def run(self, tmp=None, task_vars=None):
        store.begin(**self._task.args)
        return {}
"""
"""An action of the test project: a playbook has begun, with these records."""
IGNORING = {"ignore_errors": True, "ignore_unreachable": True}


def _sentence(said):
    """A message without the words that Ansible puts in front of it."""
    return said.removeprefix("Task failed: ") if isinstance(said, str) else said


@pytest.fixture
def project(tmp_path):
    """A copy of the example lab."""
    return shutil.copytree(INVENTORIES / "lab", tmp_path / "lab")


@pytest.fixture
def begin(tmp_path, monkeypatch):
    """Return a function that begins a playbook with records, in a store of the test's own."""
    folder = tmp_path / "ansible-local"
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(constants, "DEFAULT_LOCAL_TMP", str(folder))
    return store.begin


@pytest.fixture
def results(project):
    """Return a function that runs tasks and returns the result of each, failed ones too."""

    def _results(*tasks, arguments=(), **variables):
        kept = [{**task, "register": f"result{n}", **IGNORING} for n, task in enumerate(tasks)]
        said = [f"{{{{ result{n} }}}}" for n in range(len(tasks))]
        last = {"ansible.builtin.debug": {"msg": "said={{ said | to_json | b64encode }}"}}
        book = [
            {
                "hosts": "localhost",
                "gather_facts": False,
                "vars": {"said": said, **variables},
                "tasks": [*kept, last],
            }
        ]
        (project / "action_plugins").mkdir(exist_ok=True)
        (project / "action_plugins" / "keep.py").write_text(KEEP, encoding="utf-8")
        (project / "book.yml").write_text(json.dumps(book), encoding="utf-8")
        code, output = play(project, "book.yml", *arguments, SPX_PROJECT=str(project))
        assert code == 0, output
        found = json.loads(base64.b64decode(output.rpartition('"said=')[2].partition('"')[0]))
        return [{**row, "msg": _sentence(row.get("msg"))} for row in found]

    return _results


@pytest.fixture
def answers(results):
    """Return a function that evaluates expressions in Ansible."""

    def _answers(*expressions):
        tasks = [{"ansible.builtin.debug": {"msg": f"{{{{ {text} }}}}"}} for text in expressions]
        return [row["msg"] for row in results(*tasks)]

    return _answers
