# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RoCE of a port: from found to wanted, in the order the registers need.

ROCE_ACCL has a select bit per field: 0 in a GET means that the firmware, or the settings that run
now, do not support it: writing would be a silent no-op and is refused. A SET names the select bits
of the wanted fields as 1 and of all others as 0, so that it touches nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..desired import READ_REQUESTS, Cc, Roce
from ..errors import NicError
from ..parse.mlxreg import SELECTS, assignments
from ..read.roce import DEVICE_CONTROL, GAP_INDEXES, POINTS, cc_indexes
from ..records import PortRecord, PortRoce, Ppcc, Slot
from ..tools import Step
from .base import Plan, joined

ENABLE_SLOT, DISABLE_SLOT, SET_PARAMETER = 1, 2, 8

# What has to run before the firmware offers the field.
NEEDS = {
    "adaptive_routing_forced_en": "ROCE_ADAPTIVE_ROUTING_EN=1",
    "cc_per_plane_en": "a plane mode of the NIC (NUM_OF_PLANES_P1)",
    "cc_probe_mp_mode": "a plane mode of the NIC (NUM_OF_PLANES_P1)",
}


def planners(
    port: PortRecord, wanted: Roce, *, first: bool, maintenance: bool = False
) -> dict[str, Callable[[PortRoce], Plan]]:
    """Part -> its plan, of the parts that are wanted; `first` is the first port of its card."""
    plans: dict[str, Callable[[PortRoce], Plan]] = {
        "accl": lambda found: plan_accl(port, found, wanted),
        "dcqcn": lambda found: plan_dcqcn(port, found, wanted, first=first),
        "max_read_request": lambda found: plan_read_request(port, found, wanted),
        "inter_packet_gap": lambda found: plan_gap(port, found, wanted, maintenance=maintenance),
    }
    return {part: plan for part, plan in plans.items() if getattr(wanted, part) not in (None, {})}


def plan_registers(port: PortRecord, found: PortRoce, wanted: Roce, *, first: bool) -> Plan:
    """All parts of a port together, without maintenance."""
    return joined(plan(found) for plan in planners(port, wanted, first=first).values())


def plan_accl(port: PortRecord, found: PortRoce, wanted: Roce) -> Plan:
    """One SET for all fields that differ; NicError for a field that cannot be set."""
    fields = found["accl"]
    for name in wanted.accl:
        _check_supported(port, fields, name)
    wrong = {n: v for n, v in wanted.accl.items() if fields.get(n) != v}
    if not wrong:
        return Plan()
    touched = {SELECTS[name] for name in wrong}
    present = [select for select in SELECTS.values() if select in fields]
    selects = {select: int(select in touched) for select in present}
    argv = ("mlxreg", "-d", port["pci"], "-y", "--reg_name", "ROCE_ACCL")
    before = {name: fields.get(name) for name in wrong}
    order = assignments({**wrong, **selects})
    return Plan((Step(port["pci"], "accl", before, wrong, argv=(*argv, "--set", order)),))


def _check_supported(port: PortRecord, fields: dict[str, int], name: str) -> None:
    if name not in SELECTS:
        raise NicError(
            f"{port['pci']}: ROCE_ACCL has no field {name}; known are {', '.join(SELECTS)}."
        )
    if fields.get(SELECTS[name]) == 1 and name in fields:
        return
    need = NEEDS.get(name)
    remedy = f"{need} must be current: set it and reset the card" if need else "update the firmware"
    raise NicError(
        f"{port['pci']}: ROCE_ACCL field {name} is not active or not supported "
        f"({SELECTS[name]} is {fields.get(SELECTS[name], 'absent')}); {remedy}."
    )


def plan_dcqcn(port: PortRecord, found: PortRoce, wanted: Roce, *, first: bool) -> Plan:
    """Reaction and notification points on all eight priorities."""
    if wanted.dcqcn.get("first_port_only") and not first:
        return Plan()
    steps: list[Step] = []
    for point in ("rp", "np"):
        if point in wanted.dcqcn:
            steps += _points(port, point, found["dcqcn"][point], int(wanted.dcqcn[point]))
    return Plan(tuple(steps))


def _points(port: PortRecord, point: str, found: list[int | None], value: int) -> Iterator[Step]:
    netdev = port["netdev"]
    if all(now is None for now in found):
        raise NicError(
            f"{netdev}: the driver has no ecn/roce_{point} switches; install the DOCA-Host driver."
        )
    for priority, now in enumerate(found):
        if now is not None and now != value:
            path = POINTS.format(netdev=netdev, point=point, priority=priority)
            name = f"dcqcn_{point}[{priority}]"
            yield Step(netdev, name, now, value, path=path, text=str(value))


