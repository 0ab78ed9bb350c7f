# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions and segments of a leaf that are read, and prefixes inside of others."""

from __future__ import annotations

import dataclasses

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.networks_view import (
    within,
)

from .networked import ISP, TRANSIT, leaf


def test_sessions_are_known_by_address_or_interface_and_rest_with_their_port():
    assert [name for _vrf, _session, name in leaf().sessions()] == [ISP, TRANSIT]
    assert list(dataclasses.replace(leaf(), resting=["swp9s0"]).sessions()) == []


def test_a_bond_of_a_resting_port_is_not_looked_at():
    assert [bond for bond, _esi in leaf().segments()] == ["bond1", "bond2"]
    assert [bond for bond, _esi in dataclasses.replace(leaf(), resting=["swp1"]).segments()] == [
        "bond2"
    ]


@pytest.mark.parametrize(
    ("prefix", "others", "inside"),
    [
        ("10.0.0.0/24", ["10.0.0.0/23"], True),
        ("10.0.0.0/23", ["10.0.0.0/24"], False),
        ("10.0.0.0/24", ["fd00::/8"], False),
        ("fd00::/64", ["10.0.0.0/8", "fd00::/8"], True),
        ("10.0.0.0/24", [], False),
        ("10.0.0.0/8", ["0.0.0.0/0"], False),  # a default has no parts
        ("0.0.0.0/0", ["::/0", "0.0.0.0/0"], True),
        ("::/0", ["0.0.0.0/0"], False),
    ],
)
def test_prefixes(prefix, others, inside):
    assert within(prefix, others) is inside
