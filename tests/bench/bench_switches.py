# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost of ``spectrum_x.fabric.switches`` over the 48 switches of 2,048 GPUs, 128 ports each.

The switches are doubles on loopback, in a process of their own. The first run brings them to the plan,
the second finds nothing to do, the third changes one setting of the description; what was asked of every
switch is counted. Beside the second stands the same content as one ``ansible.builtin.uri`` GET and PATCH
for each owned object: a few objects of four switches, scaled to all objects of all switches, since the
whole would take most of an hour. Then one process compares 10 to 500 unchanged switches of the largest
fabric, each with its own double. Last, the playbook finds nothing to do on 48 and on 480 switches of one fabric.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from switch_doubles import Doubles

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.connection import Endpoint
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.converge import (
    Terms,
    converge,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.plan import Wish
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.api import Api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.auth import Auth
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.port import (
    HttpsPort,
)

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(sys.executable).with_name("ansible-playbook")
EXAMPLE, LARGEST = "h200-2048", "max-524288"
ROLES = [role for role in compose.ROLES if role != "switch_maintenance"]
RATIO, FLAT = 5.0, 2.0
"""Limits: times faster than the baseline, and CPU time per switch at 500 over that at 10 (flat is 1; busy: half
more)."""
SAMPLED, OBJECTS = 4, 8
"""Switches of the baseline (as many as two cores keep busy), and objects of each."""
COUNTS = (10, 100, 500)
MEASURED = """import json, resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"cpu": used.ru_utime + used.ru_stime, "peak": used.ru_maxrss / 1024}), file=sys.stderr)
sys.exit(code)"""
"""A small process in between: a child begins with the peak memory of who starts it."""
FLEET, SIZES, GROWN, MEMORY = "multiplane-16384", (48, 480), 1.3, 0.5
"""Limits for 48 and 480 switches: time per switch flat within 1.3 times, 0.5 MiB of memory for each more."""
FEW = "spx_leaf[0:6]:spx_spine[0:2]"
"""Ten of the 48 switches."""


def say(name: str, value: float, unit: str) -> None:
    """Print a measure."""
    print(json.dumps({"name": name, "value": round(value, 4), "unit": unit}), flush=True)


def load(example: str) -> Fabric:
    """The fabric of an example."""
    return Fabric.load(str(ROOT / "inventories" / example / "model" / "fabric.yml"))


class Project:
    """A project folder of an example whose switches are doubles."""

    def __init__(
        self, folder: Path, doubles: Doubles, names: Sequence[str], example: str = EXAMPLE
    ) -> None:
        self.folder, self._doubles = folder, doubles
        self._model = folder / "model" / "fabric.yml"
        self._model.parent.mkdir()
        (folder / "inventory" / "host_vars").mkdir(parents=True)
        source = ROOT / "inventories" / example / "model" / "fabric.yml"
        self._content = yaml.safe_load(source.read_text())
        self.describe(manage=ROLES)
        self._write(
            "hosts.fabric.yml",
            {"plugin": "spectrum_x.fabric.fabric", "description": str(self._model)},
        )
        for name, port in zip(names, doubles.ports, strict=True):
            self.variables(name, ansible_host="127.0.0.1", spx_nvue_port=port)

    def _write(self, name: str, content: dict[str, Any]) -> None:
        (self.folder / "inventory" / name).write_text(json.dumps(content))

    def variables(self, name: str, **found: Any) -> None:
        """Set the variables of a switch."""
        self._write(f"host_vars/{name}.json", found)

    def describe(self, **changes: Any) -> None:
        """Change top-level keys of the description."""
        self._content |= changes
        self._model.write_text(yaml.safe_dump(self._content))

    def run(self, *arguments: str, playbook: str = "spectrum_x.fabric.switches") -> dict[str, Any]:
        """{wall, cpu} of a playbook in seconds, {peak} in MiB, and {requests, doubles_cpu} of the switches."""
        self._doubles.take()
        started = time.perf_counter()
        command = [str(BINARY), "-i", str(self.folder / "inventory"), playbook, *arguments]
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, *command],
            cwd=self.folder,
            env=os.environ | self._environment(),
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )
        wall = time.perf_counter() - started
        if done.returncode:
            sys.exit((done.stdout + done.stderr)[-4000:])
        used = json.loads(done.stderr.splitlines()[-1])
        taken = self._doubles.take()
        return used | {
            "wall": wall,
            "requests": taken["requests"],
            "doubles_cpu": taken["cpu"],
        }

    def _environment(self) -> dict[str, str]:
        return {
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_PIPELINING": "1",
            "ANSIBLE_FORKS": "20",  # as in the ansible.cfg of a project that init writes
            "SPX_PROJECT": str(self.folder),
            "SPX_NVUE_USER": self._doubles.user,
            "SPX_NVUE_PASSWORD": self._doubles.password,
            "SPX_NVUE_CA": self._doubles.ca,
        }


