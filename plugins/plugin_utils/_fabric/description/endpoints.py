# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses of services, as a description states them: address, host name, host and port.

Each check returns the text that it accepts, an address in the spelling of switches (RFC 5952), and raises ValueError
with the words of what is allowed.
"""

from __future__ import annotations

import ipaddress
import re

_LABEL = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
DOMAIN = rf"^{_LABEL}(\.{_LABEL})*$"
_ADDRESS = "an address such as 192.0.2.1 or 2001:db8::1"
_HOST = f"{_ADDRESS}, or a host name such as ntp1.example"
_ENDPOINT = f"{_HOST}, with a port as in 192.0.2.1:4317 or [2001:db8::1]:4317 if need be"


def address(text: str) -> str:
    """An IPv4 or IPv6 address."""
    if not (found := _canonical(text)):
        raise ValueError(_ADDRESS)
    return found


def host(text: str) -> str:
    """An address or a host name; a name whose last label is a number is a mistyped address."""
    found = _canonical(text)
    if not (found or _is_name(text)):
        raise ValueError(_HOST)
    return found or text


def endpoint(text: str) -> str:
    """A host, with or without a port of 1 to 65535."""
    try:
        found, port = split(text, 1)
        host(found)
    except ValueError:
        raise ValueError(_ENDPOINT) from None
    if not 0 < port < 65536:
        raise ValueError(_ENDPOINT)
    return text


def split(text: str, default: int) -> tuple[str, int]:
    """`10.0.0.1:4317`, `[2001:db8::1]:4317`, a name with a port, or a host alone, as (host, port)."""
    bracketed = re.fullmatch(r"\[([0-9A-Fa-f:.]+)\](?::([0-9]{1,5}))?", text)
    plain = re.fullmatch(r"([^:\[\]]+)(?::([0-9]{1,5}))?", text)
    found = bracketed or plain
    host_part, port = (found[1], int(found[2] or default)) if found else (text, default)
    return _canonical(host_part) or host_part, port


def _canonical(text: str) -> str:
    """An address as RFC 5952 spells it; "" for any other text, and for IPv4 that is written as IPv6."""
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return ""
    return "" if "%" in text or getattr(found, "ipv4_mapped", None) else str(found)


def _is_name(text: str) -> bool:
    return (
        bool(re.fullmatch(DOMAIN, text)) and len(text) < 254 and not text.split(".")[-1].isdigit()
    )
