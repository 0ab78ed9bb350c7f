# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two hosts: `lab` is the simulated one; `world` is in memory, one card whose tools answer from a small state."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic import cli
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host, Result

from .one_card import NIC
from .stand_ins import simulated

PCI = "0000:1a:00.0"
NETDEV = "rail1p1"
RDMA = "mlx5_0"
SELECTED = (
    "roce_adp_retrans",
    "roce_tx_window",
    "roce_slow_restart",
    "roce_slow_restart_idle",
)


def ok(text: str = "") -> Result:
    return Result(0, text, "")


def no(text: str) -> Result:
    return Result(1, f"-E- {text}\n", "")


@dataclass
class Card:
    """The state behind the tools; faults are set on it."""

    settings: dict[str, list[str]] = field(default_factory=dict)
    read_only: set[str] = field(default_factory=set)
    running: str = "32.43.1014"
    burned: str = "32.43.1014"
    psid: str = "MT_0000001069"
    image_psid: str = "MT_0000001069"
    image_version: str = "32.48.1000"
    trust: str = "pcp"
    trust_file: bool = False
    pfc: list[int] = field(default_factory=lambda: [0] * 8)
    dscp: dict[int, int] = field(default_factory=lambda: {d: d >> 3 for d in range(64)})
    dcbx: str = "OS controlled"
    tos: int = 0
    roce_mode: int = 2
    accl: dict[str, int] = field(default_factory=dict)
    gap: dict[str, int] = field(default_factory=lambda: {"ipg": 12, "ipg_oper": 12})
    device_control: int = 0x2936
    ppcc: dict[str, int] = field(default_factory=dict)
    ppcc_readable: bool = True
    privilege: str = "PRIVILEGED"
    calls: list[str] = field(default_factory=list)
    broken: dict[str, Result] = field(default_factory=dict)
    bundle: Result = field(default_factory=ok)
    reset_levels: str = ""

    def run(self, argv, timeout):
        line = " ".join(argv)
        self.calls.append(line)
        for start, result in self.broken.items():
            if line.startswith(start):
                return result
        tool = getattr(self, "do_" + argv[0].replace("-", "_"), None)
        return tool(list(argv)) if tool else Result(127, "", f"{argv[0]}: not found")

    @property
    def writes(self) -> list[str]:
        reading = re.compile(
            r" q( |$)| q MODULE|--get|^devlink|^mst |^rdma link|^flint -i \S+ q$"
            r"|^mlxfwmanager .*--query-format|^mlnx_qos -i \S+$|^cma_roce_(tos -d \S+|mode -d \S+ -p 1)$"
            r"|^journalctl|^ethtool (-S|--get)|^setpci [^=]*$"
        )
        return [call for call in self.calls if not reading.search(call)]

    def do_mlxconfig(self, argv):
        if "reset" in argv:
            for name in set(self.settings) - self.read_only:
                self.settings[name][2] = self.settings[name][0]
            return ok("Applying... Done!\n-I- Please reboot machine to load new configurations.\n")
        if "set" in argv:
            orders = dict(word.split("=", 1) for word in argv[argv.index("set") + 1 :])
            if not set(orders) <= set(self.settings):
                return no(f"Unknown Parameter: {sorted(set(orders) - set(self.settings))[0]}")
            if set(orders) & self.read_only:
                return no(f"Parameter {sorted(set(orders) & self.read_only)[0]} is read only")
            for name, value in orders.items():
                self.settings[name][2] = value
            return ok("Applying... Done!\n-I- Please reboot machine to load new configurations.\n")
        rows = "".join(
            f"{'*' if row[1] != row[2] else ' '}  {'RO' if name in self.read_only else '  '}   "
            f"{name:<44}{row[0]:<20}{row[1]:<20}{row[2]}\n"
            for name, row in self.settings.items()
        )
        return ok(
            "\nDevice #1:\n----------\n\nDevice type:        BlueField3\n"
            "Device:             0000:1a:00.0\n\n"
            f"{'Configurations:':<56}Default   Current   Next Boot\n{rows}"
        )

    def do_flint(self, argv):
        if argv[1] == "-i":
            return ok(f"FW Version:            {self.image_version}\nPSID:     {self.image_psid}\n")
        if "burn" in argv:
            self.burned = self.image_version
            return ok("Burning FW image - OK\n")
        running = "" if self.running == self.burned else f"FW Version(Running):   {self.running}\n"
        return ok(f"Image type:            FS4\nFW Version:            {self.burned}\n{running}"
                  f"PSID:                  {self.psid}\n")  # fmt: skip

    def do_mlxfwmanager(self, argv):
        if "-u" in argv:
            self.burned = self.image_version
            return ok("Restart needed for updates to take effect.\n")
        fits = self.image_version if self.image_psid == self.psid else "N/A"
        return ok(
            f'<Devices>\n<Device pciName="{argv[2]}" type="" psid="{self.psid}" partNumber="">'
            f'<Versions><FW current="{self.burned}" available="{fits}"/></Versions></Device></Devices>\n'
        )

    def do_bfb_install(self, _argv):
        if "update done" in self.bundle.out:
            self.burned = self.image_version
        return self.bundle

    def do_mlxprivhost(self, _argv):
        return ok(f"Host configurations\n-----\nlevel                         : {self.privilege}\n")

    def do_mlnx_qos(self, argv):
        for word in argv[3:]:
            key, _equals, value = word.partition("=")
            if key == "--trust":
                if value == "dscp" and self.trust != "dscp" and not self.trust_file:
                    self.dscp = {d: d >> 3 for d in range(64)}
                self.trust = value
            elif key == "--pfc":
                self.pfc = [int(n) for n in value.split(",")]
            elif key == "--dscp2prio" and value == "flush":
                if not self.trust_file:
                    self.trust, self.dscp = "pcp", {}
            elif key == "--dscp2prio":
                _set, dscp, priority = value.split(",")
                self.dscp[int(dscp)] = int(priority)
            elif key == "os":
                self.dcbx = "OS controlled"
        lines = ""
        for priority in range(8):
            mine = [
                f"{d:02d}," for d in sorted(self.dscp, reverse=True) if self.dscp[d] == priority
            ]
            for n in range(0, len(mine), 8):
                lines += f"\tprio:{priority} dscp:{''.join(mine[n : n + 8])}\n"
        mapping = f"dscp2prio mapping:\n{lines}" if self.trust == "dscp" else ""
        pfc = "   ".join(str(n) for n in self.pfc)
        return ok(
            f"DCBX mode: {self.dcbx}\nPriority trust state: {self.trust}\n{mapping}"
            "Receive buffer size (bytes): 19872,243072,0,0,0,0,0,0,max_buffer_size=2069280\n"
            "Cable len: 7\nPFC configuration:\n"
            "\tpriority    0   1   2   3   4   5   6   7\n"
            f"\tenabled     {pfc}\n\tbuffer      0   0   0   1   0   0   0   0\n"
        )

    def do_cma_roce_tos(self, argv):
        if "-t" in argv:
            self.tos = int(argv[-1])
        return ok(f"{self.tos}\n")

    def do_cma_roce_mode(self, argv):
        if "-m" in argv:
            self.roce_mode = int(argv[-1])
        return ok("RoCE v2\n" if self.roce_mode == 2 else "IB/RoCE v1\n")

    def do_mlxreg(self, argv):
        words = dict(pairwise(argv))
        name, order = words["--reg_name"], words.get("--set")
        if name == "PPCC":
            return self._ppcc(words, order)
        fields = self.accl if name == "ROCE_ACCL" else self.gap
        if order:
            new = {k: int(v, 0) for k, v in (pair.split("=") for pair in order.split(","))}
            values = {k: v for k, v in new.items() if not k.endswith("_select")}
            fields.update(values)
        return ok(self._table(fields))

    def _ppcc(self, words, order):
        key = words["--indexes"].split("algo_slot=")[1]
        if order:
            new = dict(pair.split("=") for pair in order.split(","))
            if new["cmd_type"] == "8":
                self.ppcc[key] = int(new["value"])
            else:
                self.ppcc["slot " + key] = int(new["cmd_type"] == "1")
                self.ppcc["counters " + key] = int(new.get("counter_en", 0))
            return ok()
        if not self.ppcc_readable:
            return no("Failed to send access register: Bad parameter")
        if words["--op"] == "cmd_type=6":
            return ok(self._table({"value": self.ppcc.get(key, 0)}))
        fields = {"value": "slot ", "counter_en": "counters "}
        return ok(self._table({f: self.ppcc.get(start + key, 0) for f, start in fields.items()}))

    @staticmethod
    def _table(fields):
        rows = "".join(f"{name:<47}| 0x{value:08x}\n" for name, value in fields.items())
        line = "=" * 60
        return f"Sending access register...\n\n{'Field Name':<47}| Data\n{line}\n{rows}{line}\n"

    def do_setpci(self, argv):
        """As pciutils prints a word (setpci.c, exec_op), and writes one with a mask."""
        register, equals, order = argv[-1].partition("=")
        assert (argv[2], register) == (PCI, "CAP_EXP+08.w")
        if not equals:
            return ok(f"{self.device_control:04x}\n")
        value, mask = (int(part, 16) for part in order.split(":"))
        self.device_control = self.device_control & ~mask | value
        return ok()

    def do_mlxfwreset(self, argv):
        if argv[-1] == "q":
            return ok(self.reset_levels)
        for row in self.settings.values():
            row[1] = row[2]
        self.running = self.burned
        return ok("-I- FW was loaded successfully.\n")

    def do_systemctl(self, _argv):
        return ok()

    def do_ip(self, _argv):
        if _argv[-1] == "up":
            self.gap["ipg_oper"] = self.gap["ipg"]
        return ok()


