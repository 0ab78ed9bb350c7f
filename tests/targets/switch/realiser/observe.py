# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operational answers from the kernel, FRR and lldpd, in the shape of the NVUE API.

Shapes: interface link keys, LLDP neighbours, BGP neighbour state and prefix counters and the RIB's
route-entry form follow published output, and so do the FIB's columns; the rest is inferred (see the
README).
"""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import kernel

if TYPE_CHECKING:
    from .realiser import Realiser

MISSING = object()
"""Stands for "nothing is known here"; the double's own marker is set in its place at start."""


def answer(realiser: Realiser, path: list[str]) -> Any:
    """Return the value at `path`."""
    if path == ["system", "hostname"]:
        own = socket.gethostname() if realiser.set_hostname else realiser.lldp.hostname
        return own or socket.gethostname()
    if path[:1] == ["interface"]:
        return _within(interfaces(realiser), path[1:])
    if path[:2] == ["evpn", "vni"]:
        return _within(vnis(realiser), path[2:])
    if path[:2] == ["evpn", "multihoming"]:
        return _within({"esi": segments(realiser)}, path[2:])
    if path[:1] == ["evpn"]:
        return _within({"vni": vnis(realiser)}, path[1:])
    if path[:1] == ["vrf"]:
        return _vrf(realiser, path[1:])
    if path[:1] == ["acl"]:
        return {}
    return (
        {} if path[:1] in (["router"], ["nve"], ["bridge"], ["qos"], ["maintenance"]) else MISSING
    )


def _within(value: Any, path: list[str]) -> Any:
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return MISSING
        value = value[key]
    return value


def interfaces(realiser: Realiser) -> dict[str, Any]:
    """Every port, loopback and management interface as the kernel has it."""
    heard = lldp(realiser)
    found = {}
    links = kernel.links(realiser.backend, counted=True)
    for link in links.values():
        kind = _kind(link)
        if kind is None or (link.name == "lo" and link.vrf):
            continue
        four = {text: {} for text in sorted(link.addresses) if ":" not in text}
        six = {text: {} for text in sorted(link.addresses) if ":" in text}
        found[link.name] = {
            "type": kind,
            "ifindex": link.index,
            "vrf": link.vrf or ("mgmt" if link.name == "eth0" else "default"),
            "ipv4": {"address": four},
            "ipv6": {"address": six},
            "link": _link(link),
            **_bond(link, links),
            "lldp": {"neighbor": heard.get(link.name, {})},
        }
    return found


def _kind(link: kernel.Link) -> str | None:
    if link.name == "lo":
        return "loopback"
    if link.kind == "bond":
        return "bond"
    if link.kind == "vlan":
        return "svi" if link.name.startswith("vlan") else "sub"
    return next((kind for kind in ("swp", "eth") if link.name.startswith(kind)), None)


def _bond(link: kernel.Link, links: dict[tuple[str, str], kernel.Link]) -> dict[str, Any]:
    """The ports of a bond, and its rate: `nv show interface <bond> bond` of the user guide."""
    if link.kind != "bond":
        return {}
    members = sorted(item.name for item in links.values() if item.details["master"] == link.name)
    rate = str(link.details.get("ad_lacp_rate", "fast"))
    return {"bond": {"lacp-rate": rate, "member": {name: {} for name in members}}}


def segments(realiser: Realiser) -> dict[str, Any]:
    """The Ethernet segments FRR has, local and remote: `nv show evpn multihoming esi` of the command reference."""
    words = {
        "local": "local",
        "remote": "remote",
        "readyForBgp": "ready-for-bgp",
        "bridgePort": "bridge-port",
        "operUp": "oper-up",
        "nexthopGroupActive": "nexthop-group-active",
    }
    found = {}
    for item in realiser.frr.ask("show evpn es detail json") or []:
        vteps = {
            row["vtep"]: {
                "df-algorithm": str(row.get("dfAlgorithm", "")),
                "df-preference": row.get("dfPreference", 0),
            }
            for row in item.get("vteps", [])
        }
        found[item["esi"]] = {
            "df-preference": item.get("dfPreference", 0),
            "flags": {words[flag]: "enabled" for flag in item.get("flags", []) if flag in words},
            "mac-count": item.get("macCount", 0),
            "vni-count": item.get("vniCount", 0),
            "remote-vtep": vteps,
            **({"local-interface": item["accessPort"]} if "accessPort" in item else {}),
        }
    return found


