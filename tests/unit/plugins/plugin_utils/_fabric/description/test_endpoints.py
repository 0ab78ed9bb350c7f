# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts that are an address, a host, a host and port."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description import endpoints

ADDRESSES = ["192.0.2.1", "2001:db8::1"]
NAMES = ["ntp1", "ntp-1.example", "4.pool.ntp.example"]
NO_HOSTS = [
    "",
    " ",
    "192.0.2",
    "192.0.2.300",
    "192.0.2.1/24",
    "fe80::1%eth0",
    "::ffff:192.0.2.1",
    "two words",
    "-x.example",
    "x..example",
    "x_y",
    "ntp.example.",
    "ñ.example",
    "a" * 64,
    ".".join(["a" * 60] * 5),
    "https://x.example",
    "x\n",
]


def accepts(check, text):
    try:
        return check(text) == text
    except ValueError:
        return False


@pytest.mark.parametrize(
    "check, good, bad",
    [
        (endpoints.address, ADDRESSES, [*NAMES, *NO_HOSTS]),
        (endpoints.host, [*ADDRESSES, *NAMES], [*NO_HOSTS, "192.0.2.1:123", "[2001:db8::1]"]),
        (
            endpoints.endpoint,
            [*ADDRESSES, *NAMES, "192.0.2.1:1", "x.example:65535", "[2001:db8::1]:4317"],
            [*NO_HOSTS, "192.0.2.1:0", "192.0.2.1:65536", "x:", "x:y", ":514", "[x]:1", "[::1]1"],
        ),
    ],
)
def test_what_is_accepted(check, good, bad):
    assert [text for text in good if not accepts(check, text)] == []
    assert [text for text in bad if accepts(check, text)] == []


@pytest.mark.parametrize("check", [endpoints.address, endpoints.host])
def test_an_address_has_the_spelling_of_switches(check):
    """A switch answers with it, and any other one would differ for ever."""
    assert check("2001:DB8:0:0::0001") == "2001:db8::1"
    assert check("2001:db8::192.0.2.1") == "2001:db8::c000:201"
    assert endpoints.split("[2001:DB8::1]:1514", 514) == ("2001:db8::1", 1514)


def test_what_is_refused_is_told_what_is_allowed():
    with pytest.raises(ValueError, match="an address such as"):
        endpoints.address("dns.example")


@pytest.mark.parametrize(
    "text, found",
    [
        ("192.0.2.1", ("192.0.2.1", 514)),
        ("192.0.2.1:1514", ("192.0.2.1", 1514)),
        ("log.example:1514", ("log.example", 1514)),
        ("2001:db8::1", ("2001:db8::1", 514)),
        ("[2001:db8::1]", ("2001:db8::1", 514)),
        ("[2001:db8::1]:1514", ("2001:db8::1", 1514)),
    ],
)
def test_host_and_port(text, found):
    assert endpoints.split(text, 514) == found