# The playbook


def playbook(project: Project, doubles: Doubles) -> dict[str, Any]:
    """From the factory, unchanged, unchanged over ten, one setting changed; returns the unchanged run."""
    first = project.run("-espx_factory=true")
    _say_run("first", first)
    doubles.up()
    unchanged = project.run()
    _say_run("unchanged", unchanged)
    asked = [_counted(requests) for requests in unchanged["requests"]]
    _most(asked)
    few = project.run("--limit", FEW)
    say("switches_unchanged_per_switch_of_10", few["wall"] / 10, "s")
    say("switches_unchanged_per_switch_of_48", unchanged["wall"] / len(asked), "s")
    project.describe(management={"ntp": ["192.0.2.10"]})
    changed = project.run()
    _say_run("changed", changed)
    revisions = {requests.count("POST /revision") for requests in changed["requests"]}
    say("switches_changed_revisions", max(revisions), "per switch")
    assert revisions == {1}, f"revisions per switch: {sorted(revisions)}"
    return unchanged


def _say_run(name: str, run: dict[str, Any]) -> None:
    say(f"switches_{name}_wall", run["wall"], "s")
    say(f"switches_{name}_cpu", run["cpu"], "s of CPU, doubles not counted")
    say(f"switches_{name}_doubles_cpu", run["doubles_cpu"], "s of CPU of the doubles")


def _counted(requests: list[str]) -> dict[str, int]:
    """Count the requests to a switch for its configuration, its release, a token; and the writes."""
    token = [one for one in requests if one.startswith("POST /auth")]
    return {
        "config": requests.count("GET /"),
        "release": requests.count("GET /system"),
        "token": len(token),
        "writes": sum(not one.startswith("GET ") for one in requests) - len(token),
        "all": len(requests),
    }


def _most(asked: list[dict[str, int]]) -> None:
    allowed = {"config": 1, "release": 1, "token": 1, "writes": 0, "all": 3}
    for kind, limit in allowed.items():
        most = max(row[kind] for row in asked)
        say(f"switches_unchanged_requests_{kind}", most, "at most per switch")
        assert most <= limit, f"{most} requests of kind {kind} on one switch; allowed: {limit}"
    assert all(row["config"] for row in asked), "not every switch was read"


# The baseline


def objects(fabric: Fabric, name: str) -> list[dict[str, Any]]:
    """Objects that a playbook would send one by one: each interface and each other member by its path.

    An object is a member two keys deep, such as interface/swp1s0, qos/roce or acl/spx-control; few, since
    vrf/default with all of its BGP neighbours counts once.
    """
    document = compose.document(fabric, name, tenants=Registry.empty(fabric))
    return [
        {"path": f"{tree}/{member}", "body": body}
        for tree, members in document.items()
        for member, body in members.items()
    ]


