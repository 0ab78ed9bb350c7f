# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's leaves as doubles on loopback, whose route tables follow from one another's documents."""

from __future__ import annotations

import contextlib
import re
import shutil
import signal
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path

import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

ROOT = Path(__file__).resolve().parents[3]

from lab.killing import killing
from nvue_double import ping, tree
from nvue_double.testing import running_doubles
from playing import FAULT, begin, extra_vars, reached

from ..plugins.plugin_utils._fabric.tenants import evpn

LEAF = "leaf-p1-su001-r1"
NODE = "worker-su01-rack01-h01"
ACME = "  - {id: 21, slug: acme, nodes: ['*/h01']}\n"
LAST = {"0.0.0.0/0": {"route-entry": {"1": {"protocol": "kernel", "distance": 255}}}}
"""Route at the end of each VRF: the kernel's route that leads nowhere."""
GLOBEX = "  - {id: 22, slug: globex, nodes: ['*/h02']}\n"


_DIGITS = "('000000' ~ hook_node | regex_replace('[^0-9]', ''))"
BMC_SAYS = "02:00:00:" + ":".join(
    f"{{{{ {_DIGITS}[{place}:{end}] }}}}" for place, end in ((-6, -4), (-4, -2), (-2, ""))
)
"""The MAC address that `number` gave to the node of a hook."""


def confirm(what: str, by: str) -> dict:
    """A task of a hook that confirms its work; of a wipe also on which machine, as its BMC answers before."""
    options = {"do": "confirm", "what": what, "by": by}
    if what != "wiped":
        return {"name": "Confirm", "spectrum_x.fabric.tenant": options}
    ask = {"name": "Ask its BMC", "ansible.builtin.raw": f"echo {BMC_SAYS}", "register": "bmc"}
    options["machine"] = "{{ bmc.stdout }}"
    task = {"name": "Confirm", "spectrum_x.fabric.tenant": options}
    return {"name": "Confirm", "block": [{**ask, "delegate_to": "localhost"}, task]}


def number(path: Path) -> None:
    """Give each node of a description a MAC address of the digits of its name; hosts here have serials of their own."""
    if "\ndevices:" in path.read_text():
        return
    fabric = Fabric.load(str(path))
    nodes = [node for node in fabric.devices() if isinstance(node, Node)]
    digits = {node: ("0" * 6 + re.sub("[^0-9]", "", fabric.name(node)))[-6:] for node in nodes}
    rows = [
        f"{fabric.names.name(node)},02:00:00:{d[:2]}:{d[2:4]}:{d[4:]}" for node, d in digits.items()
    ]
    path.with_name("devices.csv").write_text("\n".join(["place,mac", *rows, ""]))
    head, line, rest = path.read_text().partition("\nname:")
    path.write_text(f"{head}\ndevices: devices.csv{line}{rest}")


class Tables:
    """Stands for the realiser of one double: tables computed from all doubles' documents."""

    def __init__(self, lab: Lab, name: str) -> None:
        self.lab, self.name = lab, name

    async def apply(self, document: dict) -> None:
        """Note what a switch runs now, and that the others saw it."""
        self.lab.documents[self.name] = document
        self.lab.history.append((self.name, document))
        self.lab.after_apply(self.name)

    def report(self) -> dict:
        """There is nothing to report."""
        return {"backend": "computed"}

    def ping(self, vrf: str, options: dict) -> tuple[list[float], str]:
        """Who is on a link of the VRF answers."""
        self.lab.asked.add((self.name, vrf, str(options["destination"])))
        return ping.simulated(self.lab.documents[self.name], vrf, options)

    def operational(self, path: list[str]):
        """Routes of VRFs, and links."""
        documents, own = self.lab.documents, self.lab.documents.get(self.name, {})
        if path[:1] == ["interface"]:
            up = {"link": {"oper-status": "up"}}
            if self.lab.burning or self.lab.idle:
                known = {"0c:42:a1:00:00:01": {"state": {"reachable": {}}}}
                asked = [goal for leaf, _vrf, goal in self.lab.asked if leaf == self.name]
                up["neighbor"] = {"ipv4": dict.fromkeys(asked if self.lab.idle else (), known)}
            found = {name: dict(up) for name in own.get("interface", {})}
            for (leaf, port), table in self.lab.neighbours.items():
                if leaf == self.name and port in found:
                    found[port]["neighbor"] = table
            return tree.get(found, path[1:])
        if path[:1] != ["vrf"]:
            return {}
        found = {}
        for vrf in own.get("vrf", {}):
            routes = {prefix: {} for prefix in evpn.table(documents, self.name, vrf)}
            peers = tree.get(own, ["vrf", vrf, "router", "bgp", "neighbor"])
            down = {key: {"state": "idle"} for key in (() if peers is tree.MISSING else peers)}
            bgp = {"address-family": {"ipv4-unicast": {"route": routes}}, "neighbor": down}
            stuck = {prefix: {} for prefix in self.lab.stuck.get(self.name, {}).get(vrf, ())}
            fib = {"ipv4": {"route": LAST | routes | stuck}}
            rib = {"ipv4": {"route": LAST | routes}}
            found[vrf] = {"router": {"rib": rib, "fib": fib, "bgp": bgp}}
        answer = tree.get(found, path[1:])
        silent = self.name in self.lab.silent and "bgp" in path and path[-1] == "route"
        return tree.MISSING if silent else answer


