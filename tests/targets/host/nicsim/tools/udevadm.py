# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""udevadm trigger: announce the simulated devices too, then let the real udevadm work."""

from __future__ import annotations

from nicsim import boot, real, store, udev
from nicsim.call import Call


def run(call: Call) -> int:
    """Everything but `trigger` with the action add is the real tool's alone."""
    words = call.argv
    action = next((w.partition("=")[2] for w in words if w.startswith("--action=")), "change")
    if "-c" in words[:-1]:
        action = words[words.index("-c") + 1]
    if words[:1] == ["trigger"] and action == "add":
        with store.transaction() as state:
            units = udev.announce(state)
        boot.start_units(units)
    return real.delegate(call)
