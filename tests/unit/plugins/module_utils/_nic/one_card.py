# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The desired state of one card, and what its host says of it."""

from __future__ import annotations

import sys

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import (
    from_json,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import (
    Result,
)

PCI = "0000:1a:00.0"
NIC = {
    "pci": PCI,
    "device": "a2dc",
    "mode": "nic",
    "qos": {"trust": "dscp", "pfc": "00010000", "traffic_class": 96},
    "roce": {"accl": {"roce_tx_window_en": 1}, "inter_packet_gap": 33},
    "ports": [{"netdev": "rail1p1", "mtu": 9166}],
}

REPAIRING = {"schema": 1, "watch": {"action": "repair"}}


def desired(action="repair", **parts):
    return from_json({"schema": 1, "watch": {"action": action}, "nics": [{**NIC, **parts}]})


def statistics(world, **counters):
    rows = "".join(f"     {name}: {value}\n" for name, value in counters.items())
    world.card.broken["ethtool -S"] = Result(0, f"NIC statistics:\n{rows}", "")


def second_card(world):
    """Another card of the same kind, at 0000:2a:00.0."""
    pci = "/sys/bus/pci/devices/0000:2a:00.0"
    for name, text in (("vendor", "0x15b3"), ("device", "0xa2dc"), ("class", "0x020000")):
        world.put(f"{pci}/{name}", f"{text}\n")
    world.put(f"{pci}/net/rail2p1/phys_port_name", "p0\n")
    world.put(f"{pci}/infiniband/mlx5_1/node_type", "1\n")
    world.put("/sys/class/net/rail2p1/operstate", "up\n")
    return {"pci": "2a:00.0", "qos": {"trust": "dscp"}, "roce": NIC["roce"]}


ROCE = {
    "accl": {
        "roce_adp_retrans_en": 1,
        "roce_tx_window_en": 1,
        "roce_slow_restart_en": 0,
        "adaptive_routing_forced_en": 1,
    },
    "dcqcn": {"rp": True, "np": True},
    "cc": {
        "slots": {0: {"enabled": True, "counters": True}, 15: {"enabled": False}},
        "params": {0: {4: 96, 5: 1700}},
    },
    "inter_packet_gap": 33,
}

QOS = {
    "trust": "dscp",
    "pfc": "00010000",
    "cnp_dscp": 48,
    "tos": 96,
    "traffic_class": 96,
    "dcbx": "os",
}


def converged(world):
    """The kernel prints the traffic class in another form than it takes it."""
    world.put("/sys/class/infiniband/mlx5_0/tc/1/traffic_class", "Global tclass=96\n")
    world.put("/sys/class/net/rail1p1/ecn/roce_np/cnp_dscp", "48\n")
    world.card.trust, world.card.pfc, world.card.tos = "dscp", [0, 0, 0, 1, 0, 0, 0, 0], 96


PROGRAM = """#!{python}
import sys, time
print("Info: Starting DOCA PCC", flush=True)
print("Info: PCC host status {state}", flush=True)
time.sleep({seconds})
sys.exit(4)
"""


def program(tmp_path, state, seconds):
    path = tmp_path / "doca_spcx_cc"
    path.write_text(PROGRAM.format(python=sys.executable, state=state, seconds=seconds))
    path.chmod(0o755)
    return str(path)
