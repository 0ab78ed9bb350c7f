# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Features that exclude each other."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.conflicts import (
    check_conflicts,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree import (
    diff,
    merge,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import RefusedError

MULTIHOMING = {"evpn": {"multihoming": {"state": "enabled"}}}
MLAG = {"mlag": {"peer-ip": "linklocal"}}
BOND_OF_MLAG = {"interface": {"bond1": {"bond": {"mlag": {"id": 1}}}}}
BOND = {"interface": {"bond1": {"bond": {"member": {"swp1": {}}}}}}
WARM = {"system": {"reboot": {"mode": "warm"}}}


def check(before, after):
    check_conflicts(diff(before, after), before, after)


@pytest.mark.parametrize(
    "one, other, words",
    [
        (MULTIHOMING, MLAG, "evpn/multihoming/state beside mlag/peer-ip; remove MLAG first."),
        (MULTIHOMING, BOND_OF_MLAG, "beside interface/bond1/bond/mlag/id"),
        (WARM, BOND, "has no warm reboot, and the change leaves system/reboot/mode"),
        (WARM, MULTIHOMING, "beside evpn/multihoming/state; set the mode to cold or fast."),
    ],
)
def test_a_change_that_puts_one_beside_the_other_is_refused(one, other, words):
    for first, second in ((one, other), (other, one)):
        with pytest.raises(RefusedError, match=words):
            check(first, merge(first, second))


@pytest.mark.parametrize(
    "before, after",
    [
        ({}, MULTIHOMING),
        (merge(MULTIHOMING, MLAG), MULTIHOMING),
        (MLAG, merge(MLAG, {"evpn": {"multihoming": {"state": "disabled"}}})),
        ({}, merge(BOND, {"system": {"reboot": {"mode": "cold"}}})),
        ({}, merge(WARM, {"evpn": {"multihoming": {"state": "disabled"}}})),
    ],
)
def test_one_of_them_alone_is_taken(before, after):
    check(before, after)


def test_a_switch_that_has_both_takes_other_changes():
    both = merge(MULTIHOMING, MLAG)
    check(both, merge(both, {"system": {"hostname": "leaf"}}))
