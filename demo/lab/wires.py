# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cables: two halves and what joins them, so that a port keeps its name through every fault.

Cable number n is the bridge ``w<n>`` in the cables namespace with the ports ``c<n>a`` and
``c<n>b``; the other half of each is the port on its device. A pulled cable takes the carrier
from both ends and leaves everything else on the devices as it is; a dead device takes only its
own halves along; a swap exchanges two ports between bridges. `linkd` carries "no carrier" from
one end to the other, as copper and glass do.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from lab.cabling import End
from lab.errors import LabError
from lab.spaces import batch, mac
from lab.state import Lab

PANEL_MTU = 9600
"""More than any device sets, so that the devices alone decide what is too long."""
SWITCH_MTU = 9216
"""Factory MTU of a Cumulus Linux front port."""
HOST_MTU = 1500
FORWARD_LINK_LOCAL = 0xFFF8
"""Bridge mask: pass all of 01:80:c2:00:00:0X but 0, 1, 2, which the kernel reserves; LLDP is E."""
HANDS = 1.5
"""Seconds a swapped cable is out, so that both ends notice, as with a person's hands."""
PULLED = 1
"""Interface group of the halves of a pulled cable: `linkd` leaves these alone."""


def attach(lab: Lab, pids: Mapping[str, int]) -> None:
    """Make the halves of every cable whose device is in `pids` (its process by name)."""
    links = list(enumerate(lab.links()))
    batch(lab.panel, (line for n, dummy in links for line in _bridge(n)), force=True)
    batch(
        lab.panel,
        (
            line
            for n, ends in links
            for side, end in zip("ab", ends)
            if end.device in pids
            for line in _half(lab, n, side, end, pids[end.device])
        ),
    )


def detach(lab: Lab, device: str) -> None:
    """Remove the halves of every cable of `device`, if they are there."""
    batch(
        lab.panel,
        (
            f"link del c{n}{side}"
            for n, ends in enumerate(lab.links())
            for side, end in zip("ab", ends)
            if end.device == device
        ),
        force=True,
    )


def pull(lab: Lab, number: int) -> None:
    """Pull a cable out at both ends."""
    batch(lab.panel, (f"link set c{number}{s} group {PULLED} down" for s in "ab"), force=True)
    lab.unplugged = sorted({*lab.unplugged, number})


def plug(lab: Lab, number: int) -> None:
    """Plug a pulled cable in again."""
    batch(lab.panel, (f"link set c{number}{s} group 0 up" for s in "ab"), force=True)
    lab.unplugged = [n for n in lab.unplugged if n != number]


def swap(lab: Lab, first: End, second: End) -> None:
    """Exchange what is plugged into two ports; both devices' other ends see it as a flap."""
    one, other = place(lab, first), place(lab, second)
    if one[0] == other[0]:
        raise LabError(f"{first} and {second} are the two ends of one cable; name ends of two")
    touched = [f"c{n}{s}" for n in (one[0], other[0]) for s in "ab"]
    a, b = f"c{one[0]}{one[1]}", f"c{other[0]}{other[1]}"
    batch(lab.panel, (f"link set {port} group {PULLED} down" for port in touched), force=True)
    time.sleep(HANDS)
    batch(
        lab.panel,
        [
            f"link set {a} nomaster",
            f"link set {b} nomaster",
            f"link set {a} name swapped",
            f"link set {b} name {a}",
            f"link set swapped name {b}",
            *_join(one[0], one[1]),
            *_join(other[0], other[1]),
        ],
    )
    for number, side, end in ((*one, second), (*other, first)):
        at = 0 if side == "a" else 2
        lab.wiring[number][at : at + 2] = [end.device, end.port]
    for number in (one[0], other[0]):
        if number not in lab.unplugged:
            plug(lab, number)


def place(lab: Lab, end: End) -> tuple[int, str]:
    """Return the number of the cable in `end` and its side, "a" or "b"."""
    for number, ends in enumerate(lab.links()):
        for side, candidate in zip("ab", ends):
            if candidate == end:
                return number, side
    raise LabError(f"no cable is plugged into {end}")


def _bridge(number: int) -> list[str]:
    return [
        f"link add w{number} type bridge mcast_snooping 0 group_fwd_mask {FORWARD_LINK_LOCAL}",
        f"link set w{number} up",
    ]


def _join(number: int, side: str) -> Iterable[str]:
    port = f"c{number}{side}"
    yield f"link set {port} master w{number}"
    yield f"link set {port} type bridge_slave learning off"


def _half(lab: Lab, number: int, side: str, end: End, pid: int) -> Iterable[str]:
    host = lab.cabling.device(end.device).kind == "host"
    mtu = HOST_MTU if host else SWITCH_MTU
    port = f"c{number}{side}"
    group = PULLED if number in lab.unplugged else 0
    yield (
        f"link add {port} mtu {PANEL_MTU} type veth peer name {lab.netdev(end)} mtu {mtu} "
        f"address {mac(lab.name, str(end))} netns {pid}"
    )
    yield f"link set {port} alias {end}"
    yield from _join(number, side)
    yield f"link set {port} group {group} {'down' if group else 'up'}"
