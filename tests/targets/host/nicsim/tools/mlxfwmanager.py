# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mlxfwmanager: query (text and XML) and update from a file or folder."""

from __future__ import annotations

import pathlib
from typing import Any, Optional
from xml.sax.saxutils import quoteattr

from nicsim import faults, hardware, images
from nicsim.call import Call, ToolError, say
from nicsim.store import State
from nicsim.tools import _mft, flint

VALUES = {
    "-d": "device",
    "--dev": "device",
    "-i": "image",
    "--image-file": "image",
    "-D": "folder",
    "--image-dir": "folder",
    "--query-format": "format",
}
FLAGS = {
    "-u": "update",
    "--update": "update",
    "-y": "yes",
    "--yes": "yes",
    "-f": "force",
    "--force": "force",
    "--online": "online",
    "--skip_if_same": "skip",
    "--no-progress": "quiet",
    "--query": "query",
    "--no": "no",
}


def run(call: Call) -> int:
    """Query all devices or one; -u burns what fits."""
    options, words = _mft.read_options(call.argv, VALUES, FLAGS)
    if words:
        raise ToolError(f"-E- Invalid argument: {words[0]}")
    if "update" in options:
        call.wants_write()
    with call.state() as state:
        targets = _targets(state, options)
        found = [_describe(state, nic, function, options) for nic, function in targets]
    if options.get("format") == "XML":
        _xml(found)
        return 0
    _text(found)
    return _update(call, found) if "update" in options else 0


def _targets(state: State, options: dict[str, str]) -> list[Any]:
    if "device" in options:
        return [_mft.device(state, options["device"])]
    if not state["nics"]:
        raise ToolError("-E- No devices found or specified, mst might be stopped.")
    return [(nic, hardware.visible(nic)[0]) for nic in state["nics"]]


def _available(options: dict[str, str], psid: str) -> Optional[str]:
    """The newest version for this PSID among the given images."""
    files: list[pathlib.Path] = []
    if "image" in options:
        files = [pathlib.Path(options["image"])]
    elif "folder" in options:
        files = sorted(pathlib.Path(options["folder"]).glob("*"))
    versions = []
    for path in files:
        try:
            image = images.read(str(path), images.FIRMWARE, "")
        except ToolError:
            continue
        if image["psid"] == psid:
            versions.append(image["version"])
    return max(versions, key=lambda text: [int(part) for part in text.split(".")], default=None)


def _describe(
    state: State, nic: hardware.Nic, function: hardware.Function, options: dict[str, str]
) -> dict[str, Any]:
    psid = faults.psid(state, nic)
    available = _available(options, psid)
    burned = nic["firmware"]["burned"]
    if available is None:
        status = "No matching image found"
    else:
        status = "Up to date" if available == burned else "Update required"
    return {
        "nic": nic,
        "pci": function["pci"],
        "psid": psid,
        "available": available,
        "status": status,
        "trouble": flint.stop_on_fault(state, nic),
        "force": "force" in options,
    }


def _text(found: list[dict[str, Any]]) -> None:
    say("Querying Mellanox devices firmware ...\n")
    for number, entry in enumerate(found, start=1):
        nic, firmware = entry["nic"], entry["nic"]["firmware"]
        say(f"Device #{number}:\n----------\n")
        for key, value in (
            ("Device Type:", nic["type"]),
            ("Part Number:", nic["part_number"]),
            ("Description:", nic["description"]),
            ("PSID:", entry["psid"]),
            ("PCI Device Name:", entry["pci"]),
            ("Base GUID:", nic["base_guid"]),
            ("Base MAC:", nic["base_mac"]),
        ):
            say(f"  {key:<18}{value}")
        say(f"  {'Versions:':<18}{'Current':<15}{'Available':<14}")
        say(f"     {'FW':<15}{firmware['burned']:<15}{entry['available'] or 'N/A':<14}")
        if firmware["running"] != firmware["burned"]:
            say(f"     {'FW (Running)':<15}{firmware['running']:<15}{'N/A':<14}")
        for name, version in (("PXE", "3.7.0500"), ("UEFI", "14.37.0014")):
            say(f"     {name:<15}{version:<15}{'N/A':<14}")
        say(f"\n  {'Status:':<18}{entry['status']}\n")


def _xml(found: list[dict[str, Any]]) -> None:
    say("<Devices>")
    for entry in found:
        nic = entry["nic"]
        versions = (
            ("FW", nic["firmware"]["burned"], entry["available"] or "N/A"),
            ("PXE", "3.7.0500", "N/A"),
            ("UEFI", "14.37.0014", "N/A"),
        )
        say(
            f"  <Device pciName={quoteattr(entry['pci'])} type={quoteattr(nic['type'])} "
            f"psid={quoteattr(entry['psid'])} partNumber={quoteattr(nic['part_number'])}>"
        )
        say("    <Versions>")
        for name, current, available in versions:
            say(f"      <{name} current={quoteattr(current)} available={quoteattr(available)}/>")
        say("    </Versions>")
        say(f"    <MACs Base_Mac={quoteattr(nic['base_mac'])} />")
        say(f"    <GUIDs Base_Guid={quoteattr(nic['base_guid'])} />")
        say(f"    <Status> {entry['status']} </Status>")
        say(f"    <Description> {nic['description']} </Description>\n  </Device>")
    say("</Devices>")


def _update(call: Call, found: list[dict[str, Any]]) -> int:
    wanted = [
        e
        for e in found
        if e["status"] == "Update required" or (e["force"] and e["status"] == "Up to date")
    ]
    if not wanted:
        say("---------\nNo updates needed.")
        return 0
    say(f"---------\nFound {len(wanted)} device(s) requiring firmware update...\n")
    failed = False
    for number, entry in enumerate(wanted, start=1):
        if entry["trouble"] == "hang":
            flint.hang()
        if entry["trouble"]:
            say(f"Device #{number}: Updating FW ...\n-E- Failed to burn the image")
            failed = True
            continue
        with call.state() as state:
            nic, _function = _mft.device(state, entry["pci"])
            nic["firmware"]["burned"] = entry["available"]
        say(f"Device #{number}: Updating FW ...\nDone")
    say("\nRestart needed for updates to take effect.")
    return 1 if failed else 0
