# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible.utils.display import Display

from ..plugin_utils._edge.action import Action, Plain, written
from ..plugin_utils._fabric.export.output import Output
from ..plugin_utils._fabric.sizing import designs, request
from ..plugin_utils._fabric.starter import files


class ActionModule(Action):
    """Chooses a design, and writes its project where nothing is there yet."""

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Write the project."""
        design = designs.chosen(request.of_options(args), args["design"])
        texts = files.files(design)
        output = Output(args["dest"], dry=self._task.check_mode)
        files.refuse_existing(args["dest"], texts)
        with output.alone():
            for name, text in texts.items():
                output.write(name, [text])
        lines = files.lines(design, args["dest"], check=self._task.check_mode)
        for line in lines:
            Display().display(line)
        return {"lines": lines, **written(output, diff=self._task.diff)}
