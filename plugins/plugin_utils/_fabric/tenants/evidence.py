# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of what has happened in a tenant's job: evidence, steps that are done, the hook at work, the registry."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Evidence:
    """A confirmation that a node is wiped or accepted, or the registry committed.

    `what` is wiped, cards, accepted or committed; `by` is the witness, as a BMC or a person; `note` is the text of the
    witness on one line, `when` the time in UTC.
    """

    what: str
    by: str
    node: str
    note: str
    when: str


@dataclasses.dataclass(frozen=True)
class StepDone:
    """A step that is done, the time of its end in UTC, and what proves it."""

    step: str
    when: str
    proof: str


@dataclasses.dataclass(frozen=True)
class HookAtWork:
    """The hook that runs now: its name, its node (the file of the registry where it is of no node), and the step.

    `managed`: playbooks log in to the node, whose marks are `serial` and `macs`.
    """

    name: str = ""
    node: str = ""
    step: str = ""
    managed: bool = False
    serial: str = ""
    macs: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class RegistryState:
    """The registry in this run: `asked` and `committed` by the hook, and the edit that nobody has committed."""

    asked: bool = False
    committed: bool = False
    uncommitted: str = ""
