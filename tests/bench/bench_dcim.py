# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost of pushing h200-2048 to real servers: all of it, then nothing, then a node that has another tenant.

The CPU of a server and of its database is counted apart from the client. A first push is held against what its
objects cost bare: it is stopped now and then, while a second server has the machine for itself. That one has settings
as delivered, and the one that is pushed to has those that the documentation advises. A run takes about half an hour for
NetBox on two cores, for Nautobot more than an hour. SPX_DCIM chooses one of the two, and SPX_DCIM_PART a part, as
--limit does: an SU takes a quarter of the time. A server that `make dcim` has not prepared is left out, and standard
error says so.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from dcim import bare, servers
from dcim.figures import Spent, say, spent
from dcim.products import Product
from dcim.project import LARGE, MOVED, Project
from dcim.rest import counts
from dcim.servers import Server

PART = os.environ.get("SPX_DCIM_PART", "")
SILENT = "nothing to write" if PART else "no difference, nothing to write"
"""Cables of a part may wait for those of another."""
MOST, BESIDE = 1.3, 10.0
"""Limits of a first push, in times of its objects bare; the seconds of an unchanged one beside the server's."""


def pushed(project: Project, name: str, meanwhile: Callable[[], object] | None = None) -> Spent:
    """Push, and say what it cost."""
    limit = ("--limit", PART) if PART else ()
    found = spent(project, "dcim_push", *limit, meanwhile=meanwhile)
    kind = project.server.kind
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


@contextmanager
def started(product: Product, name: str) -> Iterator[Server]:
    """A server while the block runs."""
    server = servers.up(product, f"bench-{os.getpid()}-{product.kind}-{name}", owner=True)
    try:
        yield server
    finally:
        servers.down(server.name)


def measured(product: Product) -> list[str]:
    """All figures of a product; the limits that it missed."""
    delivered = replace(product, environment={})
    with (
        started(product, "pushed") as server,
        started(delivered, "bare") as other,
        tempfile.TemporaryDirectory() as folder,
    ):
        return pushes(server, other, Path(folder) / LARGE)


def pushes(server: Server, other: Server, folder: Path) -> list[str]:
    """Push first, unchanged and after a move; the limits that were missed."""
    options = {"timeout": 900, "link_vrfs": server.kind == "netbox"}
    project = Project(folder, server, server.url, example=LARGE, connection=options)
    rounds: list[dict[str, float]] = []

    def bare_ones() -> None:
        rounds.append(bare.costs(other, len(rounds)))

    first = pushed(project, "first", bare_ones)
    bare_ones()  # a short push was never stopped
    there = counts(server)
    say(f"dcim_{server.kind}_objects", sum(there.values()), "objects")
    missed = compared(server.kind, first, there, rounds)
    missed += unchanged(project, "unchanged")
    project.move(MOVED)
    pushed(project, "node_moved")
    return missed


def compared(
    kind: str, first: Spent, there: dict[str, int], rounds: list[dict[str, float]]
) -> list[str]:
    """Hold a first push against its objects bare; the limit that it missed."""
    for endpoint in rounds[0]:
        mean = statistics.mean(each[endpoint] for each in rounds)
        say(f"dcim_{kind}_bare_{endpoint.rpartition('/')[2]}", mean * 1e3, "ms of CPU")
    whole = [sum(there[name] * seconds for name, seconds in each.items()) for each in rounds]
    say(f"dcim_{kind}_bare_spread", max(whole) / min(whole), f"dearest of {len(whole)} rounds")
    times = first.server / statistics.mean(whole)
    say(f"dcim_{kind}_first_times_bare", times, f"times, at most {MOST:g}")
    return [f"{kind}: {times:.2f} times the bare objects"] if times > MOST else []


def main() -> None:
    """The figures of each server that is prepared."""
    missed: list[str] = []
    for product in servers.PRODUCTS.values():
        if os.environ.get("SPX_DCIM", product.kind) != product.kind:
            continue
        if product not in servers.ready():
            print(f"not available: {product.kind}: make dcim prepares it.", file=sys.stderr)
            continue
        missed += measured(product)
    if missed:
        sys.exit("; ".join(missed))


if __name__ == "__main__":
    main()
