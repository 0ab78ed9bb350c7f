# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mlxreg: names are exact."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.parse import (
    mlxreg,
)

REGISTER = """
Sending access register...

Field Name                                     | Data
============================================================
roce_adp_retrans_field_select                  | 0x00000001
roce_adp_retrans_en                            | 0x00000001
adp_retx_base_timeout_min                      | 0x0000ffff
============================================================
"""


def test_mlxreg_names_are_exact():
    assert mlxreg.parse_register(REGISTER) == {
        "roce_adp_retrans_field_select": 1,
        "roce_adp_retrans_en": 1,
        "adp_retx_base_timeout_min": 65535,
    }
    assert mlxreg.parse_register("-E- Failed\n") == {}
