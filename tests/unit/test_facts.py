# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Knowledge of a run in no fact: an answer of a device could take its place."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FACTS = re.compile(
    r"ansible_facts|spx_fact_|hostvars(\.localhost|\[['\"]localhost['\"]\])|hostvars\W+get\(['\"]localhost"
)
FILES = [
    path
    for folder in ("plugins", "playbooks", "roles", "demo/hooks")
    for kind in ("*.py", "*.yml")
    for path in sorted((ROOT / folder).rglob(kind))
]


def test_there_are_files():
    assert len(FILES) > 500


def mentioning(words):
    return {str(p.relative_to(ROOT)) for p in FILES if words.search(p.read_text(encoding="utf-8"))}


def test_no_file_keeps_what_a_run_knows_in_facts():
    assert mentioning(FACTS) == set()


def test_roles_alone_note_something_by_set_fact():
    """On their own host, what they have done there; no further file may."""
    assert mentioning(re.compile(r"\bset_fact\b")) == ROLES


ROLES = {
    "roles/dpu_agent/tasks/main.yml",
    "roles/dpu_congestion_control/tasks/main.yml",
    "roles/dpu_doca/tasks/packages.yml",
    "roles/dpu_reset/tasks/act.yml",
}
