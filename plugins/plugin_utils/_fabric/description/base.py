# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of every part of the description: the strict model, and types that several parts use."""

from __future__ import annotations

import ipaddress
import re
import typing as t

from . import endpoints
from ._third_party import pydantic

Field = pydantic.Field

SLUG = r"^[a-z][a-z0-9-]{0,30}$"
Speed = t.Literal["100G", "200G", "400G", "800G"]
Slug = t.Annotated[str, Field(pattern=SLUG)]
Address = t.Annotated[str, pydantic.AfterValidator(endpoints.address)]


def _prefix4(text: str) -> str:
    """An IPv4 prefix without host bits."""
    try:
        return str(ipaddress.IPv4Network(text))
    except ValueError:
        raise ValueError("an IPv4 prefix such as 10.208.0.0/13") from None


def _prefix(text: str) -> str:
    """A prefix of either version without host bits."""
    try:
        return str(ipaddress.ip_network(text))
    except ValueError:
        raise ValueError("a prefix such as 10.208.0.0/13 or 2001:db8:5::/48") from None


PCI = r"(0000)?[0-9A-Fa-f]{4}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\."
"""Beginning of a PCI address: nvidia-smi prints capitals, and eight digits of the domain."""


def pci_card(text: str) -> str:
    """The PCI address of a card: `00000000:3B:00.0` -> `0000:3b:00.0`, as the kernel writes it."""
    if not re.fullmatch(f"{PCI}0", text):
        raise ValueError("a PCI address of function 0, such as 0000:18:00.0")
    return text.lower()[-12:]


def pci_port(text: str) -> str:
    """The PCI address of a port with its function."""
    if not re.fullmatch(f"{PCI}[0-7]", text):
        raise ValueError("a PCI address of a port with its function, such as 0000:01:00.1")
    return text.lower()[-12:]


Prefix4 = t.Annotated[str, pydantic.AfterValidator(_prefix4)]
Prefix = t.Annotated[str, pydantic.AfterValidator(_prefix)]


PciCard = t.Annotated[str, pydantic.AfterValidator(pci_card)]
PciPort = t.Annotated[str, pydantic.AfterValidator(pci_port)]


class Strict(pydantic.BaseModel):
    """No unknown keys, no silent conversions, no changes after loading."""

    model_config = {"extra": "forbid", "strict": True, "frozen": True}
