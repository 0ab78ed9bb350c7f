# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Descriptions of benches: nodes on eight rails, without their number, and the other networks."""

from __future__ import annotations

NODES = {
    "name": "networks",
    "release": {"ra": "2.1", "cumulus": "5.16.1"},
    "switches": {"model": "SN5600", "host_speed": "400G", "fabric_speed": "400G"},
    "nics": {"model": "BlueField-3"},
    "rails": 8,
    "addressing": {"profile": "octet-v4"},
}
NETWORKS = {
    "switches": {"fabric_speed": "200G"},
    "front_end": {"host_speed": "200G", "oversubscription": 2},
    "storage": {
        "host_speed": "200G",
        "array_speed": "200G",
        "array_ports": 32,
        "oversubscription": 4,
        "arrays": [{"name": "vast-1", "ports": [1, 2]}],
    },
    "border": {
        "external_speed": "100G",
        "links": [{"name": "isp-a", "leaf": "border-leaf-01-1", "port": 1}],
    },
}
