# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""udevadm trigger: announce the simulated devices too, then let the real udevadm work."""

from __future__ import annotations

import argparse
import fnmatch
import pathlib
from typing import Optional

from nicsim import boot, real, store, udev
from nicsim.call import Call


def run(call: Call) -> int:
    """Everything but `trigger` is the real tool's alone."""
    if call.argv[:1] == ["trigger"]:
        asked = _asked(call.argv[1:])
        if asked is not None:
            with store.transaction() as state:
                units = udev.announce(
                    state, action=asked.action, chosen=lambda *device: _chosen(asked, *device)
                )
            boot.start_units(units)
    return real.delegate(call)


def _asked(words: list[str]) -> Optional[argparse.Namespace]:
    """The options of trigger; None where one picks devices in a way that is not simulated."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("-c", "--action", default="change")
    parser.add_argument("-s", "--subsystem-match", action="append", default=[])
    parser.add_argument("-S", "--subsystem-nomatch", action="append", default=[])
    parser.add_argument("-y", "--sysname-match", action="append", default=[])
    parser.add_argument("-t", "--type", choices=("devices", "all"))
    for flags in (("-v", "--verbose"), ("-n", "--dry-run"), ("-q", "--quiet"), ("-w", "--settle")):
        parser.add_argument(*flags, action="store_true")
    parser.add_argument("devices", nargs="*", type=pathlib.PurePosixPath)
    try:
        asked, unknown = parser.parse_known_args(words)
    except argparse.ArgumentError:
        return None
    return None if unknown or asked.dry_run else asked


def _chosen(asked: argparse.Namespace, subsystem: str, name: str) -> bool:
    """As udevadm(8): filters of one kind are alternatives, filters of two kinds must both fit."""

    def fits(text: str, patterns: list[str]) -> bool:
        return any(fnmatch.fnmatchcase(text, pattern) for pattern in patterns)

    if asked.devices and (subsystem, name) not in {path.parts[-2:] for path in asked.devices}:
        return False
    if asked.subsystem_match and not fits(subsystem, asked.subsystem_match):
        return False
    if asked.sysname_match and not fits(name, asked.sysname_match):
        return False
    return not fits(subsystem, asked.subsystem_nomatch)
