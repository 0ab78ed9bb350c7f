# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runtime state of all NICs: QoS, RoCE registers, congestion control, PCI read requests, inter-packet gap.

The modules, the unit at boot and the watchdog all come through `apply_qos` and `apply_roce`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import TypeVar

from .desired import Cc, Nic, Qos, Roce
from .discover import without_driver
from .errors import NicError
from .gather import cards_for, serves_cc
from .plan.base import Plan, joined
from .plan.qos import LLDPAD, plan_qos
from .plan.roce import plan_ppcc, planners
from .read.cc import read_one
from .read.qos import LLDPAD_PROGRAM, read_qos
from .read.roce import read_ppcc, read_roce, stamp
from .records import Card, PortQos, PortRecord, Ppcc, Process
from .state import save
from .tools import Host, Step, failed, reason, runs, side_by_side

State = TypeVar("State")

ROCE_SECTIONS = ("accl", "dcqcn", "cc", "max_read_request", "inter_packet_gap")


def converge(host: Host, read: Callable[[], State], plan: Callable[[State], Plan]) -> Plan:
    """Bring one thing to the wanted state, and read it again; NicError when a written value did not take."""
    first = plan(read())
    for step in first.steps:
        host.perform(step)
    if first.steps and not host.check_mode:
        _check_left(host, plan(read()).steps)
    return first


def _check_left(host: Host, left: tuple[Step, ...], *, believe: bool = False) -> None:
    """Check that written values are read back; `believe` accepts values that the device does not show."""
    for step in left:
        shown = step.before.values() if isinstance(step.before, dict) else (step.before,)
        if believe and not any(value is not None for value in shown):
            continue
        host.untaken(left)
        raise NicError(
            f"{step.target}: {step.setting} was not accepted: it is {step.before} after writing "
            f"{step.after}; '{step.command}' reported no error."
        )


def ports_of(host: Host, card: Card) -> list[PortRecord]:
    """The ports of a card; NicError where the driver shows no netdev."""
    for port in card["ports"]:
        if not port.get("netdev"):
            raise NicError(
                without_driver(host, port["pci"])
                or f"{port['pci']}: the port has no network device; load the driver mlx5_core "
                "or, in DPU mode, configure this card from the DPU."
            )
    return card["ports"]


def apply_qos(host: Host, nics: Iterable[Nic], *, tolerate_conflicts: bool = False) -> Plan:
    """QoS of every port. A running lldpad is refused before anything is written, or reported."""
    pairs = [(card, nic.qos) for card, nic in cards_for(host, nics) if nic.qos]
    lldpad = bool(pairs) and runs(host, LLDPAD_PROGRAM)
    return joined(
        _qos(host, port, wanted, lldpad, tolerate_conflicts)
        for card, wanted in pairs
        for port in ports_of(host, card)
    )


def _qos(host: Host, port: PortRecord, wanted: Qos, lldpad: bool, tolerate: bool) -> Plan:
    def plan(found: PortQos) -> Plan:
        fights = lldpad or bool(found.get("lldpad"))
        if fights and not tolerate:
            raise NicError(LLDPAD)
        conflict = Plan(conflicts=(f"{port['netdev']}: {LLDPAD}",) if fights else ())
        return plan_qos(port, found, wanted) + conflict

    return converge(host, lambda: read_qos(host, port, wanted), plan)


def apply_roce(
    host: Host,
    nics: Iterable[Nic],
    *,
    sections: Iterable[str] = ROCE_SECTIONS,
    maintenance: bool = False,
    deep: bool = False,
    cc_timeout: float = 60,
) -> Plan:
    """The sections in their order, of all ports; cards side by side."""
    chosen = set(sections)

    def work(row: tuple[Card, Nic, Roce]) -> list[Plan]:
        return _roce(host, *row, chosen, maintenance, deep, cc_timeout)

    rows = [(card, nic, nic.roce) for card, nic in cards_for(host, nics) if nic.roce]
    return joined(plan for plans in side_by_side(work, rows) for plan in plans)


def _roce(
    host: Host,
    card: Card,
    nic: Nic,
    wanted: Roce,
    chosen: set[str],
    maintenance: bool,
    deep: bool,
    cc_timeout: float,
) -> list[Plan]:
    ports = ports_of(host, card)
    serving = [port for n, port in enumerate(ports) if serves_cc(nic, first=n == 0)]
    plans, cc = list[Plan](), wanted.cc
    for section in ROCE_SECTIONS:
        if section == "cc" and cc and "cc" in chosen:
            made = side_by_side(lambda p: _congestion(host, p, cc, deep, cc_timeout), serving)
            plans += [plan for of_port in made for plan in of_port]
        elif section in chosen:
            for n, port in enumerate(ports):
                plan = planners(port, wanted, first=n == 0, maintenance=maintenance).get(section)
                if plan:
                    read = functools.partial(read_roce, host, port, [section])
                    plans.append(converge(host, read, plan))
    return plans


