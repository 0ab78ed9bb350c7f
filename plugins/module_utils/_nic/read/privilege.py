# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a card does not answer: the tools are missing, or the host may not configure it."""

from __future__ import annotations

from ..errors import NicError
from ..parse.listings import restricted
from ..tools import MISSING, Host, Result, not_installed, reason


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
