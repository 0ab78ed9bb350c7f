# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences that the guide on troubleshooting explains are those that people meet."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from . import trouble
from .blocks import Block, blocks

QUOTED = [block for block in blocks("text") if block.page == "troubleshooting.rst"]


@pytest.mark.parametrize("block", QUOTED, ids=lambda block: block.mark)
def test_the_sentence_is_really_said(block: Block) -> None:
    quoted = " ".join(block.text.split())
    pattern = r".*?".join(re.escape(part) for part in quoted.split("..."))
    assert re.search(pattern, trouble.said()[block.mark]), trouble.said()[block.mark]


def test_every_trouble_is_explained() -> None:
    assert sorted(block.mark for block in QUOTED) == sorted(trouble.said())


LAB = str(trouble.EXAMPLES / "lab" / "model" / "fabric.yml")
WRAPPED = ("Finalization of", "Error while resolving", " plugin '", "Error rendering", "Traceback")


def asked(folder: Path) -> dict[str, str]:
    """For each trouble of the core that a playbook can have, an expression that meets it."""
    made = {
        "missing": "lookup('spectrum_x.fabric.plan', 'x', description='nowhere/model/fabric.yml')",
        "outside": f"'192.0.2.1' | spectrum_x.fabric.locate(description='{LAB}')",
        "pad": f"'172.17.1.2' | spectrum_x.fabric.locate(description='{LAB}')",
    }
    for name in trouble.DESCRIBED:
        path = folder / f"{name}.d" / "fabric.yml"
        path.parent.mkdir()
        path.write_text(trouble.description(name), encoding="utf-8")
        made[name] = f"lookup('spectrum_x.fabric.plan', 'x', description='{path}')"
    for name in trouble.REGISTERED:
        path = folder / f"{name}.d" / "tenants.yml"
        path.parent.mkdir()
        path.write_text(trouble.registry(name), encoding="utf-8")
        options = f"description='{LAB}', registry='{path}'"
        made[name] = f"'acme' | spectrum_x.fabric.tenant_prefixes({options})"
    return made


@pytest.mark.parametrize("callback", ["ansible.builtin.default", "spectrum_x.fabric.summary"])
def test_ansible_adds_nothing_to_a_sentence(tmp_path: Path, callback: str) -> None:
    """Each refusal of the core, asked for inside the arguments of a task, and in its variables."""
    tasks: list[dict[str, Any]] = []
    expressions = asked(tmp_path)
    for name, expression in expressions.items():
        told = {
            "ansible.builtin.debug": {"msg": "{{ found }}"},
            "vars": {"found": f"{{{{ {expression} }}}}"},
        }
        tasks.append({**told, "name": name, "register": f"said_{name}", "ignore_errors": True})
    said = {name: f"{{{{ said_{name}.msg }}}}" for name in expressions}
    keep = {
        "ansible.builtin.copy": {"content": "{{ said | to_json }}", "dest": str(tmp_path / "said")}
    }
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars": {"said": said},
        "tasks": [*tasks, keep],
    }
    (tmp_path / "play.yml").write_text(json.dumps([play]), encoding="utf-8")
    done = subprocess.run(
        [Path(sys.executable).with_name("ansible-playbook"), "play.yml"],
        cwd=tmp_path,
        env=os.environ | {"ANSIBLE_STDOUT_CALLBACK": callback, "ANSIBLE_NOCOLOR": "1"},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    found = json.loads((tmp_path / "said").read_text(encoding="utf-8"))
    sentences = trouble.core()
    assert {
        name: " ".join(text.split())
        .replace(f"{tmp_path / name}.d/", "")
        .replace(f"{tmp_path}/", "")
        for name, text in found.items()
    } == {name: sentences[name] for name in expressions}
    assert [word for word in WRAPPED if word in output] == []
