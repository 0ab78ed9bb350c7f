# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Signs about the two ends of a cable in the counters of NIC and switch ports.

    differences({"worker-su01-rack01-h01:rail1p1": {"rx_symbol_err_phy": 7}}, {...: {"rx_symbol_err_phy": 12}})
    -> {"worker-su01-rack01-h01:rail1p1": {"rx_symbol_err_phy": 5}}

Ports are `device:port`, as `locate` takes them. A cable and the NIC port it is in are one link for a test between two
nodes; here they differ: errors of the signal show the cable, full buffers, pauses of the host and a slow PCIe slot show
the NIC. Which counters count, and where they are published, is in `catalog/performance_counters.yaml`.
"""

from __future__ import annotations

import collections
import fnmatch
import functools
import statistics
import typing as t

from ...._nvue.document.shapes import below
from ...catalog.data import table
from ...plan.topology.cabling import HOST, Node
from ...plan.topology.converged_cabling import NetPort, is_converged
from ...plan.topology.oob import OobPort
from .elements import lower_end

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .....module_utils._json import Doc
    from ...plan.fabric import Fabric
    from ...plan.topology.cabling import AnyPort, Device
    from ...plan.topology.cabling import Port as SwitchPort

Counters = t.Mapping[str, t.Mapping[str, int]]
"""By `device:port` and counter."""
Cable = tuple["Device", "AnyPort"]
"""The lower end of a cable."""

SHOWS_CABLE, SHOWS_HOST, SHOWS_PATH, SHOWS_SIGNAL, SHOWS_CONGESTION = SHOWS = (
    "cable",
    "host",
    "path",
    "signal",
    "congestion",
)
NIC, SWITCH = "nic", "switch"
CUTS = ("link_down_events_phy", "carrier-transitions")
"""Counters that rise when somebody shuts a port."""
_POINTS = {
    SHOWS_CABLE: "the cable, its modules, or the port at its other end",
    SHOWS_HOST: "the NIC, its PCIe slot, or the node",
    SHOWS_PATH: "packets were lost somewhere on the way",
    SHOWS_SIGNAL: "FEC still corrects it",
    SHOWS_CONGESTION: "normal under load",
}
"""Likely cause of a counter's rise, for a person."""
_TYPICAL = 10
"""A counter is unusual when it rose more than so many times as far as on the typical port [inferred]."""
_LANE = "phy-raw-errors-lane"
_HEALTH = (("link", "phy", "health"), ("link", "phy-detail"))
_OF_A_SWITCH = (
    (("link", "stats"), ("carrier-transitions", "in-errors", "in-drops", "out-drops"), ""),
    (("link", "stats"), ("in-bytes", "out-bytes"), ""),
    *((path, ("symbol-errors", "effective-errors"), "") for path in _HEALTH),
    (("qos", "roce", "counters", "rx-stats", "rx-pfc-stats"), ("pause-packets",), "rx-pfc-stats/"),
)
"""Paths of counters in NVUE below an interface: phy health since 5.15, phy-detail before."""
PARTS = (
    tuple(f"/*/link/stats/{name}" for name in _OF_A_SWITCH[0][1]),
    (*(f"/*/{'/'.join(path)}" for path in _HEALTH), "/*/qos/roce/counters/rx-stats/rx-pfc-stats"),
)
"""The same as two questions for all interfaces: what every switch has, and what may be refused."""


class Sign(t.NamedTuple):
    """An unusual counter on one end of a cable."""

    device: Device
    port: AnyPort
    shows: str
    counter: str
    rose: int
    says: str
    source: str


def of_switch_port(body: Doc) -> dict[str, int]:
    """The counters of one interface as NVUE reports it operationally; what is not there is left out.

    `phy-raw-errors` is the sum over the lanes.
    """
    made: dict[str, int] = {}
    for path, names, prefix in _OF_A_SWITCH:
        found = below(body, *path)
        for name in names:
            value = str(found.get(name, ""))
            if _counts(value):
                made[prefix + name] = int(value)
    for path in _HEALTH:
        lanes = [str(v) for k, v in below(body, *path).items() if k.startswith(_LANE)]
        if lanes and all(map(_counts, lanes)):
            made[_LANE.removesuffix("-lane")] = sum(map(int, lanes))
    return made


def _counts(value: str) -> bool:
    """Say whether a switch counts so: by digits, of 64 bits at most."""
    return value.isdecimal() and len(value) <= 20


