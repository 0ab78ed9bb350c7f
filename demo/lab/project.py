# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One of the places of the lab that know the planner: from a project to cables and a copy for the lab.

    python -m lab.project cabling inventories/lab > cabling.json
    python -m lab.project make inventories/lab build/demo --lab demo

``make`` copies a project, with the management addresses of a running lab in place of the planned
ones, so that no planned address is ever dialled. The collection must be importable.

What is outside of the fabric is in the folder ``outside`` of a project: a file ``NAME.conf`` for each router, in the
words of FRR. An ``interface`` of it that is called as a link of ``networks.border`` is the far end of that link.
"""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
import re
import shutil
import sys
import typing as t

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description._third_party import (
    yaml,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import rows
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.part import outside
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.places import identity
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.slices import model_of
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import nets
from lab.state import TARGETS

HOSTS = TARGETS / "host" / "variables.yml"
"""Variables of a play for the simulated hosts."""
PROFILES = {"BlueField-3": "bf3-nic-2rail", "ConnectX-8": "cx8-2plane"}
"""NIC model -> what the simulated cards are from the factory; see tests/targets/host/nicsim/cards."""
SOURCE = (
    "plugin: spectrum_x.fabric.fabric\ndescription: model/fabric.yml\nmanagement: management.json\n"
)


FOLDERS = ("model", "hooks", "outside")
"""Folders that are copied of a project."""
INTERFACE = re.compile(r"^interface (\S+)", re.MULTILINE)


def cabling(fabric: Fabric, outside: pathlib.Path | None = None) -> dict[str, t.Any]:
    """The lab's input: every built device, the routers of a folder, and the cables between them.

    What is outside and no router has is in ``loose``, as [device, port, name]: those ports stay without a cable.
    """
    found = routers(outside)
    ends = {port: name for name, text in found.items() for port in INTERFACE.findall(text)}
    links, loose = [], []
    for link in rows.all_links(fabric):
        near, far = [link.a.device, link.a.port], [link.b.device, link.b.port]
        if link.b.port:
            links.append(near + far)
        elif link.b.device in ends:
            links.append([*near, ends[link.b.device], link.b.device])
        else:
            loose.append([*near, link.b.device])
    devices = [_device(fabric, device) for device in rows.all_devices(fabric)]
    devices += [
        {"name": name, "kind": "router", "frr": text.splitlines()} for name, text in found.items()
    ]
    named = {"fabric": fabric.description.name, "devices": devices, "links": links}
    return {**named, **({"loose": loose} if loose else {})}


def routers(outside: pathlib.Path | None) -> dict[str, str]:
    """The configuration of each router outside by its name."""
    files = sorted(outside.glob("*.conf")) if outside else []
    return {file.stem: file.read_text(encoding="utf-8") for file in files}


def _device(fabric: Fabric, device: t.Any) -> dict[str, t.Any]:
    spx, d = identity(fabric, device), fabric.description
    if isinstance(device, Node):
        place = fabric.slice(device)
        nics = _nics(place["ports"]) + _others(fabric, place)
        host = {"name": spx["name"], "kind": "host", "nics": nics}
        return host | ({"profile": PROFILES[d.nics.model]} if d.nics.model in PROFILES else {})
    return {
        "name": spx["name"],
        "kind": "switch",
        "model": model_of(fabric, device),
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


def _others(fabric: Fabric, place: t.Any) -> list[dict[str, str]]:
    """The ports on the other networks: at the stated addresses, else each on a card beyond those of the rails."""
    made = []
    for number, port in enumerate(place.get("networks", ())):
        stated = nets.part_of(port["network"], fabric.description).pci
        pci = stated[port["index"]] if stated else f"0000:{0xC0 + 8 * number:02x}:00.0"
        made.append({"port": port["port"], "pci": pci})
    return made


def model(project: pathlib.Path, target: pathlib.Path, where: t.Sequence[str] = ()) -> None:
    """Copy model, hooks and what is outside of a project; of a slice of it, everything else is listed in `absent`.

    What is absent changes no name and no address of what is built.
    """
    for name in FOLDERS:
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
            cabling(
                Fabric.load(str(options.example / "model" / "fabric.yml")),
                options.example / "outside",
            ),
            sys.stdout,
            indent=1,
        )
    else:
        make(options.example, options.target, options.lab)


if __name__ == "__main__":
    main()
