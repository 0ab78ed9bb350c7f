# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two tenants of the `lab` example, and a node that has been wiped, for tests of their jobs."""

from __future__ import annotations

from typing import Any

WIPED = "clean: {on: '2026-11-01', by: bmc, run: bastion/7/0a1b2c3d, nic: read}"
"""Of a record: the site's hook wiped the node."""
WIPES: dict[str, Any] = {"hooks": ("wipe",)}
"""Of an order: the site has the hook."""
TENANTS = (
    "tenants:\n"
    "  - {id: 21, slug: acme, nodes: ['*/h01'], networks: [east-west, storage], shared: [storage]}\n"
    "  - {id: 22, slug: globex, nodes: [su02/h02]}\n"
    "rest: [{nodes: [su01/h02], acceptance: burn-in}]\n"
    "health: {worker-su01-rack01-h02: {since: '2026-11-01', had: globex, no_hook: [acceptance],\n"
    f"  {WIPED}}}}}\n"
    "retired: [{id: 30, slug: initech}]\n"
)
NODE = "worker-su01-rack01-h01"
"""A node of acme."""
