# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drill: two controllers change the same switches at once.

At every moment each host port is in one VRF, of its old tenant, of a house VRF or of a tenant that one
of the two runs names. Then one run converges.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from drills.running import FIRST, OTHER, Run, Site, busy, changed, eventually, sentence
from nvue_double.control import Control
from unit.playbooks.fleet import SPINE
from unit.playbooks.leaves import ACME, GLOBEX, NODE, Lab, tree

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric

INITECH = "  - {id: 23, slug: initech, nodes: ['*/h03']}\n"
REGISTRY = "tenants:\n" + ACME + GLOBEX + INITECH
CUSTOMERS = {"t21-acme", "t22-globex", "t23-initech"}
HOUSE = {"t1-quarantine", "t2-rest"}
THIRD = "192.0.2.30"
MOVES = ("globex", "initech")


def clone(folder: Path, where: Path) -> Path:
    """The project of a second controller: another clone of the same description and registry."""
    for name in ("model", "inventory", "hooks"):
        if (folder / name).exists():
            shutil.copytree(folder / name, where / name)
    source = where / "inventory" / "hosts.fabric.yml"
    source.write_text(source.read_text().replace(str(folder), str(where)))
    return where


def ends(lab: Lab) -> dict[str, str]:
    """The port of the moving node on each of its leaves."""
    fabric = Fabric.load(str(lab.folder / "model" / "fabric.yml"))
    return {row["peer"]["device"]: row["peer"]["port"] for row in fabric.slice(NODE)["ports"]}


def ports(document: dict[str, Any]) -> dict[str, tuple[Any, bool]]:
    """(VRF, up) of every port of a document that is in the VRF of a customer or of the house."""
    return {
        port: (body["vrf"], "down" not in body.get("link", {}).get("state", {}))
        for port, body in document["interface"].items()
        if body.get("vrf") in CUSTOMERS | HOUSE
    }


def looks(lab: Lab, begun: dict[str, dict[str, Any]]) -> Iterator[dict[str, dict[str, Any]]]:
    """The ports of all leaves after each change that any leaf ran, a change that was rolled back too."""
    now = {leaf: ports(document) for leaf, document in begun.items()}
    for leaf, document in lab.history:
        now[leaf] = ports(document)
        yield now


def always_safe(lab: Lab, begun: dict[str, dict[str, Any]], *, allowed: set[str]) -> None:
    """The node went only where a run may take it, up with one customer at most; nobody else moved."""
    where = ends(lab)
    others = {
        leaf: {port: place for port, place in ports(document).items() if port != where.get(leaf)}
        for leaf, document in begun.items()
    }
    for now in looks(lab, begun):
        mine = [now[leaf][port] for leaf, port in where.items()]
        assert {vrf for vrf, _up in mine} <= allowed | HOUSE, mine
        assert len({vrf for vrf, up in mine if up} & CUSTOMERS) <= 1, mine
        for leaf, kept in others.items():
            assert {port: now[leaf].get(port) for port in kept} == kept, leaf


def move(folder: Path, tenant: str) -> Run:
    options = {"spx_nodes": NODE, "spx_registry_write": "true", "spx_wait": 5}
    return Run(folder, "tenant_move", spx_tenant=tenant, **options)


def ended(run: Run, codes: tuple[int, ...] = (0, 2)) -> int:
    """The exit code of a run that ended well or with a sentence."""
    code, output = run.end()
    assert code in codes, output
    if code:
        sentence(output)
    return code


@pytest.mark.parametrize("leaves", [REGISTRY], indirect=True)
def test_two_moves_of_one_node(leaves: Lab) -> None:
    """Both write the same registry."""
    leaves.committing()
    two_moves(leaves, leaves.folder, leaves.folder)


@pytest.mark.parametrize("leaves", [REGISTRY], indirect=True)
def test_two_moves_of_one_node_with_two_registries(leaves: Lab, tmp_path: Path) -> None:
    """Only the leaves know of both; the moves meet before the node joins its new tenant."""
    leaves.committing()
    second = clone(leaves.folder, tmp_path / "second")
    for folder, other in ((leaves.folder, second), (second, leaves.folder)):
        text = MEETING.format(mine=folder / "accepted", other=other / "accepted")
        (folder / "hooks" / "acceptance.yml").write_text(text)
    two_moves(leaves, leaves.folder, second)


MEETING = """
- name: Say that this move is here
  ansible.builtin.copy: {{dest: "{mine}", content: ""}}
  delegate_to: localhost
- name: Wait for the other move
  ansible.builtin.wait_for: {{path: "{other}", timeout: 90}}
  delegate_to: localhost
- name: Confirm that the node has passed
  spectrum_x.fabric.tenant: {{do: confirm, what: accepted, by: hand}}
"""


def two_moves(leaves: Lab, first: Path, second: Path) -> None:
    """Two operators move one node to two tenants; one of them is done, and goes on to be."""
    begun, folders = dict(leaves.documents), (first, second)
    runs = [move(folder, tenant) for folder, tenant in zip(folders, MOVES)]
    codes = [ended(run) for run in runs]
    always_safe(leaves, begun, allowed=CUSTOMERS)
    winner = MOVES[codes.index(0)] if 0 in codes else MOVES[0]
    folder = folders[MOVES.index(winner)]
    code, output = move(folder, winner).end()
    assert code == 0, output
    assert leaves.vrf_of(NODE) == {"t22-globex" if winner == "globex" else "t23-initech"}
    code, output = move(folder, winner).end()
    assert (code, changed(output)) == (0, 0), output
    always_safe(leaves, begun, allowed=CUSTOMERS)


