# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible.utils.display import Display

from ..plugin_utils._edge.action import Action, Plain
from ..plugin_utils._fabric.sizing import designs, facts, request, table


class ActionModule(Action):
    """Computes and prints; it needs no description."""

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Show the designs side by side."""
        asked = request.of_options(args)
        found = [facts.facts(design) for design in designs.designs(asked)]
        lines = table.lines(found)
        for line in [*lines, "", table.following(asked)]:
            Display().display(line)
        return {"designs": found, "lines": lines}
