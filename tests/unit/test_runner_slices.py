# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs of slices, run side by side by ansible-runner, together do what one whole job does.

This is how AWX runs them. A job checks the description and its inventory, exports its part of the
plan, and renders the document of every switch it holds; no device is contacted.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import typing as t
from dataclasses import dataclass
from pathlib import Path

import ansible_runner
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
TOOLS = str(Path(sys.executable).parent)
JOB = """
- ansible.builtin.import_playbook: spectrum_x.fabric.begin
- ansible.builtin.import_playbook: spectrum_x.fabric.plan
- hosts: spx_leaf:spx_spine:spx_super_spine
  gather_facts: false
  tasks:
    - ansible.builtin.set_fact:
        document: "{{ lookup('spectrum_x.fabric.switch_document', 'all') }}"
    - ansible.builtin.copy:
        content: "{{ dict(ansible_play_hosts | zip(rendered)) | to_json }}"
        dest: "{{ spx_dest }}/documents.json"
        mode: "0644"
      vars:
        rendered: "{{ ansible_play_hosts | map('extract', hostvars, 'document') }}"
      run_once: true
      delegate_to: localhost
"""
DUAL = """
name: dual
release: {ra: "2.1", cumulus: 5.16.1}
switches: {model: SN5600, host_speed: 400G, fabric_speed: 400G, usable_ports: 8}
nics: {model: ConnectX-8}
planes: {count: 2, mode: split, balancing: swplb}
rails: 2
tiers: 2
capacity: {sus_per_pod: 2, slots_per_su: 4, nodes_per_rack: 2}
addressing: {profile: nvidia-guide-v4-2tier}
"""


@dataclass(frozen=True)
class Slice:
    """A part of a fabric: options of the inventory source, a limit, and the pods of the plan."""

    name: str
    inventory: dict[str, t.Any]
    limit: str | None = None
    where: str | None = None
    exports: str = "links"


WHOLE = Slice("whole", {})
PODS = (
    Slice("pod 1", {"where": ["pod01"]}, where="pod01"),
    Slice("pod 2", {"where": ["pod02"]}, where="pod02"),
)
SUPER_SPINES = Slice("super-spines", {}, limit="spx_super_spine:localhost", exports="hosts")
PLANES = (Slice("plane 1", {"planes": [1]}), Slice("plane 2", {"planes": [2]}))


def model(folder: Path, example: str) -> Path:
    """A project's description in a folder of its own."""
    target = folder / "model"
    if example == "dual":
        target.mkdir(parents=True)
        (target / "fabric.yml").write_text(DUAL, encoding="utf-8")
    else:
        shutil.copytree(ROOT / "inventories" / example / "model", target)
    return target / "fabric.yml"


def prepare(folder: Path, part: Slice, example: str) -> dict[str, t.Any]:
    """The arguments of one job, in a folder as ansible-runner wants it."""
    project, dest = folder / "project", folder / "out"
    description = model(project, example)
    dest.mkdir(parents=True)
    source = {"plugin": "spectrum_x.fabric.fabric", "description": str(description)}
    source |= {"management": "none"} | part.inventory
    (folder / "hosts.fabric.yml").write_text(yaml.safe_dump(source), encoding="utf-8")
    (project / "job.yml").write_text(JOB, encoding="utf-8")
    stated = {"spx_dest": str(dest), "spx_exports": part.exports}
    stated |= {"spx_description": str(description)} | (
        {"spx_where": part.where} if part.where else {}
    )
    return {
        "private_data_dir": str(folder),
        "playbook": "job.yml",
        "inventory": str(folder / "hosts.fabric.yml"),
        "extravars": stated,
        "envvars": {"PATH": os.pathsep.join((TOOLS, os.environ["PATH"]))},
        "quiet": True,
    } | ({"limit": part.limit} if part.limit else {})


def run(folder: Path, parts: t.Sequence[Slice], example: str) -> dict[str, Path]:
    """Run jobs side by side; the folder of what each wrote."""
    jobs = []
    for part in parts:
        home = folder / part.name.replace(" ", "-")
        jobs.append((part, home, ansible_runner.run_async(**prepare(home, part, example))))
    for part, _home, (thread, runner) in jobs:
        thread.join(120)
        assert runner.rc == 0, f"{part.name}: {runner.stdout.read()[-3000:]}"
    return {part.name: home / "out" for part, home, _job in jobs}


def documents(folders: t.Iterable[Path]) -> dict[str, t.Any]:
    """Documents by switch; no switch may be rendered twice."""
    found: dict[str, t.Any] = {}
    for folder in folders:
        made = json.loads((folder / "documents.json").read_text(encoding="utf-8"))
        assert not set(made) & set(found), "a switch is in two slices"
        found |= made
    return found


def links(folders: t.Iterable[Path]) -> list[str]:
    """The rows of all lists of links."""
    rows: list[str] = []
    for folder in folders:
        rows += (folder / "links.csv").read_text(encoding="utf-8").splitlines()[1:]
    return sorted(rows)


@pytest.mark.large
def test_slices_by_pod_are_the_whole(tmp_path: Path) -> None:
    parts = run(tmp_path, [WHOLE, *PODS, SUPER_SPINES], "lab-3tier")
    whole = parts.pop("whole")
    assert documents(parts.values()) == documents([whole])
    assert len(documents([whole])) == 10
    assert links(parts[pod.name] for pod in PODS) == links([whole])


@pytest.mark.large
def test_slices_by_plane_are_the_whole(tmp_path: Path) -> None:
    parts = run(tmp_path, [WHOLE, *PLANES], "dual")
    whole = parts.pop("whole")
    assert documents(parts.values()) == documents([whole])
    assert len(documents([whole])) == 12
    assert len(documents([parts["plane 1"]])) == len(documents([parts["plane 2"]])) == 6
