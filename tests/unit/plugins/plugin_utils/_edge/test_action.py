# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of an action are those that its module documents, doc fragments included."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import action

PLUGINS = Path(action.__file__).resolve().parents[2]
ACTIONS = sorted(path.stem for path in (PLUGINS / "action").glob("*.py"))


def documented(path: Path, name: str = "DOCUMENTATION") -> Any:
    """The YAML of a documentation, found by its text."""
    found = re.search(rf'^ *{name} = r"""(.*?)"""', path.read_text(), re.MULTILINE | re.DOTALL)
    assert found, path
    return yaml.safe_load(found[1])


def own(module: Any) -> Any:
    """The spec of an action that states it again."""
    return module.SPEC if hasattr(module, "SPEC") else module._ARGUMENTS


@pytest.mark.parametrize("name", ACTIONS)
def test_an_action_takes_what_its_module_documents(name: str) -> None:
    module = importlib.import_module(f"ansible_collections.spectrum_x.fabric.plugins.action.{name}")
    made = module.ActionModule
    spec = made.SPEC if issubclass(made, action.Action) else own(module)
    stated = documented(PLUGINS / "modules" / f"{name}.py")
    options = dict(stated.get("options") or {})
    for fragment in stated.get("extends_documentation_fragment") or ():
        file = PLUGINS / "doc_fragments" / f"{fragment.split('.')[2]}.py"
        part = (fragment.split(".")[3:] or ["documentation"])[0].upper()
        options |= documented(file, part).get("options") or {}
    assert spec.keys() <= options.keys()
    for option, row in spec.items():
        for key in ("type", "elements", "default", "choices", "required"):
            assert row.get(key) == options[option].get(key), (option, key)


def test_an_option_that_the_action_fills_in_is_of_no_task() -> None:
    module = "ansible_collections.spectrum_x.fabric.plugins.action.host"
    assert not {"wanted", "asked"} & importlib.import_module(module).ActionModule.SPEC.keys()


def test_options_in_options_and_secrets() -> None:
    assert action.documented("tenant")["quotas"]["options"]["gpus"] == {"type": "int"}
    connection = action.documented("nvue_info")
    assert connection["password"] == {"type": "str", "no_log": True}
    assert connection["token"]["no_log"]


@pytest.mark.parametrize(
    "text", ["", "DOCUMENTATION = 1 + 1", 'OTHER = "options: {}"'], ids=["none", "sum", "other"]
)
def test_a_module_without_documentation_is_no_action(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "gone.py").write_text(text)
    monkeypatch.setattr(action, "_PLUGINS", tmp_path)
    with pytest.raises((LookupError, ValueError)):
        action.documented("gone")


def test_the_answer_of_a_device_has_what_its_module_documents_and_no_facts() -> None:
    """What it adds of its own could be taken for the work of the action."""
    forged = {"ansible_facts": {"job": {}}, "devices": {"leaf-1": {}}, "add_host": {"name": "x"}}
    answer = {"changed": True, "msg": "m", "nics": {"error": ""}, "held": [], **forged}

    class Stub:
        def _execute_module(self, **asked: Any) -> Any:
            assert asked["module_name"] == "spectrum_x.fabric.host"
            return dict(answer)

    found = action.on_device(Stub(), "host", {}, {})
    assert found == {"changed": True, "msg": "m", "nics": {"error": ""}, "held": []}


def test_the_answer_of_a_device_begins_no_line() -> None:
    class Stub:
        def _execute_module(self, **_asked: Any) -> Any:
            said = "no\nTASK [Apply it]\x1b"
            return {
                "failed": True,
                "msg": said,
                "warnings": [said],
                "module_stderr": said,
                "nics": {"error": said},
            }

    found = action.on_device(Stub(), "host", {}, {})
    line = r"no TASK [Apply it]\x1b"
    assert (found["msg"], found["warnings"], found["module_stderr"]) == (line, [line], line)
