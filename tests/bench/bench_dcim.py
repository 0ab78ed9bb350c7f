# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What it costs to push h200-2048 to real servers: all of it, then nothing, then a node that has another tenant.

The CPU of a server and of its database is counted apart from the client. Of NetBox a run takes about a quarter of
an hour on two quiet cores, of Nautobot half an hour. A server that `make dcim` has not prepared is left out, and
standard error says so. SPX_DCIM chooses one of the two.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from dcim import servers
from dcim.figures import Spent, say, spent
from dcim.project import LARGE, MOVED, Project
from dcim.rest import counts
from dcim.servers import Server

SILENT = "no difference, nothing to write"
SERVER = {"netbox": 13 * 60, "nautobot": 41 * 60}
"""Seconds of server CPU that the objects took by lists of 250, without a client: measured on 2026-11-22, two cores."""
MOST, BESIDE = 1.3, 10.0
"""How much more a first push may take, and the seconds of an unchanged one beside the server's own."""


def pushed(project: Project, name: str) -> Spent:
    """Push, and say what it cost."""
    found, kind = spent(project, "dcim_push"), project.server.kind
    say(f"dcim_{kind}_{name}_wall", found.wall, "s")
    say(f"dcim_{kind}_{name}_server", found.server, "s of CPU of the server")
    say(f"dcim_{kind}_{name}_client", found.client, "s of CPU of the client")
    say(f"dcim_{kind}_{name}_memory", found.memory, "MiB of the client at most")
    say(f"dcim_{kind}_{name}_requests", found.requests, "requests")
    return found


def unchanged(project: Project, name: str) -> list[str]:
    """Push what is there already; the limits that it missed."""
    found, kind = pushed(project, name), project.server.kind
    beside = f"dcim_{kind}_{name}_beside"
    say(beside, found.beside, f"s beside the server's own, at most {BESIDE:g}")
    missed = {
        f"{name} writes: {found.output}": SILENT not in found.output,
        beside: found.beside > BESIDE,
    }
    return [f"{kind}: {sentence}" for sentence, late in missed.items() if late]


def measured(server: Server, folder: Path) -> list[str]:
    """All figures of a server; the limits that it missed."""
    options = {"timeout": 900, "link_vrfs": server.kind == "netbox"}
    project = Project(folder, server, server.url, example=LARGE, connection=options)
    first = pushed(project, "first")
    say(f"dcim_{server.kind}_objects", sum(counts(server).values()), "objects")
    most = MOST * SERVER[server.kind]
    say(f"dcim_{server.kind}_first_limit", most, "s of CPU of the server")
    missed = [f"{server.kind}: server {first.server:.0f} s"] if first.server > most else []
    missed += unchanged(project, "unchanged")
    project.move(MOVED)
    pushed(project, "node_moved")
    return missed


def main() -> None:
    """The figures of each server that is prepared."""
    missed: list[str] = []
    for product in servers.PRODUCTS.values():
        if os.environ.get("SPX_DCIM", product.kind) != product.kind:
            continue
        if product not in servers.ready():
            print(f"not available: {product.kind}: make dcim prepares it.", file=sys.stderr)
            continue
        server = servers.up(product, f"bench-{os.getpid()}-{product.kind}", owner=True)
        try:
            with tempfile.TemporaryDirectory() as folder:
                missed += measured(server, Path(folder) / LARGE)
        finally:
            servers.down(server.name)
    if missed:
        sys.exit("; ".join(missed))


if __name__ == "__main__":
    main()
