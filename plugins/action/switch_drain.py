# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.switch_drain``; documented in the module of that name."""

from __future__ import annotations

import typing as t

from ansible import context

from ..plugin_utils._edge.action import Action, Plain
from ..plugin_utils._edge.leaves import Leaves
from ..plugin_utils._edge.project import fabric
from ..plugin_utils._fabric import stand_ins
from ..plugin_utils._fabric.model.errors import FabricError
from ..plugin_utils._fabric.tenancy.leaf import LeafError
from ..plugin_utils._fabric.validate.switch_maintenance import drained_by

if t.TYPE_CHECKING:
    from ..plugin_utils._edge.leaves import NvueLeaf
    from ..plugin_utils._fabric.fabric import Fabric
    from ..plugin_utils._fabric.topology.cabling import Switch

_MOST_NAMED = 3
_ALLOW = "allow the loss with -e spx_allow_interrupting=true."


class ActionModule(Action):
    """Refuses to drain switches of which no other one in service takes over the traffic."""

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Look at the others, unless the traffic may be interrupted."""
        if args["allow_interrupting"]:
            return {"in_service": []}
        plan = fabric(args["description"], stated)
        others = Others(plan, Leaves(plan, self, stated), stated["hostvars"], args["hosts"])
        drained = [t.cast("Switch", plan.known(name)) for name in args["hosts"]]
        if said := [text for switch in drained if (text := others.lacking(switch))]:
            raise FabricError(said)
        return {"in_service": others.in_service()}


class Others:
    """What is known of other switches: why each is not in service, empty where it is."""

    def __init__(
        self, plan: Fabric, switches: Leaves, hosts: t.Container[str], drained: t.Iterable[str]
    ) -> None:
        self._plan, self._switches, self._hosts = plan, switches, hosts
        resting = (row.device for row in plan.description.out_of_service if not row.port)
        self._why = dict.fromkeys(resting, "is out of service")
        self._why |= dict.fromkeys(drained, "is drained in this run")

    def in_service(self) -> list[str]:
        """The switches that were read and are in service."""
        return [name for name, why in self._why.items() if not why]

    def lacking(self, switch: Switch) -> str:
        """Why a switch may not be drained; empty where another one takes over its traffic.

        As many are read at a time as Ansible has forks, until one is in service.
        """
        name, others = self._plan.name(switch), stand_ins.of_switch(self._plan, switch)
        if not others:
            alone = "no other plane reaches the rails of its nodes"
            return f"{name}: {alone if switch.role == 'leaf' else 'no other switch does its work'}: {_ALLOW}"
        names = [self._plan.name(other) for other in others]
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
        if places := drained_by(switch.applied().document):
            return f"is drained by {' and '.join(places)}"
        return "" if switch.sessions() else "has no BGP session that is Established"
    except LeafError as exc:
        return str(exc)


def _said(name: str, why: str) -> str:
    return why.rstrip(".") if why.startswith(f"{name}: ") else f"{name} {why}"