def differences(before: Counters, after: Counters) -> dict[str, dict[str, int]]:
    """Return the rise of each counter. One that fell was cleared meanwhile: it is not known, and is left out."""
    made: dict[str, dict[str, int]] = {}
    for port, now in after.items():
        old = before.get(port, {})
        risen = {
            name: now[name] - old[name] for name in now if old.get(name, now[name] + 1) <= now[name]
        }
        if risen:
            made[port] = risen
    return made


def signs(fabric: Fabric, counters: Counters, *, cut: bool = False) -> dict[Cable, list[Sign]]:
    """By the lower end of a cable: the unusual counters of its ends.

    Ports that are no port of the fabric and counters that the catalog does not have are left out. `cut` says that a
    test has shut ports meanwhile, so that links that went down show nothing.
    """
    values: dict[str, list[int]] = collections.defaultdict(list)
    for rows in counters.values():
        for name, count in rows.items():
            values[name].append(count)
    usual = {name: _TYPICAL * statistics.median_low(found) for name, found in values.items()}
    made: dict[Cable, list[Sign]] = collections.defaultdict(list)
    for where, rows in sorted(counters.items()):
        out = {name: n for name, n in rows.items() if _unusual(name, n, usual)}
        out = {name: n for name, n in out.items() if not cut or name not in CUTS}
        for sign in _of_port(fabric, where, out) if out else ():
            made[lower_end(fabric, sign.device, sign.port)].append(sign)
    return dict(made)


def clean(fabric: Fabric, counters: Counters) -> set[Cable]:
    """The lower ends of cables of which both ends were read, and neither counted an error of the signal."""
    ends: collections.Counter[Cable] = collections.Counter()
    for where, rows in counters.items():
        known = {
            name: n for name, n in rows.items() if (row := catalog_row(name)) and "clears" in row
        }
        port = _port(fabric, where)
        if port is not None and known and not any(known.values()):
            ends[lower_end(fabric, *port)] += 1
    return {cable for cable, times in ends.items() if times > 1}


def _unusual(counter: str, count: int, usual: Mapping[str, int]) -> bool:
    """Errors count from the first; what is normal in small numbers only far above the typical port."""
    row = catalog_row(counter) if count > 0 else None
    if row is None or "least" not in row:
        return row is not None
    return count >= int(row["least"]) and count > usual[counter]


def _port(fabric: Fabric, where: str) -> Cable | None:
    name, _colon, port_name = where.partition(":")
    device = fabric.device(name)
    port = None if device is None or is_converged(device) else fabric.port(device, port_name)
    wrong = port is None or isinstance(port, (NetPort, OobPort))
    return None if device is None or wrong else (device, t.cast("AnyPort", port))


def _of_port(fabric: Fabric, where: str, rows: Mapping[str, int]) -> Iterator[Sign]:
    found = _port(fabric, where)
    if found is None:
        return
    device, port = found
    for counter, count in sorted(rows.items()):
        row = catalog_row(counter)
        if row and _fits(device, port, row):
            yield Sign(device, port, row["shows"], counter, count, row["says"], row["source"])


def _fits(device: Device, port: AnyPort, row: Mapping[str, str]) -> bool:
    """A counter of the right end; a switch sees a host at host ports only."""
    if isinstance(device, Node):
        return row["at"] == NIC
    host = t.cast("SwitchPort", port).kind == HOST
    return row["at"] == SWITCH and (row["shows"] != SHOWS_HOST or host)


@functools.cache
def catalog_row(counter: str) -> t.Mapping[str, str] | None:
    """Return the catalog's row of a counter; its source as text."""
    catalog = table("performance_counters")
    for name, row in catalog["counters"].items():
        if fnmatch.fnmatchcase(counter, name):
            return {**row, "source": catalog["sources"][row["source"]]}
    return None


def meaning(counter: str) -> tuple[str, str]:
    """Return the meaning of a counter and the likely cause of a rise, in a few words; both empty for an unknown one."""
    row = catalog_row(counter)
    return (row["says"], _POINTS[row["shows"]]) if row else ("", "")


def sentence(fabric: Fabric, sign: Sign) -> str:
    """Describe a sign, and the end of the cable to which it points."""
    name, port = fabric.name(sign.device), fabric.port_name(sign.device, sign.port)
    counted = f"{name} port {port} counted {sign.rose} {sign.says} ({sign.counter})"
    peer = fabric.peer(sign.device, port)
    if sign.shows != SHOWS_CABLE or peer is None:
        return f"{counted}."
    return f"{counted}: look between the transmitter of {fabric.name(peer[0])} port {peer[1]} and this receiver."
