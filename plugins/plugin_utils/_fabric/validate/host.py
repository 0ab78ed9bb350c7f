# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Is one host as the plan says? Pure functions of what was planned and what was read.

The comparison of a NIC is the one by which the host's own modules decide what to write. Ids and
what they say are in `catalog/checks_host.yaml`.
"""

from __future__ import annotations

import functools
import typing as t

from ....module_utils._nic.desired import nics_from
from ....module_utils._nic.errors import NicError
from ....module_utils._nic.gather import serves_cc
from ....module_utils._nic.plan.base import Plan
from ....module_utils._nic.plan.nvconfig import check_required, fixed, skipped, states
from ....module_utils._nic.plan.qos import LLDPAD, plan_qos
from ....module_utils._nic.plan.roce import plan_ppcc, plan_registers
from ..host import doca
from ..host import versions as host_versions
from ..host.desired import FIRMWARE
from . import host_attempts, host_kept, host_pairs, host_paths
from .results import WAIVED, wanted

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ....module_utils._nic.desired import Nic
    from ....module_utils._nic.records import Card, PortRecord
    from .host_view import View
    from .results import Fields, Result


def check(view: View, asked: Sequence[str] = ()) -> list[Result]:
    """Every result of one host, of the checks asked for."""
    if host_attempts.alone(asked):
        rows = list(host_attempts.judge(view))
    elif view.nics is None:
        rows = [view.subject.failed("host.reachable", _unread(view))]
    else:
        rows = [row for function in CHECKS for row in function(view)]
    return [row for row in rows if wanted(row["id"], asked)]


def _unread(view: View) -> str:
    return f"{view.subject.device}: its NICs cannot be read: {view.error or 'nothing was read'}"


def reachable(view: View) -> Iterator[Result]:
    """It answered, or there would be no records."""
    yield view.subject.passed("host.reachable", f"{view.subject.device} answers.")


def versions(view: View) -> Iterator[Result]:
    """Firmware, packages and libraries against the validated set; what a host hides is said."""
    wrong = [*_firmware(view), *_packages(view), *_mixed(view)]
    yield from view.subject.judged("host.versions", wrong, _those(view))


def _those(view: View) -> str:
    own = view.wanted.get("own_versions")
    more = f", with the site's own of {', '.join(own)}" if own else ""
    hidden = host_versions.unseen(view.wanted, view.packages, view.hpcx)
    unseen = f" Not seen on the host: {', '.join(hidden)}." if hidden else ""
    return f"Versions are those of RA {view.wanted['ra']}{more}.{unseen}"


def _firmware(view: View) -> Iterator[Result]:
    for found, nic in view.cards():
        version = nic.firmware.version if nic.firmware else None
        flash = found.get("firmware")
        running = flash["running"] if flash else None
        if version and running != version:
            staged = " and is staged" if flash and flash["burned"] == version else ""
            says = host_versions.by(view.wanted, FIRMWARE.get(nic.device, ""))
            yield _outside(
                view,
                f"{nic.pci}: firmware {running} runs, {says} {version}{staged}: run playbook dpus.",
                expected=version,
                found=running,
            )


def _outside(view: View, sentence: str, **more: t.Unpack[Fields]) -> Result:
    """A breach, unless this run allows what playbook dpus may leave."""
    if view.asked.get("allow"):
        return view.subject.result(
            "host.versions", WAIVED, f"{sentence} Allowed by spx_allow_versions.", **more
        )
    return view.subject.failed("host.versions", sentence, **more)


def _packages(view: View) -> Iterator[Result]:
    """As playbook dpus compares them, so that it corrects what fails here."""
    own = str(view.asked.get("doca") or "")
    packages = view.asked.get("packages") or doca.packages_for(view.wanted["nics"])
    known = doca.accepts(view.wanted, own)
    for name, found, accepted in doca.outside(known, view.packages, packages):
        component = "spcx_cc" if name in doca.COMPONENTS["spcx_cc"] else "doca_host"
        ours = own and component == "doca_host"
        says = "dpu_doca_version says" if ours else host_versions.by(view.wanted, component)
        yield view.subject.failed(
            "host.versions",
            f"{view.subject.device}: {name} is {found or 'not installed'}, {says} "
            f"{' or '.join(accepted)}: run playbook dpus.",
            expected=accepted,
            found=found,
        )


def _mixed(view: View) -> Iterator[Result]:
    """What playbook dpus refuses, as it corrects none of it."""
    rows = [
        *host_versions.asked(view.wanted, str(view.asked.get("doca") or "")),
        *host_versions.libraries(view.wanted, view.packages, view.hpcx),
    ]
    for row in rows:
        sentence = row.sentence(view.wanted)
        yield _outside(
            view, f"{view.subject.device}: {sentence}", expected=row.accepted, found=row.found
        )


def cards(view: View) -> Iterator[Result]:
    """Mode and non-volatile settings of each card."""
    for check_id, look in CARDS.items():
        wrong = [row for found, nic in view.cards() for row in look(view, found, nic)]
        good = f"{len(view.wanted['nics'])} cards are as planned."
        yield from view.subject.judged(check_id, wrong, good)


def _mode(view: View, found: Card, nic: Nic) -> Iterator[Result]:
    if nic.mode in ("nic", "dpu") and found["mode"] != nic.mode:
        yield view.subject.failed(
            "host.mode",
            f"{nic.pci}: the card is in mode {found['mode']}, planned is {nic.mode}: run playbook dpus.",
            expected=nic.mode,
            found=found["mode"],
        )


def _settings(view: View, found: Card, nic: Nic) -> Iterator[Result]:
    """Current, not merely staged."""
    shown = found.get("nvconfig") or {}
    missing = skipped(shown, nic.nvconfig)
    try:
        check_required(nic.pci, missing, nic.required)
    except NicError as exc:
        yield view.subject.failed("host.nvconfig", str(exc))
    else:
        for sentence in fixed(nic.pci, shown, missing):
            yield view.subject.failed("host.nvconfig", sentence)
    for name, row in states(shown, nic.nvconfig).items():
        if row["state"] != "current":
            staged = " and staged for the next reset" if row["state"] == "staged" else ""
            yield view.subject.failed(
                "host.nvconfig",
                f"{nic.pci}: {name} is {row['current']}, planned is {row['wanted']}{staged}: run "
                "playbook dpus.",
                expected=row["wanted"],
                found=row["current"],
            )


def runtime(view: View) -> Iterator[Result]:
    """QoS, RoCE and congestion control of each port, as the NIC modules would change them."""
    for check_id, (what, asks, plan) in RUNTIME.items():
        if not any(asks(nic, True) for nic in nics_from(view.wanted["nics"])):
            yield view.subject.not_run(check_id, view.unasked(what))
            continue
        wrong = list(_absent(view, check_id))
        asked = 0
        for found, nic in view.cards():
            for position, port in enumerate(found["ports"]):
                if asks(nic, position == 0):
                    asked += 1
                    wrong += _steps(
                        view, check_id, port, functools.partial(plan, port, nic, position == 0)
                    )
        yield from view.subject.judged(check_id, wrong, f"{asked} ports are as planned.")


def _steps(view: View, check_id: str, port: PortRecord, plan: Callable[[], Plan]) -> list[Result]:
    """What is wrong with a port."""
    name = port.get("netdev") or port["pci"]
    try:
        made = plan()
    except NicError as exc:
        return [view.subject.failed(check_id, str(exc), port=name)]
    except KeyError as exc:
        errors = port.get("errors") or {}
        unread = errors.get(exc.args[0]) or errors.get("driver")
        sentence = unread or f"{name}: {exc} was not read"
        return [view.subject.failed(check_id, sentence, port=name)]
    wrong = [
        view.subject.failed(
            check_id,
            f"{name}: {step.setting} is {step.before}, planned is {step.after}: run playbook dpus.",
            port=name,
            expected=step.after,
            found=step.before,
        )
        for step in made.steps
    ]
    said = made.missing + made.deferred
    return wrong + [view.subject.failed(check_id, f"{text}.", port=name) for text in said]


def _qos(port: PortRecord, nic: Nic, _first: bool) -> Plan:
    if nic.qos is None:
        return Plan()
    if port["qos"].get("lldpad"):
        raise NicError(f"{port['netdev']}: {LLDPAD}")
    return plan_qos(port, port["qos"], nic.qos)


def _roce(port: PortRecord, nic: Nic, first: bool) -> Plan:
    """Registers, points and gap."""
    return plan_registers(port, port["roce"], nic.roce, first=first) if nic.roce else Plan()


def _algorithm(port: PortRecord, nic: Nic, _first: bool) -> Plan:
    """The algorithm is active, its parameters as the host's note or the card has them."""
    cc = nic.roce.cc if nic.roce else None
    if cc is None:
        return Plan()
    if not port.get("rdma"):
        raise NicError(
            f"{port.get('netdev') or port['pci']}: it has no RDMA device for congestion control: "
            "check that the driver has taken the card."
        )
    state = (port.get("cc") or {}).get("state", "not running")
    if cc.run and state != "active":
        raise NicError(f"{port['rdma']}: congestion control is {state}: see its unit's log.")
    return plan_ppcc(port, port.get("ppcc") or {}, cc)


