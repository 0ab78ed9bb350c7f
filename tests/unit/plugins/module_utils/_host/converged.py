# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host with a rail, a front end and storage in a folder; ip answers in the words of iproute2 6.1."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result

from .conftest import WANTED, InFolder

PCI = {"rail1p1": "0000:18:00.0", "front1": "0000:01:00.0", "front2": "0000:01:00.1"}
KERNEL = {"rail1p1": "enp24s0f0np0", "front1": "enp1s0f0np0", "front2": "enp1s0f1np1"}


def port(name, **more):
    return {"name": name, "network": "front-end", "pci": PCI[name], "mtu": 9166, **more}


BOND = {
    "name": "front",
    "network": "front-end",
    "members": ["front1", "front2"],
    "mtu": 9166,
    "metric": 512,
    "system": "44:38:39:ff:02:00",
}
VLAN = {
    "name": "front.2021",
    "network": "storage",
    "parent": "front",
    "vlan": 2021,
    "mtu": 9166,
    "metric": 0,
}
BONDED = [port("front1", bond="front"), port("front2", bond="front"), BOND, VLAN]
SHARED = {**VLAN, "gateway": "10.216.14.1", "routes": [{"to": "10.216.0.0/13", "metric": 512}]}
"""The VLAN of a tenant whose arrays are in other subnets."""
ROUTED = [
    port(
        f"front{n}",
        address=f"10.192.0.{2 * n}",
        length=31,
        gateway=f"10.192.0.{2 * n + 1}",
        table=1500 + n,
        routes=[{"to": "0.0.0.0/0", "metric": 511 + n}],
    )
    for n in (1, 2)
]
INFO = {
    "info_kind": "bond",
    "info_data": {
        "mode": "802.3ad",
        "miimon": 100,
        "xmit_hash_policy": "layer3+4",
        "ad_lacp_rate": "fast",
        "ad_info": {"aggregator": 1, "num_ports": 2, "partner_mac": "44:38:39:ff:02:00"},
    },
}


@dataclass
class Converged(InFolder):
    """Links, routes and rules as they are; whoever keeps the network makes them as the files say."""

    links: dict = field(default_factory=dict)
    routes: list = field(default_factory=list)
    rules: list = field(default_factory=list)
    calls: list = field(default_factory=list)
    units: dict = field(default_factory=dict)
    deaf: bool = False
    timer: bool = True
    rows: list = field(default_factory=list)

    def __post_init__(self):
        for name, now in KERNEL.items():
            self.links[now] = {"ifname": now, "flags": ["UP"], "mtu": 1500, "addr_info": []}
            (self._net(PCI[name]) / now).mkdir(parents=True)
            (self._net(PCI[name]) / now / "phys_port_name").write_text("p0\n")
        (self.folder / "proc/sys/net/ipv4/conf/all").mkdir(parents=True)
        for now in KERNEL.values():
            conf = self.folder / "proc/sys/net/ipv4/conf" / now
            conf.mkdir()
            for key in ("rp_filter", "ignore_routes_with_linkdown"):
                (conf / key).write_text("0\n")
        self.units["systemd-networkd.service"] = "active"

    def _net(self, pci):
        return self.folder / "sys/bus/pci/devices" / pci / "net"

    def run(self, argv, _timeout):
        words = " ".join(argv)
        if argv[:2] == ["ip", "-j"]:
            return Result(0, json.dumps(self._answer(words)), "")
        if words.startswith("systemctl show"):
            return Result(0, "\n\n".join(self._unit(name) for name in argv[4:]), "")
        if words.startswith(("udevadm info", "networkctl --no-pager")):
            return Result(0, "", "")
        self.calls.append(words)
        if argv[0] == "systemd-run":
            self.units["spectrum-x-attempt.timer"] = "active" if self.timer else "inactive"
        if words.startswith("systemctl enable"):
            self.units[argv[2]] = "enabled"
        if argv[0] in ("networkctl", "nmcli") and not self.deaf:
            self.live()
        if words.startswith("ip link delete"):
            self.links.pop(argv[-1], None)
        if "name" in argv:
            self._rename(argv[4], argv[-1])
        return Result(0, "", "")

    def _answer(self, words):
        if "rule" in words:
            return self.rules
        if "route" in words:
            return self.routes if "-4" in words else []
        details = " -d " in words
        hide = () if details else ("linkinfo",)
        return [{k: v for k, v in row.items() if k not in hide} for row in self.links.values()]

    def _unit(self, name):
        state = self.units.get(name, "inactive")
        on = "enabled" if state in ("enabled", "active") else "disabled"
        return f"Id={name}\nLoadState=loaded\nUnitFileState={on}\nActiveState={state}\nNeedDaemonReload=no"

    def _rename(self, old, new):
        for pci in PCI.values():
            if (self._net(pci) / old).exists():
                (self._net(pci) / old).rename(self._net(pci) / new)
        conf = self.folder / "proc/sys/net/ipv4/conf"
        (conf / old).rename(conf / new)
        self.links[new] = {**self.links.pop(old), "ifname": new}

    def live(self):
        """The rail as wanted, and of the networks what the files of systemd-networkd name."""
        rail = self.links["rail1p1"]
        rail |= {"mtu": 9166, "addr_info": [{"local": "172.16.0.0", "prefixlen": 31}]}
        self.routes = [
            {"dst": row["to"], "gateway": "172.16.0.1", "dev": "rail1p1", **more}
            for row in WANTED["routes"]
            for more in ({"metric": row["metric"]}, {"table": "1001"})
        ]
        self.rules = [{"priority": 1000, "src": "172.16.0.0", "table": "1001"}]
        files = self.folder / "etc/systemd/network"
        for path in sorted(files.glob("30-spectrum-x-*.netdev")):
            self._virtual(path.read_text())
        for path in sorted(files.glob("30-spectrum-x-front*.network")):
            self._port(path.read_text())

    def _virtual(self, text):
        name = re.search("Name=(.*)", text)[1]
        row = {"ifname": name, "flags": ["UP"], "mtu": 9166, "addr_info": []}
        if "Kind=vlan" in text:
            number = int(re.search(r"\nId=(\d+)", text)[1])
            row |= {
                "link": "front",
                "linkinfo": {"info_kind": "vlan", "info_data": {"id": number}},
            }
        else:
            row["linkinfo"] = INFO
            self.routes.append(
                {"dst": "default", "gateway": "10.208.0.1", "dev": name, "metric": 512}
            )
        self.links[name] = row

    def _port(self, text):
        name = re.search("Name=(.*)", text)[1]
        link = self.links[name]
        link["mtu"] = 9166
        if bond := re.search("Bond=(.*)", text):
            link["master"] = bond[1]
        if address := re.search("Address=(.*)/31", text):
            link["addr_info"] = [{"local": address[1], "prefixlen": 31}]
            gateway = re.search("Gateway=(.*)", text)[1]
            for metric in re.findall(r"Metric=(\d+)", text):
                self.routes.append(
                    {"dst": "default", "gateway": gateway, "dev": name, "metric": int(metric)}
                )
            table = re.search(r"Table=(\d+)", text)[1]
            self.routes.append({"dst": "default", "gateway": gateway, "dev": name, "table": table})
            self.rules.append({"src": address[1], "table": table})