PAIRS: list[dict[str, Any]] = [
    {
        "name": "Read each object",
        "ansible.builtin.uri": {
            "url": "{{ base }}/{{ item.path }}?rev=applied",
            "method": "GET",
        },
        "loop": "{{ objects }}",
    },
    {
        "name": "Write each object",
        "ansible.builtin.uri": {
            "url": "{{ base }}/{{ item.path }}?rev={{ revision.json.keys() | first }}",
            "method": "PATCH",
            "body": "{{ item.body }}",
            "body_format": "json",
        },
        "loop": "{{ objects }}",
    },
]


def baseline(project: Project, fabric: Fabric, doubles: Doubles, names: Sequence[str]) -> float:
    """Seconds that GET and PATCH of every object of every switch take, scaled from a few."""
    total = sum(len(objects(fabric, name)) for name in names)
    say("uri_objects", total, f"owned objects of {len(names)} switches, a GET and a PATCH each")
    empty = _pairs(project, fabric, doubles, names, count=0)
    some = _pairs(project, fabric, doubles, names, count=OBJECTS)
    pair = (some["wall"] - empty["wall"]) / (SAMPLED * OBJECTS)
    say("uri_pair", pair, f"s, measured with {OBJECTS} objects on each of {SAMPLED} switches")
    whole = empty["wall"] + pair * total
    say("uri_unchanged_wall", whole, "s, scaled to all objects")
    return whole


