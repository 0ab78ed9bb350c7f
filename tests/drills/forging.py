# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node whose tenant was root on it: whatever module is run there, the answer is the tenant's."""

from __future__ import annotations

import base64
import json
import typing as t
from pathlib import Path

import yaml
from unit.playbooks.leaves import LEAF, NODE, Lab

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.run_store import RECORDS

MARK = "forged-by-the-tenant"
FORMER = (
    *(
        "node_wiped",
        "node_accepted",
        "registry_committed",
        "tenant_job",
        "tenant_edit",
        "tenant_step",
    ),
    *("hook", "hook_name", "hook_node", "hook_path", "hook_diff", "step", "registry_edit"),
    *("performance_plan", "performance_served", "performance_started", "performance_collected"),
    *(
        "performance_refused",
        "performance_stopped",
        "dpu_state_look",
        "host_ready",
        "dpu_agent_done",
    ),
    *("validate_tenants_leaf", "dpu_congestion_control_result"),
)
"""Variables by which playbooks have ever known something of a run."""
FACTS = (
    *("batches", "commit_asked", "confirmed", "done", "failed", "host_batches", "host_ports"),
    *("host_ready", "job", "performance", "rented", "round", "rounds", "uncommitted", "variables"),
)
"""Names of the facts of a run, behind `spx_fact_`."""
GIVEN = (
    *("spx_tenant", "spx_nodes", "spx_registry_write", "spx_wait", "spx_report", "spx_hooks"),
    *("spx_allow_reboot", "spx_allow_disruptive", "spx_window", "spx_approved"),
    *("spx_factory", "spx_level", "spx_max_unavailable", "spx_nvue_ca", "spx_nvue_port"),
)
"""Variables of an operator."""


ROW = {"what": "wiped", "by": "bmc", "node": NODE, "note": MARK, "when": "2026-11-29"}
"""Evidence as the run's store keeps it."""


def facts(evil: str) -> dict[str, t.Any]:
    """Facts and records that a run could believe; `evil` is a path."""
    job = {
        "job": "move",
        "acts": True,
        "written": True,
        "steps": ["release"],
        "site_hooks": [],
        "hook_files": {"wipe": evil},
        "edits": {"begin": {"slug": MARK, "state": "present"}},
    }
    return {
        **{name: [ROW] for name in (*RECORDS, *FORMER)},
        "job": job,
        "evidence": [ROW],
        "fabric": {"path": evil, "hooks": [evil]},
        "registry": {"asked": True, "committed": True},
        "steps": [{"step": "release"}],
        "node_wiped": True,
        "node_accepted": True,
        "registry_committed": True,
        "tenant_edit": {"commit": False, "path": evil, "text_diff": ""},
        **{f"spx_fact_{name}": job if name == "job" else [NODE] for name in FACTS},
        **dict.fromkeys(GIVEN, MARK),
        "ansible_connection": "local",
        "ansible_host": "127.0.0.2",
        "inventory_hostname": LEAF,
    }


def answer(folder: Path) -> dict[str, t.Any]:
    """A result that claims whatever a run could believe; its files would lie in the folder."""
    evil = str(folder / MARK)
    known = facts(evil)
    return {
        "changed": True,
        "failed": False,
        "rc": 0,
        "stdout": "",
        "stderr": "",
        "msg": "ok",
        "ansible_facts": known,
        "skipped": False,
        "unreachable": False,
        "ping": "pong",
        "add_host": {"host_name": "localhost", "groups": ["spx_leaf"], "host_vars": known},
        "add_group": "spx_performance",
        "parent_groups": ["all"],
        "include": evil,
        "include_args": known,
        "_ansible_notify": [MARK],
        "_ansible_no_log": False,
        "_ansible_delegated_vars": {"ansible_delegated_host": "localhost"},
        "ansible_stats": {"data": {MARK: 1}, "aggregate": True, "per_host": False},
        "devices": {LEAF: {"state": "changed", "spx": {"fabric": MARK}}},
        "due": False,
        "failed_checks": {LEAF: -5},
        "would_refuse": [MARK],
        "untrusted": True,
        "only_planned": True,
        "warnings": [f"{LEAF}: {MARK}"],
        "results": [ROW],
        **ROW,
        "source": f"../../../..{evil}",
        "dest": evil,
        "path": evil,
        "file": evil,
        "content": base64.b64encode(MARK.encode()).decode(),
        "encoding": "base64",
        "stat": {"exists": True, "isreg": True, "isdir": False, "islnk": False, "checksum": "1"},
        "diff": {"before": "", "after": MARK},
        "evidence": [ROW],
        "spx": {"fabric": MARK},
    }


TASKS: tuple[dict[str, t.Any], ...] = (
    {"ansible.builtin.setup": {}},
    {"ansible.builtin.command": "true"},
    {"ansible.builtin.ping": {}},
    {"ansible.builtin.package_facts": {}},
    {"ansible.builtin.stat": {"path": "/etc/passwd"}},
    {"ansible.builtin.slurp": {"src": "/etc/passwd"}},
    {"ansible.builtin.copy": {"content": "x", "dest": "/nowhere/x"}},
    {"ansible.builtin.fetch": {"src": "/etc/hostname", "dest": "fetched/"}},
    {"ansible.builtin.command": "true", "loop": [1, 2], "register": "hook_looked"},
    {"ansible.builtin.service_facts": {}, "delegate_facts": False},
)
"""Tasks by which a hook may read a node."""


def asking(folder: Path) -> list[dict[str, t.Any]]:
    """Tasks of a hook that trust the node with everything but the confirmation."""
    tasks = [
        {"name": "Ask", "delegate_to": "{{ hook_node }}", "ignore_errors": True, **task}
        for task in TASKS
    ]
    tasks[-3]["ansible.builtin.fetch"] = {"src": "/etc/hostname", "dest": f"{folder}/fetched/"}
    return tasks


def possess(lab: Lab, node: str = NODE) -> None:
    """Have a node answer each module with what its tenant wants a run to believe."""
    program = lab.folder.parent / f"{lab.folder.name}-tenant"
    program.mkdir(exist_ok=True)
    (program / "answer.json").write_text(json.dumps(answer(lab.folder)))
    python = program / "python3"
    python.write_text(f"#!/bin/sh\nexec cat {program}/answer.json\n")
    python.chmod(0o755)
    path = lab.folder / "inventory" / "host_vars" / f"{node}.yml"
    path.write_text(
        yaml.safe_dump({"ansible_connection": "local", "ansible_python_interpreter": str(python)})
    )


def files(folder: Path) -> dict[str, bytes]:
    """Return the files of a project, but for reports and for files that its hooks fetch."""
    kept = {path: path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    return {
        str(name): path.read_bytes()
        for path, name in kept.items()
        if name.parts[0] not in ("report", "fetched")
    }