@pytest.mark.parametrize("leaves", [REGISTRY], indirect=True)
def test_the_fabric_is_changed_while_a_node_moves(leaves: Lab, tmp_path: Path) -> None:
    """The second controller has a clone in which the node is still acme's, and plans a time server."""
    leaves.committing()
    second = clone(leaves.folder, tmp_path / "second")
    model = second / "model" / "fabric.yml"
    model.write_text(
        yaml.safe_dump({**yaml.safe_load(model.read_text()), "management": {"ntp": [THIRD]}})
    )
    begun = dict(leaves.documents)
    moving = move(leaves.folder, "globex")
    moving.wait_for(lambda: bool(leaves.history))
    ended(Run(second, "switches", "--limit", "spx_leaf"))
    ended(moving)
    always_safe(leaves, begun, allowed={"t21-acme", "t22-globex"})
    shutil.copy(model, leaves.folder / "model" / "fabric.yml")
    assert ended(move(leaves.folder, "globex")) == 0
    code, output = Run(leaves.folder, "switches", "--limit", "spx_leaf").end()
    assert code == 0, output
    always_safe(leaves, begun, allowed={"t21-acme", "t22-globex"})
    assert leaves.vrf_of(NODE) == {"t22-globex"}
    for double in leaves.doubles.values():
        assert set(double.applied["system"]["ntp"]["server"]) == {THIRD}


def test_two_plans_for_the_same_switches(site: Site, tmp_path: Path) -> None:
    """Each switch runs one of the two plans, wholly; who was in the way runs again."""
    second = clone(site.folder, tmp_path)
    site.plan(OTHER)
    model = second / "model" / "fabric.yml"
    model.write_text(
        yaml.safe_dump({**yaml.safe_load(model.read_text()), "management": {"ntp": [THIRD]}})
    )
    words = ("switches", "--limit", "spx_spine")
    runs = [Run(folder, *words) for folder in (site.folder, second)]
    assert 0 in [ended(run) for run in runs]
    for name in (SPINE, "spine-p1-s02"):
        double, plans = site.doubles[name], [site.expected(name, ntp) for ntp in (OTHER, THIRD)]
        assert eventually(lambda: double.applied in plans), double.applied["system"]["ntp"]  # noqa: B023
        assert all("second apply in parallel" in said for said in double.violations)
        double.log.clear()
    code, output = site.run(*words)
    assert code == 0, output
    site.settled((SPINE, "spine-p1-s02"), OTHER)
    code, output = site.run(*words)
    assert (code, changed(output)) == (0, 0), output


THEIRS = {"system": {"date-time": {"timezone": "Asia/Tokyo"}}}
RIVALS: dict[str, dict[str, Any]] = {
    "elsewhere": THEIRS,
    "at the same place": {"system": {"ntp": {"server": {THIRD: {}}}}},
}
"""Changes of the other controller: something of its own, and the same places as the run."""


class Requests(list[Any]):
    """The requests to a double, at one of which somebody else changes it."""

    def __init__(self, number: int, change: Callable[[], None]) -> None:
        super().__init__()
        self.number, self.change = number, change

    def append(self, request: Any) -> None:
        """Note a request, before it is answered."""
        super().append(request)
        if len(self) == self.number:
            self.change()


def places(site: Site) -> int:
    """The number of requests of a change up to the one that asks for its apply."""
    double = site.doubles[SPINE]
    double.log.clear()
    site.plan("192.0.2.40")
    code, output = site.run("switches", "--limit", SPINE)
    assert code == 0, output
    asked = [
        found.method == "PATCH" and found.path.startswith("/revision/")
        for found in double.log.requests
    ]
    double.control.foreign(site.before[SPINE], replace=True)
    return asked.index(True) + 1


@pytest.mark.parametrize("rival", RIVALS)
def test_another_controller_at_each_request_of_a_change(site: Site, rival: str) -> None:
    """Up to the apply: a run that ends well has its plan applied and theirs kept; another one says whom it met."""
    double, log = site.doubles[SPINE], site.doubles[SPINE].log
    for number in range(1, places(site) + 1):
        double.control.foreign(site.before[SPINE], replace=True)
        site.plan(OTHER)
        requests = Requests(number, lambda: Control(double.switch).foreign(RIVALS[rival]))
        log.requests = requests
        code, output = site.run("switches", "--limit", SPINE)
        log.requests = list(requests)
        assert len(requests) >= number, "nobody came between"
        assert code in (0, 2), output
        wanted = site.expected(SPINE, OTHER)
        if rival == "elsewhere":
            wanted["system"]["date-time"] = THEIRS["system"]["date-time"]
        if code:
            sentence(output)
            assert SPINE in output
            assert re.search("revision [0-9]+|somebody else|user ", output), output
            assert eventually(lambda: not busy(double))
            servers = set(double.applied["system"]["ntp"]["server"])
            assert servers in ({FIRST}, {FIRST, THIRD}), (number, servers)
            code, output = site.run("switches", "--limit", SPINE)
        assert code == 0, (number, output)
        assert eventually(lambda: not busy(double))
        assert double.applied == wanted, (number, tree.diff(wanted, double.applied))
