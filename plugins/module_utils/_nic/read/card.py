# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A card: its non-volatile settings in one query, its firmware, and why it does not answer.

Firmware is of one `devlink` for all cards, else of `flint` per card.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import NicError
from ..parse import flint, mlxconfig
from ..parse.listings import devlink_info, restricted
from ..records import Flash, Setting, Settings
from ..tools import MISSING, Host, Result, failed, not_installed, reason

MODE = "INTERNAL_CPU_OFFLOAD_ENGINE"
MODEL = "INTERNAL_CPU_MODEL"


def device_of(host: Host, pci: str) -> str:
    """Return the device for mlxconfig: the fwctl device where the kernel has one, else the address."""
    names = host.entries(f"/sys/bus/pci/devices/{pci}/fwctl")
    return f"/dev/fwctl/{names[0]}" if names else pci


def read_nvconfig(host: Host, pci: str, arrays: Iterable[str] = ()) -> Settings:
    """Name -> {default, current, next, read_only}, as printed.

    Elements of the `arrays` named appear as NAME[0], NAME[1] ...; others as one unread row.
    """
    settings = _query(host, pci)
    asked = [f"{n}[{_range(settings[n])}]" for n in arrays if n in settings]
    if asked:
        settings.update(_query(host, pci, *asked))
    return settings


def _range(row: Setting) -> str:
    """`Array[0..15]` -> `0..15`."""
    text = str(row["next"])
    return text[text.find("[") + 1 : text.find("]")] if "[" in text else "0..15"


def _query(host: Host, pci: str, *names: str) -> Settings:
    device = device_of(host, pci)
    result = host.ask("mlxconfig", "-d", device, "-e", "q", *names)
    if failed(result):
        raise unanswered(host, pci, "mlxconfig", result)
    return mlxconfig.parse_query(result.out)


def read_devlink(host: Host) -> dict[str, dict[str, str]]:
    """PCI address -> {psid, running, stored} of all cards that devlink knows."""
    return devlink_info(host.ask("devlink", "dev", "info", "-j").out)


def read_firmware(host: Host, pci: str, devlink: dict[str, dict[str, str]]) -> Flash:
    """{psid, running, burned, stored, source}: what works, is in the flash, loads with a reset.

    `stored` is what devlink reports, "" without a report. It counts as what is burned; where devlink leaves it
    out the flash is asked: nothing else shows a staged version.
    """
    known = devlink.get(pci, {})
    stored = known.get("stored", "")
    if stored and known.get("running") and known.get("psid"):
        return {
            "psid": known["psid"],
            "running": known["running"],
            "burned": stored,
            "stored": stored,
            "source": "devlink",
        }
    return {**read_flash(host, pci), "stored": stored}


def read_flash(host: Host, pci: str) -> Flash:
    """The same by `flint q`, the truth after a burn, which knows nothing of `stored`."""
    result = host.ask("flint", "-d", pci, "q")
    if failed(result):
        raise unanswered(host, pci, "flint", result)
    return flint.parse_query(result.out)


def refuse_restricted(host: Host, pci: str) -> None:
    """NicError when the card accepts no configuration from this host."""
    if restricted(host.ask("mlxprivhost", "-d", pci, "q").out):
        raise NicError(
            f"{pci}: the host is restricted (zero-trust) and cannot configure this card; lift it "
            "from the DPU with 'mlxprivhost -d DEVICE p', or leave the card out."
        )


def unanswered(host: Host, pci: str, tool: str, result: Result) -> NicError:
    """The error for a query that failed."""
    if result.rc == MISSING:
        return NicError(f"{pci}: {not_installed(tool)}")
    try:
        refuse_restricted(host, pci)
    except NicError as exc:
        return exc
    return NicError(f"{pci}: {tool} does not answer: {reason(result)}.")
