# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real pings from a VRF: ping(8) of iputils in its namespace, or on its device."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from typing import Any

from .shell import inside

FLAGS = {"interval": "-i", "size": "-s", "wait": "-W", "source": "-I"}
OUTSIDE = ("default", "mgmt")
_TIME = re.compile(r" bytes from .* time=([\d.]+) ms")


def ping(backend: str, vrf: str, options: Mapping[str, Any]) -> tuple[list[float], str]:
    """Milliseconds of each answer, and ping's last word where it could not send."""
    done = subprocess.run(
        command(backend, vrf, options), capture_output=True, text=True, timeout=120, check=False
    )
    words = done.stderr.strip().splitlines()
    return [float(time) for time in _TIME.findall(done.stdout)], words[-1] if words else ""


def command(backend: str, vrf: str, options: Mapping[str, Any]) -> list[str]:
    """The command line of a ping from a VRF."""
    argv = ["ping", "-n", "-c", str(options["count"])]
    for name, flag in FLAGS.items():
        argv += [flag, str(options[name])] if name in options else []
    argv += ["-6"] if options.get("l3protocol") == "ipv6" else []
    argv += ["-M", "do"] if options.get("do-not-fragment") else []
    argv.append(str(options["destination"]))
    if vrf in OUTSIDE:
        return argv
    return inside(vrf, argv) if backend == "netns" else ["ip", "vrf", "exec", vrf, *argv]
