# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The non-volatile settings of a card, all of them in one query."""

from __future__ import annotations

from collections.abc import Iterable

from ..parse.mlxconfig import parse_query
from ..records import Setting, Settings
from ..tools import Host, failed
from .privilege import unanswered

MODE = "INTERNAL_CPU_OFFLOAD_ENGINE"
MODEL = "INTERNAL_CPU_MODEL"


def device_of(host: Host, pci: str) -> str:
    """What mlxconfig is given: the fwctl device where the kernel has one, else the address."""
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
    return parse_query(result.out)
