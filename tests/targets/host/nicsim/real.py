# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hand a call over to the system's own tool of the same name."""

from __future__ import annotations

import os
import pathlib
import sys
from collections.abc import Callable
from typing import Any, Optional

from nicsim.call import Call, ToolError, record_call

PLACES = ("/usr/sbin", "/usr/bin", "/sbin", "/bin")

#: How a process becomes another program.
replace: Callable[[str, list[str]], Any] = os.execv


def real_tool(name: str) -> Optional[str]:
    """The distribution's executable (a diverted one first); never one of the stand-ins."""
    for folder in PLACES:
        for candidate in (f"{name}.distrib", name):
            path = pathlib.Path(folder) / candidate
            if path.exists() and "nicsim" not in str(path.resolve()):
                return str(path)
    return None


def delegate(call: Call) -> int:
    """Replace this process by the real tool; the call is logged first."""
    path = real_tool(call.tool)
    if path is None:
        raise ToolError(f"{call.tool}: command not found", 127, "stderr")
    record_call(call, 0)
    sys.stdout.flush()
    replace(path, [call.tool, *call.argv])
    return 0
