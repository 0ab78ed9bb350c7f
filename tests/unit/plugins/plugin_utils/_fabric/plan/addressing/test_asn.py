# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ASNs that read in decimal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.addressing import asn
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Switch,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    build,
    example,
)

ASNS = [
    (Switch("super_spine", 0, 5, 7), 0, 4_210_000_000),
    (Switch("spine", 1, 17, 3), 0, 4_221_017_000),
    (Switch("leaf", 1, 17, 43), 0, 4_231_017_043),
    (Switch("leaf", 1, 17, 43), 6, 4_231_785_043),
]


@pytest.mark.parametrize("switch, site, expected", ASNS)
def test_asns_read_in_decimal(switch, site, expected):
    role, *place = switch
    made = asn.switch(role, site=site, plane=place[0], pod=place[1], index=place[2])
    assert made == expected


@given(
    st.integers(0, 7),
    st.integers(0, 127),
    st.integers(0, 999),
    st.integers(0, 6),
)
def test_leaf_asns_have_an_inverse(plane, pod, index, site):
    made = asn.switch("leaf", site=site, plane=plane, pod=pod, index=index)
    assert asn.leaf_of(made, site=site) == (plane, pod, index)
    assert asn.leaf_of(made, site=(site + 1) % 7) is None


def test_a_description_states_another_first_number_for_both_fabrics():
    """What the scheme adds to it is the same, and the way back too."""
    plain = example("lab-converged")
    data = plain.description.model_dump()
    data["addressing"]["asn_base"] = 4_249_000_000
    fabric = build(**data)
    for switch in fabric.switches():
        number = fabric.addresses.asn(switch)
        assert number - plain.addresses.asn(switch) == 49_000_000
        assert number <= 4_294_967_294, "RFC 6996"
        if switch.role == "leaf":
            assert fabric.addresses.leaf_with(number) == switch
        elif switch.role == "border_leaf":
            assert fabric.addresses.converged_with(number) == switch
