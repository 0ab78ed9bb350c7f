# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Units of systemd: what systemctl shows, and the commands to what is planned."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.units import (
    Unit,
    orders,
    parse_units,
    pattern_of,
    rows_from,
    stale,
    unit_states,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError

RUNS = Unit("a.service", "loaded", "enabled", "active")
STOPPED = Unit("a.service", "loaded", "disabled", "inactive")


def test_units_are_read_in_one_call(machine):
    machine.units["a.service"] = ("loaded", "enabled", "activating")
    machine.units["spx-cc@mlx5_0.service"] = ("loaded", "", "active")
    machine.stale.add("a.service")
    named, others = unit_states(
        machine.host(), ["a.service", "b.service"], [pattern_of("spx-cc@.service")]
    )
    assert named["a.service"] == Unit("a.service", "loaded", "enabled", "activating", stale=True)
    assert named["a.service"].runs
    assert (named["b.service"].load, named["b.service"].runs) == ("not-found", False)
    assert [unit.name for unit in others] == ["spx-cc@mlx5_0.service"]
    assert unit_states(machine.host(), []) == ({}, [])


def test_a_block_without_a_key_is_a_unit_without_it():
    assert parse_units("Id=a.service\n\n\nId=b.service\nActiveState=failed\n") == [
        Unit("a.service"),
        Unit("b.service", active="failed"),
    ]


@pytest.mark.parametrize(
    "row, found, changed, argv",
    [
        ({"enabled": True, "running": True}, RUNS, [], []),
        ({"enabled": True}, STOPPED, [], ["systemctl enable a.service"]),
        ({"enabled": False}, RUNS, [], ["systemctl disable a.service"]),
        ({"enabled": False}, Unit("a.service", "not-found"), [], []),
        ({"running": True}, STOPPED, ["/x"], ["systemctl start a.service"]),
        ({"running": False}, RUNS, [], ["systemctl stop a.service"]),
        ({"running": True, "restart_for": ["/x"]}, RUNS, ["/x"], ["systemctl restart a.service"]),
        ({"running": True, "restart_for": ["/x"]}, RUNS, ["/y"], []),
    ],
)
def test_only_what_differs_is_ordered(row, found, changed, argv):
    made = orders(rows_from({"a.service": row}), {"a.service": found}, changed)
    assert [" ".join(order.argv) for order in made] == argv
    assert all(order.sentence.startswith("a.service: it ") for order in made)


def test_wrong_rows_are_one_sentence():
    with pytest.raises(NicError, match=r"units\.a\.service: 'restart' is not known; allowed are"):
        rows_from({"a.service": {"restart": True}})


def test_a_unit_that_systemd_knows_by_another_text_is_named():
    units = [RUNS, Unit("b.service", stale=True)]
    assert [said.partition(":")[0] for said in stale(units)] == ["b.service"]
