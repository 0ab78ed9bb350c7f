# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""netplan itself makes and removes a definition of others. ``make drill DRILL=packets`` runs it, with the packages.

tests/kernel/run.sh tests/kernel/networks/slow_hosts.py tests/kernel/networks/slow_takeover.py
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from kernel.conftest import LOGS

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host import definitions, takeover
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.backends import NETPLAN, files
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.interfaces import (
    LiveState,
    interfaces_from,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host, Result

PACKAGES = LOGS / "packages"
MAC, PCI = "00:00:5e:00:53:01", "0000:18:00.0"
RAIL = {
    "name": "rail1p1",
    "pci": PCI,
    "address": "172.16.0.0",
    "length": 31,
    "mtu": 9166,
    "gateway": "172.16.0.1",
    "routes": [{"to": "172.16.0.0/12", "metric": 100}],
}
MATCHED = f'match: {{macaddress: "{MAC}"}}'
CLOUD = "/etc/netplan/50-cloud-init.yaml"
CLI = """
import ctypes.util, glob, sys
top = sys.argv.pop(1)
ctypes.util.find_library = lambda name: glob.glob(f"{top}/usr/lib/*/lib{name}.so*")[0]
from netplan import Netplan
Netplan().main()
"""


def run(argv, timeout):
    """Run the unpacked programs of netplan; no other tool has an answer here."""
    library = ":".join(map(str, PACKAGES.glob("usr/lib/*-linux-gnu")))
    if argv[0] == "netplan":
        argv = ["/usr/bin/python3", "-c", CLI, str(PACKAGES), *argv[1:]]
    elif argv[0].endswith("/generate"):
        argv = [f"{PACKAGES}/usr/libexec/netplan/generate", *argv[1:]]
    else:
        return Result(127, "", "")
    modules = ":".join(
        f"{PACKAGES}/usr/{name}" for name in ("share/netplan", "lib/python3/dist-packages")
    )
    env = {**os.environ, "LD_LIBRARY_PATH": library, "PYTHONPATH": modules}
    done = subprocess.run(
        argv, capture_output=True, text=True, timeout=timeout, env=env, check=False
    )
    sys.stderr.write(done.stderr)
    return Result(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def host(tmp_path):
    made = Host(run=run, root=str(tmp_path), sysfs=str(tmp_path / "sys"))
    definitions.lay(str(tmp_path), {"/usr/libexec/netplan/generate": b""})
    return made


@pytest.mark.parametrize(
    ("name", "body", "keys"),
    [
        (
            "enp24s0f0np0",
            f"{{{MATCHED}, set-name: enp24s0f0np0, dhcp4: true}}",
            {f"PermanentMACAddress={MAC}", "NAME=enp24s0f0np0", "Name=enp24s0f0np0"},
        ),
        (
            "zz-nic",
            f"{{{MATCHED}, set-name: zz-nic, dhcp4: true}}",
            {"NAME=zz-nic"},  # its rule of udev wins, although its .network file comes after ours
        ),
        ("enp24s0f0np0", "{dhcp4: true}", {"Name=enp24s0f0np0"}),
        ("a-wild", '{match: {driver: "mlx5*"}, dhcp4: true}', {"Driver=mlx5*"}),
        ("rail1p1", "{addresses: [172.16.0.4/31]}", {"addresses"}),
        ("eno1", "{dhcp4: true}", set()),
    ],
)
def test_netplan_s_own_answer_names_a_definition_and_set_removes_it(host, name, body, keys):
    text = f"network:\n  version: 2\n  ethernets:\n    eno9: {{dhcp4: true}}\n    {name}: {body}\n"
    definitions.lay(host.root, {CLOUD: text.encode()})
    ports = interfaces_from([RAIL])
    link = {"ifname": "enp24s0f0np0", "address": MAC, "altnames": []}
    found = LiveState({"enp24s0f0np0": link}, (), (), {PCI: "enp24s0f0np0"})
    ours = [one for one in files("netplan", ports) if one.path == NETPLAN]
    _aside, _taken, left = takeover.foreign(host, "netplan", found, ports, ours)
    assert {row.key for row in left} == keys
    assert {row.path for row in left} <= {CLOUD}
    aside, taken, left = takeover.foreign(host, "netplan", found, ports, ours, take=True)
    assert left == []
    assert bool(taken) is bool(keys)
    texts = {one.path: (one.content or b"").decode() for one in aside}
    if keys:
        assert "eno9" in texts[CLOUD]
        assert name not in texts[CLOUD]
