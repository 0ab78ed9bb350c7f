# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals of lookups and filters: they reach a person as one sentence, wherever they are raised."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from playing import play

PLUGINS = Path(__file__).parents[4] / "plugins"
LAB = PLUGINS.parent / "inventories" / "lab"
NO_DEVICE = "'nowhere' is not a device of fabric lab: use a name such as leaf-p1-su001-r1."
NO_TENANT = "'nobody' is not a tenant of tenants.yml: use one of acme, globex, "
NO_PLACE = "192.0.2.1 belongs to no place of fabric lab, whose pools are "
DOCUMENT = "lookup('spectrum_x.fabric.switch_document', 'roce', device='nowhere')"

# What asks, and how the sentence begins.
ASKED = {
    "lookup('spectrum_x.fabric.plan', 'nowhere')": NO_DEVICE,
    DOCUMENT: NO_DEVICE,
    "'192.0.2.1' | spectrum_x.fabric.locate": NO_PLACE,
    "'nowhere' | spectrum_x.fabric.tenant_vrfs": NO_DEVICE,
    "'nobody' | spectrum_x.fabric.tenant_prefixes": NO_TENANT,
    "'nowhere' | spectrum_x.fabric.tenant_of": "'nowhere' is not an address, device, port or place",
}
# Where Ansible meets the question: each has words of its own that it puts in front of other errors.
PLACES: list[dict[str, Any]] = [
    {"ansible.builtin.debug": {"msg": "ok"}, "when": f"{DOCUMENT} is truthy"},
    {"ansible.builtin.set_fact": {"two": "{{ one }}"}, "vars": {"one": f"{{{{ {DOCUMENT} }}}}"}},
    {"ansible.builtin.command": {"argv": ["true", f"{{{{ {DOCUMENT} }}}}"]}},
    {"spectrum_x.fabric.nvue_config": {"part": f"{{{{ {DOCUMENT} }}}}"}},
    {"ansible.builtin.debug": {"msg": "ok"}, "delegate_to": f"{{{{ {DOCUMENT} }}}}"},
]
# Actions, whose errors are no templates.
ACTIONS: list[tuple[dict[str, Any], str]] = [
    (
        {"spectrum_x.fabric.tenant": {"moves": {"h01": "x"}}},
        "moves.h01: 'x' is ",
    ),
    ({"spectrum_x.fabric.tenant": {}}, "slug: the option is missing"),
    ({"spectrum_x.fabric.switch": {"device": "nowhere"}}, NO_DEVICE),
    ({"spectrum_x.fabric.host": {"do": "gate"}}, "'localhost' is not a device of fabric lab"),
    ({"spectrum_x.fabric.guard": {}}, "inventory: group "),
]
WORDS = ("Finalization", "Error while", "plugin", "Task failed", "Traceback", "caused by")


def refusals(folder: Path, tasks: list[dict[str, Any]], **settings: str) -> tuple[list[str], str]:
    """The `msg` of each task, all of which fail, and the output."""
    keep = [
        {**task, "name": f"Task {n}", "register": f"task{n}", "ignore_errors": True}
        for n, task in enumerate(tasks)
    ]
    said = [f"{{{{ task{n}.msg }}}}" for n in range(len(tasks))]
    last = {
        "ansible.builtin.copy": {"content": "{{ said | to_json }}", "dest": "{{ folder }}/said"}
    }
    variables = {"said": said, "folder": str(folder)}
    book = [
        {"hosts": "localhost", "gather_facts": False, "vars": variables, "tasks": [*keep, last]}
    ]
    (folder / "play.yml").write_text(json.dumps(book))
    code, output = play(folder, "play.yml", SPX_PROJECT=str(LAB), **settings)
    assert code == 0, output
    return json.loads((folder / "said").read_text()), output


@pytest.mark.parametrize("callback", ["ansible.builtin.default", "spectrum_x.fabric.summary"])
def test_a_refusal_is_its_sentence_wherever_it_is_asked(tmp_path: Path, callback: str) -> None:
    tasks = [{"ansible.builtin.debug": {"msg": f"{{{{ {asked} }}}}"}} for asked in ASKED]
    said, output = refusals(tmp_path, [*tasks, *PLACES], ANSIBLE_STDOUT_CALLBACK=callback)
    begins = [*ASKED.values(), *[NO_DEVICE] * len(PLACES)]
    assert [text[: len(words)] for text, words in zip(said, begins, strict=True)] == begins
    assert [word for word in WORDS if word in output] == []


def test_what_an_action_refuses_is_its_sentence(tmp_path: Path) -> None:
    settings = {"ANSIBLE_STDOUT_CALLBACK": "spectrum_x.fabric.summary"}
    said, output = refusals(tmp_path, [task for task, _begins in ACTIONS], **settings)
    begins = [begins for _task, begins in ACTIONS]
    assert [text[: len(words)] for text, words in zip(said, begins, strict=True)] == begins
    assert [word for word in WORDS if word in output] == []


def test_no_lookup_or_filter_is_left_out() -> None:
    """Whatever the core refuses in any of them leaves through the one place that makes a sentence of it."""
    name = "ansible_collections.spectrum_x.fabric.plugins"
    modules = {
        kind: [
            importlib.import_module(f"{name}.{kind}.{path.stem}")
            for path in sorted((PLUGINS / kind).glob("*.py"))
        ]
        for kind in ("lookup", "filter")
    }
    entries = {
        module.__name__.rpartition(".")[2]: module.LookupModule.run for module in modules["lookup"]
    }
    for module in modules["filter"]:
        entries |= module.FilterModule().filters()
    bare = {word for word, entry in entries.items() if not hasattr(entry, "__wrapped__")}
    assert bare == set()
