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
from ....module_utils._nic.plan.base import Plan
from ....module_utils._nic.plan.nvconfig import check_required, fixed, skipped, states
from ....module_utils._nic.verdict import port_plans
from ..catalog.data import table
from ..render.host import doca
from ..render.host import versions as host_versions
from ..render.host.desired import FIRMWARE
from ..render.host.identity import OTHER, UNKNOWN
from . import host_addresses, host_gpudirect, host_networks, host_pairs, host_tries
from .results import WAIVED, Finding, failed, not_realised, not_run, passed, young

if t.TYPE_CHECKING:
    from ....module_utils._nic.records import PortRecord
    from .host_view import View
    from .results import Check, Findings, Result

REACHABLE = "host.reachable"


def check(view: View, asked: t.Sequence[str] = ()) -> list[Result]:
    """Every result of one host, of the checks asked for."""
    if host_tries.alone(asked):
        return view.subject.judge(host_tries.TRIED, view, asked)
    if not view.nics:
        error = view.look["nics"]["error"] if "nics" in view.look else ""
        why = f"its NICs cannot be read: {error or 'nothing was read'}"
        return [view.subject.result(REACHABLE, failed(f"{view.subject.device}: {why}"))]
    return view.subject.judge(CHECKS, view, asked)


def reachable(view: View) -> Findings:
    """Pass: the device answered, or there would be no records."""
    yield passed(f"{view.subject.device} answers.")


def whose(view: View) -> Findings:
    """The host is the planned node, or the sentence says which it is; one that nothing proves is not proven."""
    found = view.identity
    if found is None:
        yield not_run("The identity of the host was not read.")
    elif found.state == OTHER:
        yield failed(found.sentence)
    elif found.state == UNKNOWN:
        yield not_run(found.sentence)
    else:
        yield passed(found.sentence)


def agent(view: View) -> Findings:
    """The tool on the host."""
    if skew := view.look["nics"].get("skew", "missing"):
        yield failed(skew, expected=view.wanted.get("agent"))
    yield passed("The tool on the host is the expected one.")


def telemetry(view: View) -> Findings:
    """The file for node_exporter is fresh, where the host has one to read it."""
    age, most = (view.probe or {}).get("textfile"), int(table("limits_switch")["host-silence"])
    if age is None:
        return
    if 0 <= age <= most:
        yield passed(expected=most, found=age)
        return
    what = f"is {age} s old" if age > 0 else "is missing"
    says = (
        f"The file for node_exporter {what}: check spectrum-x-watch.timer, and run playbook dpus."
    )
    yield failed(says, expected=most, found=age)


# Versions


def versions(view: View) -> Findings:
    """Firmware, packages and libraries against the validated set; what a host hides is said."""
    yield from _firmware(view)
    yield from _packages(view)
    yield from _mixed(view)
    own = view.wanted.get("own_versions")
    more = f", with the site's own of {', '.join(own)}" if own else ""
    hidden = host_versions.unseen(view.wanted, view.look["packages"], view.look["system"]["hpcx"])
    unseen = f" Not seen on the host: {', '.join(hidden)}." if hidden else ""
    yield passed(f"Versions are those of RA {view.wanted['ra']}{more}.{unseen}")


def _firmware(view: View) -> Findings:
    for found, nic in view.cards():
        version = nic.firmware.version if nic.firmware else None
        flash = found.get("firmware")
        running = flash["running"] if flash else None
        if version and running != version:
            staged = " and is staged" if flash and flash["burned"] == version else ""
            planned = f"{host_versions.by(view.wanted, FIRMWARE.get(nic.device, ''))} {version}"
            says = f"{nic.pci}: firmware {running} runs, {planned}{staged}: run playbook dpus."
            yield _outside(view, says, version, running)


def _packages(view: View) -> Findings:
    """Compare the packages as playbook dpus does, so that it corrects every failure here."""
    own = str(view.look["asked"].get("doca") or "")
    packages = view.look["asked"].get("packages") or doca.packages_for(view.wanted["nics"])
    known = doca.accepts(view.wanted, own)
    for name, found, accepted in doca.outside(known, view.look["packages"], packages):
        component = "spcx_cc" if name in doca.COMPONENTS["spcx_cc"] else "doca_host"
        ours = own and component == "doca_host"
        whose = "dpu_doca_version says" if ours else host_versions.by(view.wanted, component)
        what = f"{name} is {found or 'not installed'}, {whose} {' or '.join(accepted)}"
        says = f"{view.subject.device}: {what}: run playbook dpus."
        yield failed(says, expected=accepted, found=found)


