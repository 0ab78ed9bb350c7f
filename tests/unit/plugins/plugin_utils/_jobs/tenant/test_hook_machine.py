# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Origin of the machine that a wipe hook confirms: what a task asks beside the node, and nothing else."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.tenant.hook_machine import (
    doubt,
)

GIVES = "- spectrum_x.fabric.tenant: {do: confirm, what: wiped, by: bmc, machine: '%s'}\n"
ASKS = "- command: {argv: [bmc, '{{ hook_serial }}']}\n  register: bmc\n"
ANSWER = GIVES % "{{ bmc.stdout }}"
PROVES = "- spectrum_x.fabric.host: {do: identify, device: h01, outside: true}\n"
BARE = "- spectrum_x.fabric.tenant: {do: confirm, what: wiped, by: hand}\n"
UNKNOWN = "is not what a task of the hook registers"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (PROVES + BARE, None),
        (ASKS + ANSWER, ""),
        (ASKS + "- set_fact: {it: '{{ bmc.stdout }}'}\n" + GIVES % "{{ it | trim }}", ""),
        (ASKS + GIVES % "{{ (bmc.stdout | from_json)[hook_node].serial }}", ""),
        (
            ASKS
            + "- local_action: {module: spectrum_x.fabric.tenant, machine: '{{ bmc.stdout }}'}\n",
            "",
        ),
        (ASKS + "  delegate_to: '{{ hook_bmc }}'\n" + ANSWER, ""),
        (ASKS + "  delegate_to: images.example\n" + ANSWER, ""),
        (
            f"- block: &a\n  - block: *a\n  {ASKS.replace('  register', '    register')}" + ANSWER,
            "",
        ),
        (ANSWER, f"'bmc' {UNKNOWN}"),
        (ASKS + GIVES % "{{ hook_serial }}", f"'hook_serial' {UNKNOWN}"),
        (ASKS + GIVES % "{{ bmc.stdout | default(hook_serial) }}", "'hook_serial' is not"),
        (GIVES % "{{ it }}" + "  vars: {it: ['{{ hook_macs[0] }}']}\n", "'hook_macs' is not"),
        (ASKS + GIVES % "{{ ansible_facts.product_serial }}", "'ansible_facts' is not"),
        (
            "- include_vars: machines.yml\n" + GIVES % "{{ machines[hook_node] }}",
            "'machines' is",
        ),
        (ASKS + GIVES % '{{ lookup("file", bmc.stdout) }}', "'lookup' is not"),
        (GIVES % "{{ hook_node }}", "it is known before anybody is asked"),
        (GIVES % "SN1", "it is known before anybody is asked"),
        (GIVES % "{{ bmc.", "'{{ bmc.' is not"),
        (
            ASKS + "  delegate_to: '{{ hook_node }}'\n" + ANSWER,
            "a task on {{ hook_node }}: run",
        ),
        (ASKS + "  delegate_to: h01\n" + ANSWER, "'bmc' is registered by a task on h01: run"),
        (ASKS + "  vars: {ansible_host: '{{ hook_node }}'}\n" + ANSWER, "a task on {{ hook"),
        (
            f"- block:\n  {ASKS.replace('  register', '    register')}  delegate_to: '{{{{ hook_node }}}}'\n"
            + ANSWER,
            "a task on {{ hook_node }}",
        ),
        (
            "- include_tasks: {file: ask.yml, apply: {delegate_to: '{{ hook_node }}'}}\n" + ANSWER,
            "a task on {{ hook_node }}",
        ),
        ("- include_tasks: ask.yml\n" + ANSWER, ""),
        (
            "- include_tasks: ask.yml\n- include_tasks: ask.yml\n  args: {apply: {delegate_to: h01}}\n"
            + ANSWER,
            "a task on h01",
        ),
        ("- debug: {var: hook_serial}\n  register: bmc\n" + ANSWER, "a task of debug, which"),
        ("- action: setup\n  register: bmc\n" + ANSWER, "a task of setup, which asks neither"),
        (
            "- spectrum_x.fabric.host: {do: look, device: h01}\n  register: bmc\n" + ANSWER,
            "of spectrum_x.fabric.host, which asks neither",
        ),
        (
            ASKS + "- spectrum_x.fabric.tenant: '{{ it }}'\n",
            "write the options of the task as a",
        ),
        (BARE, "it is not stated"),
        (BARE.replace("}", "}  # machine: later"), "it is not stated"),
        (
            BARE
            + "  module_defaults: {spectrum_x.fabric.tenant: {machine: '{{ hook_serial }}'}}\n",
            "'hook_serial' is not",
        ),
        ("- include_role: {name: erase}\n", "so confirm in its own file"),
        ("- include_tasks: '{{ hook_node }}.yml'\n", "so confirm in its own file"),
        (PROVES.replace("true", "false") + BARE, "it is not stated"),
        (PROVES + GIVES % "{{ hook_serial }}", "'hook_serial' is not"),
        ("- {name: x}\n", ""),
    ],
)
def test_only_the_answer_of_a_task_beside_the_node_is_a_machine(tmp_path, text, words):
    file = tmp_path / "wipe.yml"
    file.write_text(text)
    (tmp_path / "ask.yml").write_text(ASKS)
    found = doubt(file, ["h01"])
    assert words in found if words else found == words
