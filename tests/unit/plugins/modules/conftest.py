# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a module as Ansible does: its arguments on standard input, its answer on standard output."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from .cards import FLINT, PCI, QOS, QUERY

PACKAGE = "ansible_collections.spectrum_x.fabric.plugins.modules"

# One file answers under the name of every tool, from the state in ANSWERS.
TOOL = """#!{python}
import json, os, sys
name = os.path.basename(sys.argv[0])
line = " ".join([name, *sys.argv[1:]])
folder = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(folder, "calls"), "a") as handle:
    handle.write(line + "\\n")
for start, answer in json.load(open(os.path.join(folder, "answers.json"))):
    if line.startswith(start):
        sys.stdout.write(answer[1])
        sys.exit(answer[0])
sys.exit(1)
"""


class Target:
    """A host of files: tools on the PATH, a folder as /sys."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.answers: list[tuple[str, tuple[int, str]]] = []
        (folder / "bin").mkdir()
        self.put(f"bus/pci/devices/{PCI}/vendor", "0x15b3")
        self.put(f"bus/pci/devices/{PCI}/device", "0xa2dc")
        self.put(f"bus/pci/devices/{PCI}/net/rail1p1/phys_port_name", "p0")
        self.put(f"bus/pci/devices/{PCI}/infiniband/mlx5_0/x", "")
        self.put("class/net/rail1p1/operstate", "up")

    def put(self, name: str, text: str) -> None:
        path = self.folder / "sys" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")

    def answer(self, start: str, text: str, rc: int = 0) -> None:
        """Later answers stand before earlier ones."""
        self.answers.insert(0, (start, (rc, text)))
        tool = self.folder / "bin" / start.split()[0]
        tool.write_text(TOOL.format(python=sys.executable), encoding="utf-8")
        tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
        content = json.dumps(self.answers)
        (self.folder / "bin" / "answers.json").write_text(content, encoding="utf-8")

    @property
    def calls(self) -> list[str]:
        path = self.folder / "bin" / "calls"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def run(self, module: str, *, check: bool = False, **options: object) -> dict:
        """The module's answer; its exit status agrees with `failed`."""
        sysfs = str(self.folder / "sys")
        given = {**options, "sysfs_path": sysfs, "_ansible_check_mode": check}
        code = (
            "import json, sys\n"
            "from ansible.module_utils import basic\n"
            f"basic._ANSIBLE_ARGS = {json.dumps({'ANSIBLE_MODULE_ARGS': given})!r}.encode()\n"
            "basic._ANSIBLE_PROFILE = 'legacy'\n"
            f"from {PACKAGE}.{module} import main\nmain()\n"
        )
        env = {
            "PATH": f"{self.folder / 'bin'}:/usr/bin:/bin",
            "PYTHONPATH": os.pathsep.join(sys.path),
            "HOME": str(self.folder),
        }
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=env, check=False
        )
        assert done.stdout, done.stderr
        result = json.loads(done.stdout.splitlines()[-1])
        assert bool(done.returncode) is result.get("failed", False)
        return result


@pytest.fixture
def target(tmp_path):
    return Target(tmp_path)


@pytest.fixture
def card(target):
    target.answer("mlxconfig", QUERY.format("False(0)", "False(0)"))
    target.answer("flint", FLINT.format("32.43.1014"))
    target.answer("mlxprivhost", "level : PRIVILEGED\n")
    target.answer("mlnx_qos", QOS.format(0))
    return target
