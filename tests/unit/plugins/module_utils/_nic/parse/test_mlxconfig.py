# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mlxconfig: rows, values and what a set leaves."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.parse import (
    mlxconfig,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result

QUERY = """
Device #1:
----------

Device type:        BlueField3
Name:               900-9D3B6-00CV-A_Ax
Description:        NVIDIA BlueField-3: a card
Device:             0000:1a:00.0

Configurations:                                         Default             Current             Next Boot
        MEMIC_BAR_SIZE                              0                   0                   0
*       SRIOV_EN                                    False(0)            False(0)            True(1)
   RO   SOME_READ_ONLY                              N/A                 N/A                 N/A
*  RO   BOTH_MARKS                                  1                   1                   2
        MODULE_SPLIT_M0                             Array[0..15]        Array[0..15]        Array[0..15]
        A_VALUE_AS_WIDE_AS_ITS_COLUMN               DEVICE_DEFAULT_VERY(0) STATIC_MODE(1) ACCUMULATIVE(2)
The '*' shows parameters with next value different from default/current value.
"""


def rows(text):
    return {name: tuple(row.values()) for name, row in mlxconfig.parse_query(text).items()}


def test_mlxconfig_rows():
    assert rows(QUERY) == {
        "MEMIC_BAR_SIZE": ("0", "0", "0", False),
        "SRIOV_EN": ("False(0)", "False(0)", "True(1)", False),
        "SOME_READ_ONLY": ("N/A", "N/A", "N/A", True),
        "BOTH_MARKS": ("1", "1", "2", True),
        "MODULE_SPLIT_M0": ("Array[0..15]",) * 3 + (False,),
        "A_VALUE_AS_WIDE_AS_ITS_COLUMN": (
            "DEVICE_DEFAULT_VERY(0)",
            "STATIC_MODE(1)",
            "ACCUMULATIVE(2)",
            False,
        ),
    }


def test_mlxconfig_without_verbosity():
    text = (
        "Device #1:\n----------\nDevice: a\nConfigurations:    Next Boot\n"
        "        SRIOV_EN                 True(1)\n        MODULE_SPLIT_M0[3]     0xff\n"
    )
    assert rows(text) == {
        "SRIOV_EN": ("", "", "True(1)", False),
        "MODULE_SPLIT_M0[3]": ("", "", "0xff", False),
    }


@pytest.mark.parametrize(
    "wanted, printed, equal",
    [
        (1, "True(1)", True),
        ("0x1", "1", True),
        (255, "0xff", True),
        ("ETH", "ETH(2)", True),
        ("eth", "ETH(2)", True),
        (2, "ETH(2)", True),
        (True, "True(1)", True),
        (1, "False(0)", False),
        ("IB", "ETH(2)", False),
        (0, "N/A", False),
        (256, "_256KB(1)", False),
    ],
)
def test_mlxconfig_values(wanted, printed, equal):
    assert mlxconfig.same(wanted, printed) is equal


@pytest.mark.parametrize(
    "rc, text, left",
    [
        (0, "Applying... Done!\n-I- Please reboot machine to load new configurations.", "reboot"),
        (0, "-I- Please power cycle machine to load new configurations.", "power_cycle"),
        (0, "Applying... Done!\n-I- Skipped reset preparation", "not_armed"),
        (0, "Nothing to set", "nothing"),
        (0, "Applying... Failed!\n-E- Failed to set configuration", "failed"),
        (3, "-E- Unknown Parameter: X", "failed"),
    ],
)
def test_mlxconfig_set(rc, text, left):
    assert mlxconfig.parse_set(Result(rc, text, "")) == left
