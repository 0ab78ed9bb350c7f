# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Origin of the machine that a wipe hook confirms; `test_evidence.py` has the whole table of hooks."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.tenant import hook_machine

ASK = "- {ansible.builtin.uri: {url: 'https://{{ hook_bmc }}'}, register: bmc%s}\n"
CONFIRM = "- spectrum_x.fabric.tenant: {do: confirm, what: wiped, by: bmc, machine: '%s'}\n"


@pytest.mark.parametrize(
    ("hook", "doubt"),
    [
        (ASK % "" + CONFIRM % "{{ bmc.json.serial }}", ""),
        (ASK % ", delegate_to: h01" + CONFIRM % "{{ bmc.json.serial }}", "on h01"),
        (CONFIRM % "{{ hook_serial }}", "not what a task of the hook registers"),
        ("- spectrum_x.fabric.tenant: {do: confirm, what: wiped, by: bmc}\n", "it is not stated"),
    ],
)
def test_only_the_answer_of_a_task_beside_the_node_is_a_machine(tmp_path, hook, doubt):
    file = tmp_path / "wipe.yml"
    file.write_text(hook)
    found = hook_machine.doubt(file, ["h01"])
    assert found == "" if not doubt else doubt in found
