# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host in a folder: files are real, ip and systemctl answer from a small state."""

from __future__ import annotations

import fnmatch
import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.interfaces import (
    interfaces_from,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host, Result

PCI = "0000:18:00.0"
WANTED = {
    "name": "rail1p1",
    "pci": PCI,
    "address": "172.16.0.0",
    "length": 31,
    "gateway": "172.16.0.1",
    "mtu": 9166,
    "table": 1001,
    "routes": [{"to": "172.16.0.0/15", "metric": 100}, {"to": "172.16.0.0/12", "metric": 101}],
}


@dataclass
class InFolder:
    """A host whose files are in a folder; what its commands answer follows in `run`."""

    folder: Path

    def host(self, *, check: bool = False) -> Host:
        ticks = iter(range(10_000))
        return Host(
            run=self.run,
            check_mode=check,
            root=str(self.folder),
            sysfs=str(self.folder / "sys"),
            sleep=lambda _seconds: None,
            clock=lambda: float(next(ticks)),
        )


@dataclass
class Machine(InFolder):
    """Answers of iproute2 and systemd; making the network live is one command away."""

    name: str = "enp24s0f0np0"
    mtu: int = 1500
    addresses: list[dict] = field(default_factory=list)
    routes: list[dict] = field(default_factory=list)
    rules: list[dict] = field(default_factory=list)
    units: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    stale: set[str] = field(default_factory=set)
    calls: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    link: dict[str, object] = field(default_factory=dict)
    says: dict[str, str] = field(default_factory=dict)
    deaf: bool = False
    lazy: int = 0

    def run(self, argv, _timeout) -> Result:
        words = " ".join(argv)
        if argv[:2] == ["ip", "-j"]:
            return Result(0, json.dumps(self.answer(words)), "")
        if words.startswith("systemctl show"):
            return Result(0, "\n\n".join(self.shown(argv[4:])), "")
        if words.startswith(("udevadm info", "networkctl --no-pager", "nmcli -t")):
            return Result(0, self.says.get(words, ""), "")
        self.calls.append(words)
        asked = argv[:1] == ["networkctl"] or ("nmcli" in argv and "up" in argv)
        if asked and not self.deaf:
            self.lazy -= 1
            if self.lazy < 0:
                self.live()
        if argv[0] == "rdma":
            devices = self.folder / "sys/bus/pci/devices"
            (old,) = devices.glob(f"*/infiniband/{argv[3]}")
            assert not list(devices.glob(f"*/infiniband/{argv[5]}")), (
                "the kernel refuses a name twice"
            )
            old.rename(old.with_name(argv[5]))
        elif "name" in argv:
            self.rename(argv[-1])
        return Result(0, "", "")

    def answer(self, words: str) -> list[dict]:
        if "rule" in words:
            return self.rules
        if "route" in words:
            return self.routes
        return [
            {
                "ifname": self.name,
                "flags": ["BROADCAST", "UP"],
                "mtu": self.mtu,
                "addr_info": self.addresses,
                **self.link,
            },
            *({"ifname": name} for name in self.strangers),
        ]

    def shown(self, names: list[str]) -> list[str]:
        """A block for each name, and for each loaded unit that a pattern means."""
        assert not any("@." in name for name in names), "systemctl shows no template"
        return [
            self.unit(one)
            for name in names
            for one in (fnmatch.filter(self.units, name) if "*" in name else [name])
        ]

    def unit(self, name: str) -> str:
        load, enabled, active = self.units.get(name, ("not-found", "", "inactive"))
        late = "yes" if name in self.stale else "no"
        return (
            f"Id={name}\nLoadState={load}\nUnitFileState={enabled}\nActiveState={active}\n"
            f"NeedDaemonReload={late}"
        )

    def write(self, path: str, text: str) -> None:
        place = self.folder / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def rename(self, name: str) -> None:
        net = self.folder / "sys/bus/pci/devices" / PCI / "net"
        (net / self.name).rename(net / name)
        conf = self.folder / "proc/sys/net/ipv4/conf"
        (conf / self.name).rename(conf / name)
        self.name = name

    def setting(self, name: str) -> Path:
        """Path of the kernel's setting of the port."""
        return self.folder / "proc/sys/net/ipv4/conf" / self.name / name

    def live(self) -> None:
        """The network as wanted."""
        self.mtu = 9166
        self.addresses = [{"local": "172.16.0.0", "prefixlen": 31}]
        self.routes = [
            {"dst": row["to"], "gateway": "172.16.0.1", "dev": self.name, **more}
            for row in WANTED["routes"]
            for more in ({"metric": row["metric"]}, {"table": "1001"})
        ]
        self.rules = [{"priority": 1000, "src": "172.16.0.0", "table": "1001"}]


@pytest.fixture
def machine(tmp_path):
    made = Machine(tmp_path)
    device = tmp_path / "sys/bus/pci/devices" / PCI
    port = device / "net" / made.name
    port.mkdir(parents=True)
    (port / "phys_port_name").write_text("p0\n")
    for name in ("rp_filter", "arp_ignore", "arp_announce"):
        made.setting(name).parent.mkdir(parents=True, exist_ok=True)
        made.setting(name).write_text("0\n")
    (made.setting("x").parent.with_name("all")).mkdir()
    representor = device / "net" / "aaa_rep"
    representor.mkdir()
    (representor / "phys_port_name").write_text("pf0vf0\n")
    made.units["systemd-networkd.service"] = ("loaded", "enabled", "active")
    return made


@pytest.fixture
def wanted():
    return interfaces_from([WANTED])


@pytest.fixture
def prepared(machine, wanted):
    from .others import Prepared

    return Prepared(machine, wanted)
