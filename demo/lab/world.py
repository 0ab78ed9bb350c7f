# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A project come to life: its devices as a lab, a copy of the project beside it, and what one does there.

    python -m lab.world up inventories/lab --name demo      lab, project in build/demo/project, passwords
    python -m lab.world up ~/site --name try --where su01/h01       a slice of a project
    python -m lab.world model try ~/site        the model of the project again, as it is now
    python -m lab.world play demo spectrum_x.fabric.switches -e ...
    python -m lab.world run demo ansible-inventory --graph       any command, in the project
    python -m lab.world seed demo demo/scenarios/lab/slow_cable.json        a fault of the links, for performance tests
    python -m lab.world throughput demo HOST HOST --rail 1      Gb/s of TCP between two hosts
    python -m lab.world down demo

Ansible runs in the lab's management namespace, so that no planned address can leave the machine.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import typing as t

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host import networks
from lab import backends, project, seeding, state, throughput
from lab.echo import read as probes_of
from lab.errors import LabError
from lab.matrix import measure

USER, PASSWORD = "cumulus", "Spectrum-X1!"  # of doubles only
PLAYBOOK = ("ansible-playbook", "-i", "hosts.fabric.yml", "-i", "inventory.yml")
DEMO = pathlib.Path(__file__).resolve().parents[1]


