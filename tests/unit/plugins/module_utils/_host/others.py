# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host as planned, after somebody else's installer: what counts is named, refused, and moved aside."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.network import apply_network
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.module_utils._host.conftest import (
    PCI,
    Machine,
)

MAC, BURNED = "00:00:5e:00:53:0a", "00:00:5e:00:53:01"
NM, IFUPDOWN, LEGACY = "NetworkManager.service", "networking.service", "network.service"
NETWORKD = "systemd-networkd.service"
ON, OFF = ("loaded", "enabled", "active"), ("loaded", "disabled", "inactive")
PROFILE = "/etc/NetworkManager/system-connections/w.nmconnection"
RULES, NETWORKS = "/etc/udev/rules.d", "/etc/systemd/network"
INTERFACES = "/etc/network/interfaces"


@dataclass
class Prepared:
    """The host; `look` reads it as validate does."""

    machine: Machine
    wanted: tuple
    backend: str = "networkd"

    def by(self, backend):
        self.backend, machine = backend, self.machine
        apply_network(machine.host(), self.wanted, backend=backend)
        machine.calls.clear()
        (machine.folder / "sys/bus/pci/drivers/mlx5_core").mkdir(parents=True)
        driver = machine.folder / f"sys/bus/pci/devices/{PCI}/driver"
        driver.symlink_to("../../drivers/mlx5_core")
        machine.link = {"address": MAC, "permaddr": BURNED}
        machine.units["spectrum-x-attempt.timer"] = ("loaded", "", "active")
        machine.says["udevadm info /sys/class/net/rail1p1"] = (
            "P: /devices/pci0000:18/0000:18:00.0/net/rail1p1\nE: ID_NET_NAME_PATH=enp24s0f0np0\n"
        )
        return self

    def look(self, **more):
        host = self.machine.host(check=True)
        return apply_network(host, self.wanted, backend=self.backend, partly=True, **more)

    def apply(self, *, take_over=True):
        host = self.machine.host()
        return apply_network(host, self.wanted, backend=self.backend, take_over=take_over)

    def named(self):
        return [(row["file"], row["key"]) for row in self.look()["addresses"]]

    def text(self, path):
        place = self.machine.folder / path.lstrip("/")
        return place.read_text() if place.exists() else None

    def judge(self, path, text, key, *units):
        """See that the file is named by the key and goes with `take_over`; that it does not count without a key."""
        self.machine.units[NETWORKD] = ON if self.backend == "networkd" else OFF
        self.machine.units.update(dict.fromkeys(units, ON))
        self.machine.write(path, text)
        assert self.named() == ([(path, key)] if key else [])
        if not key:
            return
        with pytest.raises(NicError, match="counts after a reload"):
            self.apply(take_over=False)
        assert self.machine.calls == []
        planned = self.look(take_over=True)
        assert (planned["addresses"], [row["file"] for row in planned["taken"]]) == ([], [path])
        assert self.apply()["attempt"]
        assert self.machine.calls[0].startswith("systemd-run ")
        assert self.named() == []
        digest = hashlib.sha256(text.encode()).hexdigest()[:8]
        copy = f"/var/lib/spectrum-x/taken-over/{path.strip('/').replace('/', '_')}.{digest}"
        assert text in (self.text(copy), self.text(path))


def profile(*lines, kind="ethernet", priority=10):
    head = f"[connection]\nid=x\ntype={kind}\nautoconnect-priority={priority}\n"
    return head + "\n".join(lines) + "\n[ipv4]\nmethod=auto\n"
