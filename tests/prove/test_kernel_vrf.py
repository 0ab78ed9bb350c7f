# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""VRFs as devices of the kernel, which the machine's own kernel may lack: then in user-mode Linux.

Two leaves, a spine, four hosts and two tenants of the lab, from the documents that our roles
render; and a leak between VRFs of one switch, which namespaces cannot show.
"""

from __future__ import annotations

import copy
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.validate import isolation

EXAMPLE = "lab in a kernel with VRFs"
ROOT = pathlib.Path(__file__).resolve().parents[2]
STORY = pathlib.Path(__file__).parent / "kernel" / "story.py"
LEAVES = ("leaf-p1-su001-r1", "leaf-p1-su002-r1")
SPINES = ("spine-p1-s01",)
OWNERS = {
    "worker-su01-rack01-h01": "acme",
    "worker-su01-rack01-h02": "globex",
    "worker-su02-rack01-h01": "acme",
    "worker-su02-rack01-h02": "globex",
}
LOG = ROOT / "build" / "prove" / "kernel.log"
PATIENCE = 240
"""Seconds for the story; on two quiet cores it takes a fifth of that."""
MODULES = "vrf vxlan bridge veth dummy"
FILTERS = (
    "nf_tables iptable_raw iptable_filter iptable_mangle ip6table_raw ip6table_filter "
    "ip6table_mangle xt_mark xt_multiport xt_conntrack nf_conntrack xt_tcpudp"
)
NO_KERNEL = (
    "this kernel makes no VRFs, and there is no user-mode Linux on PATH, where it is called linux: "
    "run tests/setup/packages.sh lab, which installs what the system has a package of"
)
INIT = """#!/bin/sh
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t tmpfs tmpfs /run
mkdir -p /run/modules/lib; ln -s /usr/lib/uml/modules /run/modules/lib/modules
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
for module in {modules}; do modprobe -d /run/modules $module || true; done
ip link set lo up
cd /
/usr/bin/python3 {story} {order}
poweroff -f
"""


def cables(fabric):
    """(device, port, device, port) between the chosen machines."""
    chosen = {*LEAVES, *SPINES, *OWNERS}
    for leaf in LEAVES:
        for row in fabric.slice(leaf)["ports"]:
            if row["present"] and row["peer"]["device"] in chosen:
                yield [leaf, row["port"], row["peer"]["device"], row["peer"]["port"]]


def host(fabric, name):
    """A host as the story wants it: its first rail."""
    port = fabric.slice(name)["ports"][0]
    keys = ("port", "mtu", "address", "gateway")
    return {**{key: port[key] for key in keys}, "tenant": OWNERS[name]}


def leaked(document):
    """Both tenants of a leaf take each other's routes."""
    made = copy.deepcopy(document)
    for one, other in (("t21-acme", "t22-globex"), ("t22-globex", "t21-acme")):
        family = made["vrf"][one]["router"]["bgp"]["address-family"]["ipv4-unicast"]
        family["route-import"] = {"from-vrf": {"state": "enabled", "list": {other: {}}}}
    return made


@pytest.fixture(scope="module")
def order():
    """What the story is told of."""
    fabric = Fabric.load(str(ROOT / "inventories" / "lab" / "model" / "fabric.yml"))
    registry = Registry.load(fabric)
    documents = {
        name: compose.document(fabric, name, tenants=registry) for name in (*LEAVES, *SPINES)
    }
    return {
        "switches": documents,
        "hosts": {name: host(fabric, name) for name in OWNERS},
        "cables": list(cables(fabric)),
        "path_mtu": 9166,
        "underlay": [fabric.slice(name)["loopback"] for name in (*LEAVES, *SPINES)],
        "leaked": {LEAVES[0]: leaked(documents[LEAVES[0]])},
        "leak": ["worker-su01-rack01-h01", "worker-su01-rack01-h02"],
    }


def kernel_has_vrfs():
    probe = ["unshare", "--net", "ip", "link", "add", "probe", "type", "vrf", "table", "1001"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def told(order, folder):
    """The answer of the story, in this kernel or in user-mode Linux."""
    path = folder / "order.json"
    path.write_text(json.dumps(order))
    if kernel_has_vrfs():
        command = ["unshare", "--mount", "--net", sys.executable, str(STORY), str(path)]
    else:
        linux = shutil.which("linux")
        assert linux, NO_KERNEL
        init = folder / "init"
        init.write_text(INIT.format(modules=f"{MODULES} {FILTERS}", story=STORY, order=path))
        init.chmod(0o755)
        root = ["rootfstype=hostfs", "rw", "root=/dev/root", f"init={init}"]
        console = ["con=null", "con0=fd:0,fd:1", "quiet"]
        command = [linux, "mem=1500M", *root, *console]
    said = ended(command)
    LOG.parent.mkdir(parents=True, exist_ok=True)
    LOG.write_text(said)
    for line in said.splitlines():
        if line.startswith("ANSWER "):
            return json.loads(line.partition(" ")[2])
    raise AssertionError(f"no answer; the end of {LOG}:\n{said[-3000:]}")


def ended(command):
    """What a command said until its end, or until time was up: then all of its processes go."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    timer = threading.Timer(PATIENCE, os.killpg, [process.pid, signal.SIGKILL])
    timer.start()
    try:
        return process.communicate()[0]
    finally:
        timer.cancel()


@pytest.fixture(scope="module")
def answer(order, tmp_path_factory):
    """What the kernel showed."""
    begun = time.monotonic()
    found = told(order, tmp_path_factory.mktemp("kernel"))
    return {**found, "wall": time.monotonic() - begun}


def test_tenants_are_apart_by_kernel_vrfs(order, answer, saw):
    own = [[a, b] for a in OWNERS for b in OWNERS if a != b and OWNERS[a] == OWNERS[b]]
    assert answer["backends"] == ["kernel"]
    assert answer["converged"]
    assert sorted(answer["reached"]) == sorted(own)
    assert answer["underlay"] == []
    assert (answer["whole"], answer["one_byte_more"]) == (True, False)
    saw(
        "by VRF devices of the kernel: members reach each other, nobody else",
        f"{answer['wall']:.1f} s",
    )


def test_a_leak_between_vrfs_of_one_switch_is_caught_by_packets_and_by_the_audit(
    order, answer, saw
):
    assert order["leak"] in answer["reached_when_leaked"]
    fabric = Fabric.load(str(ROOT / "inventories" / "lab" / "model" / "fabric.yml"))
    documents = {**order["switches"], **order["leaked"]}
    rows = isolation.graph(
        fabric, Registry.load(fabric), {leaf: documents[leaf] for leaf in LEAVES}
    )
    failed = [row["device"] for row in rows if row["state"] == "fail"]
    assert set(failed) == {LEAVES[0]}
    saw(
        "a leak between VRFs of one switch is caught",
        "by packets, and by the audit of the documents",
    )
