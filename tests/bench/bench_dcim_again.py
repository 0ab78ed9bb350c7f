# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost of later pushes of h200-2048 to a real NetBox: nothing is new, then an SU is, then a node.

The first push is not waited for: what it would send goes into the database by `dcim/filled.py`. That the unchanged
push writes nothing shows that it is the same. `bench_dcim.py` measures the first push.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from bench_dcim import pushed, unchanged
from dcim import servers
from dcim.figures import say
from dcim.filled import fill
from dcim.products import NETBOX
from dcim.project import LARGE, Project
from dcim.rest import counts
from dcim.servers import Server

SU, NODE = "su04", "su04/h02"


def measured(server: Server, folder: Path) -> list[str]:
    """All figures; the limits that were missed."""
    project = Project(folder, server, server.url, example=LARGE)
    project.build_without(SU)
    fill(server, project.fabric())
    missed = unchanged(project, "again_unchanged")
    for name, absent in (("again_su_added", [NODE]), ("again_node_added", [])):
        before = sum(counts(server).values())
        project.build_without(*absent)
        pushed(project, name)
        say(f"dcim_netbox_{name}_objects", sum(counts(server).values()) - before, "new objects")
    return missed


def main() -> None:
    """The figures, where NetBox is prepared."""
    if NETBOX not in servers.ready():
        print("not available: netbox: make dcim prepares it.", file=sys.stderr)
        return
    server = servers.up(NETBOX, f"bench-{os.getpid()}-again", owner=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            if missed := measured(server, Path(folder) / LARGE):
                sys.exit("; ".join(missed))
    finally:
        servers.down(server.name)


if __name__ == "__main__":
    main()
