# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of a leaf whose tenants cannot be read."""

from __future__ import annotations

import json
import shutil

import yaml
from playing import play

from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

LEAF = "leaf-p1-su001-r1"


def test_a_leaf_that_lets_nobody_read_is_a_result_and_not_the_end_of_the_run(tmp_path):
    """Whatever checks are asked for; here it is refused before anything is dialled."""
    folder = shutil.copytree(INVENTORIES / "lab", tmp_path / "lab")
    task = {"of": "tenants", "report": "report", "checks": ["tenant.routes"]}
    book = [
        {
            "hosts": LEAF,
            "gather_facts": False,
            "any_errors_fatal": True,
            "tasks": [{"spectrum_x.fabric.validate": task}],
        }
    ]
    (folder / "book.yml").write_text(yaml.safe_dump(book), encoding="utf-8")
    code, output = play(folder, "-i", folder / "hosts.fabric.yml", folder / "book.yml")
    assert code == 0, output
    (row,) = json.loads((folder / "report" / "results" / f"{LEAF}.tenants.json").read_text())
    assert (row["id"], row["state"]) == ("tenant.readable", "fail")
    assert row["sentence"].startswith(f"{LEAF} could not be read: No credentials")
