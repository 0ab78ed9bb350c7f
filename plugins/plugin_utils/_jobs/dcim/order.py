# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of a task, as a connection and a job. Private."""

from __future__ import annotations

import os
import typing as t

from ..._dcim.connection import open_dcim
from ..._dcim.port import DcimError
from ..._fabric.audit import results
from ..._fabric.description.errors import FabricError
from ..._fabric.export.dcim.context import Context, Names
from ..._fabric.export.dcim.owners import Rules
from ..._fabric.tenants.registry import Registry
from .job import Job
from .scope import chosen
from .status import NOTHING, Statuses, truth

if t.TYPE_CHECKING:
    from collections.abc import Callable

    from ..._dcim.port import Dcim
    from ..._fabric.plan.fabric import Fabric
    from .job import PlannedChange

Options = t.Mapping[str, t.Any]
MOST = {"timeout": 3600, "workers": 16}
"""The most seconds of a request, and requests at once. Ours."""
TOKEN = "SPX_DCIM_TOKEN"
"""The environment variable that has the token where no vault has it."""


def opened(args: Options) -> Dcim:
    """The port to the DCIM; FabricError for an address or token that cannot be right. Nothing is sent yet."""
    where = args["connection"]
    missing = [name for name in ("kind", "url") if not where[name]]
    if missing:
        raise FabricError.of(
            f"variable spx_dcim: it has no {' and no '.join(missing)}: set kind to netbox or nautobot, and url, in "
            "group_vars/all.yml, and run in its folder or with -i INVENTORY."
        )
    for name, most in MOST.items():
        if not 1 <= where[name] <= most:
            raise FabricError.of(
                f"variable spx_dcim.{name}: {where[name]} is not allowed: use a whole number from 1 to {most}."
            )
    token = (args["token"] or os.environ.get(TOKEN, "")).strip()
    if not token:
        raise FabricError.of(
            f"variable spx_dcim_token: no token is given: set it from a vault, or set the environment variable {TOKEN}."
        )
    try:
        return open_dcim(
            where["kind"],
            where["url"],
            token,
            ca=where["ca"],
            validate_certs=where["validate_certs"],
            timeout=where["timeout"],
            workers=where["workers"],
        )
    except DcimError as exc:
        raise FabricError.of(f"variable spx_dcim: {exc}") from exc


def job(
    fabric: Fabric,
    dcim: Dcim,
    args: Options,
    *,
    tell: Callable[[str], None],
    each: Callable[[PlannedChange], None] = lambda _seen: None,
) -> Job:
    """The work of a task."""
    where = args["connection"]
    names = Names(**{name: where[name] for name in Names.__dataclass_fields__})
    registry = Registry.load(fabric)
    return Job(
        dcim,
        fabric,
        registry,
        parts=chosen(fabric, registry, args["where"], args["hosts"]),
        names=names,
        rules=Rules.of(where["rules"]),
        truth=_found(Context(fabric, registry, names=names), args["results"]),
        delete=args["delete"],
        most=args["delete_most"],
        tell=tell,
        each=each,
    )


def _found(context: Context, report: str | None) -> Statuses:
    """Read the results of a report; FabricError where the folder has no result of the fabric."""
    if not report:
        return NOTHING
    made = truth(context, results.read(report))
    if not any(made.statuses.values()):
        raise FabricError.of(
            f"variable spx_dcim_results: {report} has no result of fabric {context.fabric.description.name}: run "
            "playbook validate, and name the folder of its report."
        )
    return made
