# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Maintenance and replacement of switches: the plan, the switches that take over, the traffic that is left. Private."""

from __future__ import annotations

import dataclasses
import time
import typing as t

from ..._fabric.audit.switch import drained_by
from ..._fabric.description.errors import FabricError
from ..._fabric.plan import batches, redundancy
from ..._fabric.render.switch import compose
from ..._fabric.tenants.moves.leaf import LeafError
from .wish import SwitchWish

if t.TYPE_CHECKING:
    from ..._fabric.plan.fabric import Fabric
    from ..._fabric.plan.slices import SwitchPort
    from ..._fabric.plan.topology.cabling import Switch
    from ..._fabric.render.switch.context import Context
    from .leaves import Leaves, NvueLeaf

Plain = dict[str, object]
ROLE = "switch_maintenance"
JOBS = {
    "enter": (
        "ask the neighbours to prefer any other path",
        "wait until none of its ports sees more than {most:g} packets a second",
    ),
    "leave": (
        "let the neighbours use it again",
        "check that it is not drained, and its release, sessions, EVPN and links",
    ),
    "replace": (
        "write its first configuration where switch_bootstrap_dest is set",
        "wait until it answers",
        "bring it to the plan, where its serial or cables show that it is the new one",
        "check it as validate does",
    ),
}
"""The steps of each job."""
NEW = ("breakout", "frr_restart", "renumber", "switchd_reload")
"""Disturbances that a replacement switch may have: it has no traffic of the plan yet."""

_MOST_NAMED = 3


def lines(plan: Fabric, job: str, hosts: t.Sequence[str], most: float) -> list[str]:
    """The steps of a job, and what its switches are to the fabric."""
    steps = "; ".join(step.format(most=most) for step in JOBS[job])
    made = [f"{job} {', '.join(hosts)}: {steps}"]
    if job != "leave":
        made.append(f"without it: {batches.loss(plan, hosts)}")
    return made


def maintenance(plan: Fabric, device: str, *, enter: bool) -> SwitchWish:
    """Return the wish of a switch that enters or leaves maintenance."""
    return SwitchWish(compose.context(plan, device, options={"maintenance": enter}), (ROLE,))


def must_manage(wanted: SwitchWish) -> None:
    """FabricError where nothing would be written: nobody may take the run for maintenance then."""
    if wanted.unlisted:
        raise FabricError.of(
            f"manage of the description does not list switch_underlay, so that {wanted.ctx.slice['name']} would be "
            "neither drained nor given back: list it, or use --check."
        )


def must_be_new(plan: Fabric, place: str, serial: str) -> None:
    """FabricError where a serial is that of another device: it would be taken from where it works."""
    owner = plan.device(serial)
    if owner is not None and owner != plan.device(place):
        raise FabricError.of(
            f"spx_serial: {serial} is {plan.name(owner)} in devices.csv, not a new switch for {place}: give the serial "
            "of the new switch, or remove it from that row first."
        )


# Who takes over the traffic


@dataclasses.dataclass(frozen=True)
class ServiceState:
    """Service of a switch: the reason that it is out of service, empty where it is not, and the devices that it
    reaches."""

    why: str = ""
    reached: frozenset[str] = frozenset()


