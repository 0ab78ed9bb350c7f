# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What playbook dpus does to one host: the roles that have something to do, by what module host found.

What could not be read counts as something to do. A role still compares before it writes.
"""

from __future__ import annotations

import typing as t

from ..model.words import count
from . import doca, needs, versions

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .desired import Desired

Plain = dict[str, t.Any]

FIRMWARE_RESET = "firmware_reset"
"""The reset between new firmware and the settings, of which the old one may not know each."""
RETURN = "return"
"""The step that gives a host back which an earlier run left drained."""
DONE = ("current", "staged")
_AFTER_RESET = ("dpu_agent", "dpu_reset", "dpu_interfaces", "dpu_qos", "dpu_congestion_control")
_ASK_CARDS = ("dpu_mode", "dpu_firmware", "dpu_nvconfig", "dpu_reset")
_NEED_PORTS = ("dpu_interfaces", "dpu_qos", "dpu_congestion_control")


class Given(t.TypedDict):
    """What a site and a run ask for, beside the plan.

    `doca` are the variables of the role dpu_doca; `algorithm` is dpu_congestion_control_algorithm where somebody
    set it; `optional` says that the desired state has congestion control, which a host may start or not.
    """

    doca: Plain
    files: Plain
    bfb: str
    force: bool
    tolerate: bool
    lldp: bool
    power_cycle: str
    allow_reset: bool
    allow_reboot: bool
    allow_versions: bool
    algorithm: bool | None
    optional: bool


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


def of_roles(wanted: Desired, look: Mapping[str, t.Any], given: Given) -> Plain:
    """What roles need that run alone: `doca` as of doca.plan, `mixed` sentences by the role that refuses them."""
    packages = {"OFED": f"({look['system']['uninstaller']})", **look["packages"]}
    hpcx, version = look["system"]["hpcx"], given["doca"]["version"]
    return {
        "doca": doca.plan(wanted, packages, look["system"], given["doca"]),
        "mixed": {
            "doca": versions.refusals(wanted, packages=look["packages"], hpcx=hpcx, doca=version),
            "firmware": versions.refusals(wanted, files=given["files"]),
            "mode": versions.refusals(wanted, bfb=given["bfb"]),
        },
    }


def plan(wanted: Desired, look: Mapping[str, t.Any], given: Given, *, check: bool) -> HostPlan:
    """The plan of a host that was looked at; `check`: check mode installs no tools and resets nothing."""
    system, nics, network = look["system"], look["nics"], look["network"]
    force = given["force"] or system["system_waits"]
    verdict = nics.get("verdict", {})
    reason = of_roles(wanted, look, given)["doca"]["reason"]
    files = {str(device) for device in given["files"]}  # YAML reads 1023 as a number
    if not reason and system["driver_waits"]:
        reason = "the installed driver is not loaded yet"
    need = needs.needs(
        wanted,
        verdict,
        doca=reason,
        nics=nics.get("nics", []),
        files=files,
        bfb=given["bfb"],
        force=force,
        renames=network.get("renames_in_use", []),
        allow_reset=given["allow_reset"],
        allow_reboot=given["allow_reboot"],
    )
    rolls = need["allowed"] or (check and need["level"] != "none")
    if need["level"] == "none":
        steps = list(_steady(wanted, look, given))
    else:
        steps = (
            list(_disturbing(wanted, verdict, reason, first=need["firmware_first"]))
            if rolls
            else []
        )
        steps += _AFTER_RESET if rolls else _runtime(wanted, look, given)
    if check and nics["error"]:
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
        "refusals": list(_refusals(wanted, look, given, need, installs=bool(reason), force=force)),
        "sentence": need["sentence"],
        "waits_for": need["waits_for"],
    }


def lines(plans: Sequence[HostPlan], batches: Sequence[Sequence[str]]) -> list[str]:
    """What a run does to which hosts, before it does anything."""
    steady = [plan for plan in plans if plan["group"] == "steady"]
    working = [plan for plan in steady if plan["steps"]]
    waiting = [plan for plan in steady if plan["sentence"]]
    done = [plan for plan in plans if plan["group"] == "done"]
    roles = sorted({step for plan in working for step in plan["steps"]} - {RETURN})
    away = [name for batch in batches for name in batch]
    said = (
        (done, "as planned"),
        (working, f"set while they work: {', '.join(roles)}"),
        (
            waiting,
            "left without the reset or link toggle that it takes: the end of the run says how to allow it",
        ),
        (away, f"out of work in {count(batches, 'batch', 'batches')}, rack by rack"),
    )
    return [f"  {count(some, 'host')} {text}" for some, text in said if some]


def hooks(plans: Sequence[HostPlan]) -> Sequence[str]:
    """The hooks of a site that a run calls around its work on hosts."""
    if any(plan["group"] == "rolling" for plan in plans):
        return ("drain", "resume")
    return ("resume",) if any(RETURN in plan["steps"] for plan in plans) else ()


def _disturbing(
    wanted: Desired, verdict: Mapping[str, str], reason: str, *, first: bool
) -> Iterator[str]:
    """What is installed and staged on a drained host, before it is reset; new firmware is reset before settings."""
    if reason:
        yield "dpu_doca"
    if any(nic.get("mode") in ("nic", "dpu") for nic in wanted["nics"]):
        yield "dpu_mode"
    if verdict.get("firmware") not in DONE:
        yield "dpu_firmware"
    if first:
        yield FIRMWARE_RESET
    if verdict.get("nvconfig") not in DONE:
        yield "dpu_nvconfig"


def _steady(wanted: Desired, look: Mapping[str, t.Any], given: Given) -> Iterator[str]:
    """A host that needs no reset. Of firmware and settings only what the roles refuse is left."""
    verdict, manage = look["nics"].get("verdict", {}), wanted["manage"]
    if "dpu_firmware" in manage and verdict.get("firmware") not in DONE:
        yield "dpu_firmware"
    if "dpu_nvconfig" in manage and verdict.get("nvconfig", "blocked") == "blocked":
        yield "dpu_nvconfig"
    yield from _runtime(wanted, look, given)
    if look["system"]["drained"]:
        yield from _AFTER_RESET
        yield RETURN


def _runtime(wanted: Desired, look: Mapping[str, t.Any], given: Given) -> Iterator[str]:
    nics = look["nics"]
    verdict = nics.get("verdict", {})
    if nics.get("skew", "unknown") or look["agent"]["due"]:
        yield "dpu_agent"
    lacks = given["lldp"] and "lldpd" not in look["packages"]
    if lacks or look["network"]["due"] or look["facts"]["due"]:
        yield "dpu_interfaces"
    if verdict.get("qos") != "current":
        yield "dpu_qos"
    starts, asked = bool(nics.get("algorithm")), given["algorithm"]
    settled = not given["optional"] or starts == (True if asked is None else asked)
    if verdict.get("roce") not in DONE or not settled:
        yield "dpu_congestion_control"


def _refusals(
    wanted: Desired,
    look: Mapping[str, t.Any],
    given: Given,
    need: Mapping[str, t.Any],
    *,
    installs: bool,
    force: bool,
) -> Iterator[str]:
    """Why nothing is done, before anything is drained, the first reason first."""
    name, nics, network = wanted["name"], look["nics"], look["network"]
    if network["error"]:
        yield network["error"]
    if not given["allow_versions"]:
        yield from versions.refusals(
            wanted,
            packages=look["packages"],
            hpcx=look["system"]["hpcx"],
            doca=given["doca"]["version"],
            files=given["files"],
            bfb=given["bfb"],
            force=force,
            firmware=nics.get("verdict", {}).get("firmware", "differs"),
        )
    if need["allowed"] and need["cuts_power"] and not look["system"]["power_cycle"]:
        yield (
            f"{name}: it may take a power cycle, and the command {given['power_cycle']} of dpu_reset_power_cycle is "
            "not on the host: install it, or name another in dpu_reset_power_cycle."
        )
    if nics["error"] and not (installs and "dpu_doca" in wanted["manage"]):
        yield f"{name}: {nics['error']}"
    if network.get("absent") and not need["waits_for"]:
        yield f"{name}: {' '.join(network['absent'])}"
    if need["conflicts"] and not given["tolerate"]:
        yield f"{' '.join(need['conflicts'])} Or tolerate it with dpu_qos_tolerate_conflicts."