def _link(link: kernel.Link) -> dict[str, Any]:
    received, sent = link.counters.get("rx", {}), link.counters.get("tx", {})
    state = "up" if link.up and link.carrier else "down"
    return {
        "admin-status": "up" if link.up else "down",
        "oper-status": state,
        "state": {state: {}},
        "mtu": link.mtu,
        "mac-address": link.mac,
        "carrier": "up" if link.carrier else "down",
        "stats": {
            "carrier-transitions": _transitions(link),
            "in-bytes": received.get("bytes", 0),
            "in-drops": received.get("dropped", 0),
            "in-errors": received.get("errors", 0),
            "in-pkts": received.get("packets", 0),
            "out-bytes": sent.get("bytes", 0),
            "out-drops": sent.get("dropped", 0),
            "out-errors": sent.get("errors", 0),
            "out-pkts": sent.get("packets", 0),
        },
    }


def _transitions(link: kernel.Link) -> int:
    with contextlib.suppress(OSError, ValueError):
        return int(Path(f"/sys/class/net/{link.name}/carrier_changes").read_text("ascii"))
    return 0


def lldp(realiser: Realiser) -> dict[str, dict[str, Any]]:
    """Neighbours by port, then by the neighbour's system name."""
    found: dict[str, dict[str, Any]] = {}
    for reply in realiser.lldp.neighbours(kernel.namespaces()):
        for group in reply.get("lldp", []):
            for item in group.get("interface", []):
                name, body = _neighbour(item)
                found.setdefault(item["name"], {})[name] = body
    return found