@dataclasses.dataclass(frozen=True)
class World:
    """A lab by name, with the project folder of its example."""

    name: str

    @property
    def folder(self) -> pathlib.Path:
        """Folder of the project and its logs."""
        return state.ROOT / "build" / self.name

    @property
    def project(self) -> pathlib.Path:
        """The user's project."""
        return self.folder / "project"

    @property
    def lab_folder(self) -> pathlib.Path:
        """Folder of the lab."""
        return state.labs_folder() / self.name

    @functools.cached_property
    def lab(self) -> t.Any:
        """The lab's own state."""
        return state.load(self.name)

    @property
    def fabric(self) -> Fabric:
        """The plan of the project."""
        return Fabric.load(str(self.project / "model" / "fabric.yml"))

    # Coming and going

    def up(self, source: pathlib.Path, *extra: str, where: t.Sequence[str] = ()) -> None:
        """Devices, cables, project and first passwords; `where` are the words of a slice."""
        shutil.rmtree(self.project, ignore_errors=True)
        self.project.mkdir(parents=True)
        (self.folder / "where").write_text("\n".join(where))
        self.model(source)
        cabling, plan = self.folder / "cabling.json", self.fabric
        made = project.cabling(plan, self.project / "outside")
        for device, port, name in made.pop("loose", ()):
            print(f"lab: {device} {port} leads to {name}, which no outside/*.conf has: no cable")
        cabling.write_text(json.dumps(made, indent=1))
        self._lab("up", "--cabling", str(cabling), "--name", self.name, *extra)
        project.connect(self.project, self.lab_folder)
        for switch in plan.switches():
            self.control(plan.name(switch), "password", user=USER, password=PASSWORD)

    def model(self, source: pathlib.Path) -> None:
        """Take the model and the hooks of a project over, with the slice that `up` was given."""
        project.model(source, self.project, (self.folder / "where").read_text().split())

    def down(self) -> None:
        """Remove every trace."""
        self._lab("down", self.name)
        shutil.rmtree(self.folder, ignore_errors=True)

    # What one does there

    @property
    def inside(self) -> list[str]:
        """The words before a command that run it in the management namespace."""
        return [sys.executable, "-m", "lab", "exec", self.name, "--"]

    def play(
        self, *arguments: str, check: bool = True, more: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run ansible-playbook in the project, inside the management namespace; `more` environment."""
        done = subprocess.run(
            [*self.inside, *PLAYBOOK, *arguments],
            cwd=self.project,
            env=self.environment() | (more or {}),
            text=True,
            capture_output=True,
            check=False,
        )
        if (check and done.returncode) or "Callback dispatch" in done.stderr:  # hides failures
            raise RuntimeError(
                f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
            )
        return done

    @functools.cached_property
    def _tree(self) -> str:
        """The collection as Ansible finds it."""
        make = [state.ROOT / "tests" / "setup" / "tree.sh", "links"]
        return subprocess.run(make, capture_output=True, text=True, check=True).stdout.strip()

    def environment(self) -> dict[str, str]:
        """Variables for a playbook of this lab."""
        tree = self._tree
        return os.environ | {
            "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": f"{DEMO}:{tree}",
            "ANSIBLE_COLLECTIONS_PATH": tree,
            "ANSIBLE_HOST_KEY_CHECKING": "true",
            "ANSIBLE_FORKS": "12",
            "ANSIBLE_INJECT_FACT_VARS": "false",
            "SPX_PROJECT": str(self.project),
            "SPX_NVUE_USER": USER,
            "SPX_NVUE_PASSWORD": PASSWORD,
            "SPX_NVUE_CA": str(self.lab_folder / "ca.pem"),
        }

    def node(self, device: str, *command: str, check: bool = True) -> str:
        """Run a command on a device; returns its output."""
        argv = backends.enter(self.pid(device), list(command))
        done = subprocess.run(argv, text=True, capture_output=True, check=False)
        if check and done.returncode:
            raise RuntimeError(
                f"{device}: {' '.join(command)} ended with {done.returncode}: {done.stdout}{done.stderr}"
            )
        return done.stdout

    def control(self, switch: str, method: str, **arguments: t.Any) -> t.Any:
        """Do to a switch double what no client can; see tests/targets/switch."""
        socket = ["curl", "-s", "--unix-socket", "/run/nvue/control.sock"]
        header = ["-H", "content-type: application/json", "-d", json.dumps(arguments)]
        text = self.node(switch, *socket, "-X", "POST", f"http://double/{method}", *header)
        return json.loads(text) if text.strip() else None

    def writes(self) -> dict[str, int]:
        """Write requests that each switch has seen since the log was cleared."""
        counts = {}
        for device in self.fabric.switches():
            name = self.fabric.name(device)
            text = self.node(
                name, "curl", "-s", "--unix-socket", "/run/nvue/control.sock", "http://double/log"
            )
            requests = json.loads(text)["requests"]
            counts[name] = sum(row["changes"] for row in requests)
        return counts

    def lab_command(self, *arguments: str) -> None:
        """One of the lab's own commands: cable, swap, kill, start, probe ..."""
        self._lab(*arguments)

    def _lab(self, *arguments: str) -> None:
        subprocess.run(
            [sys.executable, "-m", "lab", *arguments], env=self.environment(), check=True
        )

    # Packets

    def address_hosts(self) -> None:
        """Give hosts the plan's addresses by hand, for proofs that are about switches only."""
        for node in self.fabric.nodes():
            lines = list(self._networks(node))
            for port in self.fabric.slice(node)["ports"]:
                lines += [
                    f"link set {port['port']} mtu {port['mtu']} up",
                    f"address replace {port['address']}/{port['length']} dev {port['port']}",
                    f"route replace {port['routes'][0]} via {port['gateway']} dev {port['port']}",
                ]
            self.node(self.fabric.name(node), "sh", "-c", "; ".join(f"ip {line}" for line in lines))

    def _networks(self, node: Node) -> t.Iterator[str]:
        """The routed ports of a node on the other networks: each with a table for what leaves from its address."""
        found = networks.ports(self.fabric, node, self.fabric.slice(node))
        for row in networks.rows(found, table_base=0):
            if "address" not in row:
                continue
            by = f"via {row['gateway']} dev {row['name']}"
            yield f"link set {row['name']} mtu {row['mtu']} up"
            yield f"address replace {row['address']}/{row['length']} dev {row['name']}"
            for route in row["routes"]:
                yield f"route replace {route['to']} {by} metric {route['metric']}"
                yield f"route replace {route['to']} {by} table {row['table']}"
            yield f"rule add from {row['address']} lookup {row['table']}"

    def throughput(
        self, client: str, server: str, *, rail: int = 0, seconds: int = 1
    ) -> dict[str, t.Any]:
        """Gb/s of TCP from one node to another, from port to port of a zero-based rail."""
        one, two = (self._port(name, rail) for name in (client, server))
        way = throughput.Path(self.pid(client), one["address"], self.pid(server), two["address"])
        return throughput.measure(way, seconds=seconds)

    def _port(self, name: str, rail: int) -> dict[str, t.Any]:
        node = self.fabric.device(name)
        if not isinstance(node, Node):
            raise LabError(f"{name} is no node: TCP is measured between nodes")
        found = [port for port in self.ports(node) if port["rail"] == rail]
        if not found:
            raise LabError(f"{name} has no rail {rail + 1}; the first one is 1")
        return found[0]

    # What is wrong with the links

    def seed(self, path: pathlib.Path) -> None:
        """Give every host's stand-ins the model of links with a scenario's faults."""
        management = json.loads((self.lab_folder / "management.json").read_text(encoding="utf-8"))
        made = seeding.model(self.fabric, seeding.scenario(path), management)
        for node in self.fabric.nodes():
            pid = self.pid(self.fabric.name(node))
            place = pathlib.Path(f"/proc/{pid}/root{seeding.PLACE}")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(json.dumps(made), encoding="utf-8")

    def pid(self, device: str) -> int:
        """The first process of a device."""
        return backends.pid_of(self.lab, device)

    def ping(
        self, probes: list[dict[str, t.Any]], *, tries: int = 3, timeout: float = 1.0
    ) -> list[dict[str, t.Any]]:
        """Each probe's result, in order."""
        rows = measure(probes_of({"probes": probes}), self.pid, tries=tries, timeout=timeout)[
            "results"
        ]
        return t.cast("list[dict[str, t.Any]]", rows)

    def ports(self, node: Node) -> list[dict[str, t.Any]]:
        """A node's NIC ports as the plan has them."""
        return t.cast("list[dict[str, t.Any]]", self.fabric.slice(node)["ports"])


def main() -> int:
    """The commands of the head of this file."""
    parser = argparse.ArgumentParser(prog="lab.world")
    commands = parser.add_subparsers(dest="command", required=True)
    up = commands.add_parser("up")
    up.add_argument("project", type=pathlib.Path)
    up.add_argument("--name", required=True)
    up.add_argument(
        "--where", action="append", default=[], help="a slice, as spx_where; repeatable"
    )
    again = commands.add_parser("model")
    again.add_argument("name")
    again.add_argument("project", type=pathlib.Path)
    for name in ("play", "run"):
        command = commands.add_parser(name)
        command.add_argument("name")
        command.add_argument("arguments", nargs=argparse.REMAINDER)
    seed = commands.add_parser("seed")
    seed.add_argument("name")
    seed.add_argument("scenario", type=pathlib.Path)
    speed = commands.add_parser("throughput")
    speed.add_argument("name")
    speed.add_argument("hosts", nargs=2, metavar="HOST")
    speed.add_argument("--rail", type=int, default=1)
    speed.add_argument("--seconds", type=int, default=1)
    commands.add_parser("down").add_argument("name")
    options, rest = parser.parse_known_args()
    world = World(options.name)
    if options.command == "up":
        world.up(options.project, *rest, where=options.where)
    elif options.command == "model":
        world.model(options.project)
    elif options.command == "down":
        world.down()
    elif options.command == "seed":
        world.seed(options.scenario)
    elif options.command == "throughput":
        rail, hosts = options.rail - 1, options.hosts
        found = world.throughput(*hosts, rail=rail, seconds=options.seconds)
        print(json.dumps(found))
    else:
        first = PLAYBOOK if options.command == "play" else ()
        return subprocess.run(
            [*world.inside, *first, *options.arguments],
            cwd=world.project,
            env=world.environment(),
            check=False,
        ).returncode
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (FabricError, LabError) as wrong:
        sys.exit(f"lab: {wrong}")
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.returncode)  # a command of the lab, which has said why
    except KeyboardInterrupt:
        print("lab: interrupted; what is up stays up until it is taken down or brought up again")
        sys.exit(130)
