# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of nodes that nobody rents."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy import (
    health,
)

from .tenants import TENANTS


def test_health(lab, registry):
    """Quarantine, rest and moves, with what is known of them."""
    rows = health.held(lab, registry(TENANTS))
    rows["lines"] = health.lines(rows)
    assert rows["rest"] == [
        {
            "node": "worker-su01-rack01-h02",
            "since": "2026-11-01",
            "had": "globex",
            "wipe": "wiped on 2026-11-01 by the hook wipe of the run bastion/7/0a1b2c3d",
            "passed": [],
            "no_hook": ["acceptance"],
            "group": "burn-in",
        }
    ]
    assert len(rows["quarantine"]) == 2
    (said,) = [line for line in rows["lines"] if "worker-su01-rack01-h02" in line]
    assert said.startswith(
        "  worker-su01-rack01-h02 (had globex) since 2026-11-01, wiped on 2026-11-01"
    )
    assert said.endswith("passed nothing yet, no hook acceptance")
