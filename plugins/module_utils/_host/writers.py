# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writers of a running host: what sets QoS, virtual functions or settings of a port in the place of this collection.

Each is a sentence, by the role whose work it undoes. Nothing of it is moved aside. Sources: lldpad(8), github.com
k8snetworkplumbingwg/sriov-network-operator pkg/consts, Mellanox/nic-configuration-operator pkg/udev and cmd.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase

from .._nic.discover import PCI
from .._nic.errors import NicError
from .._nic.tools import Host
from .interfaces import Interface, LiveState
from .places import UNITS
from .records import Writer
from .units import Unit, unit_states

QOS, NETWORK = "dpu_qos", "dpu_interfaces"
LLDPAD = ("lldpad.service", "lldpad.socket", "fcoe.service")
DHCPCD, DHCPCD_RULES = "dhcpcd.service", "/etc/dhcpcd.conf"
"""A client of DHCP that takes every port which its rules allow; source: dhcpcd.conf(5)."""
OPERATOR = "/etc/sriov-operator/pci"
PROCESSES = {
    "sriov-network-config-daemon": "the SR-IOV network operator",
    "nic-configuration-daemon": "the NIC configuration operator",
    "dmsd": "DMS of DOCA",
    "lldpad": "lldpad",
}
"""Name of a process, of which the kernel shows 15 characters, and who that is."""
SCRIPTS = (
    "/etc/rc.local",
    "/etc/rc.d/rc.local",
    "/etc/crontab",
    "/var/spool/cron/root",
    "/var/spool/cron/crontabs/root",
)
FOLDERS = (
    *(
        UNITS,
        "/etc/udev/rules.d",
        "/etc/cron.d",
        "/etc/network/if-pre-up.d",
        "/etc/network/if-up.d",
    ),
    *("/etc/networkd-dispatcher/routable.d", "/etc/networkd-dispatcher/configured.d"),
    *("/etc/networkd-dispatcher/carrier.d", "/etc/NetworkManager/dispatcher.d", "/etc/profile.d"),
)
TOOLS = re.compile(
    r"^[^#\n]*?\b(?:mlnx_qos|cma_roce_(?:tos|mode)|lldptool|(?:mlx|mst)(?:config|reg)|dcb (?:pfc|ets|app|dcbx))\b",
    re.MULTILINE,
)
PROGRAM = re.compile(r"^Exec\w+=[-@:+!]*(/\S+)", re.MULTILINE)
SITE = ("/usr/local/", "/opt/", "/etc/", "/root/", "/srv/", "/home/")
"""Folders where programs of a site are."""
OURS = ("spectrum-x", "spx-")


def writers(host: Host, found: LiveState, ports: Iterable[Interface]) -> list[Writer]:
    """List who else writes to the ports, or to their cards, while the host runs or at a boot."""
    states, _more = unit_states(host, (*LLDPAD, DHCPCD))
    client = states.pop(DHCPCD, None)
    rows = [*_services(host, states), *_scripts(host)]
    leases = client and (client.runs or client.enabled == "enabled")
    for one in ports:
        rows += _by_dhcpcd(host, one) if leases else ()
        rows += _on_port(host, found, one)
    return [{"role": role, "sentence": text} for role, text in dict.fromkeys(rows)]


def _by_dhcpcd(host: Host, one: Interface) -> Iterator[tuple[str, str]]:
    """Say that dhcpcd asks for a lease on a port, unless its rules deny that."""
    globs: dict[str, list[str]] = {"allowinterfaces": [], "denyinterfaces": []}
    for line in (host.text(DHCPCD_RULES, links=True) or "").splitlines():
        word, *rest = [*line.split(), ""]
        globs.get(word, []).extend(filter(None, rest))
    allowed, denied = (
        any(fnmatchcase(one.name, glob) for glob in found) for found in globs.values()
    )
    if not denied and (allowed or not globs["allowinterfaces"]):
        yield (
            NETWORK,
            f"{one.name}: {DHCPCD} asks for a lease there, also at a boot: write 'denyinterfaces {one.name}' into "
            f"{DHCPCD_RULES}, or end it (systemctl disable --now {DHCPCD}).",
        )


def _services(host: Host, states: Mapping[str, Unit]) -> Iterator[tuple[str, str]]:
    for name, unit in states.items():
        if unit.runs or unit.enabled == "enabled":
            says = "it negotiates DCBX and sets PFC and ETS of ports"
            yield QOS, f"{name}: {says}, also at a boot: end it (systemctl disable --now {name})."
    pids = (name for name in host.entries("/proc") if name.isdigit())
    running = {host.text(f"/proc/{pid}/comm") for pid in pids}
    for name, who in PROCESSES.items():
        if name[:15] in running and not any(
            one.load == "loaded" and name in key for key, one in states.items()
        ):
            yield (
                QOS,
                f"{name}: {who} runs here and configures NICs: take this host out of its work.",
            )


def _scripts(host: Host) -> Iterator[tuple[str, str]]:
    """Yield the lines of boot scripts, units and hooks that call a tool which sets what dpu_qos sets."""
    for path in [*SCRIPTS, *(path for folder in FOLDERS for path in host.files(folder))]:
        if any(word in path for word in OURS):
            continue
        text = host.text(path, links=True) or ""
        programs = (
            [one for one in PROGRAM.findall(text) if one.startswith(SITE)]
            if path.startswith(UNITS)
            else []
        )
        for place, content in [
            (path, text),
            *((one, _program(host, one)) for one in programs),
        ]:
            if match := TOOLS.search(content):
                by = "" if place == path else f" by {path}"
                yield (
                    QOS,
                    f"{place}, {match[0].strip()}: it runs{by} at a boot: take it out of that file.",
                )


def _program(host: Host, path: str) -> str:
    """Return the text of a unit's program; "" for one that is no script, whatever its size."""
    try:
        return host.text(path, links=True) or ""
    except NicError:
        return ""


def _on_port(host: Host, found: LiveState, one: Interface) -> Iterator[tuple[str, str]]:
    name = found.name_of(one)
    if host.exists(f"{OPERATOR}/{one.pci}"):
        path = f"{OPERATOR}/{one.pci}"
        who = "the SR-IOV network operator configures this port"
        yield (
            NETWORK,
            f"{one.name}: {path}: {who}: take it out of its SriovNetworkNodePolicy, and remove the file.",
        )
    path = f"{PCI}/{one.pci}/sriov_numvfs"
    if count := host.number(path):
        yield (
            NETWORK,
            f"{one.name}: {path}={count}: virtual functions share its link: write 0 to it, and end who made them.",
        )
    for upper, row in found.links.items():
        if name and row.get("link") == name and upper != name:
            remove = f"ip link delete dev {upper}"
            yield (
                NETWORK,
                f"{one.name}: {upper} is on it, which is not of the plan: remove it ({remove}), and its definition.",
            )
