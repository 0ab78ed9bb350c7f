# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bonds and VLANs of a host in the words of netplan, systemd-networkd and NetworkManager.

Sources: netplan YAML reference (bonds, vlans, DHCP overrides), systemd.netdev(5), systemd.network(5),
nm-settings-keyfile(5).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .networks import BOND, Virtual

NETDEV = "/etc/systemd/network/30-spectrum-x-{name}.netdev"


def netplan(virtual: Sequence[Virtual]) -> str:
    """The sections `bonds` and `vlans`, which follow those of ports."""
    made = ""
    for section, kind in (("bonds", "bond"), ("vlans", "vlan")):
        rows = [_netplan(one) for one in virtual if one.kind == kind]
        made += f"  {section}:\n" + "".join(rows) if rows else ""
    return made


def _netplan(one: Virtual) -> str:
    lines = [f"    {one.name}:", "      renderer: networkd"]
    if one.members:
        lines += [
            f"      interfaces: [{', '.join(one.members)}]",
            "      parameters:",
            f"        mode: {BOND['mode']}",
            f"        mii-monitor-interval: {BOND['miimon']}",
            f"        transmit-hash-policy: {BOND['xmit_hash_policy']}",
            f"        lacp-rate: {BOND['ad_lacp_rate']}",
        ]
    else:
        lines += [f"      id: {one.vlan}", f"      link: {one.parent}"]
    routes = (
        [f"        route-metric: {one.metric}"] if one.metric else ["        use-routes: false"]
    )
    return "\n".join(
        [
            *lines,
            "      dhcp4: true",
            "      dhcp4-overrides:",
            *routes,
            "        use-mtu: false",
            *_netplan_routes(one),
            "      dhcp6: false",
            "      accept-ra: false",
            *([] if one.metric else ["      optional: true"]),
            f"      mtu: {one.mtu}\n",
        ]
    )


def _netplan_routes(one: Virtual) -> list[str]:
    hops = [
        f'        - {{to: "{route.to}", via: "{one.gateway}", metric: {route.metric}}}'
        for route in one.routes
    ]
    return ["      routes:", *hops] if hops else []


def netdev(one: Virtual) -> str:
    """The device itself, as systemd-networkd makes it."""
    own = (
        f"[Bond]\nMode={BOND['mode']}\nMIIMonitorSec={BOND['miimon']}ms\n"
        f"TransmitHashPolicy={BOND['xmit_hash_policy']}\nLACPTransmitRate={BOND['ad_lacp_rate']}\n"
        if one.members
        else f"[VLAN]\nId={one.vlan}\n"
    )
    return f"[NetDev]\nName={one.name}\nKind={one.kind}\nMTUBytes={one.mtu}\n\n{own}"


def networkd(one: Virtual, vlans: Iterable[Virtual]) -> str:
    """Its addresses, and the VLANs on it."""
    on_it = "".join(f"VLAN={other.name}\n" for other in vlans if other.parent == one.name)
    routes = f"RouteMetric={one.metric}" if one.metric else "UseRoutes=no"
    online = "" if one.metric else "RequiredForOnline=no\n"
    return "\n".join(
        [
            f"[Match]\nName={one.name}\n",
            f"[Link]\nMTUBytes={one.mtu}\n{online}",
            f"[Network]\nDHCP=ipv4\nIPv6AcceptRA=no\n{on_it}",
            f"[DHCPv4]\n{routes}\nUseMTU=no\n",
            *(
                f"[Route]\nDestination={route.to}\nGateway={one.gateway}\nMetric={route.metric}\n"
                for route in one.routes
            ),
        ]
    )


def manager(one: Virtual) -> str:
    """A connection of NetworkManager."""
    own = (
        [
            "[bond]",
            f"lacp_rate={BOND['ad_lacp_rate']}",
            f"miimon={BOND['miimon']}",
            f"mode={BOND['mode']}",
            f"xmit_hash_policy={BOND['xmit_hash_policy']}",
        ]
        if one.members
        else ["[vlan]", "flags=1", f"id={one.vlan}", f"parent={one.parent}"]
    )
    routes = (
        [f"route-metric={one.metric}"]
        if one.metric
        else ["ignore-auto-routes=true", "never-default=true"]
    )
    lines = [
        "[connection]",
        f"id=spectrum-x-{one.name}",
        f"type={one.kind}",
        f"interface-name={one.name}",
        "autoconnect=true",
        "",
        "[ethernet]",
        f"mtu={one.mtu}",
        "",
        *own,
        "",
        "[ipv4]",
        "method=auto",
        *routes,
        *(
            f"route{number}={route.to},{one.gateway},{route.metric}"
            for number, route in enumerate(one.routes, 1)
        ),
        "",
        "[ipv6]",
        "method=disabled",
    ]
    return "\n".join(lines) + "\n"
