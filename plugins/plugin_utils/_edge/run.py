# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The run of a task, for the jobs. Private."""

from __future__ import annotations

import functools
import typing as t

from .._jobs.run import Run
from . import provenance
from .confirmation import proceed
from .output import show
from .project import fabric
from .run_store import store
from .switch import forks, leaves

if t.TYPE_CHECKING:
    from .action import Action, Plain


def of_task(task: Action, args: Plain, stated: Plain) -> Run:
    """Return the run as a job of the task sees it; `stated` are the variables of the task."""
    return Run(
        store,
        fabric=functools.partial(fabric, args.get("description"), stated),
        leaves=lambda plan: leaves(plan, task, stated),
        show=show,
        ask=functools.partial(proceed, task, stated),
        origin=lambda: provenance.message("", stated),
        check=task._task.check_mode,
        diff=task._task.diff,
        forks=forks(),
    )
