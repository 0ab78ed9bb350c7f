# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Types that several parts of the description use."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description._third_party import (
    pydantic,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.base import (
    PciCard,
    PciPort,
    Prefix4,
    Strict,
)


class Model(Strict):
    prefix: Prefix4


def test_a_prefix_is_ipv4_without_host_bits():
    assert Model(prefix="10.208.0.0/13").prefix == "10.208.0.0/13"
    for text in ("10.208.0.1/13", "fd00::/8", "ten"):
        with pytest.raises(pydantic.ValidationError, match="an IPv4 prefix such as"):
            Model(prefix=text)


class Ports(Strict):
    card: PciCard = "0000:00:00.0"
    port: PciPort = "0000:00:00.0"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("0000:3B:00.0", "0000:3b:00.0"),
        ("00000000:18:00.0", "0000:18:00.0"),
        ("00000000:3B:00.0", "0000:3b:00.0"),
        ("00000001:3b:00.0", "0001:3b:00.0"),
        ("000000:3b:00.0", ""),
        ("3b:00.0", ""),
        ("0000:3b:00", ""),
        ("0000:3b:00.0\n", ""),
    ],
)
def test_pci_addresses_are_read_as_tools_print_them(text, address):
    """Check the forms of lspci -D, and of nvidia-smi with capitals and eight digits."""
    for key in ("card", "port"):
        if address:
            assert getattr(Ports(**{key: text}), key) == address
        else:
            with pytest.raises(pydantic.ValidationError):
                Ports(**{key: text})
