# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""After a boot links get time, and no more than that."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.boot import (
    uptime,
    wait_for_links,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host

RAILS = ("0000:18:00.0", "0000:2a:00.0")


class Machine:
    """A host that booted `age` seconds ago; the link of each port comes up at a second of `links`."""

    def __init__(self, root, age, links, *, flags="0x1003"):
        self.root, self.now, self.links = root, 0.0, links
        (root / "proc").mkdir()
        (root / "proc" / "uptime").write_text(age)
        for number, pci in enumerate(RAILS):
            folder = root / "sys" / "bus" / "pci" / "devices" / pci / "net" / f"eth{number}"
            folder.mkdir(parents=True)
            (folder / "flags").write_text(f"{flags}\n")
        self.train()

    def train(self):
        for number, (pci, at) in enumerate(zip(RAILS, self.links)):
            folder = self.root / "sys" / "bus" / "pci" / "devices" / pci / "net" / f"eth{number}"
            (folder / "operstate").write_text("up\n" if self.now >= at else "down\n")

    def sleep(self, seconds):
        self.now += seconds
        self.train()

    def host(self):
        return Host(
            root=str(self.root), sysfs=f"{self.root}/sys", sleep=self.sleep, clock=lambda: self.now
        )


@pytest.mark.parametrize(
    ("age", "links", "late", "waited"),
    [
        ("60.25 90.00", (0, 0), [], 0),
        ("60.25 90.00", (0, 17), [], 17),
        ("60.25 90.00", (0, 500), [RAILS[1]], 120),
        ("4000.00 1.00", (0, 500), [RAILS[1]], 0),
        ("nonsense", (0, 500), [RAILS[1]], 0),
    ],
)
def test_links_are_waited_for_until_three_minutes_after_the_boot(
    tmp_path, age, links, late, waited
):
    machine = Machine(tmp_path, age, links)
    assert wait_for_links(machine.host(), RAILS, 180) == late
    assert machine.now == waited


def test_a_port_that_nobody_has_set_up_is_not_waited_for(tmp_path):
    machine = Machine(tmp_path, "60.25 90.00", (500, 500), flags="0x1002")
    assert wait_for_links(machine.host(), [*RAILS, "0000:99:00.0"], 180) == []
    assert machine.now == 0


@pytest.mark.parametrize(("text", "seconds"), [("61.99 12.3", 61), ("", None), ("-5 1", None)])
def test_uptime(tmp_path, text, seconds):
    assert uptime(Machine(tmp_path, text, (0, 0)).host()) == seconds
