# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The runtime QoS of a port. `mlnx_qos` answers most of it in one process; `dcb` answers where it is missing."""

from __future__ import annotations

from ..desired import Qos
from ..parse import qos as parse
from ..parse.listings import dcb_dscp, dcb_pfc
from ..records import PortQos, PortRecord
from ..tools import MISSING, Host, failed
from .card import unanswered

LLDPAD_PROGRAM = "lldpad"  # a DCB daemon that rewrites PFC by itself
TRUST = "/sys/class/net/{netdev}/qos/trust"
"""A file of old kernels and of OFED; where it is, mlnx_qos ignores flush and del, and ends with 0 all the same."""
CNP = "/sys/class/net/{netdev}/ecn/roce_np/cnp_dscp"
TRAFFIC_CLASS = "/sys/class/infiniband/{rdma}/tc/1/traffic_class"


def read_qos(host: Host, port: PortRecord, wanted: Qos | None = None) -> PortQos:
    """QoS of a port as plain data; what costs a process of its own is read only where wanted.

    Keys as in `parse_mlnx_qos`, with trust_file, cnp_dscp, tos, roce_mode, traffic_class and pfc_prevention_timeout.
    """
    found = _dcb(host, port)
    found["trust_file"] = host.text(TRUST.format(netdev=port["netdev"])) is not None
    found["cnp_dscp"] = host.number(CNP.format(netdev=port["netdev"]))
    if port.get("rdma"):
        found.update(_traffic_class(host, port["rdma"], wanted))
    if wanted and wanted.pfc_prevention_timeout is not None:
        argv = ("ethtool", "--get-tunable", port["netdev"], "pfc-prevention-tout")
        found["pfc_prevention_timeout"] = parse.parse_tunable(host.ask(*argv).out)
    return found


def _dcb(host: Host, port: PortRecord) -> PortQos:
    result = host.ask("mlnx_qos", "-i", port["netdev"])
    if result.rc == MISSING:
        return _from_dcb(host, port["netdev"])
    if failed(result):
        raise unanswered(host, port["pci"], "mlnx_qos", result)
    return parse.parse_mlnx_qos(result.out)


def _from_dcb(host: Host, netdev: str) -> PortQos:
    found: PortQos = {}
    pfc = dcb_pfc(host.ask("dcb", "-j", "pfc", "show", "dev", netdev).out)
    dscp = dcb_dscp(host.ask("dcb", "-j", "app", "show", "dev", netdev).out)
    if pfc is not None:
        found["pfc"] = pfc
    if dscp is not None:
        found["trust"] = "dscp" if dscp else "pcp"
        found["dscp2prio"] = dscp
    return found


def _traffic_class(host: Host, rdma: str, wanted: Qos | None) -> PortQos:
    content = host.text(TRAFFIC_CLASS.format(rdma=rdma))
    found: PortQos = {
        "traffic_class": None if content is None else parse.parse_traffic_class(content),
    }
    if wanted is None or wanted.tos is not None:
        found["tos"] = parse.parse_tos(host.ask("cma_roce_tos", "-d", rdma).out)
        mode = host.ask("cma_roce_mode", "-d", rdma, "-p", "1")
        found["roce_mode"] = parse.parse_roce_mode(mode.out)
    return found
