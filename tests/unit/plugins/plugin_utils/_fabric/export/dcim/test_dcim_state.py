# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Things of a DCIM, by the devices of the plan."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.dcim_state import (
    reading,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

from .wishes import found, things


def test_every_device_and_interface_is_found_again():
    fabric = example("lab")
    read = reading(fabric, map(found, things(fabric)))
    assert set(read.devices) == set(fabric.devices())
    ports = {(fabric.name(device), name) for device, name, _one in read.interfaces(fabric)}
    assert ("leaf-p1-su001-r1", "swp1s0") in ports
    assert len(ports) == 78


def test_a_name_that_is_no_device_is_passed_over():
    fabric = example("lab")
    one = found(next(x for x in things(fabric) if x.kind == "device"))
    assert reading(fabric, [one._replace(key="", name="coffee")]).devices == {}


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    "copy",
    [
        {"name": "copy"},
        {"key": "", "owned": False},
        {"owned": False},
    ],
)
def test_a_copy_of_a_device_is_not_the_device(copy, turned):
    fabric = example("lab")
    one = found(next(x for x in things(fabric) if x.kind == "device"))
    there = [one, one._replace(id="copy", **copy)]
    read = reading(fabric, reversed(there) if turned else there)
    assert ([each.id for each in read.devices.values()], read.twice) == ([one.id], [])


def test_of_two_devices_that_are_alike_neither_is_ours():
    fabric = example("lab")
    one = found(next(x for x in things(fabric) if x.kind == "device"))
    read = reading(fabric, [one, one._replace(id="other")])
    assert (read.devices, read.twice) == ({}, [one.name])