def _pairs(
    project: Project, fabric: Fabric, doubles: Doubles, names: Sequence[str], *, count: int
) -> dict[str, Any]:
    sampled = dict(list(zip(names, doubles.ports, strict=True))[:: len(names) // SAMPLED])
    hosts = {}
    for name, port in list(sampled.items())[:SAMPLED]:
        every = objects(fabric, name)
        chosen = every[:: len(every) // OBJECTS][:count]
        hosts[name] = {"base": f"https://127.0.0.1:{port}/nvue_v1", "objects": chosen}
    common = {
        "ansible_connection": "local",
        "ansible_python_interpreter": sys.executable,
    }
    connection = {
        "url_username": doubles.user,
        "url_password": doubles.password,
        "force_basic_auth": True,
        "ca_path": doubles.ca,
    }
    revision = {
        "name": "Make a revision",
        "ansible.builtin.uri": {"url": "{{ base }}/revision", "method": "POST"},
        "register": "revision",
    }
    play = {
        "name": "Write every object",
        "hosts": "all",
        "gather_facts": False,
        "module_defaults": {"ansible.builtin.uri": connection},
        "tasks": [revision, *PAIRS],
    }
    path, inventory = project.folder / "uri.json", project.folder / "uri_hosts.json"
    path.write_text(json.dumps([play]))
    inventory.write_text(json.dumps({"all": {"hosts": hosts, "vars": common}}))
    run = project.run("-i", str(inventory), "--limit", ",".join(hosts), playbook=str(path))
    sent = sum(len(requests) for requests in run["requests"])
    assert sent == len(hosts) * (1 + 2 * count), f"{sent} requests of uri"
    return run


# From 10 to 500 switches, in one process


def growth() -> None:
    """Measure the cost of each of 10 to 500 unchanged switches: document made, switch read, both compared."""
    fabric = load(LARGEST)
    registry = Registry.empty(fabric)
    names = [fabric.name(switch) for switch in itertools.islice(fabric.switches(), COUNTS[-1])]
    options = [{"document": compose.document(fabric, name, tenants=registry)} for name in names]
    with Doubles(options) as doubles:
        del options
        ports = dict(zip(names, doubles.ports, strict=True))
        _compared(fabric, registry, doubles, dict(list(ports.items())[: COUNTS[0]]))
        doubles.take()
        spent = {
            count: _compared(fabric, registry, doubles, dict(list(ports.items())[:count]))
            for count in COUNTS
        }
        asked = doubles.take()["requests"]
    for count, (wall, cpu) in spent.items():
        say(f"converge_unchanged_per_switch_of_{count}", 1000 * wall, "ms")
        say(f"converge_unchanged_per_switch_of_{count}_cpu", 1000 * cpu, "ms of CPU")
    assert asked[-1] == ["GET /system", "GET /"], asked[-1]
    more = spent[COUNTS[-1]][1] / spent[COUNTS[0]][1]
    say("converge_unchanged_growth", more, f"times the CPU time per switch, at most {FLAT:g}")
    assert more <= FLAT, f"{COUNTS[-1]} switches cost {more:.2f} times as much each"


def _compared(
    fabric: Fabric, registry: Registry, doubles: Doubles, ports: dict[str, int]
) -> tuple[float, float]:
    """(wall, CPU) seconds for each switch."""
    started, worked = time.perf_counter(), time.process_time()
    for name, port in ports.items():
        ctx = compose.context(fabric, name, tenants=registry)
        wish = Wish(compose.render(ctx), state="replaced", owns=tuple(compose.owns(ctx)))
        port_of = HttpsPort(Endpoint("127.0.0.1", port, ca=doubles.ca))
        outcome = converge(Api(port_of, Auth(doubles.user, doubles.password)), wish, Terms(name))
        if outcome.changes:
            sys.exit(f"{name} is not as planned: {outcome.changes[:3]}")
    wall, cpu = time.perf_counter() - started, time.process_time() - worked
    return wall / len(ports), cpu / len(ports)


# From 48 to 480 switches, with the playbook


def fleet() -> None:
    """Measure the cost of each of 48 and 480 unchanged switches of one fabric, and the memory of each more."""
    fabric = load(FLEET)
    registry = Registry.empty(fabric)
    names = [fabric.name(switch) for switch in itertools.islice(fabric.switches(), SIZES[-1])]
    options = [{"document": compose.document(fabric, name, tenants=registry)} for name in names]
    with tempfile.TemporaryDirectory() as folder, Doubles(options) as doubles:
        del options
        doubles.up()
        project = Project(Path(folder), doubles, names, FLEET)
        few, all_ = (project.run("--limit", f"localhost,{','.join(names[:n])}") for n in SIZES)
    for count, run in zip(SIZES, (few, all_)):
        _most([_counted(requests) for requests in run["requests"][:count]])
        say(f"fleet_unchanged_per_switch_of_{count}", 1000 * run["wall"] / count, "ms")
        say(f"fleet_unchanged_peak_of_{count}", run["peak"], "MiB of the largest process")
    grown = (all_["wall"] / SIZES[1]) / (few["wall"] / SIZES[0])
    say("fleet_unchanged_growth", grown, f"times the time per switch, at most {GROWN:g}")
    more = (all_["peak"] - few["peak"]) / (SIZES[1] - SIZES[0])
    say("fleet_memory_per_switch", more, f"MiB, at most {MEMORY:g}")
    assert grown <= GROWN, f"{SIZES[1]} switches cost {grown:.2f} times as much each"
    assert more <= MEMORY, f"each switch takes {more:.2f} MiB"


def main() -> None:
    """All figures."""
    fabric = load(EXAMPLE)
    names = [fabric.name(switch) for switch in fabric.switches()]
    options = [
        {"release": fabric.description.release.cumulus, "serial": f"SN{n}"}
        for n in range(len(names))
    ]
    with tempfile.TemporaryDirectory() as folder, Doubles(options) as doubles:
        project = Project(Path(folder), doubles, names)
        say("switches_count", len(names), f"doubles of {EXAMPLE}")
        unchanged = playbook(project, doubles)
        other = baseline(project, fabric, doubles, names)
    ratio = other / unchanged["wall"]
    say("switches_ratio", ratio, f"times faster than uri, at least {RATIO:g}")
    assert ratio >= RATIO, f"only {ratio:.1f} times faster"
    growth()
    fleet()


if __name__ == "__main__":
    main()
