# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Troubles that the guide on troubleshooting quotes: each is made here, for real, on loopback.

``said()`` gives the sentences by the name of the trouble. What needs no device comes from the
planning core; what a switch refuses comes from one run of ansible-playbook against switch doubles.
"""

from __future__ import annotations

import functools
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest import mock

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import project
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import ra, variables
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.shapes import mapping
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import NvueError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire import (
    client,
    operational,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.connect import open_api

from .blocks import ROOT, blocks

Said = dict[str, str]
EXAMPLES = ROOT / "inventories"
REGISTRY = """
tenants:
  - id: 21
    slug: acme
    nodes: ["*/*/h01"]
  - id: 22
    slug: globex
    nodes: ["*/*/h02"]
""".lstrip()


def refused(work: Callable[[], object]) -> str:
    """The sentence with which the core refuses."""
    try:
        work()
    except FabricError as exc:
        return " ".join(str(exc).split())
    return "nothing was refused"


DESCRIBED = {
    "model": [("SN5600", "SN5200")],
    "key": [("slots_per_su", "slots_per_sus")],
    "duplicate": [("rails: 8", "rails: 8\nrails: 4")],
    "pod": [
        ("tiers: 2", "tiers: 3"),
        ("sus_per_pod: 4", "pods: 128\n  sus_per_pod: 8"),
        ("v4-2tier", "v4-3tier"),
    ],
    "ports": [("slots_per_su: 64", "slots_per_su: 96")],
    "site": [("rails: 8", "rails: 8\nsite: 1")],
}
"""Faults in the description of the quickstart: texts, and their replacements."""

REGISTERED = {
    "twice": [('"*/*/h02"', '"*/*/h02", "su01/h01"')],
    "slug": [("globex", "globex-of-somewhere")],
    "reserved": [("id: 22", "id: 12")],
}
"""The same for a registry of the lab."""


def replaced(text: str, changes: list[tuple[str, str]]) -> str:
    """A text with some parts replaced."""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def description(name: str) -> str:
    """The description of that trouble."""
    text = next(b.text for b in blocks() if b.page == "quickstart.rst" and b.kind == "description")
    return replaced(text, DESCRIBED[name])


def registry(name: str) -> str:
    """The registry of that trouble."""
    return replaced(REGISTRY, REGISTERED[name])


def another() -> str:
    """The sentence about a description that is not the one of the inventory source."""
    with mock.patch.dict(project.INVENTORIED, {"b.fabric.yml": "/b/model/fabric.yml"}, clear=True):
        stated = {"spx_description": "/a/model/fabric.yml"}
        return refused(lambda: project.description_path(None, stated))


def described(name: str) -> str:
    """The sentence about the description of that trouble."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fabric.yml"
        path.write_text(description(name), encoding="utf-8")
        return refused(lambda: Fabric.load(str(path))).replace(f"{folder}/", "")


def core() -> Said:
    """Return the refusals of the description, the registry, the variables and the catalog."""
    lab = Fabric.load(str(EXAMPLES / "lab" / "model" / "fabric.yml"))
    return {
        **{name: described(name) for name in DESCRIBED},
        **{
            name: refused(functools.partial(Registry.parse, lab, registry(name)))
            for name in REGISTERED
        },
        "another": another(),
        "missing": refused(lambda: Fabric.load("nowhere/model/fabric.yml")),
        "outside": refused(lambda: lab.locate("192.0.2.1")),
        "pad": refused(lambda: lab.locate("172.17.1.2")),
        "unknown": refused(lambda: variables.check({"spx_adress": "172.18.1.2"})),
        "empty path": refused(
            lambda: variables.check({"spx_approved": ""}, extra=["spx_approved"])
        ),
        "choice": refused(lambda: variables.check({"spx_allow_disruptive": "reboot"})),
        "ra": refused(lambda: ra.load_profile("2.4", "a2dc", "none")),
    }


# A switch with one BGP session.
ROUTING = {
    "interface": {"swp1": {"type": "swp", "ipv6": {"state": "enabled"}}},
    "router": {"bgp": {"state": "enabled", "autonomous-system": 65001, "router-id": "10.254.0.1"}},
    "vrf": {
        "default": {
            "router": {
                "bgp": {
                    "state": "enabled",
                    "neighbor": {"swp1": {"type": "unnumbered", "remote-as": "external"}},
                }
            }
        }
    },
}


