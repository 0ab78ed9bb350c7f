# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Words of the configuration space, as setpci prints them."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.parse.pci import (
    parse_word,
    read_request,
)


@pytest.mark.parametrize(
    "text, size",
    [
        ("0936\n", 128),
        # `setpci -s 04:00.0 68.w=5936`, after which lspci says "MaxReadReq 4096 bytes", is what tuning guides for
        # Mellanox cards print; Device Control is at 68h there.
        ("2936\n", 512),
        ("5936\n", 4096),
        ("6936\n", None),
    ],
)
def test_bits_14_to_12_are_the_code_of_the_read_request(text, size):
    assert read_request(parse_word(text)) == size


@pytest.mark.parametrize("text", ["", "ffff\n", "0000:1a:00.0 \n", "2936 2936\n", "12\n"])
def test_what_is_no_word_is_none(text):
    assert parse_word(text) is None
