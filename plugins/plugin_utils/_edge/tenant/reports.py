# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of what was done to tenants, by whom and when: JSON files, each replaced as a whole. Private."""

from __future__ import annotations

import datetime
import os
import typing as t

from ... import _reports
from ..._fabric.description.errors import FabricError
from .. import provenance
from ..run_store import store

if t.TYPE_CHECKING:
    from ..._fabric.plan.fabric import Fabric

Doc = dict[str, t.Any]


def write(plan: Fabric, stated: Doc, made: t.Mapping[str, Doc]) -> list[str]:
    """Write reports by file name without `.json`; the paths.

    The folder is that of the variable spx_report, else `report` beside the folder of the description. `stated` are
    the variables of the task.
    """
    given = store.get("variables")
    project = os.path.normpath(plan.beside(".."))
    folder = str(given.get("spx_report") or os.path.join(project, "report"))
    head = {
        "schema": 1,
        "fabric": plan.description.name,
        "who": os.environ.get("SUDO_USER") or os.environ.get("USER") or "unknown",
        "when": now(),
        "origin": provenance.message("", stated),
    }
    return [
        _reports.put_json(
            os.path.join(folder, f"{os.path.basename(name)}.json"),
            {**data, **head},
            FabricError.of,
        )
        for name, data in made.items()
    ]


def now() -> str:
    """The time in UTC, as 2026-11-23T05:12:00Z."""
    return datetime.datetime.now(tz=datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