def _mixed(view: View) -> Findings:
    """Report versions that playbook dpus refuses, as it corrects none of them."""
    for row in (
        *host_versions.asked(view.wanted, str(view.look["asked"].get("doca") or "")),
        *host_versions.libraries(view.wanted, view.look["packages"], view.look["system"]["hpcx"]),
    ):
        says = f"{view.subject.device}: {row.sentence(view.wanted)}"
        yield _outside(view, says, row.accepted, row.found)


def _outside(view: View, says: str, expected: object, found: object) -> Finding:
    """A breach, unless this run allows what playbook dpus may leave."""
    if view.allow:
        says += " Allowed by spx_allow_versions."
        return Finding(says, expected=expected, found=found, state=WAIVED)
    return failed(says, expected=expected, found=found)


def driver(view: View) -> Findings:
    """The driver that runs and that of the next boot, as the host finds them."""
    driver = view.look["system"]["driver"]
    for text in (*driver["wrong"], *driver["rebuilt"]):
        yield failed(f"{view.subject.device}: {text}")
    yield passed()


# Cards: mode and non-volatile settings


def mode(view: View) -> Findings:
    """The operating mode of each card."""
    for found, nic in view.cards():
        if nic.mode in ("nic", "dpu") and found["mode"] != nic.mode:
            modes = f"the card is in mode {found['mode']}, expected {nic.mode}"
            says = f"{nic.pci}: {modes}: run playbook dpus."
            yield failed(says, expected=nic.mode, found=found["mode"])
    yield passed(f"{len(view.wanted['nics'])} cards are as planned.")


def nvconfig(view: View) -> Findings:
    """Settings are current, not merely staged."""
    for found, nic in view.cards():
        shown = found.get("nvconfig") or {}
        missing = skipped(shown, nic.nvconfig)
        try:
            check_required(nic.pci, missing, nic.required)
        except NicError as exc:
            yield failed(str(exc))
        else:
            yield from map(failed, fixed(nic.pci, shown, missing))
        for name, row in states(shown, nic.nvconfig).items():
            if row["state"] != "current":
                staged = " and staged for the next reset" if row["state"] == "staged" else ""
                values = f"{name} is {row['current']}, expected {row['wanted']}{staged}"
                says = f"{nic.pci}: {values}: run playbook dpus."
                yield failed(says, expected=row["wanted"], found=row["current"])
    yield passed(f"{len(view.wanted['nics'])} cards are as planned.")


# Ports: QoS, RoCE and congestion control, as the NIC modules would change them


def _runtime(view: View, part: str, what: str) -> Findings:
    """`part` as of `port_plans`."""
    if not any(part in port_plans(nic, first=True) for nic in nics_from(view.wanted["nics"])):
        yield not_run(view.unasked(what))
        return
    yield from _absent(view)
    count = 0
    for found, nic in view.cards():
        for position, port in enumerate(found["ports"]):
            if plan := port_plans(nic, first=position == 0).get(part):
                count += 1
                yield from _changes(port, functools.partial(plan, port))
    yield passed(f"{count} ports are as planned.")


def _changes(port: PortRecord, plan: t.Callable[[], Plan]) -> Findings:
    """List the faults of a port."""
    name = port.get("netdev") or port["pci"]
    try:
        made = plan()
    except NicError as exc:
        yield failed(str(exc), name)
        return
    except KeyError as exc:
        errors = port.get("errors") or {}
        unread = errors.get(exc.args[0]) or errors.get("driver")
        yield failed(unread or f"{name}: {exc} was not read", name)
        return
    for step in made.steps:
        values = f"{step.setting} is {step.before}, expected {step.after}"
        yield failed(f"{name}: {values}: run playbook dpus.", name, step.after, step.before)
    for text in made.missing + made.deferred:
        yield failed(f"{text}.", name)


