# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of RDMA devices: given by hand or by udev rules, how long they last, who prints them."""

from __future__ import annotations

import json

import pytest
from nicsim import real

BDF, OTHER = "0000:18:00.0", "0000:3a:00.0"
OPERATOR = (
    'ACTION=="add", KERNELS=="{}", SUBSYSTEM=="infiniband", PROGRAM="rdma_rename %k NAME_FIXED {}"'
)


@pytest.fixture(autouse=True)
def _no_real_udevadm(monkeypatch):
    monkeypatch.setattr(real, "delegate", lambda _call: 0)


def names(host):
    return [row["ifname"] for row in json.loads(host("rdma", "link", "show", "-j").out)]


def rules(host, *lines):
    (host.folder / "rules.d" / "70-names.rules").write_text("\n".join(lines) + "\n")


def test_the_new_name_is_everywhere(host):
    assert host("rdma", "dev", "set", "mlx5_0", "name", "roce_r0_p0") == (0, "", "")
    assert names(host) == ["roce_r0_p0", "mlx5_2"]
    assert [row["ifname"] for row in json.loads(host("rdma", "dev", "show", "-j").out)] == [
        "roce_r0_p0",
        "mlx5_2",
    ]
    assert host("rdma", "link", "show").out.startswith(
        "link roce_r0_p0/1 state ACTIVE physical_state LINK_UP netdev ens3np0 \n"
    )
    assert host("ibdev2netdev").out.startswith("roce_r0_p0 port 1 ==> ens3np0 (Up)\n")
    assert "roce_r0_p0\t1\t0\t" in host("show_gids").out
    assert host("cma_roce_tos", "-d", "roce_r0_p0").rc == 0
    assert host("cma_roce_tos", "-d", "mlx5_0").rc == 1
    folder = host.folder / "run" / "sys"
    assert (folder / "class/infiniband/roce_r0_p0/device").resolve().name == BDF
    assert (folder / f"bus/pci/devices/{BDF}/infiniband/roce_r0_p0").exists()
    assert not (folder / "class/infiniband/mlx5_0").exists()


def test_a_taken_name_is_refused_and_the_same_one_is_not(host):
    assert host("rdma", "dev", "set", "mlx5_0", "name", "mlx5_2") == (1, "", "error: File exists\n")
    assert host("rdma", "dev", "set", "mlx5_0", "name", "mlx5_0").rc == 0


@pytest.mark.parametrize("act", ["reboot", "power-cycle", "driver-reload"])
def test_a_name_given_by_hand_is_gone_when_the_device_comes_back(host, act):
    host("rdma", "dev", "set", "mlx5_0", "name", "roce_r0_p0")
    host.admin(act)
    assert names(host) == ["mlx5_0", "mlx5_2"]


def test_after_a_reset_of_one_card_a_taken_name_is_not_given_twice(host):
    host("rdma", "dev", "set", "mlx5_0", "name", "x")
    host("rdma", "dev", "set", "mlx5_2", "name", "mlx5_0")
    assert host("mlxfwreset", "-d", BDF, "-y", "reset").rc == 0
    assert names(host) == ["mlx5_1", "mlx5_0"]


@pytest.mark.parametrize(
    "rule, name",
    [
        (OPERATOR.format(BDF, "roce_r0_p0"), "roce_r0_p0"),
        (OPERATOR.format(BDF, "mlx5_2"), "mlx5_0"),
        (OPERATOR.format(OTHER, "roce_r1_p0"), "mlx5_0"),
        (OPERATOR.format(BDF, "y").replace("rdma_rename", "/usr/lib/udev/rdma_rename"), "y"),
        (OPERATOR.format(BDF, "y").replace("rdma_rename", "/usr/bin/rdma_rename"), "mlx5_0"),
        (OPERATOR.format(BDF, "y").replace("NAME_FIXED y", "NAME_KERNEL"), "mlx5_0"),
        (f'SUBSYSTEM=="infiniband", KERNELS=="{BDF}", RUN+="/usr/bin/rdma dev set %k name y"', "y"),
        (f'SUBSYSTEM=="infiniband", KERNELS=="{BDF}", PROGRAM="/usr/bin/rdma dev set %k name y"',
         "y"),
        (f'SUBSYSTEM=="infiniband", KERNELS=="{BDF}", PROGRAM="rdma dev set %k name y"', "mlx5_0"),
        (f'SUBSYSTEM=="infiniband", KERNELS=="{BDF}", RUN+="rdma dev set %k name y"', "mlx5_0"),
        (f'SUBSYSTEM=="infiniband", KERNELS=="{BDF}", NAME="y"', "mlx5_0"),
    ],
)  # fmt: skip
def test_rules_that_rename_at_boot(host, rule, name):
    rules(host, rule)
    assert names(host)[0] == "mlx5_0"
    host.admin("reboot")
    assert names(host)[0] == name


def test_a_rule_does_nothing_more_where_its_program_fails(host):
    rules(
        host,
        OPERATOR.format(BDF, "mlx5_2") + ', ENV{SYSTEMD_WANTS}+="never.service"',
        OPERATOR.format(OTHER, "b") + ', ENV{SYSTEMD_WANTS}+="then.service"',
    )
    from nicsim import store, udev

    with store.transaction() as state:
        assert udev.announce(state) == ["then.service"]


@pytest.mark.parametrize(
    "words, net, rdma",
    [
        (("--action=add", "--subsystem-match=infiniband"), "ens3np0", "roce_r0_p0"),
        (("-c", "add", "-s", "net"), "eth_r0_p0", "mlx5_0"),
        (("--action=add",), "eth_r0_p0", "roce_r0_p0"),
        (("--action=add", "--subsystem-nomatch=net"), "ens3np0", "roce_r0_p0"),
        (("--action=add", "--sysname-match=mlx5_*"), "ens3np0", "roce_r0_p0"),
        (("--action=add", "/sys/class/infiniband/mlx5_0"), "ens3np0", "roce_r0_p0"),
        (("--action=add", "/sys/class/infiniband/mlx5_2"), "ens3np0", "mlx5_0"),
        ((), "ens3np0", "mlx5_0"),
        (("--action=add", "--dry-run"), "ens3np0", "mlx5_0"),
        (("--action=add", "--attr-match=vendor=1"), "ens3np0", "mlx5_0"),
    ],
)
def test_a_trigger_reaches_the_devices_it_asks_for(host, words, net, rdma):
    """Without --action it is `change`, with which these rules have nothing to do."""
    rules(
        host,
        f'SUBSYSTEM=="net", ACTION=="add", KERNELS=="{BDF}", NAME="eth_r0_p0"',
        OPERATOR.format(BDF, "roce_r0_p0"),
    )
    assert host("udevadm", "trigger", *words).rc == 0
    row = json.loads(host("rdma", "link", "-j").out)[0]
    assert (row["netdev"], row["ifname"]) == (net, rdma)


def test_with_the_action_change_a_network_device_keeps_its_name(host):
    rules(
        host,
        f'SUBSYSTEM=="net", KERNELS=="{BDF}", NAME="eth_r0_p0"',
        OPERATOR.format(BDF, "roce_r0_p0").replace('ACTION=="add", ', ""),
    )
    host("udevadm", "trigger")
    row = json.loads(host("rdma", "link", "-j").out)[0]
    assert (row["netdev"], row["ifname"]) == ("ens3np0", "roce_r0_p0")
