# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of devices, ports and states."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.parse import (
    listings,
)


@pytest.mark.parametrize(
    "text, barred",
    [
        ("Host configurations\n-----\nlevel                         : PRIVILEGED\n", False),
        ("level\t: restricted\n", True),
        ("-E- no device\n", None),
    ],
)
def test_mlxprivhost(text, barred):
    assert listings.restricted(text) is barred


def test_json_tools():
    devlink = (
        '{"info":{"pci/0000:03:00.0":{"driver":"mlx5_core","serial_number":"S1","versions":'
        '{"fixed":{"fw.psid":"MT_1"},"running":{"fw.version":"32.46.1006","fw":"32.46.1006"},'
        '"stored":{"fw.version":"32.48.1000","fw":"32.48.1000"}}}}}'
    )
    assert listings.devlink_info(devlink)["0000:03:00.0"] == {
        "psid": "MT_1",
        "running": "32.46.1006",
        "stored": "32.48.1000",
    }
    pfc = '{"pfc_cap":8,"delay":0,"prio_pfc":[false,false,false,true,false,false,false,false]}'
    assert listings.dcb_pfc(pfc) == [0, 0, 0, 1, 0, 0, 0, 0]
    assert listings.dcb_dscp('{"dscp_prio":[[26,3],[48,6]]}') == {26: 3, 48: 6}
    assert listings.dcb_pfc("RTNETLINK answers: Operation not supported") is None
    assert listings.devlink_info("") == {}


@pytest.mark.parametrize(
    "text, state",
    [
        ("Info: PCC host status Standby\nInfo: PCC host status Active\n", "active"),
        ("Info: PCC host status ACTIVE\n", "active"),
        ("Info: Starting DOCA PCC\n", None),
    ],
)
def test_cc_state(text, state):
    assert listings.cc_state(text) == state


def test_mlxfwreset():
    text = (
        "Reset-levels:\n"
        '0: Driver, PCI link, network link will remain up ("live-Patch")       -Not Supported \n'
        '1: Only ARM side will not remain up ("Immediate reset").              -Not Supported \n'
        "3: Driver restart and PCI reset                                       -Supported     (default)\n"
        "4: Warm Reboot                                                        -Supported     \n\n"
        "Reset-types (relevant only for reset-levels 1,3,4):\n"
        "0: Full chip reset                                                    -Not Supported \n"
    )
    assert listings.reset_levels(text) == {0: False, 1: False, 3: True, 4: True}