def closed_port() -> int:
    """A port of loopback at which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def trouble(name: str, double: Any, **changes: Any) -> dict[str, Any]:
    """Host variables of a double, some of them wrong; ``task_*`` are options of the task."""
    return {
        "name": name,
        "ansible_host": "127.0.0.1",
        "spx_nvue_port": double.port,
        "spx_nvue_user": double.username,
        "spx_nvue_password": double.password,
        "spx_nvue_ca": double.ca_file,
        "task_device": "leaf-p1-su001-r1",
        "task_expected": {"hostname": "leaf-p1-su001-r1", "releases": ["5.16.1"]},
        "task_config": {"system": {"message": {"pre-login": "hello"}}},
        **changes,
    }


def hosts(stack: ExitStack, folder: Path) -> Iterator[dict[str, Any]]:
    """One host for each trouble with a switch."""
    from nvue_double.testing import running_doubles

    named = {"system": {"hostname": "leaf-p1-su001-r1"}}
    plain = {"release": "5.16.1", "serial": "MT1", "document": named}
    other = {**plain, "document": {"system": {"hostname": "leaf-p1-su001-r2"}}}
    kinds = [plain] * 6 + [{"release": "5.15.0", "document": named}, other, {"release": "5.16.1"}]
    kinds += [plain, {**plain, "document": {**named, **ROUTING}}]
    doubles = stack.enter_context(running_doubles(kinds))
    serial = {"serial": "MT2", "releases": [], "hostname": "leaf-p1-su001-r1"}
    empty = folder / "changes.json"
    empty.write_text('{"devices": []}', encoding="utf-8")
    doubles[4].control.fault("apply_fail", message="frr reload failed")
    doubles[9].control.fault("http", method="GET", path="/system", status=200, html=True, count=3)
    unread = "/vrf/default/router/bgp/neighbor"
    doubles[10].control.fault("http", method="GET", path=unread, status=404, html=False)
    yield trouble("password", doubles[0], spx_nvue_password="wrong")
    yield trouble("certificate", doubles[1], spx_nvue_ca=None)
    yield trouble("serial", doubles[2], task_expected=serial)
    yield trouble("unapproved", doubles[3], task_approved=str(empty))
    yield trouble("apply", doubles[4])
    yield trouble("closed", doubles[5], spx_nvue_port=closed_port())
    yield trouble("release", doubles[6])
    yield trouble("hostname", doubles[7])
    yield trouble("factory", doubles[8])
    yield trouble("unfit", doubles[9])
    yield trouble("unread", doubles[10])


PLAY = [
    {
        "hosts": "all",
        "gather_facts": False,
        "ignore_unreachable": True,
        "tasks": [
            {
                "name": "Change something",
                "spectrum_x.fabric.nvue_config": {
                    "config": "{{ task_config }}",
                    "device": "{{ task_device }}",
                    "expected": "{{ task_expected }}",
                    "approved": "{{ task_approved | default(omit) }}",
                },
                "ignore_errors": True,
                "register": "done",
            },
            {
                "name": "Keep what was said",
                "ansible.builtin.copy": {
                    "content": "{{ done.msg }}",
                    "dest": "{{ playbook_dir }}/{{ inventory_hostname }}.txt",
                },
                "delegate_to": "localhost",
            },
        ],
    }
]


def switches() -> Said:
    """Return the errors of the client of the switches' API, by the name of the host."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        rows = list(hosts(stack, folder))
        inventory = {"all": {"hosts": {row.pop("name"): row for row in rows}}}
        (folder / "hosts.json").write_text(json.dumps(inventory), encoding="utf-8")
        (folder / "site.yml").write_text(json.dumps(PLAY), encoding="utf-8")
        tools = str(Path(sys.executable).parent)
        env = os.environ | {"PATH": os.pathsep.join((tools, os.environ["PATH"]))}
        done = subprocess.run(
            ["ansible-playbook", "-i", "hosts.json", "site.yml", "--forks", "9"],
            cwd=folder,
            env={key: value for key, value in env.items() if not key.startswith("SPX_")},
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        found = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.txt")}
        assert found, done.stdout + done.stderr
        return {
            key: re.sub(r"127\.0\.0\.1:\d+", "10.198.0.1:8765", text) for key, text in found.items()
        }


def wire() -> Said:
    """What the client says that a person does not meet in a run of `PLAY`, or only after minutes."""
    from nvue_double.testing import running_double

    with running_double(profile="reloading_for_ever") as double:
        api = open_api({}, trouble("", double), lambda value: value)
        revision = client.create(api)
        client.send(api, revision, {}, {"system": {"message": {"pre-login": "x"}}}, mixed=False)
        client.start_apply(api, revision, confirm=0)
        watch = client.Watch(api, revision, client.Limits(reload=0.2))
        asked: dict[str, Callable[[], object]] = {
            "whole": lambda: api.get(("interface",), operational.OPERATIONAL, mapping),
            "reloading": lambda: watch.until_still(within=20, silence=5),
        }
        return {name: _no_answer(work) for name, work in asked.items()}


def _no_answer(work: Callable[[], object]) -> str:
    """The sentence of the client, with the address of the page."""
    try:
        work()
    except NvueError as exc:
        return re.sub(r"127\.0\.0\.1:\d+", "10.198.0.1:8765", str(exc))
    return "nothing was refused"


@functools.cache
def said() -> Said:
    """Every trouble's sentence."""
    return {**core(), **switches(), **wire()}


if __name__ == "__main__":
    for trouble_name, sentence in said().items():
        print(f"## {trouble_name}\n{sentence}")
