# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""flint and mlxfwmanager, in the formats that their own sources print."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.parse import (
    flint,
)

FLINT = """Image type:            FS4
FW Version:            32.46.1006
FW Version(Running):   32.43.1014
FW Release Date:       27.7.2025
Product Version:       32.46.1006
Rom Info:              type=UEFI Virtio net version=21.4.13 cpu=AMD64,AARCH64
                       type=PXE version=3.7.500 cpu=AMD64
Description:           UID                GuidsNumber
Base GUID:             a088c203001234ab        38
PSID:                  MT_0000000884
Security Attributes:   secure-fw
"""


def test_flint_burned_and_running():
    assert flint.parse_query(FLINT) == {
        "burned": "32.46.1006",
        "running": "32.43.1014",
        "psid": "MT_0000000884",
        "stored": "",
        "source": "flint",
    }


def test_flint_without_running_line():
    text = FLINT.replace("FW Version(Running):   32.43.1014\n", "")
    assert flint.parse_query(text)["running"] == "32.46.1006"


XML = """<Devices>
 <Device pciName="0000:2a:00.0" type="ConnectX8" psid="MT_0000001222" partNumber="900-9X81E">
  <Versions><FW current="40.46.1006" available="40.48.1120"/><PXE current="3" available="4"/></Versions>
  <Status>Update required</Status><Description>NVIDIA</Description>
 </Device>
</Devices>
"""


@pytest.mark.parametrize(
    "text, psid, version",
    [
        (XML, "MT_0000001222", "40.48.1120"),
        (f"Querying ...\n{XML}\n", "MT_0000001222", "40.48.1120"),
        (XML, "MT_0000000884", ""),
        (XML[:200], "MT_0000001222", ""),
        ("-E- no devices", "MT_0000001222", ""),
    ],
)
def test_mlxfwmanager(text, psid, version):
    assert flint.offered(text, psid) == version