@dataclass
class World:
    card: Card
    root: Path

    def host(self, *, check: bool = False) -> Host:
        clock = iter(range(0, 10**9, 10))
        return Host(
            run=self.card.run,
            check_mode=check,
            sysfs=str(self.root / "sys"),
            root=str(self.root),
            sleep=lambda _seconds: None,
            clock=lambda: float(next(clock)),
        )

    def put(self, name: str, text: str) -> None:
        path = self.root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def read(self, name: str) -> str:
        return (self.root / name.lstrip("/")).read_text(encoding="utf-8").strip()

    def algorithm(self, state: str = "active", pid: int = 4711) -> None:
        self.put(f"/proc/{pid}/cmdline", f"/opt/tools/doca_spcx_cc\0--device\0{RDMA}\0")
        self.put(
            f"/proc/{pid}/stat", f"{pid} (doca spcx) " + " ".join(str(n) for n in range(3, 53))
        )
        self.put(f"/proc/{pid}/cgroup", "0::/system.slice/spx-cc@mlx5_0.service\n")
        self.put(f"/run/spectrum-x/cc-{RDMA}.json", f'{{"pid": {pid}, "state": "{state}"}}')


SETTINGS = {
    "SRIOV_EN": ["False(0)", "False(0)", "False(0)"],
    "NUM_OF_VFS": ["0", "0", "0"],
    "INTERNAL_CPU_MODEL": ["EMBEDDED_CPU(1)"] * 3,
    "INTERNAL_CPU_OFFLOAD_ENGINE": ["ENABLED(0)", "DISABLED(1)", "DISABLED(1)"],
    "ROCE_ADAPTIVE_ROUTING_EN": ["False(0)"] * 3,
    "USER_PROGRAMMABLE_CC": ["False(0)"] * 3,
}
REGISTER = {
    **{f"{name}_field_select": 1 for name in SELECTED},
    "adaptive_routing_forced_en_field_select": 1,
    "roce_adp_retrans_en": 1,
    "roce_tx_window_en": 0,
    "roce_slow_restart_en": 1,
    "roce_slow_restart_idle_en": 0,
    "adaptive_routing_forced_en": 0,
}


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """The simulated host, whose tools are processes; not initialised."""
    return simulated(tmp_path, monkeypatch)