def _neighbour(item: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    chassis, port = (item.get(key, [{}])[0] for key in ("chassis", "port"))
    identity = chassis.get("id", [{}])[0].get("value", "")
    name = _value(chassis, "name") or identity
    ident = port.get("id", [{}])[0]
    body = {
        "age": item.get("age", ""),
        "chassis": {
            "chassis-id": identity,
            "system-name": _value(chassis, "name"),
            "system-description": _value(chassis, "descr"),
            "management-address": [entry.get("value") for entry in chassis.get("mgmt-ip", [])],
        },
        "port": {
            "name": ident.get("value", ""),
            "type": ident.get("type", ""),
            "description": _value(port, "descr"),
            "ttl": _value(port, "ttl"),
        },
    }
    return name, body


def _value(item: dict[str, Any], key: str) -> str:
    return str((item.get(key) or [{}])[0].get("value", ""))


def vnis(realiser: Realiser) -> dict[str, Any]:
    """The VNIs FRR has."""
    reply = realiser.frr.ask("show evpn vni json") or {}
    return {
        str(item["vni"]): {
            "type": item.get("type", "").lower(),
            "vxlan-interface": item.get("vxlanIf"),
            "tenant-vrf": item.get("tenantVrf"),
            "mac-count": item.get("numMacs"),
            "host-count": item.get("numArpNd"),
        }
        for item in reply.values()
    }


def _vrf(realiser: Realiser, path: list[str]) -> Any:
    names = ["default", *sorted(realiser.fabricator.vrfs())]
    if not path:
        return {name: _summary(realiser, name) for name in names}
    name, rest = path[0], path[1:]
    if name not in (*names, "mgmt"):
        return MISSING
    if rest[:2] == ["router", "bgp"]:
        return _bgp(realiser, name, rest[2:])
    if rest[:2] == ["router", "rib"]:
        return _rib(realiser, name, rest[2:])
    if rest[:2] == ["router", "fib"]:
        return _fib(realiser, name, rest[2:])
    if rest[:1] == ["evpn"]:
        return _within(_l3vni(realiser, name), rest[1:])
    return _within(_summary(realiser, name), rest)


def _summary(realiser: Realiser, name: str) -> dict[str, Any]:
    return {
        "evpn": _l3vni(realiser, name),
        "router": {"bgp": {"neighbor": neighbours(realiser, name)}},
    }


def _l3vni(realiser: Realiser, name: str) -> dict[str, Any]:
    reply = realiser.frr.ask("show vrf vni json") or {}
    found = {}
    for item in reply.get("vrfs", []):
        if item.get("vrf") == name:
            found[str(item["vni"])] = {
                "state": str(item.get("state", "")).lower(),
                "vxlan-interface": item.get("vxlanIntf"),
                "svi-interface": item.get("sviIntf"),
                "router-mac": item.get("routerMac"),
            }
    return {"vni": found}


def _bgp(realiser: Realiser, vrf: str, path: list[str]) -> Any:
    if path[:1] == ["address-family"] and path[2:3] == ["route"]:
        return _within(_routes(realiser, vrf, path[1]), path[3:])
    if path[:1] == ["neighbor"] and path[2:3] == ["address-family"] and path[4:5] in _ADJACENT:
        return _within(_adjacent(realiser, vrf, path[1], path[3], path[4]), path[5:])
    whole = {"neighbor": neighbours(realiser, vrf)}
    if not path or path[0] == "neighbor":
        return _within(whole, path)
    return {}


def neighbours(realiser: Realiser, vrf: str) -> dict[str, Any]:
    """The BGP neighbours of a VRF as bgpd has them."""
    reply = realiser.frr.ask(f"show bgp vrf {vrf} neighbors json") or {}
    if vrf in reply and isinstance(reply[vrf], dict) and "remoteAs" not in reply[vrf]:
        reply = reply[vrf]
    found = {}
    for name, item in reply.items():
        if not isinstance(item, dict) or "bgpState" not in item:
            continue
        families = {
            _family(key): {
                "rx-prefix": value.get("acceptedPrefixCounter", 0),
                "tx-prefix": value.get("sentPrefixCounter", 0),
            }
            for key, value in item.get("addressFamilyInfo", {}).items()
        }
        found[name] = {
            "remote-as": item.get("remoteAs"),
            "state": str(item["bgpState"]).lower(),
            "description": item.get("nbrDesc", ""),
            "remote-hostname": item.get("hostname", ""),
            "remote-router-id": item.get("remoteRouterId", ""),
            "peer-group": item.get("peerGroup", ""),
            "uptime": int(item.get("bgpTimerUpMsec", 0)) // 1000,
            "established-transitions": item.get("connectionsEstablished", 0),
            "dropped-transitions": item.get("connectionsDropped", 0),
            "last-reset-reason": item.get("lastResetDueTo", ""),
            "address-family": families,
        }
    return found


_ADJACENT = (["advertised-routes"], ["received-routes"])
_WORDS = {"ipv4-unicast": "ipv4", "ipv6-unicast": "ipv6"}


def _family(key: str) -> str:
    words = {
        "ipv4Unicast": "ipv4-unicast",
        "ipv6Unicast": "ipv6-unicast",
        "l2VpnEvpn": "l2vpn-evpn",
    }
    return words.get(key, key)


def _adjacent(
    realiser: Realiser, vrf: str, neighbour: str, family: str, kind: str
) -> dict[str, Any]:
    """Return the prefixes sent to a neighbour of a VRF, or received from it before any policy.

    FRR has no received routes without inbound soft reconfiguration, and answers with a warning then.
    """
    command = f"show bgp vrf {vrf} {_WORDS.get(family, family)} unicast neighbors {neighbour}"
    reply = realiser.frr.ask(f"{command} {kind} json") or {}
    return {prefix: {} for prefix in reply.get(kind.replace("-routes", "Routes"), {})}


def _routes(realiser: Realiser, vrf: str, family: str) -> dict[str, Any]:
    word = _WORDS.get(family)
    if word is None:
        return {}
    reply = realiser.frr.ask(f"show bgp vrf {vrf} {word} unicast json") or {}
    found = {}
    for prefix, paths in reply.get("routes", {}).items():
        many = [path for path in paths if path.get("multipath") or path.get("bestpath")]
        found[prefix] = {
            "path-count": len(paths),
            "multipath-count": len(many),
            "path": {
                str(index): {
                    "best": bool(path.get("bestpath")),
                    "nexthop": {hop.get("ip", ""): {} for hop in path.get("nexthops", [])},
                    "peer": {"id": path.get("peerId", "")},
                    "aspath": path.get("path", ""),
                }
                for index, path in enumerate(paths, 1)
            },
        }
    return found


def _rib(realiser: Realiser, vrf: str, path: list[str]) -> Any:
    found = {}
    for word, command in (("ipv4", "ip"), ("ipv6", "ipv6")):
        if path[:1] in ([], [word]):
            reply = realiser.frr.ask(f"show {command} route vrf {vrf} json") or {}
            found[word] = {"route": {prefix: _entries(items) for prefix, items in reply.items()}}
    return _within(found, path)


def _fib(realiser: Realiser, vrf: str, path: list[str]) -> Any:
    """The kernel's own routes of a VRF, by family and prefix; FRR is not asked.

    The show commands put a prefix behind the word route (`... fib ipv4 route <prefix>`). Of a prefix
    that stands there more than once they show the first match, and so does this.
    """
    found: dict[str, dict[str, Any]] = {}
    for word, version in (("ipv4", 4), ("ipv6", 6)):
        if path[:1] in ([], [word]):
            routes: dict[str, Any] = {}
            for item in kernel.routes(realiser.backend, vrf, version):
                routes.setdefault(_prefix(item["dst"], version), _columns(item))
            found[word] = {"route": routes}
    return _within(found, path)


def _prefix(text: str, version: int) -> str:
    """A destination as the show commands write it: never `default`, always with its length."""
    if text == "default":
        return {4: "0.0.0.0/0", 6: "::/0"}[version]
    return text if "/" in text else f"{text}/{32 if version == 4 else 128}"


def _columns(item: dict[str, Any]) -> dict[str, str]:
    """The columns of the published tables: Next-hop, Protocol, Scope, Summary."""
    if item.get("type") in ("unreachable", "blackhole", "prohibit"):
        hop = str(item["type"])
    elif "nhid" in item:
        hop = f"nhid {item['nhid']}"
    else:
        hop = f"dev {item['dev']}" if "dev" in item else "multipath"
    summary = (
        f"PrefSrc: {item['prefsrc']}" if "prefsrc" in item else f"Metric: {item.get('metric', 0)}"
    )
    return {
        "next-hop": hop,
        "protocol": str(item.get("protocol", "boot")),
        "scope": str(item.get("scope", "global")),
        "summary": summary,
    }


def _entries(items: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "route-entry": {
            str(index): {
                "protocol": item.get("protocol"),
                "distance": item.get("distance"),
                "metric": item.get("metric"),
                "uptime": item.get("uptime"),
                "flags": {
                    word: {} for word in ("selected", "installed", "queued") if item.get(word)
                },
                "via-entry": _via(item.get("nexthops", [])),
            }
            for index, item in enumerate(items, 1)
        }
    }


def _via(hops: list[dict[str, Any]]) -> dict[str, Any]:
    found = {}
    for hop in hops:
        name = hop.get("ip") or hop.get("interfaceName") or "blackhole"
        kind = "ip-address" if "ip" in hop else "interface"
        key = name if name not in found else f"{name}%{hop.get('interfaceName', '')}"
        found[key] = {
            "type": kind,
            "interface": hop.get("interfaceName"),
            "active": bool(hop.get("active")),
            "fib": bool(hop.get("fib")),
        }
    return found
