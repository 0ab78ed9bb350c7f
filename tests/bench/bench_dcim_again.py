# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a later push of h200-2048 to a real NetBox costs: nothing is new, and one node is new.

The first push is not waited for: what it would send goes into the database by `dcim/filled.py`. That the unchanged
push writes nothing shows that it is the same. `bench_dcim.py` measures the first push.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import yaml
from bench_dcim import BESIDE, EXAMPLE, pushed
from dcim import servers
from dcim.filled import fill
from dcim.products import NETBOX
from dcim.project import Project
from dcim.servers import Server

NODE = "su04/h02"
SILENT = "no difference, nothing to write"


def measured(server: Server, folder: Path) -> str:
    """All figures; in a sentence, what was missed."""
    project = Project(folder, server, server.url, example=EXAMPLE)
    built = yaml.safe_load((folder / "model" / "fabric.yml").read_text()).get("absent", [])
    project.change("fabric.yml", absent=[*built, NODE])
    fill(server, project.fabric())
    unchanged = pushed(project, "again_unchanged")
    if SILENT not in unchanged.output:
        return f"a push to a NetBox that was filled writes:\n{unchanged.output}"
    project.change("fabric.yml", absent=built)
    pushed(project, "again_node_added")
    late = unchanged.beside > BESIDE
    return f"unchanged: {unchanged.beside:.0f} s beside the server's own" if late else ""


def main() -> None:
    """The figures, where NetBox is prepared."""
    if NETBOX not in servers.ready():
        print("not available: netbox: make dcim prepares it.", file=sys.stderr)
        return
    server = servers.up(NETBOX, f"bench-{os.getpid()}-again", owner=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            if missed := measured(server, Path(folder) / EXAMPLE):
                sys.exit(missed)
    finally:
        servers.down(server.name)


if __name__ == "__main__":
    main()
