# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The desired state as a file of the host: read it, verify it, apply what runs only until a reboot.

A unit bound to the device runs `apply` after boot, reset and driver reload; `verify` only looks.
Non-volatile settings and firmware are compared, never written here.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Callable, NamedTuple, cast

from .. import _json
from .desired import DesiredState, Nic, from_json
from .discover import card_of, discover
from .errors import NicError
from .gather import gather, serves_cc
from .plan.base import Plan, joined
from .plan.nvconfig import states, unmet
from .records import Flash, PlainFinding, PortRecord
from .runtime import apply_qos, apply_roce
from .state import note_lives, renewed
from .tools import Host, side_by_side

DESIRED = "/etc/spectrum-x/desired.json"
DRAINED = "/etc/spectrum-x/drained"  # from before the hook drain until after the hook resume


class Finding(NamedTuple):
    """One thing that is not as wanted; `sentence` says it to a person."""

    check: str
    target: str
    expected: object
    found: object
    sentence: str

    def plain(self) -> PlainFinding:
        """Return the finding as JSON data."""
        return cast("PlainFinding", self._asdict())


SECTIONS = (("accl", "dcqcn"), ("cc",), ("max_read_request",), ("inter_packet_gap",))
"""Sections of RoCE, applied one after the other on all cards; a failure in one does not stop the others."""
MANY = 32  # cards that are worked on at a time: more than a host has

Look = Callable[[Nic], "list[Finding]"]


def load_desired(host: Host, name: str = DESIRED) -> DesiredState:
    """The state of the file; NicError when it is missing or does not fit."""
    content = host.text(name)
    if content is None:
        raise NicError(f"{name}: the desired state cannot be read; run the playbook dpus first.")
    try:
        return from_json(_json.parse(content))
    except ValueError as exc:
        raise NicError(f"{name}: {exc}; run the playbook dpus again.") from exc
    except NicError as exc:
        raise NicError(f"{name}: {exc}") from exc


def chosen(desired: DesiredState, cards: Iterable[str]) -> DesiredState:
    """The state of some cards only, named by any of their PCI addresses; all where none is."""
    wanted = {card_of(pci) for pci in cards}
    if not wanted:
        return desired
    nics = tuple(nic for nic in desired.nics if card_of(nic.pci) in wanted)
    return replace(desired, nics=nics)


def wait_for_devices(host: Host, desired: DesiredState, limit: float) -> None:
    """Until the driver shows every planned port of every card; NicError after the limit."""
    missing: list[str] = []

    def present() -> bool:
        ports = {port["pci"]: port for card in discover(host) for port in card["ports"]}
        missing[:] = [
            pci
            for nic in desired.nics
            for position, pci in enumerate(functions_of(nic))
            if not _usable(ports.get(pci), rdma=serves_cc(nic, first=position == 0))
        ]
        return not missing

    if not host.wait(present, limit, every=1):
        raise NicError(
            f"{', '.join(missing)}: no network and RDMA device within {limit:g} s; "
            "check that the driver mlx5_core is bound to the card."
        )


def functions_of(nic: Nic) -> tuple[str, ...]:
    """The planned functions of a card: of its ports, else as many as its planes split it into."""
    named = tuple(port.pci for port in nic.ports if port.pci)
    count = nic.planes if nic.multiplane != "none" else 1
    return named or tuple(f"{card_of(nic.pci)}.{n}" for n in range(count))


def _usable(port: PortRecord | None, *, rdma: bool) -> bool:
    return bool(port and port["netdev"] and (port["rdma"] or not rdma))


@dataclass(frozen=True)
class ApplyResult:
    """`plan` as far as cards got to their end, `commands` that ran whatever came of them, `errors`.

    In check mode `commands` are those that would run.
    """

    plan: Plan
    commands: tuple[str, ...]
    errors: tuple[str, ...]


