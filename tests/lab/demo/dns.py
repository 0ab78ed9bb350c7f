# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Serves exported zones on 127.0.0.1, port 5354, so that `dig -x` can be tried; NSD does the work.

python tests/lab/demo/dns.py start NAME FOLDER     python tests/lab/demo/dns.py stop NAME
"""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
PORT = 5354

CONFIG = """server:
  ip-address: 127.0.0.1
  port: {port}
  username: ""
  chroot: ""
  zonesdir: "{zones}"
  database: ""
  pidfile: "{folder}/nsd.pid"
  logfile: "{folder}/nsd.log"
  xfrdfile: "{folder}/xfrd.state"
  zonelistfile: "{folder}/zone.list"
remote-control:
  control-enable: no
"""


def start(folder: pathlib.Path, zones: pathlib.Path) -> None:
    """Start the server; one that runs already is replaced."""
    program = shutil.which("nsd", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        print("The zones are not served: nsd is not installed (tests/setup/packages.sh dns).")
        return
    stop(folder)
    folder.mkdir(parents=True, exist_ok=True)
    text = CONFIG.format(port=PORT, zones=zones.resolve(), folder=folder.resolve())
    for zone in sorted(zones.glob("*.zone")):
        text += f'zone:\n  name: "{zone.stem}"\n  zonefile: "{zone.name}"\n'
    (folder / "nsd.conf").write_text(text)
    subprocess.run([program, "-c", str(folder / "nsd.conf")], check=True)
    print(f"The zones are served on 127.0.0.1 port {PORT}.")


def stop(folder: pathlib.Path) -> None:
    """End the server that this folder's pid file names, if it still is one."""
    pidfile = folder / "nsd.pid"
    if not pidfile.exists():
        return
    pid = int(pidfile.read_text())
    comm = pathlib.Path(f"/proc/{pid}/comm")
    if comm.exists() and comm.read_text().strip().startswith("nsd"):
        os.kill(pid, signal.SIGTERM)
    pidfile.unlink(missing_ok=True)


if __name__ == "__main__":
    where = ROOT / "build" / "dns" / sys.argv[2]
    if sys.argv[1] == "start":
        start(where, pathlib.Path(sys.argv[3]))
    else:
        stop(where)
