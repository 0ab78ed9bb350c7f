# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host whose daemon makes a bond and a VLAN of files: at first, and at a boot. Standard library only.

The daemon is systemd-networkd, then the same with files of netplan, then NetworkManager. The other end is a bond of
mainline Linux, with a DHCP server on it and on the VLAN.
"""

from __future__ import annotations

import functools
import json
import time
from typing import Any

from kernel.machine import Failed, Machine, cables, eventually, say
from kernel.networks.story import PATIENCE, partners
from kernel.networks.surroundings import bond

Plain = dict[str, Any]
NETWORKD = "mkdir -p /run/systemd/network /run/systemd/netif/links /run/systemd/netif/leases /run/systemd/netif/lldp\n"
READY = {
    "networkd": NETWORKD,
    "netplan": f"{NETWORKD}mkdir -p /run/netplan/etc/netplan",
    "networkmanager": """
mkdir -p /run/connections /run/nm.d /run/NetworkManager /run/dbus /var/lib/NetworkManager
cat >/run/dbus.conf <<'END'
<busconfig><type>system</type><listen>unix:path=/run/dbus/system_bus_socket</listen>
<policy context="default"><allow user="*"/><allow own="*"/>
<allow send_type="method_call"/><allow receive_type="method_call"/>
<allow send_type="method_return"/><allow receive_type="method_return"/>
<allow send_type="signal"/><allow receive_type="signal"/>
<allow send_type="error"/><allow receive_type="error"/></policy></busconfig>
END
dbus-daemon --config-file=/run/dbus.conf --fork
cat >/run/nm.conf <<'END'
[main]
plugins=keyfile
dhcp=internal
dns=none
no-auto-default=*
[keyfile]
path=/run/connections
END
""",
}
START_NETWORKD = """
chown -R systemd-network:systemd-network /run/systemd/netif
SYSTEMD_LOG_TARGET=console SYSTEMD_LOG_LEVEL=warning /lib/systemd/systemd-networkd >>/run/log 2>&1 &
echo $! >/run/daemon
"""
BOOT = {
    "networkd": START_NETWORKD,
    "netplan": f"""
chmod go= /run/netplan/etc/netplan/*
libraries=$(echo {{packages}}/usr/lib/*-linux-gnu)
LD_LIBRARY_PATH=$libraries {{packages}}/usr/libexec/netplan/generate --root-dir /run/netplan >>/run/log 2>&1
cp /run/netplan/run/systemd/network/* /run/systemd/network
{START_NETWORKD}""",
    "networkmanager": """
chmod -R go= /run/connections
libraries=$(echo {packages}/usr/lib/*-linux-gnu)
LD_LIBRARY_PATH=$libraries {packages}/usr/sbin/NetworkManager --config=/run/nm.conf --config-dir=/run/nm.d \
    --state-file=/run/nm.state --log-level=WARN --debug >>/run/log 2>&1 &
echo $! >/run/daemon
""",
}
END = """
kill $(cat /run/daemon)
while grep -q '^State:.[RSD]' /proc/$(cat /run/daemon)/status 2>/dev/null; do sleep 0.1; done
rm -rf /run/NetworkManager/devices /run/systemd/netif/links/* /run/systemd/netif/leases/*
for name in front.2021 front; do ip link delete $name; done
for name in front1 front2; do ip link set $name down; ip address flush dev $name; done
"""


def tell_hosts(order: Plain) -> Plain:
    """Return the state of a node by its files, and again when all was removed and the daemon starts again."""
    return {daemon: _told(daemon, order) for daemon in order["files"]}


def _told(daemon: str, order: Plain) -> Plain:
    begun = time.monotonic()
    node, leaf = Machine(f"node-{daemon}"), Machine(f"leaf-{daemon}")
    cables([(node, f"front{n}", leaf, f"leaf{n}") for n in (1, 2)])
    leaf.sh("\n".join([*bond("agg", 9216, ("leaf1", "leaf2")), *_server(order)]))
    node.sh("mount -o remount,bind,ro /sys")  # so that a daemon waits for no udev
    node.sh(READY[daemon])
    for path, text in order["files"][daemon].items():
        node.sh(f"cat >{path} <<'END'\n{text}\nEND")
    answer: Plain = {}
    for start in ("first", "boot"):
        node.sh(BOOT[daemon].format(packages=order["packages"]))
        if eventually(functools.partial(_served, node), PATIENCE) is None:
            raise Failed(node.sh("ip -br address; cat /run/log"))
        answer[start] = _look(node, order)
        say(begun, f"{daemon}, {start}: {answer[start]['partners']}")
        if start == "first":
            node.sh(END)
    answer["log"] = node.sh("cat /run/log").splitlines()
    return answer


def _server(order: Plain) -> list[str]:
    """Addresses of the leaf in both subnets, and a DHCP server that gives a smaller MTU too."""
    words = ["dnsmasq --conf-file=/dev/null --pid-file=/run/dnsmasq.pid --user=root --port=0"]
    words += ["--no-ping --dhcp-authoritative --dhcp-leasefile=/run/leases --dhcp-option=26,1400"]
    lines = ["ip link add link agg name agg.2021 type vlan id 2021", "ip link set agg.2021 up"]
    for device, row in order["subnets"].items():
        lines += [f"ip addr add {row['gateway']}/24 dev {device}"]
        words += [f"--dhcp-range={row['first']},{row['first']},255.255.255.0,1h"]
    return [*lines, " ".join(words)]


def _served(node: Machine) -> bool:
    """Both ports in the bond, and an address on it and on the VLAN."""
    text = node.sh("ip -o -4 address show; cat /proc/net/bonding/front", check=False)
    return "front.2021 " in text and text.count("MII Status: up") == 3 and " front  " in text


def _look(node: Machine, order: Plain) -> Plain:
    """As the module of hosts asks, and which goals answer."""
    asked = {
        "links": "ip -j -d address show",
        "routes": "ip -j -4 route show table all",
        "rules": "ip -j -4 rule show",
    }
    found = {key: json.loads(node.sh(words)) for key, words in asked.items()}
    eventually(lambda: partners(node, "front")["ports"] == 2, PATIENCE)
    eventually(lambda: all(map(node.reaches, order["goals"])), PATIENCE)
    reached = [address for address in order["goals"] if node.reaches(address)]
    return {**found, "partners": partners(node, "front"), "reached": reached}
