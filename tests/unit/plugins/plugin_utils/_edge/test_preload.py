# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules of a run in memory before it forks, read in a process that has imported nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

PLUGINS = Path(__file__).parents[5] / "plugins"
ASKED = """
import importlib, json, sys

BASE = "ansible_collections.spectrum_x.fabric.plugins."


def core():
    return {name for name in sys.modules if name.startswith(BASE + "plugin_utils.")}


importlib.import_module(BASE + "action.guard")
before = core()
for name in sys.argv[1:]:
    importlib.import_module(BASE + name)
more = sorted(core() - before)
importlib.import_module(BASE + "action.tenant")
roles = importlib.import_module(BASE + "plugin_utils._edge.role_variables")._files.cache_info()
importlib.import_module(BASE + "action.switch")
read = importlib.import_module(BASE + "plugin_utils._nvue.document.schema")._data.cache_info()
print(json.dumps([more, "ruamel.yaml" in sys.modules, roles.currsize, read.currsize]))
"""


def test_workers_import_nothing_that_guard_or_their_action_has_not():
    """Lookups and filters after guard; what edits a registry and reads roles' variables after the action of tenants.

    The schema of switches is read by their action, before a worker is forked for each.
    """
    names = [
        f"{kind}.{path.stem}"
        for kind in ("lookup", "filter")
        for path in sorted((PLUGINS / kind).glob("*.py"))
    ]
    assert len(names) >= 3
    done = subprocess.run(
        [sys.executable, "-c", ASKED, *names],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    more, editor, roles, schemas = json.loads(done.stdout)
    assert (more, editor, schemas) == ([], True, 1)
    assert roles == len([*(PLUGINS.parent / "roles").glob("switch_*")])
