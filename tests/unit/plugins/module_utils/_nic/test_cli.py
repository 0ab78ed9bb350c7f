# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line of the tool on the host."""

from __future__ import annotations

import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic import cli
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.lock import (
    Busy,
    writing,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.watch import watch

from .one_card import PCI, desired


def test_command_line(world, command, capsys):
    assert command("verify") == 2
    assert "rail1p1: trust is pcp, expected dscp." in capsys.readouterr().out
    assert command("apply", "--check") == 0
    assert world.card.writes == []
    assert command("apply", "--maintenance", "--json", "--wait", "5") == 0
    assert len(json.loads(capsys.readouterr().out.splitlines()[-1])["commands"]) == 7
    assert command("verify", "--pci", "0000:1a:00.1") == 0
    assert command("watch") == 0
    with pytest.raises(SystemExit, match=r"^0$"):
        command("--version")
    assert command("verify", "--desired", "/nowhere.json") == 3
    assert "/nowhere.json: the desired state cannot be read" in capsys.readouterr().err


def test_the_unit_toggles_links_of_new_devices_and_of_drained_hosts(world, command, capsys):
    """A first look, and an event under load, leave the gap for maintenance; a boot does not."""

    def toggled():
        world.card.calls.clear()
        world.card.gap.update(ipg=12, ipg_oper=12)
        assert command("apply", "--pci", PCI, "--new-devices") == 0
        waits = "inter_packet_gap 12 stays instead of 33" in capsys.readouterr().out
        assert waits is not ("ip link set dev rail1p1 down" in world.card.calls)
        return not waits

    world.put("/sys/class/net/rail1p1/ifindex", "5\n")
    assert [toggled(), toggled()] == [False, False]
    world.put("/sys/class/net/rail1p1/ifindex", "9\n")
    assert [toggled(), toggled()] == [True, False]
    world.put("/proc/sys/kernel/random/boot_id", "b-2\n")
    world.card.trust = "pcp"
    assert watch(world.host(), desired())["repaired"], "a look right after the boot"
    assert toggled(), "the unit has its turn all the same"
    world.put("/proc/sys/kernel/random/boot_id", "b-3\n")
    for _look in range(2):
        watch(world.host(), desired())
    assert not toggled(), "the watchdog has seen it in service"
    world.put("/proc/sys/kernel/random/boot_id", "b-4\n")
    assert [toggled(), toggled()] == [True, False]
    world.put("/etc/spectrum-x/drained", "")
    assert toggled()


def test_one_at_a_time_sets_the_nics(world, command, capsys):
    """The watchdog leaves its round out, others wait; units of cards do not wait for one another."""

    def taken(host):
        with writing(host):
            return True

    with writing(world.host()):
        assert command("watch") == 0
        assert (
            "this round is skipped: /run/spectrum-x/lock: another process"
            in capsys.readouterr().out
        )
        with pytest.raises(Busy, match="for more than 180 s: find it with `fuser -v"):
            taken(world.host())
        assert taken(world.host(check=True))
        assert command("apply", "--check") == 0
        assert world.card.writes == []
    with writing(world.host(), shared=True):
        assert command("apply", "--pci", PCI) == 0
        with pytest.raises(Busy):
            taken(world.host())
    assert taken(world.host())


@pytest.mark.parametrize(
    "content, words",
    [("{", "it is not JSON"), ('{"schema": 9}', "desired state: schema 9 is not 1")],
)
def test_bad_files_are_one_sentence(world, command, capsys, content, words):
    world.put("/etc/spectrum-x/desired.json", content)
    assert command("verify") == 3
    message = capsys.readouterr().err
    assert words in message
    assert message.count("\n") == 1


def test_another_build_is_named(world, capsys):
    world.put("/d.json", '{"schema": 1, "agent": "1.0.0+aa", "nics": []}')
    assert cli.main(["verify", "--desired", str(world.root / "d.json")], version="1.0.0+bb") == 0
    assert "is 1.0.0+bb, 1.0.0+aa is expected" in capsys.readouterr().err