def apply(
    host: Host, desired: DesiredState, *, maintenance: bool = False, new_devices: bool = False
) -> ApplyResult:
    """Bring all cards to the desired state; one card never stops another.

    Links are toggled in `maintenance`. With `new_devices` the links of those cards are toggled whose
    network devices the kernel created since the last look: their connections are gone already.

    QoS and registers of all cards come before the algorithm, which may take long to become active, and
    which is started on all cards together. The gap, which may toggle the link, is last.
    """
    commands = host.writes if host.check_mode else host.done
    before = len(commands)
    plans: list[Plan] = []
    errors: list[str] = []
    cards = {card_of(nic.pci) for nic in desired.nics}
    free = cards if maintenance else renewed(host) if new_devices else set()

    def each(work: Callable[[Nic], Plan], most: int = 1) -> None:
        def tried(nic: Nic) -> Plan | str:
            try:
                return work(nic)
            except NicError as exc:
                return str(exc)

        for made in side_by_side(tried, desired.nics, most):
            if isinstance(made, Plan):
                plans.append(made)
            else:
                errors.append(made)

    def roce(sections: tuple[str, ...], nic: Nic) -> Plan:
        toggle, timeout = card_of(nic.pci) in free, desired.cc_timeout
        return apply_roce(host, [nic], sections=sections, maintenance=toggle, cc_timeout=timeout)

    each(lambda nic: apply_qos(host, [nic], tolerate_conflicts=desired.tolerate_conflicts))
    for sections in SECTIONS:
        each(functools.partial(roce, sections), MANY)
    if maintenance or new_devices:
        note_lives(host, cards)
    return ApplyResult(joined(plans), tuple(commands[before:]), tuple(dict.fromkeys(errors)))


def verify(host: Host, desired: DesiredState, *, deep: bool = False) -> list[Finding]:
    """Everything that differs from the desired state; nothing is written."""
    looking = replace(host, check_mode=True, reads=host.reads, writes=[])
    looks: dict[str, Look] = {
        "settings": lambda nic: _settings(looking, nic),
        "qos": lambda nic: _drift(
            apply_qos(looking, [nic], tolerate_conflicts=desired.tolerate_conflicts)
        ),
        "roce": lambda nic: _drift(apply_roce(looking, [nic], deep=deep, cc_timeout=0)),
    }
    found: list[Finding] = []
    for nic in desired.nics:
        for check, look in looks.items():
            try:
                found += look(nic)
            except NicError as exc:
                found.append(Finding(check, nic.pci, "readable and supported", "not", str(exc)))
    return found


def _drift(plan: Plan) -> list[Finding]:
    """Findings of a plan: the changes of its steps, deferred ones, and conflicts."""
    steps = {(step.target, step.setting): step for step in plan.steps}.values()
    found = [
        Finding(
            step.setting,
            step.target,
            step.after,
            step.before,
            f"{step.target}: {step.setting} is {step.before}, expected {step.after}.",
        )
        for step in steps
    ]
    for check, texts in (("deferred", plan.deferred), ("conflict", plan.conflicts)):
        found += [Finding(check, t.split(":")[0], "", "", f"{t.rstrip('.')}.") for t in texts]
    return found


def _settings(host: Host, nic: Nic) -> list[Finding]:
    if not nic.nvconfig and not nic.firmware:
        return []
    record = gather(host, [nic], ("firmware", "nvconfig"))[0]
    rows = states(record["nvconfig"], nic.nvconfig)
    found = [
        Finding("nvconfig", nic.pci, rows[name]["wanted"], rows[name]["current"], sentence)
        for name, sentence in unmet(nic.pci, record["nvconfig"], nic.nvconfig).items()
    ]
    return found + _firmware(nic, record["firmware"]) + _mode(nic, record["mode"])


def _firmware(nic: Nic, found: Flash) -> list[Finding]:
    wanted = nic.firmware
    if wanted is None or found["running"] == wanted.version:
        return []
    staged = " and staged" if found["burned"] == wanted.version else ""
    sentence = f"{nic.pci}: firmware {found['running']} runs, expected {wanted.version}{staged}."
    return [Finding("firmware", nic.pci, wanted.version, found["running"], sentence)]


def _mode(nic: Nic, found: str) -> list[Finding]:
    if nic.mode not in ("nic", "dpu") or found == nic.mode:
        return []
    sentence = f"{nic.pci}: the card is in mode {found}, expected {nic.mode}."
    return [Finding("mode", nic.pci, nic.mode, found, sentence)]
