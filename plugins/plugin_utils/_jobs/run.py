# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The run of a playbook as its jobs see it. Private.

The edge makes it of a task of Ansible; a test makes it of what it needs.
"""

from __future__ import annotations

import dataclasses
import typing as t

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .._fabric.plan.fabric import Fabric
    from .run_store import RunStore
    from .switch.leaves import Leaves

Result = dict[str, object]
"""The result of a task, as Ansible and the user read it."""


class Approver(t.Protocol):
    """Shows the plan of a run, and asks a person where that is wanted."""

    def __call__(self, lines: Iterable[str], *, acts: bool = True) -> None:
        """Show lines; FabricError where a person does not agree to what the run `acts` on."""


@dataclasses.dataclass(frozen=True)
class Run:
    """The means of one task: the records of the run, its devices, and a person who reads.

    `fabric` loads the description, `leaves` connects to switches, `show` shows lines at once, `ask` shows a plan,
    `origin` says where a change comes from. With `check` nothing is written, with `diff` differences are returned,
    `forks` says how many devices are asked at a time.
    """

    store: RunStore
    fabric: Callable[[], Fabric]
    leaves: Callable[[Fabric], Leaves]
    show: Callable[[Iterable[str]], None]
    ask: Approver
    origin: Callable[[], str]
    check: bool = False
    diff: bool = False
    forks: int = 1
