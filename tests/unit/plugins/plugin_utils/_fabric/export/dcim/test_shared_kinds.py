# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Things that belong to no device."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.context import (
    Names,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

from .wishes import things


def _named(kind, **options):
    return {x.name: x.values for x in things(example("lab"), **options) if x.kind == kind}


def test_a_vrf_has_no_route_distinguisher_unless_one_is_asked_for():
    """Each leaf has another: none of them is that of the VRF."""
    plain = {x.name: x.values for x in things(example("lab")) if x.kind == "vrf"}
    assert {values["rd"] for values in plain.values()} == {None}
    asked = things(example("lab"), names=Names(rd="target"))
    found = {x.name: x.values["rd"] for x in asked if x.kind == "vrf"}
    assert found["t2-rest"] == "64512:4000002"
    assert found["t1-quarantine"] is None


def test_the_description_says_what_the_leaves_have():
    assert "RD of a leaf: its loopback:2" in _named("vrf")["t2-rest"]["description"]


def test_a_rack_height_that_nobody_knows_is_left_open():
    """The height of a switch is from its manual; a GPU node may be any."""
    found = _named("device_type")
    assert found["SN5600"]["height"] == 2
    assert found["GPU node"]["height"] is None


def test_names_of_the_site_replace_the_defaults():
    names = Names(location="hall-2", rir="RFC 1930", namespace="east")
    assert set(_named("location", names=names)) == {"hall-2"}
    assert set(_named("rir", names=names)) == {"RFC 1930"}
    assert set(_named("namespace", names=names)) == {"east"}
    assert set(_named("location")) == {"lab"}


def test_spines_share_an_as_number():
    spines = [x for x in _named("asn").values() if x["description"].endswith(" spine")]
    assert len(spines) == 1
