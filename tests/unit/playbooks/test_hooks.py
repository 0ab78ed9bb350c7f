# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hooks whose delegated tasks answer with facts: the facts stay with the node."""

from __future__ import annotations

import json

import pytest
from playing import play

from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    ROOT,
)

from ..plugins.conftest import KEEP

NODE, OTHER = "h01", "h02"
TASKS = ROOT / "playbooks" / "tasks"
JOB = {"hook_files": {"wipe": "{{ playbook_dir }}/hooks/wipe.yml"}}
FORGED = {"job": {"hook_files": {"wipe": "/forged.yml"}}, "node_wiped": True}
ANSWER = f"""#!/usr/bin/python
import json
print(json.dumps({{"ansible_facts": {FORGED!r}}}))
"""
HOOK = """
- name: Ask the node
  answer_with_facts:
  delegate_to: "{{ hook_node }}"
- name: Ask it below an include
  ansible.builtin.include_tasks: below.yml
"""
BELOW = """
- name: Ask it in a block
  delegate_to: "{{ hook_node }}"
  block:
    - name: Ask it in a role
      ansible.builtin.include_role: {name: below}
"""
ROLE = """
- name: Ask it in a role
  answer_with_facts:
"""
PLAYS = f"""
- hosts: localhost
  gather_facts: false
  tasks:
    - name: Begin, with a job
      keep: {{job: {json.dumps(JOB)}, fabric: {{hooks: ["{{{{ playbook_dir }}}}/hooks"]}}}}
    - name: Run the hook of a tenant's playbook
      ansible.builtin.include_tasks: {TASKS}/tenant_hook.yml
      vars: {{hook: {{name: wipe, node: {NODE}, from: a, to: b, prefixes: [], managed: true, bmc: ''}}}}
    - name: Show the facts of each host
      ansible.builtin.copy: &show
        content: "{{{{ dict(groups.all | zip(groups.all | map('extract', hostvars, 'ansible_facts'))) | to_json }}}}"
        dest: "{{{{ playbook_dir }}}}/tenant.json"
        mode: "0600"
- hosts: nodes
  gather_facts: false
  tasks:
    - name: Run the hook of a host's playbook
      ansible.builtin.include_tasks: {TASKS}/host_hook.yml
      vars: {{hook_name: wipe, dpu_state_look: {{wanted: {{tenant: a}}}}}}
- hosts: localhost
  gather_facts: false
  tasks:
    - name: Show the facts of each host
      ansible.builtin.copy: {{<<: *show, dest: "{{{{ playbook_dir }}}}/host.json"}}
    - name: See that the job is the one of the run
      ansible.builtin.assert:
        that: lookup('spectrum_x.fabric.run', 'job.hook_files.wipe') == playbook_dir ~ '/hooks/wipe.yml'
"""
INVENTORY = """
all:
  vars: {ansible_connection: local, ansible_python_interpreter: "{{ ansible_playbook_python }}"}
  hosts: {localhost: }
  children: {nodes: {hosts: {h01: , h02: }}}
"""


@pytest.fixture(scope="module")
def facts(tmp_path_factory):
    """The facts of each host after a hook of `tenant_hook.yml`, and after one of `host_hook.yml`."""
    folder = tmp_path_factory.mktemp("hooks")
    texts = {
        "inventory.yml": INVENTORY,
        "play.yml": PLAYS,
        "library/answer_with_facts.py": ANSWER,
        "action_plugins/keep.py": KEEP,
        "hooks/wipe.yml": HOOK,
        "hooks/below.yml": BELOW,
        "roles/below/tasks/main.yml": ROLE,
    }
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    code, output = play(folder, "-i", "inventory.yml", "play.yml")
    assert code == 0, output
    return {kind: json.loads((folder / f"{kind}.json").read_text()) for kind in ("tenant", "host")}


@pytest.mark.parametrize(
    "kind, answered", [("tenant", {NODE}), ("host", {NODE, OTHER})], ids=["tenant", "host"]
)
def test_facts_of_a_delegated_task_stay_with_the_node(facts, kind, answered):
    assert not FORGED.keys() & facts[kind]["localhost"].keys()
    assert {host for host, known in facts[kind].items() if "node_wiped" in known} == answered
