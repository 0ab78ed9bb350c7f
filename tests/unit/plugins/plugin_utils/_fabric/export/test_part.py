# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A part of a fabric: what is left out, and that nothing else changes."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import part

from ..fabrics import example

NODES = {"worker-su01-rack01-h01", "worker-su01-rack01-h02"}
SWITCHES = {"leaf-p1-su001-r1", "leaf-p1-su001-r2", "spine-p1-s01", "spine-p1-s02"}


@pytest.mark.parametrize(
    "where, absent",
    [
        (["su01/h01"], ["pod01/su01/h02", "pod01/su01/h03", "pod01/su01/h04", "pod01/su02"]),
        (["su01", "su02/h03"], ["pod01/su01/h04", *(f"pod01/su02/h0{n}" for n in (1, 2, 4))]),
        (["worker-su02-rack02-h03"], ["pod01/su01", *(f"pod01/su02/h0{n}" for n in (1, 2, 4))]),
    ],
)
def test_what_is_outside(where, absent):
    assert part.outside(example("lab"), where) == absent


def test_whole_pods_are_left_out_whole():
    assert "pod02" in part.outside(example("lab-3tier"), ["pod01/su01/h01"])


@pytest.mark.parametrize("word", ["nowhere", "spine-p1-s01", "su01/h04"])
def test_a_part_without_a_node_is_refused(word):
    with pytest.raises(FabricError, match="such as su01/h03"):
        part.outside(example("lab"), [word])


def test_names_and_addresses_stay():
    whole = example("lab")
    some = part.of(whole, ["su01/h01", "su01/h02"])
    assert {some.name(device) for device in some.devices()} == NODES | SWITCHES
    for name in NODES:
        assert some.slice(name)["ports"] == whole.slice(name)["ports"]
    for name in SWITCHES:
        assert some.slice(name)["loopback"] == whole.slice(name)["loopback"]
    assert whole.description.absent != some.description.absent
