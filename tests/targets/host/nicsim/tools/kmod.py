# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lsmod, modinfo and modprobe for the modules of the simulated host; others go to the real tool."""

from __future__ import annotations

import os

from nicsim import faults, modules, real
from nicsim.call import Call, ToolError, say


def lsmod(call: Call) -> int:
    """The simulated modules; those of the machine below the container are none of this host."""
    say("Module                  Size  Used by")
    with call.state() as state:
        for name, size, count, users in modules.loaded(state):
            say(f"{name:<19} {size:>8}  {count}" + (f" {','.join(users)}" if users else ""))
    return 0


def _is_of_the_gpu(name: str) -> bool:
    return modules.plain(name) in {module[0] for module in modules.GPU_MODULES}


def modinfo(call: Call) -> int:
    """`[-F FIELD] MODULE`."""
    words = list(call.argv)
    field = ""
    if words[:1] in (["-F"], ["--field"]) and len(words) > 1:
        field, words = words[1], words[2:]
    elif words[:1] and words[0].startswith("--field="):
        field, words = words[0].partition("=")[2], words[1:]
    if len(words) != 1 or not _is_of_the_gpu(words[0]):
        return real.delegate(call)
    with call.state() as state:
        found = modules.information(state, words[0])
    if found is None:
        raise ToolError(f"modinfo: ERROR: Module {words[0]} not found.", 1, "stderr")
    for name, value in found:
        if not field:
            say(f"{name + ':':<16}{value}")
        elif field == name:
            say(value)
    return 0


def modprobe(call: Call) -> int:
    """`[-r] nvidia-peermem`; the driver itself is loaded and stays."""
    names = [word for word in call.argv if not word.startswith("-")]
    if len(names) != 1 or modules.plain(names[0]) != modules.PEERMEM:
        return real.delegate(call)
    remove = any(word in ("-r", "--remove") for word in call.argv)
    call.wants_write()
    with call.state() as state:
        if modules.driver(state) is None:
            where = "" if remove else f" in directory /lib/modules/{os.uname().release}"
            raise ToolError(
                f"modprobe: FATAL: Module {names[0]} not found{where or '.'}", 1, "stderr"
            )
        if not remove and faults.active(state, "peermem-refused"):
            raise ToolError(
                f"modprobe: ERROR: could not insert '{modules.PEERMEM}': Invalid argument",
                1,
                "stderr",
            )
        state["host"]["peermem"] = not remove
    return 0
