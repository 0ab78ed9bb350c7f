# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Serves exported zones on 127.0.0.1, so that `dig -x` can be tried; NSD does the work.

python -m lab.dns start NAME ZONES [--port 5354]     python -m lab.dns stop NAME

With PYTHONPATH=demo. `start` ends with 1 and a sentence where the zones are not served. The server is a process
of the lab NAME, so `python -m lab down NAME` ends it too.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import shutil
import signal
import sys
import time

from lab import machine
from lab.state import ROOT

PORT = 5354
PATIENCE = 15.0

CONFIG = """server:
  ip-address: 127.0.0.1
  port: {port}
  username: ""
  chroot: ""
  zonesdir: "{zones}"
  database: ""
  pidfile: ""
  xfrdfile: "{folder}/xfrd.state"
  zonelistfile: "{folder}/zone.list"
remote-control:
  control-enable: no
"""


def program() -> str | None:
    """Path of NSD, None where it is not installed."""
    return shutil.which("nsd", path=f"{os.environ['PATH']}:/usr/sbin")


def start(name: str, folder: pathlib.Path, zones: pathlib.Path, port: int = PORT) -> str:
    """Start the server, in place of one that runs already; returns why not, nothing when it serves."""
    nsd = program()
    if nsd is None:
        return "nsd is not installed; tests/setup/packages.sh dns installs it."
    stop(folder)
    folder.mkdir(parents=True, exist_ok=True)
    config, log = folder / "nsd.conf", folder / "nsd.log"
    config.write_text(_config(folder, zones, port))
    process = machine.spawn([nsd, "-d", "-c", str(config)], lab=name, role="dns", log=log)
    (folder / "process").write_text(process)
    deadline = time.monotonic() + PATIENCE
    while machine.alive(process) and time.monotonic() < deadline:
        if "nsd started" in log.read_text():
            return ""
        time.sleep(0.05)
    wrong = [line for line in log.read_text().splitlines() if "error" in line] or [
        "it says nothing"
    ]
    return (
        f"nsd did not begin on 127.0.0.1 port {port} ({wrong[0].partition('error: ')[2] or wrong[0]}): free the "
        f"port (`ss -lunp sport = :{port}` names who has it), or choose another with --port."
    )


def stop(folder: pathlib.Path) -> None:
    """End the server that this folder remembers, if it still runs, and remove the folder."""
    remembered = folder / "process"
    if remembered.is_file():
        machine.stop(remembered.read_text(), how=signal.SIGTERM)
    shutil.rmtree(folder, ignore_errors=True)


def _config(folder: pathlib.Path, zones: pathlib.Path, port: int) -> str:
    text = CONFIG.format(port=port, zones=zones.resolve(), folder=folder.resolve())
    for zone in sorted(zones.glob("*.zone")):
        text += f'zone:\n  name: "{zone.stem}"\n  zonefile: "{zone.name}"\n'
    return text


def main() -> int:
    """The two commands of the head of this file."""
    parser = argparse.ArgumentParser(prog="lab.dns")
    commands = parser.add_subparsers(dest="command", required=True)
    begin = commands.add_parser("start")
    begin.add_argument("name")
    begin.add_argument("zones", type=pathlib.Path)
    begin.add_argument("--port", type=int, default=PORT)
    commands.add_parser("stop").add_argument("name")
    options = parser.parse_args()
    folder = ROOT / "build" / options.name / "dns"
    if options.command == "stop":
        stop(folder)
        return 0
    why = start(options.name, folder, options.zones, options.port)
    print(
        f"The zones are not served: {why}"
        if why
        else f"The zones are served on 127.0.0.1 port {options.port}."
    )
    return 1 if why else 0


if __name__ == "__main__":
    sys.exit(main())
