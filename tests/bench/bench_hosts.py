# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A converged host: how many modules playbook dpus runs on it, and for how long; and how the cost grows.

Two simulated hosts are brought from the factory to the plan in containers (which needs root), then the
playbook runs again with an interpreter that notes each module: seconds by the clock, and seconds of
processors with the tools that the module called. The controller's part is computed for 2 and 64 hosts.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.description import (
    Description,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.load import (
    typed,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.yaml_source import (
    Source,
    read,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.desired import (
    desired,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = "bench-hosts"
HOSTS = ("worker-su01-rack02-h03", "worker-su02-rack02-h03")
"""Each is a rack of its own, so that congestion control may begin."""
MODULES, TASKS, SECONDS, FLAT = 1, 3, 2.0, 1.5
COUNTED = """#!/bin/bash
TIMEFORMAT='%R %U %S'
{ time /usr/bin/python3 "$@" 2>&3; } 3>&2 2>>/run/counted
"""


def show(name: str, value: float, unit: str) -> None:
    """One JSON object a line."""
    print(json.dumps({"name": name, "value": round(value, 3), "unit": unit}), flush=True)


def planned(count: int) -> float:
    """Seconds for the desired state of one host, the mean over `count` hosts."""
    data = read(str(ROOT / "inventories" / "h200-2048" / "model" / "fabric.yml")).data
    pci = [f"0000:{bus:02x}:00.0" for bus in range(0x18, 0x20)]
    source = Source("fabric.yml", {**data, "nics": {**data["nics"], "pci": pci}}, {})
    fabric = Fabric(typed(Description, source), source)
    registry = Registry.empty(fabric)
    names = [fabric.name(node) for _n, node in zip(range(count), fabric.nodes())]
    began = time.perf_counter()
    for name in names:
        desired(fabric, name, registry=registry)
    return (time.perf_counter() - began) / count


def lab(*words: str, **more: str) -> str:
    """A command of the lab; its output."""
    environment = os.environ | {
        "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
        "ANSIBLE_NOCOLOR": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", *words],
        env=environment,
        cwd=more.get("cwd", ROOT),
        input=more.get("text"),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(
            f"{' '.join(words[:6])} ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-500:]}"
        )
    return done.stdout


def up(folder: pathlib.Path) -> None:
    """Two hosts, their rails cabled to each other, and a project."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = json.loads(lab("lab.project", "cabling", "inventories/lab"))
    devices = [device for device in whole["devices"] if device["name"] in HOSTS]
    ports = [nic["port"] for nic in devices[0]["nics"]]
    links = [[HOSTS[0], port, HOSTS[1], port] for port in ports]
    cabling = folder / "cabling.json"
    cabling.write_text(json.dumps({"fabric": "lab", "devices": devices, "links": links}))
    lab("lab", "up", "--cabling", str(cabling), "--name", NAME)
    project = str(folder / "project")
    lab("lab.project", "make", "inventories/lab", project, "--lab", f"build/lab/{NAME}")
    for host in HOSTS:
        lab("lab", "node", NAME, host, "--", "tee", "/usr/local/bin/counted", text=COUNTED)
        lab("lab", "node", NAME, host, "--", "chmod", "+x", "/usr/local/bin/counted")


def play(folder: pathlib.Path, hosts: tuple[str, ...], *words: str) -> str:
    """Playbook dpus for some of the hosts; its output."""
    inventory = ("-i", "hosts.fabric.yml", "-i", "inventory.yml", "--limit", ",".join(hosts))
    command = ("ansible-playbook", *inventory, "spectrum_x.fabric.dpus", *words)
    return lab("lab", "exec", NAME, "--", *command, cwd=str(folder / "project"))


def tasks(said: str, host: str) -> int:
    """The tasks of a host, skipped ones too. Those that a run delegates to the controller once are not its own."""
    row = rf"^(?:ok|changed|skipping|included|failed|fatal): (?:\[{host}\]|.* for {host}\b)"
    return len(re.findall(row, said, re.MULTILINE))


def measured(folder: pathlib.Path, hosts: tuple[str, ...]) -> list[list[list[float]]]:
    """For each host the modules of a converged run: [by the clock, user, system] seconds."""
    began = time.perf_counter()
    said = play(folder, hosts, "-e", "ansible_python_interpreter=/usr/local/bin/counted")
    show(f"hosts_converged_{len(hosts)}", time.perf_counter() - began, "s, playbook dpus in all")
    rows = []
    for host in hosts:
        count = tasks(said, host)
        show(f"hosts_tasks_{host}", count, f"tasks of a converged host, at most {TASKS}")
        assert count <= TASKS, f"{host} took {count} tasks, {TASKS} are allowed"
        text = lab("lab", "node", NAME, host, "--", "cat", "/run/counted")
        rows.append([[float(word) for word in line.split()] for line in text.splitlines()])
        lab("lab", "node", NAME, host, "--", "rm", "/run/counted")
        writes = lab("lab", "node", NAME, host, "--", "nicsim", "log", "--writes", "--count")
        show(f"hosts_writes_{host}", int(writes), "writes of a converged run, 0 wanted")
    return rows


def main() -> None:
    """Print one JSON object for each figure."""
    two, many = planned(2), min(planned(64) for dummy in range(3))
    show("hosts_planned_64", many * 1000, "ms a host on the controller")
    show("hosts_planned_64_over_2", many / two, f"ratio, at most {FLAT}")
    if os.geteuid():
        print("The rest cables containers, which needs root.", file=sys.stderr)
        return
    folder = ROOT / "build" / NAME
    try:
        up(folder)
        began = time.perf_counter()
        factory = ("-e", "spx_factory=true", "-e", "spx_allow_reboot=true")
        play(folder, HOSTS, *factory, "-e", "spx_max_unavailable=2")
        show("hosts_from_factory", time.perf_counter() - began, "s for two hosts side by side")
        for host in HOSTS:
            lab("lab", "node", NAME, host, "--", "nicsim", "log", "--clear")
        (one,) = measured(folder, HOSTS[:1])
        both = measured(folder, HOSTS)
        show("hosts_modules", len(one), f"modules on the target, {MODULES} wanted")
        show("hosts_module_seconds", sum(row[0] for row in one), "s by the clock")
        cpu = sum(sum(row[1:]) for row in one)
        show("hosts_module_cpu", cpu, f"s of processors on the target, at most {SECONDS}")
        assert len(one) == MODULES, (
            f"{len(one)} modules ran on a converged host, {MODULES} is wanted"
        )
        pair = sum(sum(row[1:]) for rows in both for row in rows) / 2
        show(
            "hosts_cost_2_over_1", pair / cpu, f"ratio of processor seconds a host, at most {FLAT}"
        )
    finally:
        lab("lab", "down", NAME)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
