# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of a validation, as statuses of devices and cables in a DCIM. Private.

A device that answered is active. One that was asked and gave no answer is failed, unless the DCIM still has it
as planned, so that what was never there does not fail. What is out of service is offline, never failed.

A cable is connected where LLDP or MAC addresses prove the planned neighbour, wrong where they prove another one, and
disconnected where nothing is heard and the port is down. What was not checked, is waived or proves neither has no
status from here. Of the two ends of a cable the worse one counts.
"""

from __future__ import annotations

import typing as t

from ..._fabric.audit.results import FAIL, NOT_REALISED, NOT_RUN, PASS, WAIVED
from ..._fabric.audit.switch_neighbours import proves_another
from ..._fabric.catalog.roles import ROLES
from ..._fabric.export.dcim.owners import Rules
from ..._fabric.plan.topology.cabling import NicPort, Node

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..._fabric.audit.results import Result
    from ..._fabric.export.dcim.context import Context
    from ..._fabric.export.dcim.difference import Update
    from ..._fabric.export.dcim.things import Thing
    from ..._fabric.plan.fabric import Fabric
    from ..._fabric.plan.topology.cabling import AnyPort, Device, Switch

_REACHABLE = frozenset({"switch.reachable", "host.reachable"})
_NEIGHBOUR, _SWAP = "switch.lldp.neighbour", "switch.lldp.swap"
_LINK, _CABLE = "switch.link.state", "pair.cable"
_WORSE = ("connected", "disconnected", "wrong")
_STATUS = {"device.status": "plan", "cable.status": "plan"}
"""Fields that only a run with the results of a validation decides."""


class Statuses(t.NamedTuple):
    """Statuses by kind, then by key; empty without a validation."""

    statuses: Mapping[str, Mapping[str, str]]

    def of(self, thing: Thing) -> Thing:
        """A thing with the status that was found."""
        found = self.statuses.get(thing.kind, {}).get(thing.key)
        return thing._replace(values={**thing.values, "status": found}) if found else thing

    def rules(self, rules: Rules) -> Rules:
        """The site's rules; with a validation, statuses are written."""
        return Rules({**rules.chosen, **_STATUS}) if self.statuses else rules

    def left(self, change: Update) -> Update | None:
        """A change without a status that nobody found; None where nothing else is to be written."""
        kind, key = change.thing.kind, change.thing.key
        if not self.statuses or "status" not in change.fields or f"{kind}.status" not in _STATUS:
            return change
        found = self.statuses.get(kind, {}).get(key)
        theirs = change.fields["status"][1]
        if found and not (found == "failed" and theirs == "planned"):
            return change
        fields = {name: pair for name, pair in change.fields.items() if name != "status"}
        return change._replace(fields=fields) if fields or not change.found.owned else None


NOTHING = Statuses({})
"""Without a validation."""


def truth(context: Context, rows: Iterable[Result]) -> Statuses:
    """The statuses that follow from the results of a validation, of this fabric alone."""
    name = context.fabric.description.name
    by_device: dict[str, list[Result]] = {}
    for row in rows:
        if row["fabric"] == name:
            by_device.setdefault(row["device"], []).append(row)
    devices: dict[str, str] = {}
    cables: dict[str, str] = {}
    for device_name, results in sorted(by_device.items()):
        device = context.fabric.device(device_name)
        if device is None:
            continue
        status = _device(context, device_name, results)
        if status:
            devices[context.device(device).key] = status
        if isinstance(device, Node):
            _by_macs(context, device, results, cables)
        else:
            _cables(context, device, results, cables)
    return Statuses({"device": devices, "cable": cables})


def _device(context: Context, name: str, results: Iterable[Result]) -> str:
    if name in context.fabric.resting:
        return "offline"
    states = {row["state"] for row in results if row["id"] in _REACHABLE}
    states -= {WAIVED, NOT_REALISED}
    if not states:
        return ""
    return "active" if states == {PASS} else "failed"


def _cables(context: Context, switch: Switch, rows: list[Result], into: dict[str, str]) -> None:
    """Add what a switch says of its cables."""
    found = _ports(rows)
    if found is None:
        return
    bad, unknown = found
    for port in context.fabric.cabling_of(switch).ports(switch):
        name = context.fabric.port_name(switch, port)
        key = _cable(context, switch, port)
        if not key or name in unknown:
            continue
        _add(into, key, bad.get(name, "connected"))


def _by_macs(context: Context, node: Node, rows: list[Result], into: dict[str, str]) -> None:
    """Add what MAC addresses prove of the cables of a node where LLDP does not."""
    for row in (row for row in rows if row["id"] == _CABLE):
        proven = row["found"] if row["state"] == PASS and isinstance(row["found"], list) else []
        names = [row["port"]] if row["state"] == FAIL else proven
        for port in (context.fabric.port(node, str(name)) for name in names):
            key = _cable(context, node, port) if isinstance(port, NicPort) else ""
            if key:
                _add(into, key, "wrong" if row["state"] == FAIL else "connected")


def _add(into: dict[str, str], key: str, status: str) -> None:
    into[key] = max(status, into.get(key, status), key=_WORSE.index)


def _ports(rows: list[Result]) -> tuple[dict[str, str], set[str]] | None:
    """Ports with a bad neighbour, and those waived or not proven; None where LLDP was not judged as a whole."""
    heard = [row for row in rows if row["id"] in (_NEIGHBOUR, _SWAP)]
    judged = {row["id"] for row in heard if row["state"] not in (NOT_RUN, NOT_REALISED)}
    if _SWAP not in judged or any(row["state"] == NOT_RUN for row in heard):
        return None
    bad: dict[str, str] = {}
    unknown: set[str] = set()
    down = {row["port"] for row in rows if row["id"] == _LINK and row["state"] == FAIL}
    for row in heard:
        for port in (row["port"] or "").split(",") if row["port"] else ():
            if row["state"] in (WAIVED, NOT_REALISED):
                unknown.add(port)
            elif row["state"] == FAIL and (row["id"] == _SWAP or proves_another(row)):
                bad[port] = "wrong"
            elif row["state"] == FAIL and not row["found"] and port in down:
                bad[port] = "disconnected"
            elif row["state"] == FAIL:
                unknown.add(port)
    # Only exchanged cables fail without a result of the neighbours; then nothing else was wrong.
    return (bad, unknown) if _NEIGHBOUR in judged or bad or unknown else None


def _cable(context: Context, device: Device, port: AnyPort) -> str:
    """The key of the cable at a port where it is expected to work, else empty."""
    fabric = context.fabric
    here = (device, fabric.port_name(device, port))
    there = fabric.peer(*here)
    if there is None or not (_works(context, *here) and _works(context, *there)):
        return ""
    return context.interface(*min(here, there, key=lambda end: _tier(end[0]))).key


def _works(context: Context, device: Device, port: str) -> bool:
    """Check whether an end of a cable is built and in service; the ports of a node between tenants may be shut."""
    fabric = context.fabric
    name = fabric.name(device)
    if not fabric.present(device) or name in fabric.resting or (name, port) in _resting(fabric):
        return False
    return not isinstance(device, Node) or context.registry.holding(device).up


def _resting(fabric: Fabric) -> set[tuple[str, str]]:
    rows = fabric.description.out_of_service
    return {(row.device, row.port) for row in rows if row.port}


def _tier(device: Device) -> int:
    """Tier of a device; the lower end of a cable names it."""
    return -1 if isinstance(device, Node) else ROLES[device.role].tier
