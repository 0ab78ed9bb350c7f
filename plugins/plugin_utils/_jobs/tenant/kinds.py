# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of records that a tenant's job keeps. Private."""

from __future__ import annotations

import typing as t

from ..._fabric.tenants.evidence import Evidence, HookAtWork, RegistryState, StepDone
from ..._fabric.tenants.moves.records import Job
from ..run_store import Kind

JOB: Kind[Job | None] = Kind("job", t.cast("type[Job | None]", t.Optional[Job]), lambda: None)
STEPS: Kind[list[StepDone]] = Kind("steps", list[StepDone], list)
HOOK: Kind[HookAtWork] = Kind("hook", HookAtWork, HookAtWork)
EVIDENCE: Kind[list[Evidence]] = Kind("evidence", list[Evidence], list)
FAILURES: Kind[dict[str, list[str]]] = Kind("failures", dict[str, list[str]], dict)
REGISTRY: Kind[RegistryState] = Kind("registry", RegistryState, RegistryState)
