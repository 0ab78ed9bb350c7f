# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tenants' playbooks on doubles of the leaves, and what each double had applied after each revision."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import pathlib
from collections.abc import Iterator
from typing import Any

import yaml
from kernel.networks import ours
from unit.playbooks.beside import Beside
from unit.playbooks.leaves import Lab, running_lab

Plain = dict[str, Any]
ROLES = ("leaf", "border_leaf", "front_end_leaf", "storage_leaf")


@dataclasses.dataclass(frozen=True)
class Step:
    """A playbook that has run: its words, its output, and the (switch, document) of each revision, oldest first."""

    command: str
    output: str
    revisions: list[tuple[str, Plain]]


def taken(lab: Lab, playbook: str, **variables: str) -> Step:
    """Run a playbook, which must succeed."""
    lab.history.clear()
    code, output = lab.run(playbook, spx_wait=5, **variables)
    assert code == 0, output
    words = " ".join(f"-e {name}={value}" for name, value in variables.items())
    revisions = [(name, json.loads(json.dumps(document))) for name, document in lab.history]
    return Step(f"{playbook} {words}", output, revisions)


@contextlib.contextmanager
def laboratory(folder: pathlib.Path, plan: ours.Planned, model: pathlib.Path) -> Iterator[Lab]:
    """The leaves of the plan at work for the first tenant alone."""
    given = {"model": model, "roles": ROLES, "passwords": ours.passwords(), "tables": Beside}
    with running_lab(folder, ours.tenants(["acme"]), **given) as lab:
        variables = folder / "inventory" / "group_vars"
        variables.mkdir()
        secrets = {"spx_external_passwords": ours.passwords()}
        (variables / "all.yml").write_text(yaml.safe_dump(secrets), encoding="utf-8")
        lab.committing()
        yield lab
