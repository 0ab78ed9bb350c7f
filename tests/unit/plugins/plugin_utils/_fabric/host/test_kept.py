# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file that a host keeps."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.host.desired import (
    desired,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.host.kept import state
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)


def of(fabric, **settings):
    name = fabric.name(next(fabric.nodes()))
    return desired(fabric, name, registry=Registry.empty(fabric), settings=settings)


def test_the_host_keeps_only_what_roles_may_write():
    wanted = {**of(example("lab")), "agent": "1.0.0+0", "manage": ["dpu_qos"]}
    nic = state(wanted)["nics"][0]
    assert {"qos", "pci"} <= set(nic)
    assert not {"roce", "nvconfig", "firmware", "ports"} & set(nic)
    everything = {**wanted, "manage": ["dpu_qos", "dpu_congestion_control"]}
    assert "cc" in state(everything)["nics"][0]["roce"]
    assert "cc" not in state(everything, algorithm=False)["nics"][0]["roce"]
