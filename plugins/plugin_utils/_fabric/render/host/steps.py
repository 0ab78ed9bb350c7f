# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of playbook dpus on one host: the roles that have something to do, by the look of module host.

What could not be read counts as something to do. A role still compares before it writes.
"""

from __future__ import annotations

import typing as t

from ...description.words import count
from . import disturbances, versions
from .host_state import HostCase, SiteSettings

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .....module_utils._host.records import Look
    from .desired import DesiredNode
    from .doca import Installation

FIRMWARE_RESET = "firmware_reset"
"""The reset between new firmware and the settings, of which the old one may not know each."""
RETURN = "return"
"""The step that gives a host back which an earlier run left drained."""
DONE = ("current", "staged")
_AFTER_RESET = ("dpu_agent", "dpu_reset", "dpu_interfaces", "dpu_qos", "dpu_congestion_control")
_ASK_CARDS = ("dpu_mode", "dpu_firmware", "dpu_nvconfig", "dpu_reset")
_NEED_PORTS = ("dpu_interfaces", "dpu_qos", "dpu_congestion_control")


class HostPlan(t.TypedDict):
    """The steps of one host.

    `group` is done, steady (nothing disturbs) or rolling (the host is drained first). `refusals` are reasons to
    leave the host as it is; `sentence` says what waits for leave, `waits_for` what interfaces, QoS and
    congestion control need first. `rack` is [pod, SU, rack].
    """

    name: str
    rack: list[int]
    group: str
    steps: list[str]
    refusals: list[str]
    sentence: str
    waits_for: str


class Alone(t.TypedDict):
    """Needs of roles that run alone; `mixed` are sentences by the role that refuses them."""

    doca: Installation
    mixed: dict[str, list[str]]


def of_roles(wanted: DesiredNode, look: Look, given: SiteSettings) -> Alone:
    """Return what roles need that run alone."""
    case = HostCase(wanted, look, given)
    return {"doca": case.doca, "mixed": versions.refusals(case)}


def plan(wanted: DesiredNode, look: Look, given: SiteSettings, *, check: bool) -> HostPlan:
    """The plan of a host that was looked at; `check`: check mode installs no tools and resets nothing."""
    case = HostCase(wanted, look, given)
    need = disturbances.needs(case)
    rolls = need["allowed"] or (check and need["level"] != "none")
    if need["level"] == "none":
        steps = list(_steady(case))
    else:
        steps = list(_disturbing(case, first=need["firmware_first"])) if rolls else []
        steps += _AFTER_RESET if rolls else _runtime(case)
    if check and look["nics"]["error"]:
        steps = [step for step in steps if step not in _ASK_CARDS]
    if need["waits_for"] and (check or not rolls):
        steps = [
            step for step in steps if step not in _NEED_PORTS and (rolls or step != "dpu_agent")
        ]
    if "roce" not in wanted["nics"][0]:
        steps = [step for step in steps if step != "dpu_congestion_control"]
    return {
        "name": wanted["name"],
        "rack": wanted["rack"],
        "group": "rolling" if rolls else "steady" if steps or need["sentence"] else "done",
        "steps": list(dict.fromkeys(steps)),
        "refusals": list(_refusals(case, need)),
        "sentence": need["sentence"],
        "waits_for": need["waits_for"],
    }


def lines(plans: Sequence[HostPlan], batches: Sequence[Sequence[str]]) -> list[str]:
    """Describe the steps of a run and their hosts, before it does anything."""
    steady = [plan for plan in plans if plan["group"] == "steady"]
    working = [plan for plan in steady if plan["steps"]]
    waiting = [plan for plan in steady if plan["sentence"]]
    done = [plan for plan in plans if plan["group"] == "done"]
    roles = sorted({step for plan in working for step in plan["steps"]} - {RETURN})
    away = [name for batch in batches for name in batch]
    said = (
        (done, "as planned"),
        (working, f"set while in service: {', '.join(roles)}"),
        (
            waiting,
            "skipped without the required reset or link toggle: the end of the run reports how to allow it",
        ),
        (away, f"drained in {count(batches, 'batch', 'batches')}, rack by rack"),
    )
    return [f"{count(some, 'host')} {text}" for some, text in said if some]


def hooks(plans: Sequence[HostPlan]) -> Sequence[str]:
    """The hooks of a site that a run calls around its work on hosts."""
    if any(plan["group"] == "rolling" for plan in plans):
        return ("drain", "resume")
    return ("resume",) if any(RETURN in plan["steps"] for plan in plans) else ()


def _disturbing(case: HostCase, *, first: bool) -> Iterator[str]:
    """Yield the steps of installing and staging on a drained host; new firmware is reset before settings."""
    if case.driver:
        yield "dpu_doca"
    if any(nic.get("mode") in ("nic", "dpu") for nic in case.wanted["nics"]):
        yield "dpu_mode"
    if case.verdict.get("firmware") not in DONE:
        yield "dpu_firmware"
    if first:
        yield FIRMWARE_RESET
    if case.verdict.get("nvconfig") not in DONE:
        yield "dpu_nvconfig"


def _steady(case: HostCase) -> Iterator[str]:
    """A host that needs no reset. Of firmware and settings only what the roles refuse is left."""
    if "dpu_firmware" in case.manage and case.verdict.get("firmware") not in DONE:
        yield "dpu_firmware"
    if "dpu_nvconfig" in case.manage and case.verdict.get("nvconfig", "blocked") == "blocked":
        yield "dpu_nvconfig"
    yield from _runtime(case)
    if case.look["system"]["drained"]:
        yield from _AFTER_RESET
        yield RETURN


def _runtime(case: HostCase) -> Iterator[str]:
    look, nics, given = case.look, case.look["nics"], case.given
    if nics.get("skew", "unknown") or look["agent"]["due"]:
        yield "dpu_agent"
    lacks = given["lldp"] and "lldpd" not in look["packages"]
    if lacks or look["network"]["due"] or look["facts"]["due"]:
        yield "dpu_interfaces"
    if case.verdict.get("qos") != "current":
        yield "dpu_qos"
    starts, asked = bool(nics.get("algorithm")), given["algorithm"]
    settled = not given["optional"] or starts == (True if asked is None else asked)
    if case.verdict.get("roce") not in DONE or not settled:
        yield "dpu_congestion_control"


def _refusals(case: HostCase, need: disturbances.Needs) -> Iterator[str]:
    """Yield the reasons that nothing is done, before anything is drained, the first reason first."""
    name, look, given = case.wanted["name"], case.look, case.given
    nics, network = look["nics"], look["network"]
    if network["error"]:
        yield network["error"]
    yield from network.get("obstacles", ())
    yield from given["foreign"]
    if not given["allow_versions"]:
        firmware = case.verdict.get("firmware", "differs")
        for said in versions.refusals(case, firmware=firmware, force=case.force).values():
            yield from said
    if need["allowed"] and need["cuts_power"] and not look["system"]["power_cycle"]:
        yield (
            f"{name}: it may need a power cycle, and the command {given['power_cycle']} of dpu_reset_power_cycle is "
            "not on the host: install it, or name another in dpu_reset_power_cycle."
        )
    if nics["error"] and not (case.driver and "dpu_doca" in case.manage):
        yield f"{name}: {nics['error']}"
    if network.get("absent") and not need["waits_for"]:
        yield f"{name}: {' '.join(network['absent'])}"
    if need["conflicts"] and not given["tolerate"]:
        yield f"{' '.join(need['conflicts'])} Or tolerate it with dpu_qos_tolerate_conflicts."
