# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that a DCIM knows better than the project, as changes of the project's own files.

    pulled = pull(fabric, registry, found, Texts(devices, description, tenants), today="2026-11-25")
    print(pulled.diff())

Nothing is written: a person reads the difference and commits it. Serials, MAC addresses, racks, units and
management addresses go into devices.csv, devices that are not there into `absent`, and failed ones into
`out_of_service`. Who holds a node is a proposal for tenants.yml: a node moves by tenant_move only.

A value that the DCIM does not have erases nothing, and one that devices.csv cannot have is named.
"""

from __future__ import annotations

import difflib
import pathlib
import typing as t

from ...description.errors import FabricError
from ...tenants.registry import FILE
from . import pull_description, pull_devices, pull_tenants
from .dcim_state import reading

if t.TYPE_CHECKING:
    from collections.abc import Iterable

    from ...plan.fabric import Fabric
    from ...tenants.registry import Registry
    from .dcim_state import DcimState
    from .things import DcimObject

DEVICES = "devices.csv"
"""The file of devices where the description names none."""


class Texts(t.NamedTuple):
    """The project's files as they are; empty where there is none."""

    devices: str
    description: str
    tenants: str


class Proposal(t.NamedTuple):
    """A file as it is and as it should be."""

    file: str
    before: str
    after: str

    def diff(self) -> str:
        """The lines that differ, as `patch` and `git apply` take them."""
        before, after = (x.splitlines(keepends=True) for x in (self.before, self.after))
        names = f"a/{self.file}" if self.before else "/dev/null", f"b/{self.file}"
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in difflib.unified_diff(before, after, *names)
        )


class PullResult(t.NamedTuple):
    """The files that would change, and sentences about what cannot be taken."""

    proposals: list[Proposal]
    notes: list[str]

    def diff(self) -> str:
        """All differences."""
        return "".join(proposal.diff() for proposal in self.proposals)


def pull(
    fabric: Fabric,
    registry: Registry,
    found: Iterable[DcimObject],
    texts: Texts,
    *,
    today: str,
    whole: bool = False,
) -> PullResult:
    """Return the proposed changes. `whole` says that all devices of the fabric were read: one that is not among them is
    absent.

    `found` are devices, interfaces, addresses and primaries; `today` is the day from which a device is down.
    """
    read = reading(fabric, found)
    notes: list[str] = []
    notes += [
        f"{name}: two devices of the DCIM have its key or name, so neither is read: correct one."
        for name in read.twice
    ]
    rows, more = pull_devices.text(fabric, read, texts.devices)
    notes += more
    new = bool(rows) and not fabric.description.devices
    description, more = pull_description.text(
        fabric,
        read,
        texts.description,
        today=today,
        whole=whole,
        devices=DEVICES if new else "",
    )
    notes += more
    tenants, more = _tenants(fabric, registry, read, texts.tenants)
    notes += more
    made = [
        Proposal(fabric.description.devices or DEVICES, texts.devices, rows),
        Proposal(pathlib.Path(fabric.source.path).name, texts.description, description),
        Proposal(FILE, texts.tenants, tenants),
    ]
    return PullResult([one for one in made if one.before != one.after], notes)


def _tenants(
    fabric: Fabric, registry: Registry, read: DcimState, text: str
) -> tuple[str, list[str]]:
    """The registry; where its rules refuse what the DCIM says, the sentences why."""
    try:
        return pull_tenants.text(fabric, registry, read, text)
    except FabricError as exc:
        return text, [f"{FILE} stays as it is: {sentence}" for sentence in exc.sentences]
