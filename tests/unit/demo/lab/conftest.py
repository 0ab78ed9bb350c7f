# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The smallest lab."""

from __future__ import annotations

import pytest

TINY = {
    "fabric": "tiny",
    "devices": [
        {"name": "leaf-1", "kind": "switch", "model": "SN5600", "serial": "MT1"},
        {"name": "leaf-2", "kind": "switch", "model": "SN5600", "serial": "MT2"},
        {"name": "host-1", "kind": "host", "nics": [{"port": "rail1p1", "pci": "0000:18:00.0"}]},
        {"name": "host-2", "kind": "host", "nics": [{"port": "rail1p1", "pci": "0000:18:00.0"}]},
    ],
    "links": [
        ["leaf-1", "swp1s0", "host-1", "rail1p1"],
        ["leaf-2", "swp1s0", "host-2", "rail1p1"],
        ["leaf-1", "swp3s0", "leaf-2", "swp3s0"],
        ["leaf-1", "swp3s1", "leaf-2", "swp3s1"],
    ],
}


@pytest.fixture(name="tiny", scope="session")
def _tiny() -> dict:
    """Two leaves with two cables between them and a host each, as a cabling document."""
    return TINY
