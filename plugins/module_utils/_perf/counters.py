# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counters of a port before and after a run, and what they prove.

The switch and the NIC put a packet into a class by its DSCP. The byte counters of the priority, `tx_prio3_bytes` and
`rx_prio3_bytes` of `ethtool -S`, show that the traffic was in the lossless class (Linux kernel, mlx5 counters).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .._nic.parse.qos import parse_statistics
from .._nic.tools import MISSING, Host, not_installed

Counters = dict[str, int]

SHARE = 0.9
"""Part of the payload that the counters of the priority have to show; ours. Headers only add to them."""
WATCHED = (
    "tx_prio{priority}_bytes",
    "rx_prio{priority}_bytes",
    "rx_prio{priority}_discards",
    "tx_prio{priority}_pause",
    "rx_prio{priority}_pause",
    "rx_discards_phy",
    "rx_crc_errors_phy",
    "rx_symbol_err_phy",
    "link_down_events_phy",
    "tx_pause_storm_error_events",
    "out_of_buffer",
    "out_of_sequence",
    "packet_seq_err",
    "local_ack_timeout_err",
    "roce_adp_retrans",
    "roce_adp_retrans_to",
    "np_cnp_sent",
    "rp_cnp_handled",
)
"""Counters that are returned although they did not rise: that is what a reader asks."""
OF_PORT = re.compile(r"_phy$|_prio\d|pause|_pci_|^outbound|out_of_buffer|dropped")
"""Counters of the port and its priorities, of the hundreds that a driver shows; not those of single queues."""
OF_QUEUE = re.compile(r"^(rx|tx|ch|xdp|xsk)\d+_")


def unreadable(host: Host) -> str:
    """Reason that no counter can be read here, "" where ethtool is installed."""
    return not_installed("ethtool") if host.ask("ethtool", "--version").rc == MISSING else ""


def read(host: Host, netdevs: Iterable[str], rdmas: Iterable[str] = ()) -> Counters:
    """Counter -> value, added up over the interfaces and the RDMA devices. Empty where nothing is readable."""
    total: Counters = {}
    for netdev in netdevs:
        every = parse_statistics(host.ask("ethtool", "-S", netdev).out)
        _add(total, {name: value for name, value in every.items() if of_port(name)})
    for rdma in rdmas:
        _add(total, _hardware(host, rdma))
    return total


def of_port(name: str) -> bool:
    """Does a counter of `ethtool -S` belong to the port, not to one of its queues?"""
    return bool(OF_PORT.search(name)) and not OF_QUEUE.match(name)


def _add(total: Counters, more: Counters) -> None:
    for name, value in more.items():
        total[name] = total.get(name, 0) + value


def _hardware(host: Host, rdma: str) -> Counters:
    """`lifespan` is no counter but how long the driver keeps what it read, in milliseconds."""
    folder = f"/sys/class/infiniband/{rdma}/ports/1/hw_counters"
    found = {name: host.number(f"{folder}/{name}") for name in host.entries(folder)}
    return {
        name: value for name, value in found.items() if value is not None and name != "lifespan"
    }


def difference(before: Counters, now: Counters, *, priority: int) -> Counters:
    """Return the counters that rose, and the watched ones that did not. A counter that fell was reset: it says
    nothing."""
    watched = {name.format(priority=priority) for name in WATCHED}
    return {
        name: now[name] - before[name]
        for name in sorted(before)
        if name in now
        and (now[name] > before[name] or (now[name] == before[name] and name in watched))
    }


def unproven(change: Counters, *, priority: int, sent: int = 0, received: int = 0) -> str:
    """Reason that the counters do not prove these bytes in the priority, "" where they do."""
    for name, moved in (("tx", sent), ("rx", received)):
        counter = f"{name}_prio{priority}_bytes"
        if moved and counter not in change:
            return f"ethtool shows no counter {counter}, so nothing proves the class of the packets"
        if moved and change[counter] < SHARE * moved:
            return (
                f"the traffic was not in priority {priority}: the test moved {moved} bytes, and {counter} rose by "
                f"{change[counter]}"
            )
    return ""
