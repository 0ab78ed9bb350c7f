# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A seeded fault: from a project and a scenario to the model of links that the stand-ins of a lab's hosts read.

    python -m lab.seeding inventories/lab demo/scenarios/lab/slow_cable.json > links.json
    python -m lab.world seed demo demo/scenarios/lab/slow_cable.json        into every host of a lab that is up

A scenario says what is wrong, by the plan's names: ``{"schema": 1, "says": "...", "faults": [...]}``; the kinds of
faults are in tests/targets/host/README.md. The ports, leaves and speeds come from the plan.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
import typing as t

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from lab.errors import LabError

SCHEMA = 1
PLACE = "/etc/nicsim/links.json"
"""Place of the model for a host's stand-ins."""
KEYS = {"schema", "says", "faults", "pace"}


def scenario(path: pathlib.Path) -> dict[str, t.Any]:
    """Read a scenario; LabError says what is wrong with its file."""
    try:
        found: dict[str, t.Any] = json.loads(path.read_text(encoding="utf-8"))
        wrong = sorted(set(found) - KEYS) or (found["schema"] != SCHEMA and ["schema"])
    except (OSError, ValueError, TypeError, KeyError) as exc:
        raise LabError(f"{path} is no scenario: {exc!r}") from exc
    if wrong:
        raise LabError(
            f"{path}: {wrong[0]} is not allowed; a scenario has {', '.join(sorted(KEYS))}"
        )
    return found


def model(
    fabric: Fabric, wanted: t.Mapping[str, t.Any], management: t.Mapping[str, str] | None = None
) -> dict[str, t.Any]:
    """Return the model of links of a plan with a scenario's faults; `management` is device -> address."""
    ports = {row["address"]: row for row in _ports(fabric)}
    made = {
        "schema": SCHEMA,
        "ports": {address: row["shown"] for address, row in ports.items()},
        "uplinks": _uplinks(fabric),
        "names": {address: name for name, address in (management or {}).items()},
        "faults": wanted["faults"],
        "pace": wanted.get("pace", 0),
    }
    _refuse_strangers(made)
    return made


def _ports(fabric: Fabric) -> t.Iterator[dict[str, t.Any]]:
    """Every built NIC port with its address, its leaf and its speed."""
    speeds = _speed(fabric.description.switches.host_speed)
    for node in fabric.nodes():
        for port in fabric.slice(node)["ports"]:
            shown = {"node": fabric.name(node), "port": port["port"]}
            shown |= {"leaf": port["peer"]["device"], "gbps": speeds}
            yield {"address": port["address"], "shown": shown}


def _uplinks(fabric: Fabric) -> dict[str, dict[str, dict[str, t.Any]]]:
    """Leaf -> port -> the spine at its other end, and Gb/s."""
    return {
        fabric.name(leaf): {
            port["port"]: {"spine": port["peer"]["device"], "gbps": _speed(port["speed"])}
            for port in fabric.slice(leaf)["ports"]
            if port["kind"] == "up" and port["present"]
        }
        for leaf in fabric.switches()
        if leaf.role == "leaf"
    }


def _speed(text: str) -> int:
    return int(text.removesuffix("G"))


def _refuse_strangers(made: t.Mapping[str, t.Any]) -> None:
    """A fault at a place that the plan does not have would seed nothing."""
    rows = made["ports"].values()
    known = {key: {row[key] for row in rows} for key in ("node", "port", "leaf")}
    for fault in made["faults"]:
        for key, names in known.items():
            if key in fault and fault[key] not in names:
                raise LabError(f"fault {fault['kind']}: the plan has no {key} {fault[key]}")


def main() -> None:
    """The first command of the head of this file."""
    parser = argparse.ArgumentParser(prog="lab.seeding")
    parser.add_argument("project", type=pathlib.Path)
    parser.add_argument("scenario", type=pathlib.Path)
    options = parser.parse_args()
    fabric = Fabric.load(str(options.project / "model" / "fabric.yml"))
    try:
        json.dump(model(fabric, scenario(options.scenario)), sys.stdout, indent=1)
    except LabError as wrong:
        sys.exit(f"lab: {wrong}")


if __name__ == "__main__":
    main()
