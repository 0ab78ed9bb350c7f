# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Backends of the host's network: netplan, systemd-networkd and NetworkManager.

Each backend is the files it wants and the commands that make them effective. Names of ports, and of RDMA devices
where they are wanted, come from udev rules, the same for all three; only the port itself is named, never a virtual
function or a representor of the same parent. A port without an address of its own (another one of its NIC has the
rail's, or its bond has one) gets its name and its MTU and is brought up.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Callable, NamedTuple

from .._nic.errors import NicError
from .._nic.tools import Host
from . import backends_virtual
from .backends_virtual import NETDEV
from .files import DesiredFile
from .interfaces import ANYWHERE, NO_LINKDOWN, RP_FILTER, Interface
from .networks import Virtual
from .places import OTHERS, SETTINGS
from .units import Unit, unit_states

RULES = "/etc/udev/rules.d/70-spectrum-x-names.rules"
RULES_END = "spectrum_x_names_end"
RDMA_RULES = "/etc/udev/rules.d/59-spectrum-x-rdma-names.rules"
"""Before 60-rdma-persistent-naming.rules of rdma-core: the first rename wins, as the kernel's name is gone then."""
NETPLAN = "/etc/netplan/90-spectrum-x.yaml"
NETWORKD = "/etc/systemd/network/30-spectrum-x-{name}.network"
MANAGER = "/etc/NetworkManager/system-connections/spectrum-x-{name}.nmconnection"
CARRIER = "/etc/NetworkManager/conf.d/90-spectrum-x.conf"
SYSCTL = "/etc/sysctl.d/zz-spectrum-x.conf"
FORMER = "/etc/sysctl.d/90-spectrum-x.conf"
"""Former path of the settings: other files were read after it and won."""
HEAD = "# Written by spectrum_x.fabric; changes are lost.\n"

OF_INTERFACE = re.compile(r"net\.(ipv[46])\.conf\.(.+)\.([^.]+)")
OF_VIRTUAL = re.compile(
    r"(?:30-)?spectrum-x-((?:front|stor)(?:\.\d+)?)\.(?:network|netdev|nmconnection)"
)
PRIORITY = 1000
"""Priority of the rules that keep packets from a rail's address on that rail."""


def choose(host: Host, asked: str = "auto") -> str:
    """The backend asked for, or the one that the host has; NicError when it has none."""
    if asked != "auto":
        return asked
    if host.exists("/usr/sbin/netplan") and host.exists("/etc/netplan"):
        return "netplan"
    manager, networkd = "NetworkManager.service", "systemd-networkd.service"
    states, _others = unit_states(host, [manager, networkd])
    if states.get(manager, Unit()).active == "active":
        return "networkmanager"
    if states.get(networkd, Unit()).load == "loaded":
        return "networkd"
    raise NicError(
        "the host has neither netplan, systemd-networkd nor NetworkManager; install one of them."
    )


def files(
    backend: str,
    wanted: Sequence[Interface],
    *,
    arp: bool = False,
    virtual: Sequence[Virtual] = (),
) -> list[DesiredFile]:
    """Every file of the backend, the udev rules included."""
    settings, chosen = kernel_settings(wanted, arp=arp), BACKENDS[backend]
    texts = {} if "{name}" in chosen.path else {chosen.path: chosen.head}
    for one in wanted:
        path = chosen.path.format(name=one.name)
        texts[path] = texts.get(path, chosen.head) + chosen.text(one)
    for path, text in _virtual(backend, virtual):
        texts[path] = texts.get(path, chosen.head) + text
    carrier = [DesiredFile(CARRIER, _carrier(wanted).encode())] if chosen.text == _manager else []
    return [
        DesiredFile(RULES, _rules(wanted).encode()),
        DesiredFile(RDMA_RULES, _rdma_rules(wanted)),
        DesiredFile(SYSCTL, _sysctl(settings).encode() if settings else None),
        DesiredFile(FORMER, None),
        *carrier,
        *(DesiredFile(path, text.encode(), chosen.mode) for path, text in texts.items()),
    ]


def _virtual(backend: str, virtual: Sequence[Virtual]) -> Iterable[tuple[str, str]]:
    """(path, text) of bonds and VLANs; systemd-networkd has a file for the device beside that of its addresses."""
    if backend == "netplan":
        return [(NETPLAN, backends_virtual.netplan(virtual))] if virtual else []
    if backend == "networkmanager":
        return [(MANAGER.format(name=one.name), backends_virtual.manager(one)) for one in virtual]
    devices = [(NETDEV.format(name=one.name), backends_virtual.netdev(one)) for one in virtual]
    own = [
        (NETWORKD.format(name=one.name), backends_virtual.networkd(one, virtual)) for one in virtual
    ]
    return [*devices, *own]


def leftovers(host: Host, virtual: Iterable[Virtual]) -> list[DesiredFile]:
    """Files of bonds and VLANs that the plan has no longer: a node's storage VLAN changes with its tenant."""
    kept = {one.name for one in virtual}
    found = [
        (f"{folder}/{name}", OF_VIRTUAL.fullmatch(name))
        for folder in dict.fromkeys(path.rpartition("/")[0] for path in (NETWORKD, MANAGER))
        for name in host.entries(folder)
    ]
    return [DesiredFile(path, None) for path, match in found if match and match[1] not in kept]


def _rules(wanted: Iterable[Interface]) -> str:
    """Names for the devices that `interfaces.physical` takes for the ports: right below the PCI
    function, where no subfunction is, with a phys_port_name such as p0 or none at all.

    A match of an attribute that is missing fails whatever its operator, so the others are passed over.
    """
    other = 'ATTR{phys_port_name}=="?*", ATTR{phys_port_name}!="p[0-9]|p[0-9][0-9]"'
    lines = [
        f'SUBSYSTEM=="net", ACTION=="add", DEVPATH=="*/{one.pci}/net/*", NAME="{one.name}"\n'
        for one in wanted
    ]
    skip = f'SUBSYSTEM=="net", {other}, GOTO="{RULES_END}"\n'
    return HEAD + skip + "".join(lines) + f'LABEL="{RULES_END}"\n'


def _rdma_rules(wanted: Iterable[Interface]) -> bytes | None:
    """Names for RDMA devices right below the PCI function, as NVIDIA's operator has them (NCO pkg/udev)."""
    lines = [
        f'ACTION=="add", SUBSYSTEM=="infiniband", DEVPATH=="*/{one.pci}/infiniband/*", '
        f'PROGRAM="rdma_rename %k NAME_FIXED {one.rdma}"\n'
        for one in wanted
        if one.rdma
    ]
    return (HEAD + "".join(lines)).encode() if lines else None


def kernel_settings(wanted: Iterable[Interface], *, arp: bool) -> dict[str, dict[str, int]]:
    """Interface -> setting, as in `SETTINGS` -> value, of the ports that have an address.

    A strict rp_filter drops what comes back on another rail; the kernel takes the highest of `all`
    and the interface's own, so that loose (2) wins over whatever `all` says. A routed port of another
    network keeps its default route without carrier, and the kernel is to take that of the other port then.
    """
    of_four = {RP_FILTER: 2, **({"ipv4.arp_ignore": 1, "ipv4.arp_announce": 2} if arp else {})}
    made = {}
    for one in wanted:
        values = of_four if one.version == 4 else {}
        routed = {NO_LINKDOWN[one.version]: 1} if one.network else {}
        if one.address and (values or routed):
            made[one.name] = values | routed
    return made


def _sysctl(settings: Mapping[str, Mapping[str, int]]) -> str:
    lines = [
        f"net.{version}.conf.{name}.{key} = {value}\n"
        for name, values in settings.items()
        for (version, _dot, key), value in ((k.partition("."), v) for k, v in values.items())
    ]
    return HEAD + "".join(lines)


def later_settings(host: Host, settings: Mapping[str, Mapping[str, int]]) -> list[str]:
    """A sentence for each line of a file read after ours that sets one of our settings otherwise.

    The file is not ours, so it is reported and left.
    """
    last = SYSCTL.rpartition("/")[2]
    files = sorted(
        (name, folder)
        for folder in (SETTINGS, *OTHERS[SETTINGS])
        for name in host.entries(folder)
        if name > last and name.endswith(".conf")
    )
    paths = [f"{folder}/{name}" for name, folder in files] if settings else []
    return [
        f"{path}: it sets {key} to {value} after {SYSCTL} and wins at the next boot; remove the line."
        for path in [*paths, *(["/etc/sysctl.conf"] if settings else [])]
        for key, value in parse_sysctl(host.text(path, links=True) or "").items()
        if (match := OF_INTERFACE.fullmatch(key))
        and settings.get(match[2], {}).get(f"{match[1]}.{match[3]}", value) != value
    ]


def parse_sysctl(text: str) -> dict[str, int | str]:
    """`net.ipv4.conf.rail1p1.rp_filter` -> 1; the last line of a key counts."""
    found: dict[str, int | str] = {}
    for line in text.splitlines():
        key, equals, value = line.strip().lstrip("-").partition("=")
        if equals and not line.strip().startswith(("#", ";")):
            text = value.strip()
            found[key.strip().replace("/", ".")] = int(text) if text.isdecimal() else text
    return found


def _netplan(one: Interface) -> str:
    lines = [
        f"    {one.name}:",
        "      renderer: networkd",
        "      dhcp4: false",
        "      dhcp6: false",
        "      accept-ra: false",
        "      optional: true",
        *([] if one.bond else ["      ignore-carrier: true"]),
        f"      mtu: {one.mtu}",
    ]
    if not one.address:
        return "\n".join([*lines, "      link-local: []"]) + "\n"
    lines += [f'      addresses: ["{one.cidr}"]', "      routes:"]
    hops = [f'to: "{route.to}", via: "{one.gateway}"' for route in one.routes]
    for hop, route in zip(hops, one.routes):
        lines.append(f"        - {{{hop}, metric: {route.metric}}}")
    if one.table:
        rule = f'from: "{one.address}", table: {one.table}, priority: {PRIORITY}'
        lines += [f"        - {{{hop}, table: {one.table}}}" for hop in hops]
        lines += ["      routing-policy:", f"        - {{{rule}}}"]
    return "\n".join(lines) + "\n"


def _networkd(one: Interface) -> str:
    parts = [
        f"[Match]\nName={one.name}\n",
        f"[Link]\nMTUBytes={one.mtu}\nRequiredForOnline=no\n",
        "[Network]\nDHCP=no\nIPv6AcceptRA=no\n"
        + (f"Bond={one.bond}\n" if one.bond else "ConfigureWithoutCarrier=yes\n")
        + (f"Address={one.cidr}\n" if one.address else "LinkLocalAddressing=no\n"),
    ]
    hops = [f"[Route]\nDestination={route.to}\nGateway={one.gateway}\n" for route in one.routes]
    parts += [f"{hop}Metric={route.metric}\n" for hop, route in zip(hops, one.routes)]
    if one.table:
        parts += [f"{hop}Table={one.table}\n" for hop in hops]
        rule = f"From={one.address}\nTable={one.table}\nPriority={PRIORITY}\n"
        parts.append(f"[RoutingPolicyRule]\n{rule}")
    return "\n".join(parts)


def _carrier(wanted: Iterable[Interface]) -> str:
    """NetworkManager takes addresses, routes and rules from a port that has no carrier for seconds,
    and gives it none at boot; what a leaf's reboot takes from its RDMA device, jobs do not survive.
    """
    names = ",".join(f"interface-name:={one.name}" for one in wanted if not one.bond)
    return f"{HEAD}[device-spectrum-x]\nmatch-device={names}\nignore-carrier=true\n"


def _manager(one: Interface) -> str:
    own, other = ("ipv4", "ipv6") if one.version == 4 else ("ipv6", "ipv4")
    lines = [
        "[connection]",
        f"id=spectrum-x-{one.name}",
        "type=ethernet",
        f"interface-name={one.name}",
        "autoconnect=true",
        *([f"master={one.bond}", "slave-type=bond"] if one.bond else []),
        "",
        "[ethernet]",
        f"mtu={one.mtu}",
    ]
    if one.bond:
        return "\n".join(lines) + "\n"
    lines += ["", f"[{own}]"]
    if not one.address:
        return "\n".join([*lines, "method=disabled", "", f"[{other}]", "method=disabled"]) + "\n"
    lines += ["method=manual", f"address1={one.cidr}"]
    if ANYWHERE[one.version] not in [route.to for route in one.routes]:
        lines.append("never-default=true")
    for number, route in enumerate(one.routes, 1):
        lines.append(f"route{number}={route.to},{one.gateway},{route.metric}")
    if one.table:
        for number, route in enumerate(one.routes, len(one.routes) + 1):
            lines.append(f"route{number}={route.to},{one.gateway}")
            lines.append(f"route{number}_options=table={one.table}")
        lines.append(
            f"routing-rule1=priority {PRIORITY} from {one.address}/{one.max_length} "
            f"table {one.table}"
        )
    lines += ["", f"[{other}]", "method=link-local" if other == "ipv6" else "method=disabled"]
    return "\n".join(lines) + "\n"


class Backend(NamedTuple):
    """The file that configures an interface, its mode, its beginning, and what it says of each."""

    path: str
    mode: int
    head: str
    text: Callable[[Interface], str]


BACKENDS = {
    "netplan": Backend(NETPLAN, 0o600, f"{HEAD}network:\n  version: 2\n  ethernets:\n", _netplan),
    "networkd": Backend(NETWORKD, 0o644, HEAD, _networkd),
    "networkmanager": Backend(MANAGER, 0o600, HEAD, _manager),
}
"""Netplan has one file for all interfaces."""
NAMES = tuple(BACKENDS)


def commands(
    host: Host,
    backend: str,
    wanted: Iterable[Interface | Virtual],
    *,
    off: Collection[str],
    written: Collection[str] = (),
    missing: Collection[str] = (),
) -> list[tuple[str, ...]]:
    """Commands that make the files effective on interfaces that are `off` or `missing`, or whose file was `written`.

    Interfaces are names, files paths. No other interface of the host is touched, and no rail that
    carries what it should.
    """
    path = BACKENDS[backend].path
    fresh = [
        one.name
        for one in wanted
        if one.name in missing
        or {path.format(name=one.name), NETDEV.format(name=one.name)} & {*written}
    ]
    rest = [name for name in off if name not in fresh]
    if backend == "networkmanager":
        return _nmcli([*fresh, *rest], settings=CARRIER in written)
    return _networkctl(host, backend, fresh, rest) if fresh or rest else []


def _nmcli(names: Sequence[str], *, settings: bool) -> list[tuple[str, ...]]:
    made: list[tuple[str, ...]] = [("nmcli", "general", "reload", "conf")] if settings else []
    if names:
        made.append(("nmcli", "connection", "reload"))
    up = ("nmcli", "--wait", "10", "connection", "up")
    return [*made, *((*up, f"spectrum-x-{name}") for name in names)]


def _networkctl(
    host: Host, backend: str, fresh: Sequence[str], rest: Sequence[str]
) -> list[tuple[str, ...]]:
    """systemd-networkd configures those whose file it finds changed when it reloads. Asked for one of
    them again meanwhile, it may set a route before its address, and gives the link up."""
    first: list[tuple[str, ...]] = [("netplan", "generate")] if backend == "netplan" else []
    unit = "systemd-networkd.service"
    state = unit_states(host, [unit])[0].get(unit, Unit())
    if state.enabled != "enabled":
        first.append(("systemctl", "enable", unit))
    if state.active != "active":
        return [*first, ("systemctl", "start", unit)]
    if fresh:
        first.append(("networkctl", "reload"))
    if rest:
        first.append(("networkctl", "reconfigure", *rest))
    return first


def again(backend: str, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Commands that make former files effective again on devices of these names."""
    if backend == "networkmanager":
        connect = ("nmcli", "--wait", "10", "device", "connect")
        reload = [("nmcli", "general", "reload", "conf"), ("nmcli", "connection", "reload")]
        return [*reload, *((*connect, name) for name in names)]
    first: list[tuple[str, ...]] = [("netplan", "generate")] if backend == "netplan" else []
    return [*first, ("networkctl", "reload"), ("networkctl", "reconfigure", *names)]


def goes_on(argv: Sequence[str], status: int) -> bool:
    """Check whether a command only stopped waiting: nmcli does with status 3.

    NetworkManager has set an IPv6 address on a port without carrier, and waits for the carrier to
    look for duplicates.
    """
    return argv[0] == "nmcli" and status == 3
