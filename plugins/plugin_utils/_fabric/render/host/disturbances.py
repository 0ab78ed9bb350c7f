# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Disturbances on a host's way to the desired state, and the permission of this run for them."""

from __future__ import annotations

import typing as t

from .....module_utils._nic.discover import BLUEFIELDS
from .....module_utils._nic.plan.qos import LLDPAD

if t.TYPE_CHECKING:
    from .....module_utils._nic.records import Card
    from .host_state import HostCase

LEVELS = ("none", "link", "reset", "reboot", "power_cycle")
PENDING = ("differs", "staged")


class Needs(t.TypedDict):
    """Disturbance of a host; `level` is one of LEVELS.

    `cuts_power`: it may end in a power cycle; `firmware_first`: new firmware takes a reset of its own, before the
    settings, of which it may know more; `sentence` is "" when nothing waits; `waits_for` is what interfaces, QoS and
    congestion control need and only a drained host gets, or ""; `conflicts` are sentences about what runs on the host
    and takes back what would be set.
    """

    level: str
    allowed: bool
    cuts_power: bool
    firmware_first: bool
    sentence: str
    waits_for: str
    conflicts: list[str]


def needs(case: HostCase) -> Needs:
    """Only what roles of `manage` would do is counted; firmware only where a file is named."""
    found = list(_found(case))
    level = max((level for level, _reason in found), key=LEVELS.index, default="none")
    whole = level in ("reboot", "power_cycle")
    allowed = case.given["allow_reboot"] or (case.given["allow_reset"] and not whole)
    reasons = [reason for _level, reason in found]
    ports = [port for nic in _cards(case) for port in nic["ports"]]
    fights = any((port.get("qos") or {}).get("lldpad") for port in ports)
    return {
        "level": level,
        "cuts_power": level == "power_cycle" or (whole and _bluefield(case)),
        "allowed": bool(found) and allowed,
        "firmware_first": _firmware_comes(case) and "dpu_nvconfig" in case.manage,
        "sentence": _sentence(case, reasons, level, whole) if found else "",
        "waits_for": next(_lacking(case), "") if found else "",
        "conflicts": [f"{case.wanted['name']}: {LLDPAD}"] if fights else [],
    }


def _cards(case: HostCase) -> list[Card]:
    return case.look["nics"].get("nics") or []


def _bluefield(case: HostCase) -> bool:
    return any(nic["device"] in BLUEFIELDS for nic in case.wanted["nics"])


def _renames(case: HostCase) -> str:
    found = case.look["network"].get("renames_in_use", ())
    return ", ".join(found if "dpu_interfaces" in case.manage else ())


def _driver(case: HostCase) -> str:
    return case.driver if "dpu_doca" in case.manage else ""


def _system(case: HostCase) -> bool:
    """Check whether the DPUs get an operating system."""
    dpu = "dpu_mode" in case.manage and case.wanted["nics"][0].get("mode") == "dpu"
    due = case.force or case.verdict.get("firmware") == "differs"
    return bool(dpu and case.given["bfb"] and due)


def _firmware_comes(case: HostCase) -> bool:
    """Check whether a run brings other firmware than the one that runs, or than is known to run."""
    given = any(nic["device"] in case.files for nic in case.wanted["nics"])
    runs = case.verdict.get("firmware", "")
    return "dpu_firmware" in case.manage and (runs == "staged" or (given and runs != "current"))


def _settings_wait(case: HostCase) -> bool:
    managed = {"dpu_nvconfig", "dpu_mode"} & {*case.manage}
    return bool(managed) and case.verdict.get("nvconfig", "") in PENDING


def _sentence(case: HostCase, reasons: list[str], level: str, whole: bool) -> str:
    what = {"link": "link toggle", "power_cycle": "power cycle"}.get(level, level)
    allow = "spx_allow_reboot" if whole else "spx_allow_reset"
    twice = _firmware_comes(case) and _settings_wait(case)
    then = f"a {what} after the firmware and one after the settings" if twice else f"a {what}"
    return (
        f"{case.wanted['name']}: {'; '.join(reasons)}: it needs {then}, so drain the host and run "
        f"again with -e {allow}=true."
    )


def _found(case: HostCase) -> t.Iterator[tuple[str, str]]:
    wanted, verdict, bluefield = case.wanted, case.verdict, _bluefield(case)
    firmware, settings = verdict.get("firmware", ""), verdict.get("nvconfig", "")
    if _driver(case):
        yield "reboot", _driver(case)
    if firmware in PENDING and _firmware_comes(case):
        version = wanted["nics"][0]["firmware"]["version"]
        what = "waits to become active" if firmware == "staged" else "is to be installed"
        yield "power_cycle" if bluefield else "reset", f"firmware {version} {what}"
    if _settings_wait(case):
        what = "wait to become current" if settings == "staged" else "are to be staged"
        yield "reboot" if bluefield else "reset", f"settings of RA {wanted['ra']} {what}"
    if "dpu_congestion_control" in case.manage and verdict.get("roce") == "staged":
        yield "link", "the inter-packet gap waits for maintenance"
    if _renames(case):
        yield "link", f"ports in use get new names ({_renames(case)})"
    if _system(case):
        yield "power_cycle", "the operating system of the DPUs is to be installed"


def _lacking(case: HostCase) -> t.Iterator[str]:
    if _driver(case):
        yield "the driver of DOCA-Host"
    if _renames(case):
        yield f"new names of ports in use ({_renames(case)})"
    if case.verdict.get("nvconfig") == "current" and not _system(case):
        return  # no reset brings a port or a mode then
    seen = {port["pci"] for nic in _cards(case) for port in nic["ports"] if port["netdev"]}
    ports = [row["pci"] for row in case.wanted["interfaces"] if row["pci"] not in seen]
    if ports:
        yield f"ports {', '.join(ports)}"
    modes = {nic["mode"] for nic in _cards(case)} - {"nic", "adapter"}
    if modes and any(nic.get("mode") == "nic" for nic in case.wanted["nics"]):
        yield "NIC mode"
