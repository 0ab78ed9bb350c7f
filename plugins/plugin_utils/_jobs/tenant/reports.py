# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of what was done to tenants, by whom and when: JSON files, each replaced as a whole. Private."""

from __future__ import annotations

import os
import typing as t

from ... import _reports
from ..._fabric.description.errors import FabricError
from .. import clock, kinds

if t.TYPE_CHECKING:
    from ..._fabric.plan.fabric import Fabric
    from ..run import Run

Doc = dict[str, object]


def write(run: Run, plan: Fabric, made: t.Mapping[str, Doc]) -> list[str]:
    """Write reports by file name without `.json`; the paths.

    The folder is that of the variable spx_report, else `report` beside the folder of the description.
    """
    given = kinds.given(run.store)
    project = os.path.normpath(plan.beside(".."))
    folder = str(given.report or os.path.join(project, "report"))
    head = {
        "schema": 1,
        "fabric": plan.description.name,
        "who": os.environ.get("SUDO_USER") or os.environ.get("USER") or "unknown",
        "when": clock.stamp(),
        "origin": run.origin(),
    }
    return [
        _reports.put_json(
            os.path.join(folder, f"{os.path.basename(name)}.json"),
            {**data, **head},
            FabricError.of,
        )
        for name, data in made.items()
    ]
