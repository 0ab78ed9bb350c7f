# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A tenant's life by the playbooks, on doubles of the leaves, and what each double had applied after each revision.

The commands are those of the page *Tenants on the other networks*: onboard, move a node, validate, offboard.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import pathlib
import shlex
from collections.abc import Collection, Iterator
from typing import Any

import yaml
from docs.blocks import Block, blocks
from kernel.networks import ours
from kernel.networks.life import MOVES, lived
from unit.playbooks.beside import Beside
from unit.playbooks.leaves import Lab, running_lab

Plain = dict[str, Any]
End = tuple[str, str]
ROLES = ("leaf", "border_leaf", "front_end_leaf", "storage_leaf")
FAULTY = "100.64.0.5"
"""The neighbour of the second tenant on the first link."""
LEAKED = "s21-acme"
THIEF, STOLEN = "100.64.0.1", "10.208.16.0/24"
"""A neighbour of the first tenant, and a part of the second one's subnet."""
ONBOARD, MOVE, OFFBOARD = "tenant_onboard", "tenant_move", "tenant_offboard"
PAGE, PREFIX = "networks_tenants.rst", "spectrum_x.fabric."


@dataclasses.dataclass(frozen=True)
class Step:
    """A playbook that has run: its output, and the (switch, document) of each revision, oldest first."""

    output: str
    revisions: list[tuple[str, Plain]]


@dataclasses.dataclass(frozen=True)
class Life:
    """Life of a tenant: the switches at `first`, the playbooks by name, faults by validate, the switches at `last`.

    `gate` is what two runs of the onboarding said afterwards, with a session that is down and without.

    Of the move the kernel takes the revisions that change where the node is, of the offboarding the last ones.
    """

    plan: ours.Planned
    first: dict[str, Plain]
    steps: dict[str, Step]
    faults: tuple[int, str]
    last: dict[str, Plain]
    gate: tuple[tuple[int, str], ...]

    def order(self, first: dict[str, Plain]) -> Plain:
        """Order of the kernel's story, of switches that begin with `first`."""
        steps = {name: list(self._rows(name)) for name in (ONBOARD, MOVE, OFFBOARD)}
        steps[MOVE] = list(_telling(steps[MOVE]))
        steps[OFFBOARD] = list({row["switch"]: row for row in steps[OFFBOARD]}.values())
        whole = first | {row["switch"]: row["document"] for row in steps[ONBOARD]}
        return lived(self.plan.site(whole), first, steps)

    def after(self, name: str) -> dict[str, Plain]:
        """Documents of all switches after a playbook."""
        return [dict(running) for _switch, running in self._history(name)][-1]

    def stations(self, name: str, place: str, *, rails: bool) -> list[set[str]]:
        """The VRFs in which ports of a node are up after each revision of a playbook, on its rails or besides."""
        ends = [end for end in self.plan.ends(place) if (end[0] not in self.plan.names) is rails]
        return [within(running, ends) for _switch, running in self._history(name)]

    def _rows(self, name: str) -> Iterator[Plain]:
        """The revisions of the other networks in a playbook, each with the VRFs that the node is in after it.

        `own` are those at ports of the switch itself.
        """
        for switch, running in self._history(name):
            if switch in self.plan.names:
                ends = self.plan.ends(MOVES)
                yield {
                    "switch": switch,
                    "document": running[switch],
                    "vrfs": sorted(within(running, ends)),
                    "own": sorted(within(running, [end for end in ends if end[0] == switch])),
                }

    def _history(self, name: str) -> Iterator[tuple[str, dict[str, Plain]]]:
        """The switch of each revision of a playbook, and what all switches have after it."""
        running = dict(self.first)
        for step in (ONBOARD, MOVE, OFFBOARD):
            for switch, document in self.steps[step].revisions:
                running[switch] = document
                if step == name:
                    yield switch, running


def _telling(rows: list[Plain]) -> Iterator[Plain]:
    """The revisions after which a switch has the node elsewhere than before, and its last one."""
    last = {row["switch"]: number for number, row in enumerate(rows)}
    known: dict[str, list[str]] = {}
    for number, row in enumerate(rows):
        if known.get(row["switch"]) != row["own"] or last[row["switch"]] == number:
            yield row
        known[row["switch"]] = row["own"]


