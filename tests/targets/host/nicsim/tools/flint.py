# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""flint: query and burn one device, or look into an image."""

from __future__ import annotations

import sys
import time
from typing import Any

from nicsim import faults, hardware, images
from nicsim.call import Call, ToolError, say
from nicsim.store import State
from nicsim.tools import _mft

VALUES = {"-d": "device", "--device": "device", "-i": "image", "--image": "image"}
FLAGS = {
    "-y": "yes",
    "--yes": "yes",
    "--no": "no",
    "--silent": "silent",
    "-s": "silent",
    "--allow_psid_change": "psid_change",
    "--ignore_dev_data": "ignore",
    "--no_fw_ctrl": "raw",
    "--qq": "qq",
    "--force": "force",
}
NO_DEVICE = "-E- Cannot open Device: {}. No such file or directory. MFE_CR_ERROR"


def run(call: Call) -> int:
    """Dispatch on the command word."""
    options, words = _mft.read_options(call.argv, VALUES, FLAGS)
    command = words[0] if words else ""
    if command in ("q", "query", "qq"):
        return query(call, options, full="full" in words[1:])
    if command in ("v", "verify"):
        return verify(call, options)
    if command in ("b", "burn"):
        call.wants_write()
        return burn(call, options)
    if command == "ir":
        call.wants_write()
        return reactivate(call, options)
    if not command:
        raise ToolError("-E- No command was specified.")
    raise ToolError(f"-E- Invalid command: {command}")


def _device(state: State, options: dict[str, str]) -> Any:
    if "device" not in options:
        raise ToolError("-E- For this command, either a device or an image must be specified.")
    found = hardware.find(state, options["device"])
    if found is None:
        raise ToolError(NO_DEVICE.format(options["device"]))
    return found


def read_image(path: str) -> dict[str, Any]:
    """The stand-in's content, or flint's error for anything that is no image."""
    return images.read(
        path,
        images.FIRMWARE,
        f"-E- Cannot open Image: {path}. The image file is not a valid FW image",
    )


def _print(rows: list[str]) -> None:
    for row in rows:
        say(row.rstrip())


def _key(name: str, value: str) -> str:
    return f"{name:<22} {value}"


def query(call: Call, options: dict[str, str], *, full: bool) -> int:
    """Keys padded to 22; `FW Version(Running)` only while it differs from the burned one."""
    if "device" not in options and "image" in options:
        image = read_image(options["image"])
        _print(
            [
                _key("Image type:", "FS4"),
                _key("FW Version:", image["version"]),
                _key("FW Release Date:", "27.7.2025"),
                _key("Product Version:", image["version"]),
                _key("PSID:", image["psid"]),
                _key("Security Attributes:", "secure-fw"),
            ]
        )
        return 0
    with call.state() as state:
        nic, _function = _device(state, options)
        psid = faults.psid(state, nic)
    firmware = nic["firmware"]
    rows = [_key("Image type:", "FS4"), _key("FW Version:", firmware["burned"])]
    if firmware["running"] != firmware["burned"]:
        rows.append(_key("FW Version(Running):", firmware["running"]))
    rows += [
        _key("FW Release Date:", "27.7.2025"),
        _key("Product Version:", firmware["burned"]),
        _key("Rom Info:", "type=UEFI Virtio net version=21.4.13 cpu=AMD64,AARCH64"),
        _key("", "type=PXE version=3.7.500 cpu=AMD64"),
    ]
    if full:
        rows += [
            _key("Part Number:", nic["part_number"]),
            _key("Device Description:", nic["description"]),
        ]
    rows += [
        _key("Description:", "UID                GuidsNumber"),
        _key("Base GUID:", f"{nic['base_guid']}        38"),
        _key("Base MAC:", f"{nic['base_mac']}            38"),
        _key("Image VSD:", "N/A"),
        _key("Device VSD:", "N/A"),
        _key("PSID:", psid),
        _key("Security Attributes:", "secure-fw"),
    ]
    if full:
        rows += [
            _key("Default Update Method:", "fw_ctrl"),
            _key("Life cycle:", "GA SECURED"),
            _key("Secure Boot Capable:", "Enabled"),
            _key("EFUSE Security Ver:", "1"),
        ]
    _print(rows)
    return 0


def verify(call: Call, options: dict[str, str]) -> int:
    """Check an image file or the burned image."""
    if "image" in options:
        read_image(options["image"])
    else:
        with call.state() as state:
            _device(state, options)
    say("-I- FW image verification succeeded. Image is bootable.")
    return 0


def stop_on_fault(state: State, nic: hardware.Nic) -> str:
    """`hang`, `fail`, `restricted` or nothing: what will become of a burn."""
    if faults.active(state, "burn-hangs", nic):
        return "hang"
    if faults.restricted(state, nic):
        return "restricted"
    return "fail" if faults.active(state, "burn-fails", nic) else ""


def hang() -> None:
    """Never return (until killed)."""
    sys.stdout.flush()
    while True:
        time.sleep(3600)


def burn(call: Call, options: dict[str, str]) -> int:
    """Burn an image: the running firmware stays until a reset."""
    if "image" not in options:
        raise ToolError("-E- Burn command requires an image file: -i")
    image = read_image(options["image"])
    with call.state() as state:
        nic, _function = _device(state, options)
        trouble = stop_on_fault(state, nic)
        present, psid = nic["firmware"]["burned"], faults.psid(state, nic)
    say(
        f"\n    Current FW version on flash:  {present}\n    New FW version:               "
        f"{image['version']}\n"
    )
    if image["psid"] != psid and "psid_change" not in options:
        raise ToolError(
            f"-E- PSID mismatch. The PSID on flash ({psid}) differs from the PSID in "
            f"the given image ({image['psid']})."
        )
    if present == image["version"] and "yes" not in options:
        raise ToolError("-E- Aborted by user")
    if trouble == "hang":
        hang()
    if trouble:
        reason = "The host is restricted" if trouble == "restricted" else "Bad parameter"
        say("Burning FW image without signatures - FAILED")
        raise ToolError(f"-E- Burning FW image failed: {reason}")
    with call.state() as state:
        nic, _function = _device(state, options)
        nic["firmware"]["burned"] = image["version"]
    say("FSMST_INITIALIZE -   OK\nWriting Boot image component -   OK")
    say("-I- To load new FW run mlxfwreset or reboot machine.")
    return 0


def reactivate(call: Call, options: dict[str, str]) -> int:
    """`ir`: make the image that was burned the active one again."""
    with call.state() as state:
        _device(state, options)
    say("-I- Reactivation of the FW image succeeded")
    return 0
