# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parsers against the formats that the tools' own sources print."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.parse import (
    flint,
    listings,
    mlxconfig,
    mlxreg,
    qos,
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


def test_mlxconfig_rows():
    (device,) = mlxconfig.parse_query(QUERY)
    assert device.header["Device type"] == "BlueField3"
    assert device.header["Device"] == "0000:1a:00.0"
    assert device.settings == {
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


def test_mlxconfig_without_verbosity_and_two_devices():
    text = (
        "Device #1:\n----------\nDevice: a\nConfigurations:    Next Boot\n"
        "        SRIOV_EN                 True(1)\n        MODULE_SPLIT_M0[3]     0xff\n"
        "Device #2:\n----------\nDevice: b\nConfigurations:    Next Boot\n        NUM_OF_VFS   8\n"
    )
    first, second = mlxconfig.parse_query(text)
    assert first.settings["SRIOV_EN"] == ("", "", "True(1)", False)
    assert first.settings["MODULE_SPLIT_M0[3]"].next_boot == "0xff"
    assert list(second.settings) == ["NUM_OF_VFS"]


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
    assert flint.parse_query(FLINT) == ("32.46.1006", "32.43.1014", "MT_0000000884")
    assert flint.parse_fields(FLINT)["Rom Info"].endswith("; type=PXE version=3.7.500 cpu=AMD64")


def test_flint_without_running_line():
    text = FLINT.replace("FW Version(Running):   32.43.1014\n", "")
    assert flint.parse_query(text).running == "32.46.1006"


MANAGER = """Querying Mellanox devices firmware ...

Device #1:
----------

  Device Type:      ConnectX8
  Part Number:      900-9X81E
  Description:      NVIDIA ConnectX-8
  PSID:             MT_0000001222
  PCI Device Name:  0000:2a:00.0
  Base GUID:        a088c203001234ab
  Versions:         Current        Available
     FW             40.46.1006     40.48.1120
     PXE            3.7.0500       3.8.0100

  Status:           Update required
"""
XML = """<Devices>
 <Device pciName="0000:2a:00.0" type="ConnectX8" psid="MT_0000001222" partNumber="900-9X81E">
  <Versions><FW current="40.46.1006" available="40.48.1120"/><PXE current="3" available="4"/></Versions>
  <Status>Update required</Status><Description>NVIDIA</Description>
 </Device>
</Devices>
"""


@pytest.mark.parametrize("text", [MANAGER, XML])
def test_mlxfwmanager(text):
    assert flint.parse_manager(text) == [
        (
            "0000:2a:00.0",
            "MT_0000001222",
            "900-9X81E",
            "40.46.1006",
            "40.48.1120",
            "Update required",
        )
    ]


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


QOS = """DCBX mode: OS controlled
Priority trust state: dscp
dscp2prio mapping:
\tprio:0 dscp:07,06,05,04,03,02,01,00,
\tprio:3 dscp:31,30,29,28,27,26,25,24,
\tprio:6 dscp:55,54,53,52,51,50,49,48,
Receive buffer size (bytes): 19872,243072,0,0,0,0,0,0,max_buffer_size=2069280
Cable len: 7
PFC configuration:
\tpriority    0   1   2   3   4   5   6   7
\tenabled     0   0   0   1   0   0   0   0
\tbuffer      0   0   0   1   0   0   0   0
tc: 0 ratelimit: unlimited, tsa: vendor
\t priority:  1
tc: 1 ratelimit: unlimited, tsa: ets, bw: 40%
\t priority:  0
"""


def test_mlnx_qos():
    found = qos.parse_mlnx_qos(QOS)
    assert found["dscp2prio"][26] == 3
    assert found["dscp2prio"][0] == 0
    assert len(found.pop("dscp2prio")) == 24
    assert found == {
        "dcbx": "os",
        "trust": "dscp",
        "buffer_size": [19872, 243072, 0, 0, 0, 0, 0, 0],
        "cable_length": 7,
        "pfc": [0, 0, 0, 1, 0, 0, 0, 0],
        "prio2buffer": [0, 0, 0, 1, 0, 0, 0, 0],
    }


def test_mlnx_qos_pcp_firmware_controlled_no_buffers():
    text = "DCBX mode: Firmware controlled\nPriority trust state: pcp\nPFC configuration:\n"
    assert qos.parse_mlnx_qos(text) == {"dcbx": "fw", "trust": "pcp"}


@pytest.mark.parametrize("text, number", [("96\n", 96), ("", None), ("-E- no device\n", None)])
def test_cma_roce_tos(text, number):
    assert qos.parse_tos(text) == number


@pytest.mark.parametrize(
    "text, number",
    [("RoCE v2\n", 2), ("IB/RoCE v1\n", 1), ("", None), ("Failed to create configuration\n", None)],
)
def test_cma_roce_mode(text, number):
    assert qos.parse_roce_mode(text) == number


@pytest.mark.parametrize(
    "text, number",
    [("Global tclass=96\n", 96), ("Global tclass=106\nsrc=..", 106), ("96\n", 96), ("", 0)],
)
def test_traffic_class(text, number):
    assert qos.parse_traffic_class(text) == number


def test_ethtool():
    assert qos.parse_tunable("pfc-prevention-tout: 65535\n") == 65535
    assert qos.parse_statistics("NIC statistics:\n     rx_prio3_pause: 12\n     tx[0]: 1\n") == {
        "rx_prio3_pause": 12,
        "tx[0]": 1,
    }


MST = """MST modules:
------------
    MST PCI module is not loaded
    MST PCI configuration module loaded

PCI devices:
------------
DEVICE_TYPE             MST                           PCI       RDMA            NET                                     NUMA
BlueField3(rev:1)       /dev/mst/mt41692_pciconf0     03:00.0   mlx5_0          net-ens3f0np0                           0

BlueField3(rev:1)       /dev/mst/mt41692_pciconf0.1   03:00.1   mlx5_1          net-p0,net-pf0hpf                       -1

ConnectX8(rev:0)        /dev/mst/mt4131_pciconf1      0001:2a:00.0                                                       1

"""  # noqa: E501


def test_mst_status():
    rows = listings.mst_status(MST)
    assert [(r.pci, r.device_id, r.rdma, r.netdevs) for r in rows] == [
        ("0000:03:00.0", "a2dc", "mlx5_0", ["ens3f0np0"]),
        ("0000:03:00.1", "a2dc", "mlx5_1", ["p0", "pf0hpf"]),
        ("0001:2a:00.0", "1023", "", []),
    ]


@pytest.mark.parametrize(
    "line, found",
    [
        ("mlx5_0 port 1 ==> ens3np0 (Up)", ("mlx5_0", 1, "ens3np0", True, "", "")),
        (
            "0000:0d:00.0 mlx5_0 (MT41692 - 900-9D3B4-00EN-EA0) BlueField-3 E-series SuperNIC "
            "400GbE/NDR fw 32.42.1000 port 1 (DOWN  ) ==> ens3np0 (Down)",
            ("mlx5_0", 1, "ens3np0", False, "0000:0d:00.0", "32.42.1000"),
        ),
    ],
)
def test_ibdev2netdev(line, found):
    assert listings.ibdev2netdev(line + "\n") == [found]


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
        "serial": "S1",
    }
    rdma = '[{"ifindex":0,"ifname":"mlx5_0","port":1,"state":"ACTIVE","physical_state":"LINK_UP","netdev":"ens3np0","netdev_index":5}]'  # noqa: E501
    assert listings.rdma_links(rdma)[0]["netdev"] == "ens3np0"
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
