# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A job takes plain values: no action, no variables of a task, no templar reaches it."""

from __future__ import annotations

import ast
from pathlib import Path

JOBS = Path(__file__).resolve().parents[2] / "plugins" / "plugin_utils" / "_jobs"
OF_ANSIBLE = {"action", "task", "task_vars", "stated", "templar", "template", "hostvars"}
"""Names by which the edge calls what is Ansible's."""


def test_no_parameter_of_a_job_is_of_ansible() -> None:
    files = list(JOBS.rglob("*.py"))
    assert len(files) > 40
    found = [
        f"{path.relative_to(JOBS)}:{node.lineno}: {each.arg}"
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        for each in (*node.args.args, *node.args.kwonlyargs)
        if each.arg in OF_ANSIBLE
    ]
    assert found == []
