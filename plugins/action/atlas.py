# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os

from ..plugin_utils._edge.action import Action, Plain, written
from ..plugin_utils._edge.output import show
from ..plugin_utils._edge.project import fabric
from ..plugin_utils._fabric.description.errors import FabricError
from ..plugin_utils._fabric.export import atlas, atlas_results
from ..plugin_utils._fabric.export.output import Output
from ..plugin_utils._fabric.measure.report import overlay, results
from ..plugin_utils._fabric.report.report import files
from ..plugin_utils._fabric.tenants.registry import Registry


class ActionModule(Action):
    """Loads fabric, registry and results, and writes the pages."""

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Write the atlas."""
        plan = fabric(args["description"], stated)
        if args["report"] and not os.path.isdir(args["report"]):
            raise FabricError.of(
                f"report {args['report']} is not a folder: name a report of validate or performance, or "
                "leave it out."
            )
        found = atlas_results.read(args["report"], plan.description.name)
        run = results.newest(args["report"], plan.description.name) if args["report"] else None
        last = overlay.of(plan, run) if run else None
        output = Output(args["dest"], dry=self._task.check_mode)
        with output.alone():
            atlas.write(plan, Registry.load(plan), output, results=found, performance=last)
        total = atlas_results.total(found.values())
        made, page = written(output, diff=self._task.diff), f"{args['dest']}/atlas.html"
        show([f"  {page}: {files(made['files'])}, {len(made['changed_files'])} changed"])
        return {"page": page, "checks": dict(zip(atlas_results.STATES, total, strict=True)), **made}
