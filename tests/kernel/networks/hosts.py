# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host whose systemd-networkd makes a bond and a VLAN of files: at first, and at a boot. Standard library only.

The other end is a bond of mainline Linux, with a DHCP server on it and on the VLAN.
"""

from __future__ import annotations

import functools
import json
import time
from typing import Any

from kernel.machine import Machine, cables, eventually, say
from kernel.networks.story import PATIENCE, partners
from kernel.networks.surroundings import bond

Plain = dict[str, Any]
DAEMON = "/lib/systemd/systemd-networkd"
FOLDER = "/run/systemd/network"
READY = f"""
mount -o remount,bind,ro /sys
mkdir -p {FOLDER} /run/systemd/netif/links /run/systemd/netif/leases /run/systemd/netif/lldp
"""
"""Where /sys cannot be written, networkd waits for no udev."""
BOOT = f"""
chown -R systemd-network:systemd-network /run/systemd/netif
SYSTEMD_LOG_TARGET=console SYSTEMD_LOG_LEVEL=warning {DAEMON} >>/run/networkd.log 2>&1 &
echo $! >/run/networkd.pid
"""
END = """
kill $(cat /run/networkd.pid)
for name in front.2021 front; do ip link delete $name; done
for name in front1 front2; do ip link set $name down; ip address flush dev $name; done
"""


def tell_hosts(order: Plain) -> Plain:
    """What a node has by its files, and has again when all that was made is gone and the daemon starts anew."""
    begun = time.monotonic()
    node, leaf = Machine("node"), Machine("leaf")
    cables([(node, f"front{n}", leaf, f"leaf{n}") for n in (1, 2)])
    leaf.sh("\n".join([*bond("agg", 9216, ("leaf1", "leaf2")), *_server(order)]))
    node.sh(READY)
    for name, text in order["files"].items():
        node.sh(f"cat >{FOLDER}/{name} <<'END'\n{text}\nEND")
    answer: Plain = {}
    for start in ("first", "boot"):
        node.sh(BOOT)
        eventually(functools.partial(_served, node), PATIENCE)
        answer[start] = _look(node, order)
        say(begun, f"{start}: {answer[start]['partners']}")
        if start == "first":
            node.sh(END)
    answer["log"] = node.sh("cat /run/networkd.log").splitlines()
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
    reached = [address for address in order["goals"] if node.reaches(address)]
    return {**found, "partners": partners(node, "front"), "reached": reached}
