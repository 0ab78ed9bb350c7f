# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports of a host and the GIDs of their addresses."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.backends import (
    files,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.interfaces import (
    interfaces_from,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.module_utils._host.conftest import (
    WANTED,
)


def gid_table(machine):
    port = machine.folder / "sys/class/infiniband/mlx5_0/ports/1"
    rows = [
        ("fe80:0000:0000:0000:0000:0000:0000:0001", "IB/RoCE v1"),
        ("fe80:0000:0000:0000:0000:0000:0000:0001", "RoCE v2"),
        ("0000:0000:0000:0000:0000:ffff:ac10:0000", "IB/RoCE v1"),
        ("0000:0000:0000:0000:0000:ffff:ac10:0000", "RoCE v2"),
    ]
    for place in ("gids", "gid_attrs/types", "gid_attrs/ndevs"):
        (port / place).mkdir(parents=True)
    for number, (gid, kind) in enumerate(rows):
        (port / "gids" / str(number)).write_text(gid)
        (port / "gid_attrs/types" / str(number)).write_text(kind)
        (port / "gid_attrs/ndevs" / str(number)).write_text("rail1p1")


def rails():
    """Two rails whose routes have the same destination, over IPv6."""
    return interfaces_from(
        {
            **WANTED,
            "name": f"rail{n}p1",
            "pci": f"0000:{n}8:00.0",
            "address": f"fd02:0:{n - 1}00::1",
            "length": 64,
            "gateway": f"fd02:0:{n - 1}00::2",
            "table": 0,
            "routes": [{"to": "fd02::/32", "metric": 99 + n}],
        }
        for n in (1, 2)
    )


SHARING = {"name": "rail1p2", "pci": "0000:18:00.1", "mtu": 9166}


def written(backend, wanted):
    return {one.path: one.content.decode() for one in files(backend, wanted) if one.content}