@pytest.fixture
def world(tmp_path):
    """A BlueField-3 in NIC mode with one port, factory settings."""
    made = World(Card(settings={k: list(v) for k, v in SETTINGS.items()}), tmp_path)
    made.card.accl = dict(REGISTER)
    pci = f"/sys/bus/pci/devices/{PCI}"
    for name, text in (("vendor", "0x15b3"), ("device", "0xa2dc"), ("class", "0x020000")):
        made.put(f"{pci}/{name}", f"{text}\n")
    made.put(f"{pci}/net/{NETDEV}/phys_port_name", "p0\n")
    made.put(f"{pci}/infiniband/{RDMA}/node_type", "1\n")
    for name, text in (("operstate", "up"), ("speed", "400000"), ("mtu", "9166")):
        made.put(f"/sys/class/net/{NETDEV}/{name}", f"{text}\n")
    made.put(f"/sys/class/net/{NETDEV}/ecn/roce_np/cnp_dscp", "4\n")
    for point in ("rp", "np"):
        for priority in range(8):
            made.put(f"/sys/class/net/{NETDEV}/ecn/roce_{point}/enable/{priority}", "0\n")
    made.put(f"/sys/class/infiniband/{RDMA}/tc/1/traffic_class", "Global tclass=106\n")
    made.put("/proc/sys/kernel/random/boot_id", "b-1\n")
    return made


@pytest.fixture
def command(world, monkeypatch):
    """The command line on the fake host."""

    def call(*argv):
        return cli.main([*argv])

    host = world.host()
    monkeypatch.setattr(
        cli,
        "Host",
        lambda sysfs, check_mode: Host(
            run=host.run, sysfs=host.sysfs, root=host.root, check_mode=check_mode
        ),
    )
    world.put("/etc/spectrum-x/desired.json", json.dumps({"schema": 1, "nics": [NIC]}))
    return call