def plan_ppcc(port: PortRecord, found: Ppcc, wanted: Cc) -> Plan:
    """Slots first, then their parameters; a value that the card does not show is written."""
    steps: list[Step] = []
    for slot, switches in wanted.slots.items():
        steps += _slot(port, slot, found.get("slots", {}).get(str(slot), {}), switches)
    for slot, params in wanted.params.items():
        now = found.get("params", {}).get(str(slot), {})
        steps += [
            _ppcc(port, slot, number, now.get(str(number)), value)
            for number, value in sorted(params.items())
            if now.get(str(number)) != value
        ]
    return Plan(tuple(steps))


def _slot(port: PortRecord, slot: int, found: Slot, wanted: dict[str, bool]) -> Iterator[Step]:
    wrong = {key: value for key, value in wanted.items() if found.get(key) != value}
    if not wrong:
        return
    command = ENABLE_SLOT if wanted.get("enabled", True) else DISABLE_SLOT
    fields = {"cmd_type": command}
    if "counters" in wanted:
        fields["counter_en"] = int(wanted["counters"])
    argv = _write(port, _decimal(fields), "PPCC", cc_indexes(slot))
    before = {key: found.get(key) for key in wrong}
    yield Step(port["pci"], f"cc_slot[{slot}]", before, wrong, argv=argv)


def _ppcc(port: PortRecord, slot: int, number: int, before: int | None, value: int) -> Step:
    fields = _decimal({"cmd_type": SET_PARAMETER, "value": value})
    argv = _write(port, fields, "PPCC", cc_indexes(slot, number))
    return Step(port["pci"], f"cc_param[{slot}][{number}]", before, value, argv=argv)


def _write(port: PortRecord, fields: str, name: str, indexes: str) -> tuple[str, ...]:
    argv = ("mlxreg", "-d", port["pci"], "-y", "--set", fields)
    return (*argv, "--reg_name", name, "--indexes", indexes)


def _decimal(fields: dict[str, int]) -> str:
    return ",".join(f"{name}={value}" for name, value in fields.items())


def plan_read_request(port: PortRecord, found: PortRoce, wanted: Roce) -> Plan:
    """The maximum read request of PCI Express, in bits 14:12 of Device Control."""
    value, now = wanted.max_read_request, found["max_read_request"]
    if value in (None, now):
        return Plan()
    order = f"{DEVICE_CONTROL}={READ_REQUESTS.index(value)}000:F000"
    argv = ("setpci", "-s", port["pci"], order)
    return Plan((Step(port["pci"], "max_read_request", now, value, argv=argv),))


def plan_gap(port: PortRecord, found: PortRoce, wanted: Roce, *, maintenance: bool) -> Plan:
    """The inter-packet gap; it needs a link toggle, which only maintenance allows.

    Without a link there is nothing to toggle: the next link has the gap.
    """
    value, now = wanted.inter_packet_gap, found["inter_packet_gap"]
    if value is None:
        return Plan()
    if "ipg" not in now:
        raise NicError(f"{port['pci']}: the register PIPG shows no inter-packet gap.")
    active = now.get("ipg_oper", now["ipg"])
    linked = port.get("link", "up") == "up"
    if now["ipg"] == value and (active == value or not linked):
        return Plan()
    if not maintenance and linked:
        return Plan(deferred=(_waiting(port, active, value),))
    return Plan(tuple(_gap_steps(port, now["ipg"], active, value, linked=linked)))


def _waiting(port: PortRecord, active: int, value: int) -> str:
    return (
        f"{port['netdev']}: inter_packet_gap {active} stays instead of {value}: "
        "it needs a link toggle, which only a maintenance step may do"
    )


def _gap_steps(
    port: PortRecord, stored: int, active: int, value: int, *, linked: bool
) -> Iterator[Step]:
    netdev = port["netdev"]
    if stored != value:
        argv = _write(port, f"ipg=0x{value:08x}", "PIPG", GAP_INDEXES)
        yield Step(netdev, "inter_packet_gap", active, value, argv=argv)
    for state in ("down", "up") if linked else ():
        toggle = ("ip", "link", "set", "dev", netdev, state)
        yield Step(netdev, "inter_packet_gap", active, value, argv=toggle)
