# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a host's way to the desired state disturbs its work, and whether this run may do it.

{reasons: [sentence part], level: none|link|reset|reboot|power_cycle, allowed: bool,
 cuts_power: may it end in a power cycle,
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

Plain = dict[str, t.Any]

LEVELS = ("none", "link", "reset", "reboot", "power_cycle")
PENDING = ("differs", "staged")


def needs(
    wanted: Mapping[str, t.Any],
    verdict: Mapping[str, str],
    *,
    doca: str = "",
    nics: Collection[Mapping[str, t.Any]] = (),
    files: Mapping[str, t.Any] | None = None,
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
    renames = renames if "dpu_interfaces" in wanted["manage"] else ()
    found = list(_found(wanted, verdict, doca=doca, files=files or {}, renames=renames))
    system = _system(wanted, verdict, bfb=bfb, force=force)
    if system:
        found.append(("power_cycle", "the operating system of the DPUs is to be installed"))
    level = max((level for level, _reason in found), key=LEVELS.index, default="none")
    whole = level in ("reboot", "power_cycle")
    allowed = allow_reboot or (allow_reset and not whole)
    reasons = [reason for _level, reason in found]
    lacking = _lacking(wanted, verdict, doca=doca, nics=nics, renames=renames, system=system)
    return {
        "reasons": reasons,
        "level": level,
        "cuts_power": level == "power_cycle" or (whole and _bluefield(wanted)),
        "allowed": bool(found) and allowed,
        "sentence": _sentence(wanted, reasons, level, whole) if found else "",
        "waits_for": next(lacking, "") if found else "",
        "conflicts": list(_conflicts(wanted, nics)),
    }


def _sentence(wanted: Mapping[str, t.Any], reasons: list[str], level: str, whole: bool) -> str:
    what = {"link": "link toggle", "power_cycle": "power cycle"}.get(level, level)
    allow = "spx_allow_reboot" if whole else "spx_allow_reset"
    return (
        f"{wanted['name']}: {'; '.join(reasons)}: it takes a {what}, so drain the host and run "
        f"again with -e {allow}=true."
    )


def _found(
    wanted: Mapping[str, t.Any],
    verdict: Mapping[str, str],
    *,
    doca: str,
    files: Mapping[str, t.Any],
    renames: Collection[str],
) -> t.Iterator[tuple[str, str]]:
    manage, bluefield = wanted["manage"], _bluefield(wanted)
    firmware, settings = verdict.get("firmware", ""), verdict.get("nvconfig", "")
    if doca and "dpu_doca" in manage:
        yield "reboot", doca
    if (
        "dpu_firmware" in manage
        and firmware in PENDING
        and (firmware == "staged" or _file(wanted, files))
    ):
        version = wanted["nics"][0]["firmware"]["version"]
        yield "power_cycle" if bluefield else "reset", f"firmware {version} {_word(firmware)}"
    if {"dpu_nvconfig", "dpu_mode"} & set(manage) and settings in PENDING:
        word = f"settings of RA {wanted['ra']} {_words(settings)}"
        yield "reboot" if bluefield else "reset", word
    if "dpu_congestion_control" in manage and verdict.get("roce") == "staged":
        yield "link", "the inter-packet gap waits for maintenance"
    if renames:
        yield "link", f"ports in use get new names ({', '.join(renames)})"


def _system(
    wanted: Mapping[str, t.Any], verdict: Mapping[str, str], *, bfb: str, force: bool
) -> bool:
    ours = "dpu_mode" in wanted["manage"] and wanted["nics"][0].get("mode") == "dpu"
    return bool(ours and bfb and (force or verdict.get("firmware") == "differs"))


def _lacking(
    wanted: Mapping[str, t.Any],
    verdict: Mapping[str, str],
    *,
    doca: str,
    nics: Collection[Mapping[str, t.Any]],
    renames: Collection[str],
    system: bool,
) -> t.Iterator[str]:
    if doca and "dpu_doca" in wanted["manage"]:
        yield "the driver of DOCA-Host"
    if renames:
        yield f"new names of ports in use ({', '.join(renames)})"
    if verdict.get("nvconfig") == "current" and not system:
        return  # no reset brings a port or a mode then
    seen = {port["pci"] for nic in nics for port in nic["ports"] if port["netdev"]}
    ports = [row["pci"] for row in wanted["interfaces"] if row["pci"] not in seen]
    if ports:
        yield f"ports {', '.join(ports)}"
    modes = {nic["mode"] for nic in nics} - {"nic", "adapter"}
    if modes and any(nic.get("mode") == "nic" for nic in wanted["nics"]):
        yield "NIC mode"


def _conflicts(
    wanted: Mapping[str, t.Any], nics: Collection[Mapping[str, t.Any]]
) -> t.Iterator[str]:
    ports = [port for nic in nics for port in nic["ports"]]
    if any((p.get("qos") or {}).get("lldpad") for p in ports):
        yield f"{wanted['name']}: {LLDPAD}"


def _word(state: str) -> str:
    return "waits to become active" if state == "staged" else "is to be installed"


def _words(state: str) -> str:
    return "wait to become current" if state == "staged" else "are to be staged"


def _bluefield(wanted: Mapping[str, t.Any]) -> bool:
    return any(nic["device"] in BLUEFIELDS for nic in wanted["nics"])


def _file(wanted: Mapping[str, t.Any], files: Mapping[str, t.Any]) -> bool:
    named = {str(name) for name in files}  # YAML reads 1023 as a number
    return any(nic["device"] in named for nic in wanted["nics"])
