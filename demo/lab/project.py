# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One of the places of the lab that know the planner: from a project to cables and a copy for the lab.

    python -m lab.project cabling inventories/lab > cabling.json
    python -m lab.project make inventories/lab build/demo --lab demo

``make`` copies a project, with the management addresses of a running lab in place of the planned
ones, so that no planned address is ever dialled. The collection must be importable.
"""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
import shutil
import sys
import typing as t

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric._third_party import yaml
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import rows
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.part import outside
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.places import identity
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.topology.cabling import Node
from lab.state import TARGETS

HOSTS = TARGETS / "host" / "variables.yml"
"""What a play has to know of the simulated hosts."""
PROFILES = {"BlueField-3": "bf3-nic-2rail", "ConnectX-8": "cx8-2plane"}
"""NIC model -> what the simulated cards are from the factory; see tests/targets/host/nicsim/cards."""
SOURCE = (
    "plugin: spectrum_x.fabric.fabric\ndescription: model/fabric.yml\nmanagement: management.json\n"
)


def cabling(fabric: Fabric) -> dict[str, t.Any]:
    """The lab's input: every built device, and the cables between them."""
    links = [[x.a.device, x.a.port, x.b.device, x.b.port] for x in rows.links(fabric)]
    devices = [_device(fabric, device) for device in rows.devices(fabric)]
    return {"fabric": fabric.description.name, "devices": devices, "links": links}


def _device(fabric: Fabric, device: t.Any) -> dict[str, t.Any]:
    spx, d = identity(fabric, device), fabric.description
    if isinstance(device, Node):
        host = {"name": spx["name"], "kind": "host", "nics": _nics(fabric.slice(device)["ports"])}
        return host | ({"profile": PROFILES[d.nics.model]} if d.nics.model in PROFILES else {})
    return {
        "name": spx["name"],
        "kind": "switch",
        "model": d.switches.model,
        "release": d.release.cumulus,
        "serial": spx.get("serial") or f"SN-{spx['name']}",
    }


def _nics(ports: list[dict[str, t.Any]]) -> list[dict[str, str]]:
    """The PCI function of each port: the stated NIC, else a slot for each rail, and a function for
    each port of that NIC."""
    made = []
    seen: collections.Counter[int] = collections.Counter()
    for port in ports:
        base = port["pci"] or f"0000:{0x18 + 8 * port['rail']:02x}:00.0"
        made.append({"port": port["port"], "pci": f"{base[:-1]}{seen[port['rail']]}"})
        seen[port["rail"]] += 1
    return made


def model(project: pathlib.Path, target: pathlib.Path, where: t.Sequence[str] = ()) -> None:
    """Copy model and hooks of a project; of a slice of it, everything else is listed in `absent`.

    What is absent changes no name and no address of what is built.
    """
    for name in ("model", "hooks"):
        shutil.rmtree(target / name, ignore_errors=True)
        if (project / name).is_dir():
            shutil.copytree(project / name, target / name)
    if where:
        path = target / "model" / "fabric.yml"
        absent = outside(Fabric.load(str(path)), where)
        described = {**yaml.safe_load(path.read_text(encoding="utf-8")), "absent": absent}
        path.write_text(yaml.safe_dump(described, sort_keys=False), encoding="utf-8")


def make(project: pathlib.Path, target: pathlib.Path, lab: pathlib.Path) -> None:
    """A project folder for a running lab: the model, and the lab's addresses and logins."""
    model(project, target)
    connect(target, lab)


def connect(target: pathlib.Path, lab: pathlib.Path) -> None:
    """Give a copied project the addresses and logins of a running lab."""
    (target / "hosts.fabric.yml").write_text(SOURCE)
    for name in ("management.json", "inventory.yml"):
        shutil.copy(lab / name, target / name)
    (target / "group_vars").mkdir(exist_ok=True)
    shutil.copy(HOSTS, target / "group_vars" / "spx_node.yml")


def main() -> None:
    """The two commands of the head of this file."""
    parser = argparse.ArgumentParser(prog="lab.project")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("cabling")
    one.add_argument("example", type=pathlib.Path)
    two = commands.add_parser("make")
    two.add_argument("example", type=pathlib.Path)
    two.add_argument("target", type=pathlib.Path)
    two.add_argument(
        "--lab", required=True, type=pathlib.Path, help="the lab's folder, build/lab/NAME"
    )
    options = parser.parse_args()
    if options.command == "cabling":
        json.dump(
            cabling(Fabric.load(str(options.example / "model" / "fabric.yml"))),
            sys.stdout,
            indent=1,
        )
    else:
        make(options.example, options.target, options.lab)


if __name__ == "__main__":
    main()
