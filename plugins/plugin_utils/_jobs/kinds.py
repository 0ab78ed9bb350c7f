# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of records that several jobs read: variables of the run, facts of the fabric, batches. Private."""

from __future__ import annotations

import dataclasses
import typing as t

from . import records
from .run_store import Kind, required

if t.TYPE_CHECKING:
    from .run_store import RunStore

VARIABLES: Kind[dict[str, object]] = Kind("variables", dict[str, object], dict)
FABRIC: Kind[dict[str, object]] = Kind("fabric", dict[str, object], dict)


@dataclasses.dataclass(frozen=True)
class Batches:
    """Switches in batches, in the order of work: the first ones of each role, then the others.

    `first_sizes` and `sizes` are the sizes of batches; `resting` are out of service, `lines` say what batches disturb.
    """

    first: list[str]
    first_sizes: list[int]
    rest: list[str]
    sizes: list[int]
    resting: list[str]
    lines: list[str]


@dataclasses.dataclass(frozen=True)
class HostBatches:
    """Hosts that go out of work in batches of these sizes."""

    hosts: list[str]
    sizes: list[int]


_NONE = required("run store: no batch is planned: run the whole playbook.")
BATCHES: Kind[Batches] = Kind("batches", Batches, _NONE)
HOST_BATCHES: Kind[HostBatches] = Kind("host_batches", HostBatches, _NONE)


@dataclasses.dataclass(frozen=True)
class LoginRefusal:
    """Refusal of a login by a switch, and until when (monotonic, in seconds) the run does not try it again."""

    until: float = 0.0
    sentence: str = ""


LOGIN_REFUSAL: Kind[LoginRefusal] = Kind("refusals", LoginRefusal, LoginRefusal)


@dataclasses.dataclass(frozen=True)
class RunVariables:
    """The variables of a run that jobs read.

    `wait` is how long a gate is waited for, `report` the folder of reports, `acceptance` a group of rest;
    `registry_write`, `approved` and `factory` are leaves that a person gives.
    """

    wait: int | None = None
    report: str | None = None
    acceptance: str | None = None
    registry_write: bool = False
    approved: str | None = None
    factory: bool = False


def given(store: RunStore) -> RunVariables:
    """Return the variables of the run."""
    stated = store.get(VARIABLES)
    names = [field.name for field in dataclasses.fields(RunVariables)]
    found = {name: stated[f"spx_{name}"] for name in names if stated.get(f"spx_{name}") is not None}
    return records.typed(RunVariables, found, VARIABLES.name)


def hook_folders(store: RunStore) -> list[str]:
    """Return the folders in which the hooks of the site are."""
    return records.typed(list[str], store.get(FABRIC).get("hooks") or [], "fabric.hooks")


def git(store: RunStore) -> str | None:
    """Return the commit of the project, empty where it has none; None before the run has looked."""
    return records.typed(
        t.cast("type[str | None]", t.Optional[str]), store.get(FABRIC).get("git"), "fabric.git"
    )