def _congestion(host: Host, port: PortRecord, wanted: Cc, deep: bool, timeout: float) -> list[Plan]:
    """The algorithm active, then its slots and parameters; what was written is noted."""
    if not port.get("rdma"):
        raise NicError(f"{port['pci']}: the port has no RDMA device for congestion control.")
    process = read_one(host, port["rdma"])
    started = _started(host, port, wanted, process, timeout)
    if started.steps:
        process = {} if host.check_mode else read_one(host, port["rdma"])
        return [started, _parameters(host, port, wanted, process, {})]
    found = read_ppcc(host, port, wanted, process, deep=deep) if process else {}
    return [started, _parameters(host, port, wanted, process, found)]


def _parameters(host: Host, port: PortRecord, wanted: Cc, process: Process, found: Ppcc) -> Plan:
    """Write what differs from `found`: {} of a fresh start, which has lost every parameter."""
    plan = plan_ppcc(port, found, wanted)
    for step in plan.steps:
        host.perform(step)
    if host.check_mode:
        return plan
    if plan.steps:
        shown = read_ppcc(host, port, wanted, process, deep=True)
        _check_left(host, plan_ppcc(port, shown, wanted).steps, believe=True)
    _note(host, port, wanted, process)
    return plan


def _note(host: Host, port: PortRecord, wanted: Cc, process: Process) -> None:
    """Numbers become texts in JSON, as those are that are read of a card."""
    ppcc = {"slots": wanted.slots, "params": wanted.params}
    save(host, f"ppcc-{port['rdma']}", {"stamp": stamp(host, port, process), "ppcc": ppcc})


def _started(host: Host, port: PortRecord, wanted: Cc, process: Process, timeout: float) -> Plan:
    """A plan with the start of the unit; the algorithm is active afterwards or NicError."""
    rdma = port["rdma"]
    if not wanted.run:
        return Plan()
    if process.get("instances", 1) > 1:
        raise NicError(
            f"{rdma}: {process['instances']} instances of doca_spcx_cc serve this device; "
            "they interfere with each other: stop all but one."
        )
    unit = wanted.unit.replace("{rdma}", rdma)
    if process:
        state = _awaited(host, rdma, timeout, process)
        if state == "active":
            return Plan()
        if state == "unknown" or process.get("unit") != unit:
            raise _inactive(rdma, timeout, state)
        return _run_unit(host, rdma, "restart", unit, timeout, before=state)
    if not unit:
        raise NicError(
            f"{rdma}: doca_spcx_cc does not run for this device; start it before its parameters."
        )
    return _run_unit(host, rdma, "start", unit, timeout, before="stopped")


def _run_unit(host: Host, rdma: str, verb: str, unit: str, timeout: float, *, before: str) -> Plan:
    """Start it, or start it again where it is not active any more; active afterwards or NicError."""
    argv = ("systemctl", verb, unit)
    step = Step(rdma, "congestion_control", before, "active", argv=argv, timeout=timeout + 30)
    said = host.attempt(step)
    if failed(said):
        why = (said.text.strip().splitlines() or [reason(said)])[0].rstrip(".")
        raise NicError(
            f"{rdma}: congestion control does not start ({why}): check "
            f"`journalctl --unit {unit}` on the host, and run again."
        )
    state = "active" if host.check_mode else _awaited(host, rdma, timeout, {})
    if state != "active":
        raise _inactive(rdma, timeout, state)
    return Plan((step,))


def _awaited(host: Host, rdma: str, timeout: float, first: Process) -> str:
    """The state that it is in when it is active, or when the time is over."""
    seen: list[Process] = [first]

    def active() -> bool:
        if not (seen[-1] and seen[-1].get("state") == "active"):
            seen.append(read_one(host, rdma))
        return seen[-1].get("state") == "active"

    host.wait(active, timeout)
    return str(seen[-1].get("state", "not running"))


def _inactive(rdma: str, timeout: float, state: str) -> NicError:
    late = f"did not become active within {timeout:g} s" if timeout else "is not active"
    return NicError(
        f"{rdma}: congestion control {late}, it is {state}; "
        "check USER_PROGRAMMABLE_CC and the log of doca_spcx_cc."
    )
