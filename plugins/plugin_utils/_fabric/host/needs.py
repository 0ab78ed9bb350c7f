# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a host's way to the desired state disturbs its work, and whether this run may do it.

{level: none|link|reset|reboot|power_cycle, allowed: bool,
 cuts_power: may it end in a power cycle,
 firmware_first: whether new firmware takes a reset of its own, before the settings, of which it may know more,
 sentence: one sentence, "" when nothing waits,
 waits_for: what interfaces, QoS and congestion control need and only a drained host gets, or "",
 conflicts: [sentence about what runs on the host and takes back what would be set]}
"""

from __future__ import annotations

import typing as t

from ....module_utils._nic.discover import BLUEFIELDS
from ....module_utils._nic.plan.qos import LLDPAD

if t.TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from .desired import Desired

Plain = dict[str, t.Any]

LEVELS = ("none", "link", "reset", "reboot", "power_cycle")
PENDING = ("differs", "staged")


def needs(
    wanted: Desired,
    verdict: Mapping[str, str],
    *,
    doca: str = "",
    nics: Collection[Mapping[str, t.Any]] = (),
    files: Collection[str] | None = None,
    bfb: str = "",
    force: bool = False,
    renames: Collection[str] = (),
    allow_reset: bool = False,
    allow_reboot: bool = False,
) -> Plain:
    """`verdict` and `nics` as module host gives them, `doca` why packages are to be installed, or "".

    Only what roles of `manage` would do is counted; firmware only where a file is named. `bfb` is
    what DPUs get as operating system, `force` that they get it whatever runs; `renames` are those of
    ports in use.
    """
    manage = wanted["manage"]
    dpu = "dpu_mode" in manage and wanted["nics"][0].get("mode") == "dpu"
    case = _Case(
        wanted=wanted,
        verdict=verdict,
        doca=doca if "dpu_doca" in manage else "",
        nics=nics,
        files={*(files or ())},
        renames=", ".join(renames if "dpu_interfaces" in manage else ()),
        system=bool(dpu and bfb and (force or verdict.get("firmware") == "differs")),
    )
    found = list(_found(case))
    level = max((level for level, _reason in found), key=LEVELS.index, default="none")
    whole = level in ("reboot", "power_cycle")
    allowed = allow_reboot or (allow_reset and not whole)
    reasons = [reason for _level, reason in found]
    ports = [port for nic in nics for port in nic["ports"]]
    fights = any((port.get("qos") or {}).get("lldpad") for port in ports)
    return {
        "level": level,
        "cuts_power": level == "power_cycle" or (whole and _bluefield(wanted)),
        "allowed": bool(found) and allowed,
        "firmware_first": _firmware_comes(case) and "dpu_nvconfig" in manage,
        "sentence": _sentence(case, reasons, level, whole) if found else "",
        "waits_for": next(_lacking(case), "") if found else "",
        "conflicts": [f"{wanted['name']}: {LLDPAD}"] if fights else [],
    }


class _Case(t.NamedTuple):
    """What the roles of `manage` would do on a host; `system`: its DPUs get an operating system."""

    wanted: Desired
    verdict: Mapping[str, str]
    doca: str
    nics: Collection[Mapping[str, t.Any]]
    files: set[str]
    renames: str
    system: bool


def _firmware_comes(case: _Case) -> bool:
    """Whether a run brings other firmware than the one that runs, or than is known to run."""
    given = any(nic["device"] in case.files for nic in case.wanted["nics"])
    runs = case.verdict.get("firmware", "")
    return "dpu_firmware" in case.wanted["manage"] and (
        runs == "staged" or (given and runs != "current")
    )


def _settings_wait(case: _Case) -> bool:
    managed = {"dpu_nvconfig", "dpu_mode"} & {*case.wanted["manage"]}
    return bool(managed) and case.verdict.get("nvconfig", "") in PENDING


def _sentence(case: _Case, reasons: list[str], level: str, whole: bool) -> str:
    what = {"link": "link toggle", "power_cycle": "power cycle"}.get(level, level)
    allow = "spx_allow_reboot" if whole else "spx_allow_reset"
    twice = _firmware_comes(case) and _settings_wait(case)
    then = f"a {what} after the firmware and one after the settings" if twice else f"a {what}"
    return (
        f"{case.wanted['name']}: {'; '.join(reasons)}: it takes {then}, so drain the host and run "
        f"again with -e {allow}=true."
    )


def _found(case: _Case) -> t.Iterator[tuple[str, str]]:
    wanted, verdict, manage = case.wanted, case.verdict, case.wanted["manage"]
    firmware, settings = verdict.get("firmware", ""), verdict.get("nvconfig", "")
    bluefield = _bluefield(wanted)
    if case.doca:
        yield "reboot", case.doca
    if firmware in PENDING and _firmware_comes(case):
        version = wanted["nics"][0]["firmware"]["version"]
        what = "waits to become active" if firmware == "staged" else "is to be installed"
        yield "power_cycle" if bluefield else "reset", f"firmware {version} {what}"
    if _settings_wait(case):
        what = "wait to become current" if settings == "staged" else "are to be staged"
        yield "reboot" if bluefield else "reset", f"settings of RA {wanted['ra']} {what}"
    if "dpu_congestion_control" in manage and verdict.get("roce") == "staged":
        yield "link", "the inter-packet gap waits for maintenance"
    if case.renames:
        yield "link", f"ports in use get new names ({case.renames})"
    if case.system:
        yield "power_cycle", "the operating system of the DPUs is to be installed"


def _lacking(case: _Case) -> t.Iterator[str]:
    if case.doca:
        yield "the driver of DOCA-Host"
    if case.renames:
        yield f"new names of ports in use ({case.renames})"
    if case.verdict.get("nvconfig") == "current" and not case.system:
        return  # no reset brings a port or a mode then
    seen = {port["pci"] for nic in case.nics for port in nic["ports"] if port["netdev"]}
    ports = [row["pci"] for row in case.wanted["interfaces"] if row["pci"] not in seen]
    if ports:
        yield f"ports {', '.join(ports)}"
    modes = {nic["mode"] for nic in case.nics} - {"nic", "adapter"}
    if modes and any(nic.get("mode") == "nic" for nic in case.wanted["nics"]):
        yield "NIC mode"


def _bluefield(wanted: Desired) -> bool:
    return any(nic["device"] in BLUEFIELDS for nic in wanted["nics"])
