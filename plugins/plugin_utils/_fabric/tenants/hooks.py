# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hooks of a site, in one table: what each is for, which variables it gets, and what it confirms.

A hook is a task file `hooks/<name>.yml` of the project. Steps of a move name theirs in `steps.TABLE`.
"""

from __future__ import annotations

import dataclasses
import typing as t

MOVE, DPUS, UPGRADE, CREDENTIALS = "a move", "dpus", "upgrade", "credentials"
COMMIT = "a run with spx_registry_write"
"""Runs that call hooks."""
VARIABLES: dict[str, str] = {
    "hook_node": "Name of the node.",
    "hook_from": "The tenant that it leaves.",
    "hook_to": "The tenant that it enters.",
    "hook_prefixes": "Its prefixes: those of the old tenant up to wipe and firmware, then those of the new tenant.",
    "hook_managed": "Permission of playbooks to log in to the node.",
    "hook_bmc": "Address of its BMC in the plan, whose accounts the old tenant may have changed.",
    "hook_serial": "Its serial number in devices.csv, empty without one: a hook at the BMC compares it.",
    "hook_macs": "Its MAC addresses in devices.csv, for the same.",
    "hook_path": "Path of the registry.",
    "hook_diff": "Edits of the run in it; empty where there are none.",
    "hook_user": "Account of the switches that jobs move to.",
}
"""The variables that hooks get, each with its meaning."""
_NODE = ("hook_node", "hook_from", "hook_to")
GIVEN: dict[str, tuple[str, ...]] = {
    MOVE: (*_NODE, "hook_prefixes", "hook_managed", "hook_bmc", "hook_serial", "hook_macs"),
    DPUS: _NODE,
    UPGRADE: _NODE,
    COMMIT: ("hook_path", "hook_diff"),
    CREDENTIALS: ("hook_user",),
}
"""The variables of a hook, by what runs it."""
Task = dict[str, t.Any]


@dataclasses.dataclass(frozen=True)
class Hook:
    """A hook. `confirms` is what it confirms where it has done its work; `example` are tasks to begin with."""

    name: str
    does: str
    runs_in: tuple[str, ...]
    example: tuple[Task, ...]
    confirms: str = ""

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that the hook gets wherever it runs, in the order of the table."""
        return tuple(
            name for name in VARIABLES if all(name in GIVEN[place] for place in self.runs_in)
        )


def _command(name: str, *words: str) -> Task:
    return {
        "name": name,
        "ansible.builtin.command": {"argv": list(words)},
        "changed_when": True,
    }


def _confirm(name: str, what: str, by: str, **more: str) -> Task:
    options = {"do": "confirm", "what": what, "by": by, **more}
    return {"name": name, "spectrum_x.fabric.tenant": options}


_OWN = "/usr/local/sbin"
HOOKS = (
    Hook(
        "drain",
        "Take the node out of the scheduler.",
        (MOVE, DPUS, UPGRADE),
        (_command("Drain the node", f"{_OWN}/drain", "{{ hook_node }}"),),
    ),
    Hook(
        "storage_remove",
        "Take its prefixes off the client lists of the old tenant.",
        (MOVE,),
        (
            _command(
                "Remove the node from the client lists",
                f"{_OWN}/clients",
                "remove",
                "{{ hook_from }}",
                "{{ hook_prefixes | join(',') }}",
            ),
        ),
    ),
    Hook(
        "wipe",
        "Erase its disks and memory, and reset the accounts of its BMC. Its ports are in quarantine.",
        (MOVE,),
        (
            _command(
                "Reset the accounts of its BMC",
                f"{_OWN}/reset-bmc",
                "{{ hook_bmc }}",
            ),
            _command(
                "Erase the disks of the node and install it again",
                f"{_OWN}/reinstall",
                "{{ hook_node }}",
            ),
            {
                **_command(
                    "Check that the image service runs the known image on it, with the host key that it installed",
                    f"{_OWN}/installed",
                    "{{ hook_node }}",
                ),
                "register": "wipe_machine",
            },
            _confirm(
                "Confirm that the node is wiped, by the serial that the service answered",
                "wiped",
                "provisioner",
                machine="{{ wipe_machine.stdout }}",
            ),
        ),
        confirms="wiped",
    ),
    Hook(
        "firmware",
        "Bring its firmware to the versions of the fabric.",
        (MOVE,),
        (_command("Update the firmware of the node", f"{_OWN}/firmware", "{{ hook_node }}"),),
    ),
    Hook(
        "acceptance",
        "Test it inside its acceptance group.",
        (MOVE,),
        (
            _command("Test the node", f"{_OWN}/burn-in", "{{ hook_node }}"),
            _confirm("Confirm that the node passed", "accepted", "hand"),
        ),
        confirms="accepted",
    ),
    Hook(
        "storage_add",
        "Add its prefixes to the client lists of the new tenant.",
        (MOVE,),
        (
            _command(
                "Add the node to the client lists",
                f"{_OWN}/clients",
                "add",
                "{{ hook_to }}",
                "{{ hook_prefixes | join(',') }}",
            ),
        ),
    ),
    Hook(
        "release",
        "Notify the scheduler and the new tenant.",
        (MOVE,),
        (
            _command(
                "Give the node to its tenant",
                f"{_OWN}/release",
                "{{ hook_node }}",
                "{{ hook_to }}",
            ),
        ),
    ),
    Hook(
        "resume",
        "Give the node back to the scheduler after maintenance.",
        (DPUS, UPGRADE),
        (_command("Resume the node", f"{_OWN}/resume", "{{ hook_node }}"),),
    ),
    Hook(
        "registry_commit",
        "Commit the registry.",
        (COMMIT,),
        (
            {
                "name": "Check whether the registry differs from its last commit",
                "ansible.builtin.command": {
                    "argv": ["git", "status", "--porcelain", "{{ hook_path | basename }}"],
                    "chdir": "{{ hook_path | dirname }}",
                },
                "register": "registry_status",
                "changed_when": False,
            },
            {
                "name": "Commit the registry",
                "ansible.builtin.command": {
                    "argv": [
                        "git",
                        "commit",
                        "--quiet",
                        "--message",
                        "Tenants changed",
                        "--only",
                        "{{ hook_path | basename }}",
                    ],
                    "chdir": "{{ hook_path | dirname }}",
                },
                "changed_when": True,
                "when": "registry_status.stdout | length > 0",
            },
            _confirm("Confirm that it is committed", "committed", "git"),
        ),
        confirms="committed",
    ),
    Hook(
        "credentials",
        "Move AWX, GitLab and all other jobs to the next account of the switches.",
        (CREDENTIALS,),
        (_command("Move the jobs", f"{_OWN}/move-jobs", "{{ hook_user }}"),),
    ),
)
"""Every hook that a project may have, in the order in which a node meets them."""
CONFIRMS: dict[str, str] = {hook.name: hook.confirms for hook in HOOKS if hook.confirms}
"""Confirmation of a hook when its work is done, by the name of the hook."""
BY: dict[str, tuple[str, ...]] = {
    "wiped": ("bmc", "provisioner", "hand"),
    "accepted": ("measured", "hand"),
    "committed": ("git", "hand"),
}
"""Witnesses that may confirm each fact: none of them is the node."""
FORMER = {"wiped": "node_wiped", "accepted": "node_accepted", "committed": "registry_committed"}
"""Facts that hooks set before there was a confirmation; they are refused."""