def agent(view: View) -> Iterator[Result]:
    """The tool on the host."""
    if view.skew:
        yield view.subject.failed("host.agent", view.skew, expected=view.wanted.get("agent"))
    else:
        yield view.subject.passed("host.agent", "The tool on the host is the expected one.")


def interfaces(view: View) -> Iterator[Result]:
    """Names, addresses and routes; a host that could not be compared says why."""
    check_id = "host.interfaces"
    if view.drift_error:
        yield view.subject.failed(check_id, view.drift_error)
    elif view.drift is None:
        yield view.subject.not_run(check_id, "The interfaces were not read.")
    else:
        wrong = [
            view.subject.failed(
                check_id, f"{sentence} Run playbook dpus.", port=sentence.partition(":")[0]
            )
            for sentence in view.drift
        ]
        good = f"{len(view.wanted['interfaces'])} interfaces are as planned."
        yield from view.subject.judged(check_id, wrong, good)


def links(view: View) -> Iterator[Result]:
    """Link of every planned port that is in service."""
    wrong = [
        view.subject.failed(
            "host.link",
            f"{row['name']}: the link to {row['peer']['device']} {row['peer']['port']} is "
            f"{port['link'] or 'absent'}: check the cable and both ports.",
            port=row["name"],
            expected="up",
            found=port["link"],
        )
        for port, row in view.ports()
        if port["link"] != "up" and row["name"] not in view.resting
    ]
    wrong += _absent(view, "host.link")
    yield from wrong
    for name, why in view.resting.items():
        yield view.subject.not_run(
            "host.link", f"{name}: its link is out of service: {why}", port=name
        )
    good = len(view.wanted["interfaces"]) - len(view.resting)
    if good and not wrong:
        yield view.subject.passed("host.link", f"{good} links are up.")