def within(documents: dict[str, Plain], ends: Collection[End]) -> set[str]:
    """The VRFs in which ports are up, by what switches have applied: of a bridged port those of its VLANs."""
    return {vrf for name, port in ends for vrf in _within(documents[name]["interface"], port)}


def _within(interfaces: Plain, port: str) -> Iterator[str]:
    bonds = [body for body in interfaces.values() if port in body.get("bond", {}).get("member", {})]
    chain = [interfaces[port], *bonds]
    if any("down" in body.get("link", {}).get("state", {}) for body in chain):
        return
    for body in chain:
        if "vrf" in body:
            yield body["vrf"]
        for row in body.get("bridge", {}).get("domain", {}).values():
            for vlan in (row.get("access"), row.get("untagged"), *row.get("vlan", {})):
                if f"vlan{vlan}" in interfaces:
                    yield interfaces[f"vlan{vlan}"]["vrf"]


def live(folder: pathlib.Path) -> Life:
    """Carry out what the page says; every command must end with 0 and print what is quoted below it."""
    plan = ours.Planned(folder / "plan", ours.description(), ours.tenants(), ours.ROLES)
    with _laboratory(folder / "lab", folder / "plan" / "model") as lab:
        first = {name: plan.document(name) for name in plan.roles["spine"]} | _applied(lab)
        lab.registry.write_text(ours.tenants(), encoding="utf-8")
        steps, output = dict[str, Step](), ""
        for block in _story():
            if block.language != "shell":
                assert block.quotes(output), f"{block}\n{output}"
                continue
            name, steps[name] = _ran(lab, block.text)
            output = steps[name].output
            if name == "validate":
                faults = _planted(lab, block.text)
        return Life(plan, first, steps, faults, _applied(lab), _gate(lab))


def _ran(lab: Lab, command: str) -> tuple[str, Step]:
    """Run a command of the page: the name of its playbook, and what became of it."""
    tool, playbook, *words = shlex.split(command.replace("\\\n", ""))
    assert tool == "ansible-playbook"
    lab.history.clear()
    name = playbook.removeprefix(PREFIX)
    code, output = lab.run(name, *words, spx_wait=5)
    assert code == 0, f"{command}\n{output}"
    return name, Step(output, copy.deepcopy(lab.history))


def _gate(lab: Lab) -> tuple[tuple[int, str], ...]:
    """Return the output of onboarding again, with a session that stays down and without."""
    lab.registry.write_text(ours.tenants(), encoding="utf-8")
    found = []
    for down in ({FAULTY}, set[str]()):
        lab.down = down
        found.append(lab.run(ONBOARD, "-e", "spx_tenant=globex", spx_wait=1))
    return tuple(found)


def _planted(lab: Lab, command: str) -> tuple[int, str]:
    """Return the output of the same command about faults.

    A session is down, a default leaked into a tenant's storage, and a neighbour gives the subnet of another tenant.
    """
    words = shlex.split(command.replace("\\\n", ""))
    lab.down, lab.leaked, lab.given = {FAULTY}, {LEAKED: {"0.0.0.0/0"}}, {THIEF: {STOLEN}}
    found = lab.run(words[1].removeprefix(PREFIX), *words[2:])
    lab.down, lab.leaked, lab.given = set(), {}, {}
    return found


def _story() -> list[Block]:
    """The commands of the page, and what is quoted below them."""
    found = [block for block in blocks() if block.page == PAGE]
    first = next(n for n, block in enumerate(found) if block.language == "shell")
    return found[first:]


@contextlib.contextmanager
def _laboratory(folder: pathlib.Path, model: pathlib.Path) -> Iterator[Lab]:
    """The leaves of the plan at work for the first tenant alone."""
    folder.mkdir()
    more: Plain = {"roles": ROLES, "passwords": ours.passwords(), "tables": Beside}
    with running_lab(folder, ours.tenants(["acme"]), model=model, **more) as lab:
        variables = folder / "inventory" / "group_vars" / "all.yml"
        variables.parent.mkdir()
        secrets = {"spx_external_passwords": ours.passwords()}
        variables.write_text(yaml.safe_dump(secrets), encoding="utf-8")
        lab.committing()
        yield lab


def _applied(lab: Lab) -> dict[str, Plain]:
    return {name: copy.deepcopy(double.applied) for name, double in lab.doubles.items()}