def _absent(view: View) -> Findings:
    """Ports of the plan that no card shows: nothing can be said for them but that they are not there."""
    there = {row["pci"] for _port, row in view.ports()}
    for row in view.wanted["interfaces"]:
        name, pci = row["name"], row["pci"]
        if pci not in there and name not in view.resting:
            says = f"{name}: no card shows the port {pci}: check the card and its split."
            yield failed(says, name, pci)


# Files and units that the collection keeps. The module that writes them compares them, in check mode.


def files(view: View) -> Findings:
    """Content, owner and mode of what the collection keeps, and what could not be compared at all."""
    wrong = [
        *view.look["network"].get("left", []),
        *(row["error"] for row in view.kept if row.get("error")),
    ]
    yield from _kept(view, "wrong_files", wrong, "The files are as planned.")


def units(view: View) -> Findings:
    """Units that run by their own files alone, the watchdog's timer among them."""
    # What is left is not ours, so that no playbook takes it away.
    left = [text for row in view.kept for text in row.get("left", ())]
    errors = [row["error"] for row in view.kept if row.get("error")]
    if errors and not left and not any(row.get("wrong_units") for row in view.kept):
        yield not_run(f"The units were not compared: {errors[0]}")
        return
    yield from _kept(view, "wrong_units", left, "The units run by their files.")


def _kept(
    view: View, key: t.Literal["wrong_files", "wrong_units"], wrong: list[str], good: str
) -> Findings:
    compared = [row[key] for row in view.kept if key in row]
    if not compared and not wrong:
        why = "nothing was compared, as manage lists no role that keeps files there."
        yield not_run(f"{view.subject.device}: {why}")
        return
    yield from (failed(f"{text} Run playbook dpus.") for texts in compared for text in texts)
    yield from map(failed, wrong)
    yield passed(good)


# Interfaces and links


def interfaces(view: View) -> Findings:
    """Names, addresses and routes; a host that could not be compared says why."""
    network = view.look["network"]
    if network["error"]:
        yield failed(network["error"])
    elif "drift" not in network:
        yield not_run("The interfaces were not read.")
    else:
        yield from map(failed, network.get("obstacles", ()))
        kept = [*network["wrong_files"], *network.get("wrong_units", ())]
        for says in network["drift"] + (kept if "dpu_interfaces" in view.wanted["manage"] else []):
            yield failed(f"{says} Run playbook dpus.", says.partition(":")[0])
        yield passed(f"{len(view.wanted['interfaces'])} interfaces are as planned.")


def links(view: View) -> Findings:
    """Link of every planned port that is in service."""
    for port, row in view.ports():
        if port["link"] != "up" and row["name"] not in view.resting:
            peer = f"{row['peer']['device']} {row['peer']['port']}"
            state = f"the link to {peer} is {port['link'] or 'absent'}"
            if recent := young("the host", view.look["system"]["uptime"]):
                says = f"{row['name']}: {state}, and {recent}"
                yield not_realised(says, row["name"], "up", port["link"])
                continue
            says = f"{row['name']}: {state}: check the cable and both ports."
            yield failed(says, row["name"], "up", port["link"])
    yield from _absent(view)
    for name, why in view.resting.items():
        yield not_run(f"{name}: its link is out of service: {why}", name)
    if good := len(view.wanted["interfaces"]) - len(view.resting):
        yield passed(f"{good} links are up.")


CHECKS: dict[str, Check[View]] = {
    REACHABLE: reachable,
    "host.identity": whose,
    "host.versions": versions,
    "host.driver": driver,
    "host.mode": mode,
    "host.nvconfig": nvconfig,
    "host.qos": functools.partial(_runtime, part="qos", what="QoS"),
    "host.roce": functools.partial(_runtime, part="roce", what="RoCE registers"),
    "host.cc": functools.partial(_runtime, part="cc", what="congestion control"),
    "host.agent": agent,
    "host.telemetry": telemetry,
    "host.files": files,
    "host.units": units,
    "host.interfaces": interfaces,
    **host_addresses.CHECKS,
    "host.link": links,
    **host_networks.CHECKS,
    **host_gpudirect.CHECKS,
    **host_tries.CHECKS,
    **host_pairs.CHECKS,
}