class Lab:
    """The lab as a project folder, its leaves as doubles on loopback."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.doubles = folder, {}
        self.documents: dict[str, dict] = {}
        self.history: list[tuple[str, dict]] = []
        self.burning = False  # hosts answer nobody
        self.idle = False  # hosts say nothing unasked
        self.neighbours: dict[tuple[str, str], dict] = {}  # leaf and port -> its neighbour table
        self.asked: set[tuple[str, str, str]] = set()  # leaf, VRF and destination of pings
        self.stuck: dict[str, dict[str, set[str]]] = {}  # leaf -> VRF -> routes left in its FIB
        self.silent: set[str] = set()  # leaves that tell no BGP table
        self.down: set[str] = set()  # neighbours outside whose sessions are not up
        self.leaked: dict[str, set[str]] = {}  # VRF -> routes that do not belong there
        self.given: dict[str, set[str]] = {}  # neighbour outside -> what it gives in vain
        self.after_apply: Callable[[str], None] = lambda _name: None

    @property
    def registry(self) -> Path:
        return self.folder / "model" / "tenants.yml"

    def start(self, playbook: str, *arguments: str, environment=None, **variables):
        """A playbook of the collection as a process, in a session of its own."""
        named = ["-i", "inventory", f"spectrum_x.fabric.{playbook}"]
        words = [*named, *extra_vars(variables), *arguments]
        return begin(self.folder, *words, **(environment or {}))

    def run(self, playbook: str, *arguments: str, environment=None, **variables) -> tuple[int, str]:
        """(rc, output) of a playbook of the collection."""
        process = self.start(playbook, *arguments, environment=environment, **variables)
        output, _nothing = process.communicate(timeout=280)
        assert FAULT not in output, output
        return process.returncode, output

    def run_killed(self, at: str, playbook: str, **variables) -> str:
        """Run a playbook whose controller dies at a place (see the callback kill_at); its output."""
        code, output = self.run(playbook, environment=killing(at), **variables)
        assert code == -signal.SIGKILL, output
        return output

    def writes(self) -> int:
        return sum(len(double.log.writes) for double in self.doubles.values())

    def vrf_of(self, node: str) -> set[str]:
        """The VRFs that a node's ports are in."""
        fabric = Fabric.load(str(self.folder / "model" / "fabric.yml"))
        ports = [row["peer"] for row in fabric.slice(node)["ports"]]
        return {self.doubles[p["device"]].applied["interface"][p["port"]].get("vrf") for p in ports}

    def hook(self, name: str, text: str) -> None:
        """Put a hook of the site in place; before a wipe devices.csv has a mark of each node."""
        if name == "wipe":
            number(self.folder / "model" / "fabric.yml")
        folder = self.folder / "hooks"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.yml").write_text(text)

    def wiping(self) -> None:
        """Give the site a hook wipe, which notes whom it wiped and whose the node was."""
        line = f"echo '{{{{ hook_from }}}}' >'{self.folder}/wiped-{{{{ hook_node }}}}'"
        task = {"name": "Wipe", "ansible.builtin.raw": line, "delegate_to": "localhost"}
        self.hook("wipe", yaml.safe_dump([task, confirm("wiped", "bmc")]))

    def committing(self) -> None:
        """Let the site's hooks commit and wipe."""
        self.wiping()
        self.hook("registry_commit", yaml.safe_dump([confirm("committed", "git")]))


@contextlib.contextmanager
def running_lab(
    tmp_path: Path,
    text: str,
    *,
    model: Path = ROOT / "inventories" / "lab" / "model",
    roles: Collection[str] = ("leaf",),
    passwords: Mapping[str, str] | None = None,
    tables: Callable[[Lab, str], Tables] = Tables,
) -> Iterator[Lab]:
    """The lab whose switches of some roles run a registry of that text, or a fabric with another `model`.

    `passwords` are those of sessions to the outside; `tables` makes what stands for a realiser.
    """
    shutil.copytree(model, tmp_path / "model")
    (tmp_path / "model" / "tenants.yml").write_text(text)
    (tmp_path / "inventory" / "host_vars").mkdir(parents=True)
    path = str(tmp_path / "model" / "fabric.yml")
    source = {"plugin": "spectrum_x.fabric.fabric", "description": path}
    (tmp_path / "inventory" / "hosts.fabric.yml").write_text(yaml.safe_dump(source))
    fabric, made = Fabric.load(path), Lab(tmp_path)
    for device in fabric.devices():
        # Planned addresses belong to somebody: what is no double is a closed port of this machine.
        closed = {"ansible_host": "127.0.0.1", "ansible_port": 1, "spx_nvue_port": 1}
        file = tmp_path / "inventory" / "host_vars" / f"{fabric.name(device)}.yml"
        file.write_text(yaml.safe_dump(closed))
    names = [fabric.name(switch) for switch in fabric.switches() if switch.role in roles]
    begun = Registry.load(fabric)
    options = []
    for name in names:
        asked = compose.Options(external_passwords=passwords or {})
        document = compose.document(fabric, name, options=asked, tenants=begun)
        made.documents[name] = document
        release, realiser = fabric.description.release.cumulus, tables(made, name)
        options.append({"release": release, "document": document, "realiser": realiser})
    with running_doubles(options) as doubles:
        made.doubles = dict(zip(names, doubles))
        for name, double in made.doubles.items():
            file = tmp_path / "inventory" / "host_vars" / f"{name}.yml"
            file.write_text(yaml.safe_dump(reached(double)))
        yield made


def changed(output: str) -> int:
    """Count the changes of the recap."""
    return sum(map(int, re.findall(r"changed=(\d+)", output.partition("PLAY RECAP")[2])))


def nothing_done(lab: Lab, playbook: str, **variables) -> None:
    """Run a playbook that has nothing to do."""
    before = lab.writes()
    code, output = lab.run(playbook, spx_wait=5, **variables)
    assert code == 0, output
    assert changed(output) == 0, output
    assert lab.writes() == before