class RemainingSwitches:
    """The switches that do the work of those that are to be drained, read as far as it takes."""

    def __init__(
        self,
        plan: Fabric,
        switches: Leaves,
        hosts: t.Container[str],
        drained: t.Iterable[str],
        *,
        forks: int,
    ) -> None:
        self._plan, self._switches, self._hosts = plan, switches, hosts
        self._drained, self._forks = tuple(drained), max(1, forks)
        self._seen = dict.fromkeys(plan.resting, ServiceState("is out of service"))
        self._seen |= dict.fromkeys(self._drained, ServiceState("is drained in this run"))

    def must_take_over(self, window: t.Callable[[str], str]) -> None:
        """FabricError with each of the drained switches whose traffic nobody takes over.

        `window` returns why the traffic of a switch may not stop, empty where it may; such a switch is not read.
        """
        closed = {name: why for name in self._drained if (why := window(name))}
        own = self._switches.each(closed, self._reached)
        said = [(self.lacking(name, own[name]), why) for name, why in closed.items()]
        if sentences := [f"{text} {why}." for text, why in said if text]:
            raise FabricError(sentences)

    def lacking(self, name: str, needed: frozenset[str]) -> str:
        """Reason that a switch may not be drained; empty where others reach all that it reaches.

        As many are read at a time as Ansible has forks, until that is so.
        """
        switch = t.cast("Switch", self._plan.known(name))
        names = [self._plan.name(other) for other in redundancy.of_switch(self._plan, switch)]
        if not names:
            alone = "no other plane reaches the rails of its nodes"
            return f"{name}: {alone if switch.role == 'leaf' else 'no other switch does its work'}."
        new = [each for each in names if each not in self._seen]
        while (missing := needed.difference(*self._reaches(names))) and new:
            self._read(new[: self._forks])
            new = new[self._forks :]
        if not missing:
            return ""
        reasons = _few(
            [_said(one, self._seen[one].why or "does not reach them") for one in names], "; "
        )
        return (
            f"{name}: no switch in service takes over its traffic to {_few(sorted(missing))} ({reasons}): bring one "
            "back."
        )

    def _reaches(self, names: t.Iterable[str]) -> list[frozenset[str]]:
        found = (self._seen.get(name) for name in names)
        return [look.reached for look in found if look and not look.why]

    def _read(self, names: t.Iterable[str]) -> None:
        listed = [name for name in names if name in self._hosts]
        self._seen |= dict.fromkeys(names, ServiceState("is not in the inventory"))
        self._seen |= self._switches.each(listed, self._look)

    def _look(self, switch: NvueLeaf) -> ServiceState:
        """Check whether a switch forwards traffic for others, by its configuration and its sessions."""
        try:
            if places := drained_by(dict(switch.applied().document)):
                return ServiceState(f"is drained by {' and '.join(places)}")
            reached = self._reached(switch)
            return ServiceState(
                "" if reached else "has no BGP session that is Established", reached
            )
        except LeafError as exc:
            return ServiceState(str(exc))

    def _reached(self, switch: NvueLeaf) -> frozenset[str]:
        """Devices that a switch reaches: by sessions leaves, pods or the tier above, by carriers the nodes of a
        leaf."""
        ctx = compose.context(self._plan, switch.name)
        up = {peer for _vrf, peer in switch.sessions()}
        carriers = switch.carriers() if up and ctx.host_ports else set()
        numbered = ctx.description.addressing.inter_switch != "unnumbered"
        reached = {row["peer"]["device"] for row in ctx.host_ports if row["port"] in carriers}
        for row in ctx.fabric_ports:
            if (row["peer_address"] if numbered else row["port"]) in up:
                reached.add(_far(ctx, row))
        return frozenset(reached)


def _far(ctx: Context, row: SwitchPort) -> str:
    """Name the far end of a port between switches as any other switch of the tier reaches it."""
    if row["kind"] == "up":
        return "the tier above"
    far = t.cast("Switch", ctx.fabric.known(row["peer"]["device"]))
    return f"pod {far.pod + 1}" if ctx.role == "super_spine" else row["peer"]["device"]


def _said(name: str, why: str) -> str:
    return why.rstrip(".") if why.startswith(f"{name}: ") else f"{name} {why}"


# Whether the job is done


def prove(
    switch: NvueLeaf, wanted: SwitchWish, *, enter: bool, seconds: float = 0, most: float = 0
) -> Plain:
    """See that a switch is drained and no port passes more than `most` packets a second, or that it is not drained."""
    places = drained_by(dict(switch.applied().document))
    name = wanted.ctx.slice["name"]
    if enter and not places:
        raise FabricError.of(
            f"{name}: it is not drained, as router/bgp/graceful-shutdown is not applied: check whether "
            "unmanaged of the description covers it, or somebody reverts it, and run again."
        )
    if not enter and places:
        raise FabricError.of(
            f"{name}: it is still drained by {' and '.join(places)}: unset that, and run again."
        )
    return _quiet(switch, wanted, seconds, most) if enter else {}


def _quiet(switch: NvueLeaf, wanted: SwitchWish, seconds: float, most: float) -> Plain:
    """The packets a second of each port that is built; too many of them fail, and those that nobody could count."""
    ports = [row["port"] for row in wanted.ctx.ports if row["present"]]
    before, start = switch.packets(), time.monotonic()
    time.sleep(seconds)
    after = switch.packets()
    spent = time.monotonic() - start
    rates, unknown = {}, []
    for port in ports:
        counts = [(now - then) for then, now in zip(before.get(port, ()), after.get(port, ()))]
        if not counts or min(counts) < 0:
            unknown.append(port)
        else:
            rates[port] = sum(counts) / spent
    if unknown:
        raise FabricError.of(
            f"{wanted.ctx.slice['name']}: {_few(unknown)} report no packets, or fewer than before, so nothing "
            "shows that the switch is drained: run again, or find out why."
        )
    return {"rates": rates} | too_much(rates, most)


def too_much(rates: dict[str, float], most: float) -> Plain:
    """Return a failure when ports have more packets a second than `most`; nothing otherwise."""
    loud = sorted((port for port, rate in rates.items() if rate > most), key=lambda p: -rates[p])
    if not loud:
        return {}
    named = _few([f"{port} {rates[port]:.0f}" for port in loud])
    return {
        "failed": True,
        "msg": f"Traffic still passes: {named} packets a second, allowed are {most:g}; do not start "
        "work; find out who sends it.",
    }


def _few(names: t.Sequence[str], between: str = ", ") -> str:
    more = len(names) - _MOST_NAMED
    last = f"{between}{more} more" if between != ", " else f" and {more} more"
    return between.join(names[:_MOST_NAMED]) + (last if more > 0 else "")