def _absent(view: View, check_id: str) -> Iterator[Result]:
    """Ports of the plan that no card shows: nothing can be said for them but that they are not there."""
    there = {row["pci"] for _port, row in view.ports()}
    for row in view.wanted["interfaces"]:
        if row["pci"] not in there and row["name"] not in view.resting:
            yield view.subject.failed(
                check_id,
                f"{row['name']}: no card shows the port {row['pci']}: check the card and its split.",
                port=row["name"],
                expected=row["pci"],
            )


CARDS: dict[str, Callable[[View, Card, Nic], Iterator[Result]]] = {
    "host.mode": _mode,
    "host.nvconfig": _settings,
}
RUNTIME: dict[
    str, tuple[str, Callable[[Nic, bool], object], Callable[[PortRecord, Nic, bool], Plan]]
] = {
    "host.qos": ("QoS", lambda nic, _first: nic.qos, _qos),
    "host.roce": ("RoCE registers", lambda nic, _first: nic.roce, _roce),
    "host.cc": (
        "congestion control",
        lambda nic, first: nic.roce and nic.roce.cc and serves_cc(nic, first=first),
        _algorithm,
    ),
}
"""What a check is about, whether it is asked of a card's (first) port, and what the modules would change."""
CHECKS: tuple[Callable[[View], Iterator[Result]], ...] = (
    reachable,
    versions,
    cards,
    runtime,
    agent,
    host_kept.files,
    host_kept.units,
    interfaces,
    links,
    host_paths.gateway,
    host_paths.others,
    host_paths.counters,
    host_pairs.pairs,
    host_attempts.judge,
)
