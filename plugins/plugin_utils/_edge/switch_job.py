# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Maintenance and replacement of switches: their plan, who takes over the traffic, and whether any passes. Private."""

from __future__ import annotations

import time
import typing as t

from ansible import context
from ansible.utils.display import Display

from .._fabric import batches, stand_ins
from .._fabric.model.errors import FabricError
from .._fabric.switch import compose, terms
from .._fabric.tenancy.leaf import LeafError
from .._fabric.validate.switch_maintenance import drained_by
from .._nvue import operational
from .switch_wish import Wanted

if t.TYPE_CHECKING:
    from .._fabric.fabric import Fabric
    from .._fabric.topology.cabling import Switch
    from .._nvue.api import Api
    from .leaves import Leaves, NvueLeaf

Plain = dict[str, t.Any]
ROLE = "switch_maintenance"
JOBS = {
    "enter": (
        "ask the neighbours to prefer every other way",
        "wait until no port between switches sees more than {most:g} packets a second",
    ),
    "leave": (
        "let the neighbours use it again",
        "check its release, sessions, EVPN and links",
    ),
    "replace": (
        "write its first configuration where switch_bootstrap_dest is set",
        "wait until it answers",
        "bring it to the plan, where its serial or cables show that it is the new one",
        "check it as validate does",
    ),
}
"""The steps of each job."""

_MOST_NAMED = 3
_ALLOW = "allow the loss with -e spx_allow_interrupting=true."


def show(plan: Fabric, job: str, hosts: t.Sequence[str], most: float) -> None:
    """Print the steps of a job, and what its switches are to the fabric."""
    steps = "; ".join(step.format(most=most) for step in JOBS[job])
    for line in (
        f"{job} {', '.join(hosts)}: {steps}",
        f"without it: {batches.loss(plan, hosts)}" if job != "leave" else "",
    ):
        if line:
            Display().display(f"  {line}")


def maintenance(plan: Fabric, device: str, *, enter: bool) -> Wanted:
    """What a switch is to have when it enters or leaves maintenance."""
    return Wanted(compose.context(plan, device, options={"maintenance": enter}), (ROLE,))


# Who takes over the traffic


class Others:
    """What is known of other switches: why each is not in service, empty where it is."""

    def __init__(
        self, plan: Fabric, switches: Leaves, hosts: t.Container[str], drained: t.Iterable[str]
    ) -> None:
        self._plan, self._switches, self._hosts = plan, switches, hosts
        resting = (row.device for row in plan.description.out_of_service if not row.port)
        self._why = dict.fromkeys(resting, "is out of service")
        self._why |= dict.fromkeys(drained, "is drained in this run")

    def must_take_over(self, names: t.Iterable[str]) -> None:
        """FabricError with each of some switches whose traffic nobody takes over."""
        switches = [t.cast("Switch", self._plan.known(name)) for name in names]
        if said := [text for switch in switches if (text := self.lacking(switch))]:
            raise FabricError(said)

    def lacking(self, switch: Switch) -> str:
        """Why a switch may not be drained; empty where another one takes over its traffic.

        As many are read at a time as Ansible has forks, until one is in service.
        """
        name = self._plan.name(switch)
        names = [self._plan.name(other) for other in stand_ins.of_switch(self._plan, switch)]
        if not names:
            alone = "no other plane reaches the rails of its nodes"
            return f"{name}: {alone if switch.role == 'leaf' else 'no other switch does its work'}: {_ALLOW}"
        new = [each for each in names if each not in self._why]
        forks = max(1, int(context.CLIARGS.get("forks") or 1))
        while all(self._why.get(each, "unread") for each in names) and new:
            self._read(new[:forks])
            new = new[forks:]
        reasons = [self._why[each] for each in names if each in self._why]
        if not all(reasons):
            return ""
        shown = [_said(each, self._why[each]) for each in names[:_MOST_NAMED]]
        shown += [f"{len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else []
        return (
            f"{name}: no switch in service takes over its traffic ({'; '.join(shown)}): bring one back, or "
            f"{_ALLOW}"
        )

    def _read(self, names: t.Iterable[str]) -> None:
        listed = [name for name in names if name in self._hosts]
        self._why |= dict.fromkeys(names, "is not in the inventory")
        self._why |= self._switches.each(listed, _why_not)


def _why_not(switch: NvueLeaf) -> str:
    """Why a switch carries no traffic for others, by its configuration and its sessions; empty where it may."""
    try:
        if places := drained_by(dict(switch.applied().document)):
            return f"is drained by {' and '.join(places)}"
        return "" if switch.sessions() else "has no BGP session that is Established"
    except LeafError as exc:
        return str(exc)


def _said(name: str, why: str) -> str:
    return why.rstrip(".") if why.startswith(f"{name}: ") else f"{name} {why}"


# Whether traffic passes


def quiet(api: Api, wanted: Wanted, seconds: float, most: float) -> Plain:
    """The packets a second of each port between switches; too many of them fail, as does a switch without counters."""
    if not terms.may_write(wanted.ctx, ROLE):
        return {"skipped": True, "msg": "manage of the description lets nobody drain the switch."}
    rows = wanted.ctx.slice["ports"]
    ports = [row["port"] for row in rows if row["present"] and row["kind"] != "host"]
    try:
        before, start = operational.packets(api), time.monotonic()
        time.sleep(seconds)
        after = operational.packets(api)
    finally:
        api.port.close()
    spent, counted = time.monotonic() - start, before.keys() & after.keys()
    if silent := [port for port in ports if port not in counted]:
        raise FabricError.of(
            f"{wanted.ctx.slice['name']}: {_few(silent)} report no packets, so that nothing shows that the switch is "
            "drained: make it answer, and run again."
        )
    rates = {port: (after[port] - before[port]) / spent for port in ports}
    return {"rates": rates} | too_much(rates, most)


def too_much(rates: dict[str, float], most: float) -> Plain:
    """What the task adds when ports see more packets a second than `most`; nothing otherwise."""
    loud = sorted((port for port, rate in rates.items() if rate > most), key=lambda p: -rates[p])
    if not loud:
        return {}
    named = _few([f"{port} {rates[port]:.0f}" for port in loud])
    return {
        "failed": True,
        "msg": f"Traffic still passes: {named} packets a second, allowed are {most:g}; do not "
        "begin to work, find out who sends it.",
    }


def _few(names: t.Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
