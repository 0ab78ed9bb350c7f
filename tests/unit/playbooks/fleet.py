# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab as a project folder whose six switches are doubles on loopback."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric

ROOT = Path(__file__).resolve().parents[3]

from nvue_double.testing import running_doubles
from playing import extra_vars, play, reached

LEAF, SPINE = "leaf-p1-su001-r1", "spine-p1-s01"


class Lab:
    """The lab as a project folder, its switches as doubles on loopback."""

    def __init__(self, folder: Path, doubles: dict) -> None:
        self.folder, self.doubles = folder, doubles

    def run(self, playbook: str, *arguments: str, **variables) -> tuple[int, str]:
        """(rc, output) of a playbook of the collection."""
        return self.play(f"spectrum_x.fabric.{playbook}", *extra_vars(variables), *arguments)

    def play(self, *arguments) -> tuple[int, str]:
        """(rc, output) of any playbook."""
        inventory = self.folder / "inventory"
        return play(self.folder, "-i", inventory, *arguments, SPX_PROJECT=str(self.folder))

    def writes(self) -> int:
        """Requests that were no GET, on all switches together."""
        return sum(len(double.log.writes) for double in self.doubles.values())

    def describe(self, **changes) -> None:
        """Change top-level keys of the description."""
        path = self.folder / "model" / "fabric.yml"
        path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), **changes}))

    def commit(self) -> str:
        """Put the description under git; returns the commit as it is shown."""
        author = ("-c", "user.name=x", "-c", "user.email=x@example.com")
        for command in (("init",), ("add", "model"), ("commit", "--message", "first")):
            git = ["git", "-C", str(self.folder), *author, *command]
            subprocess.run(git, capture_output=True, check=True)
        git = ["git", "-C", str(self.folder), "rev-parse", "HEAD"]
        return subprocess.run(git, capture_output=True, text=True, check=True).stdout[:12]

    def hear(self, device: str, port: str, system: str, far: str) -> None:
        """Let LLDP of a switch hear a neighbour."""
        neighbor = {"1": {"chassis": {"system-name": system}, "port": {"name": far}}}
        self.doubles[device].control.operational(["interface", port, "lldp", "neighbor"], neighbor)

    def come_up(self) -> None:
        """Let every session be Established and every planned neighbour be heard."""
        fabric = Fabric.load(str(self.folder / "model" / "fabric.yml"))
        for name, double in self.doubles.items():
            double.control.sessions("established")
            for row in fabric.slice(name)["ports"]:
                if row["present"]:
                    self.hear(name, row["port"], row["peer"]["device"], row["peer"]["port"])


@contextlib.contextmanager
def factory_lab(tmp_path: Path) -> Iterator[Lab]:
    """The lab from the factory: no configuration, no sessions."""
    shutil.copytree(ROOT / "inventories" / "lab" / "model", tmp_path / "model")
    inventory = tmp_path / "inventory"
    (inventory / "host_vars").mkdir(parents=True)
    source = {
        "plugin": "spectrum_x.fabric.fabric",
        "description": str(tmp_path / "model/fabric.yml"),
    }
    (inventory / "hosts.fabric.yml").write_text(yaml.safe_dump(source))
    fabric = Fabric.load(str(tmp_path / "model" / "fabric.yml"))
    for node in fabric.nodes():
        # Planned addresses belong to somebody: what asks a host finds a closed port of this machine.
        closed = {"ansible_host": "127.0.0.1", "ansible_port": 1}
        path = inventory / "host_vars" / f"{fabric.name(node)}.yml"
        path.write_text(yaml.safe_dump(closed))
    names = [fabric.name(switch) for switch in fabric.switches()]
    release = fabric.description.release.cumulus
    options = [{"release": release, "serial": f"SN{n}"} for n, _name in enumerate(names)]
    with running_doubles(options) as doubles:
        for name, double in zip(names, doubles):
            path = inventory / "host_vars" / f"{name}.yml"
            path.write_text(yaml.safe_dump(reached(double)))
        yield Lab(tmp_path, dict(zip(names, doubles)))


def recap(output: str) -> dict[str, dict[str, int]]:
    """The counts of the play recap by host."""
    lines = re.findall(r"^(\S+)\s+: (ok=.*)$", output.partition("PLAY RECAP")[2], re.MULTILINE)
    return {
        host: {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", text)}
        for host, text in lines
    }
