# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""BGP, EVPN, BFD and static routes of a document, as FRR contexts."""

from __future__ import annotations

import ipaddress

from . import multihoming, policy
from .document import Doc, Refused, at, on
from .model import machine
from .policy import Contexts

LEAK = ("route-import", "from-vrf")
FAMILIES = {
    "ipv4-unicast": "address-family ipv4 unicast",
    "ipv6-unicast": "address-family ipv6 unicast",
    "l2vpn-evpn": "address-family l2vpn evpn",
}


def contexts(doc: Doc) -> Contexts:
    """Every FRR context of a document (newer spelling)."""
    found = policy.contexts(doc)
    if on(at(doc, "router", "bfd").get("state")):
        found.update(_bfd(at(doc, "router", "bfd", "profile")))
    device = machine(doc)
    for name, vrf in device.vrfs.items():
        lines = [f"vni {vrf.vni}"] if vrf.vni and device.vtep else []
        found[(f"vrf {name}",)] = lines + _static(at(doc, "vrf", name, "router", "static"))
    found[("",)] += _static(at(doc, "vrf", "default", "router", "static")) + multihoming.top(doc)
    found.update(multihoming.interfaces(doc))
    if on(at(doc, "router", "bgp").get("state")):
        names = ["default", *device.vrfs]
        for name in names:
            if on(at(doc, "vrf", name, "router", "bgp").get("state")):
                found.update(_instance(doc, name))
    return found


def _bfd(profiles: Doc) -> Contexts:
    found: Contexts = {}
    for name, body in profiles.items():
        lines = []
        words = {
            "detect-multiplier": "detect-multiplier",
            "min-rx-interval": "receive-interval",
            "min-tx-interval": "transmit-interval",
            "minimum-ttl": "minimum-ttl",
        }
        for key, word in words.items():
            if key in body:
                lines.append(f"{word} {body[key]}")
        lines += ["passive-mode"] if on(body.get("passive-mode")) else []
        lines += ["shutdown"] if on(body.get("shutdown")) else []
        found[("bfd", f"profile {name}")] = lines
    return found


def _static(routes: Doc) -> list[str]:
    lines = []
    for prefix, body in routes.items():
        word = "ipv6" if ":" in prefix else "ip"
        network = ipaddress.ip_interface(prefix).network
        distance = f" {body['distance']}" if isinstance(body.get("distance"), int) else ""
        for hop, via in body.get("via", {}).items():
            target = "blackhole" if via.get("type") == "blackhole" or hop == "blackhole" else hop
            target = "reject" if via.get("type") == "reject" else target
            lines.append(f"{word} route {network} {target}{distance}")
    return lines


def leaks(doc: Doc) -> list[str]:
    """The VRFs that take routes of other VRFs of the switch."""
    return [
        name
        for name, vrf in at(doc, "vrf").items()
        for family in at(vrf, "router", "bgp", "address-family").values()
        if at(family, *LEAK, "list")
    ]


def _instance(doc: Doc, name: str) -> Contexts:
    shared = at(doc, "router", "bgp")
    bgp = at(doc, "vrf", name, "router", "bgp")
    asn = bgp.get("autonomous-system", shared.get("autonomous-system"))
    if not isinstance(asn, int):
        asn = shared.get("autonomous-system")
    if not isinstance(asn, int):
        raise Refused(f"vrf.{name}.router.bgp.autonomous-system: only numbers are understood")
    head = f"router bgp {asn}" + ("" if name == "default" else f" vrf {name}")
    found: Contexts = {(head,): [*_general(doc, bgp, shared), *_peers(doc, bgp)]}
    for family, word in FAMILIES.items():
        lines = _family(doc, name, bgp, family)
        if lines:
            found[(head, word)] = lines
    if name == "default" and (head, FAMILIES["l2vpn-evpn"]) in found:
        found.update(multihoming.vnis(doc, (head, FAMILIES["l2vpn-evpn"])))
    return found


def _general(doc: Doc, bgp: Doc, shared: Doc) -> list[str]:
    router_id = bgp.get("router-id", shared.get("router-id"))
    if router_id == "auto":
        router_id = shared.get("router-id")
    lines = [] if router_id is None else [f"bgp router-id {router_id}"]
    lines += ["no bgp default ipv4-unicast", "no bgp ebgp-requires-policy"]
    multipath = at(bgp, "path-selection", "multipath")
    if on(multipath.get("aspath-ignore")):
        lines.append("bgp bestpath as-path multipath-relax")
    if multipath.get("bandwidth") in ("ignore", "skip-missing", "default-weight-for-missing"):
        lines.append(f"bgp bestpath bandwidth {multipath['bandwidth']}")
    timers = at(bgp, "timers")
    if "keepalive" in timers and "hold" in timers:
        lines.append(f"timers bgp {timers['keepalive']} {timers['hold']}")
    lines += _restart(at(shared, "graceful-restart"))
    drained = on(at(doc, "maintenance", "unit", "all-protocols").get("mode"))
    if on(shared.get("graceful-shutdown")) or drained:
        lines.append("bgp graceful-shutdown")
    return lines


def _restart(restart: Doc) -> list[str]:
    mode = restart.get("mode", "helper-only")
    lines = {"full": ["bgp graceful-restart"], "off": ["bgp graceful-restart-disable"]}.get(
        mode, []
    )
    words = {
        "restart-time": "restart-time",
        "stale-routes-time": "stalepath-time",
        "path-selection-deferral-time": "select-defer-time",
    }
    timed = [f"bgp graceful-restart {w} {restart[k]}" for k, w in words.items() if k in restart]
    return lines + timed


def _peers(doc: Doc, bgp: Doc) -> list[str]:
    lines = []
    bfd = on(at(doc, "router", "bfd").get("state"))
    for name, body in at(bgp, "peer-group").items():
        lines.append(f"neighbor {name} peer-group")
        lines += _peer(name, body, bfd)
    for name, body in at(bgp, "neighbor").items():
        group = body.get("peer-group")
        unnumbered = body.get("type") == "unnumbered" or not _is_address(name)
        if unnumbered:
            lines.append(f"neighbor {name} interface" + (f" peer-group {group}" if group else ""))
            lines += _peer(name, body, bfd)
        else:
            own = [line for line in _peer(name, body, bfd) if " remote-as " in line]
            joined = [f"neighbor {name} peer-group {group}"] if group else []
            lines += own[:1] + joined
            lines += [line for line in _peer(name, body, bfd) if " remote-as " not in line]
    for prefix, body in at(bgp, "dynamic-neighbor", "listen-range").items():
        lines.append(f"bgp listen range {prefix} peer-group {body['peer-group']}")
    if "limit" in at(bgp, "dynamic-neighbor"):
        lines.append(f"bgp listen limit {bgp['dynamic-neighbor']['limit']}")
    return lines


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _peer(name: str, body: Doc, bfd: bool) -> list[str]:
    lines = [f"neighbor {name} remote-as {body['remote-as']}"] if "remote-as" in body else []
    simple = {
        "description": "description",
        "update-source": "update-source",
        "multihop-ttl": "ebgp-multihop",
        "password": "password",
    }
    for key, word in simple.items():
        if key in body:
            lines.append(f"neighbor {name} {word} {body[key]}")
    lines += _peer_timers(name, at(body, "timers"))
    flags = {
        ("shutdown", True): "shutdown",
        ("enforce-first-as", True): "enforce-first-as",
        ("passive-mode", True): "passive",
        ("nexthop-connected-check", False): "disable-connected-check",
    }
    for (key, wanted), word in flags.items():
        if key in body and on(body[key]) == wanted:
            lines.append(f"neighbor {name} {word}")
    profile = at(body, "bfd").get("profile")
    if profile and bfd:
        lines += [f"neighbor {name} bfd", f"neighbor {name} bfd profile {profile}"]
    hop = at(body, "capabilities").get("extended-nexthop", "auto")
    if hop != "auto":
        lines.append(("" if on(hop) else "no ") + f"neighbor {name} capability extended-nexthop")
    local = at(body, "local-as")
    if "asn" in local and local.get("state", "enabled") == "enabled":
        tail = " no-prepend" if local.get("prepend") == "disabled" else ""
        tail += " replace-as" if tail and on(local.get("replace")) else ""
        lines.append(f"neighbor {name} local-as {local['asn']}{tail}")
    if on(at(body, "ttl-security").get("state")):
        lines.append(f"neighbor {name} ttl-security hops {body['ttl-security'].get('hops', 1)}")
    return lines


def _peer_timers(name: str, timers: Doc) -> list[str]:
    lines = []
    if isinstance(timers.get("keepalive"), int) and isinstance(timers.get("hold"), int):
        lines.append(f"neighbor {name} timers {timers['keepalive']} {timers['hold']}")
    if isinstance(timers.get("connection-retry"), int):
        lines.append(f"neighbor {name} timers connect {timers['connection-retry']}")
    if isinstance(timers.get("route-advertisement"), int):
        lines.append(f"neighbor {name} advertisement-interval {timers['route-advertisement']}")
    return lines


def _family(doc: Doc, name: str, bgp: Doc, family: str) -> list[str]:
    body = at(bgp, "address-family", family)
    evpn = family == "l2vpn-evpn"
    default = "enabled" if family == "ipv4-unicast" else "disabled"
    if not on(body.get("state", default)) and not (evpn and name != "default"):
        return []
    lines: list[str] = []
    if not evpn:
        lines += _unicast(body)
    elif name == "default" and on(at(doc, "evpn").get("state")):
        lines += ["advertise-all-vni", *multihoming.family(doc)]
    elif name != "default":
        lines += _tenant_evpn(doc, name, bgp)
    if not (evpn and name != "default"):
        lines += _active_peers(bgp, family)
    return lines


def _unicast(body: Doc) -> list[str]:
    lines = []
    for source, values in at(body, "redistribute").items():
        if on(values.get("state", "enabled")):
            tail = f" metric {values['metric']}" if isinstance(values.get("metric"), int) else ""
            tail += f" route-map {values['route-map']}" if "route-map" in values else ""
            lines.append(f"redistribute {source}{tail}")
    for prefix, values in at(body, "network").items():
        tail = f" route-map {values['route-map']}" if "route-map" in values else ""
        lines.append(f"network {prefix}{tail}")
    lines += [f"import vrf {other}" for other in at(body, *LEAK, "list")]
    chosen = at(body, *LEAK).get("route-map")
    lines += [f"import vrf route-map {chosen}"] if chosen and at(body, *LEAK, "list") else []
    paths = at(body, "multipaths")
    lines.append(f"maximum-paths {paths.get('ebgp', 64)}")
    if "ibgp" in paths:
        lines.append(f"maximum-paths ibgp {paths['ibgp']}")
    for prefix, values in at(body, "aggregate-route").items():
        tail = " as-set" if on(values.get("as-set")) else ""
        tail += " summary-only" if on(values.get("summary-only")) else ""
        tail += f" route-map {values['route-map']}" if "route-map" in values else ""
        lines.append(f"aggregate-address {prefix}{tail}")
    distance = at(body, "admin-distance")
    if distance:
        outside, inside = distance.get("external", 20), distance.get("internal", 200)
        lines.append(f"distance bgp {outside} {inside} {inside}")
    return lines


def _tenant_evpn(doc: Doc, name: str, bgp: Doc) -> list[str]:
    if not at(doc, "vrf", name, "evpn", "vni"):
        return []
    lines = []
    if "rd" in bgp and bgp["rd"] != "none":
        lines.append(f"rd {bgp['rd']}")
    for direction, path in (("import", "route-import"), ("export", "route-export")):
        side = "from-evpn" if direction == "import" else "to-evpn"
        targets = [rt for rt in at(bgp, path, side, "route-target") if rt != "auto"]
        lines += [f"route-target {direction} {target}" for target in targets]
    for family, word in (("ipv4-unicast", "ipv4"), ("ipv6-unicast", "ipv6")):
        export = at(bgp, "address-family", family, "route-export", "to-evpn")
        if on(export.get("state")):
            tail = f" route-map {export['route-map']}" if "route-map" in export else ""
            lines.append(f"advertise {word} unicast{tail}")
        if on(export.get("default-route-origination")):
            lines.append(f"default-originate {word}")
    return lines


def _active_peers(bgp: Doc, family: str) -> list[str]:
    lines = []
    groups = at(bgp, "peer-group")
    for name, body in groups.items():
        active = _is_active(body, family, None)
        lines += _active(name, at(body, "address-family", family)) if active else []
    for name, body in at(bgp, "neighbor").items():
        group = groups.get(body.get("peer-group"), {})
        inherited = bool(body.get("peer-group")) and _is_active(group, family, None)
        active = _is_active(body, family, inherited if body.get("peer-group") else None)
        own = at(body, "address-family", family)
        if active and (not inherited or own):
            lines += _active(name, own, activate=not inherited)
        elif inherited and not active:
            lines.append(f"no neighbor {name} activate")
    return lines


def _is_active(body: Doc, family: str, inherited: bool | None) -> bool:
    state = at(body, "address-family", family).get("state")
    if state is not None:
        return on(state)
    return inherited if inherited is not None else family == "ipv4-unicast"


def _active(name: str, body: Doc, *, activate: bool = True) -> list[str]:
    peer = f"neighbor {name}"
    lines = [f"{peer} activate"] if activate else []
    for direction, word in (("inbound", "in"), ("outbound", "out")):
        rules = at(body, "policy", direction)
        words = {
            "route-map": "route-map",
            "prefix-list": "prefix-list",
            "aspath-list": "filter-list",
        }
        lines += [f"{peer} {w} {rules[k]} {word}" for k, w in words.items() if k in rules]
    unsuppress = at(body, "policy", "outbound").get("unsuppress-map")
    lines += [f"{peer} unsuppress-map {unsuppress}"] if unsuppress else []
    lines += _limits(peer, at(body, "prefix-limits", "inbound"))
    lines += _communities(peer, at(body, "community-advertise"))
    lines += _as_path(peer, at(body, "aspath"))
    flags = {
        "soft-reconfiguration": "soft-reconfiguration inbound",
        "route-reflector-client": "route-reflector-client",
    }
    lines += [f"{peer} {word}" for key, word in flags.items() if on(body.get(key))]
    setting = {"self": "next-hop-self", "force": "next-hop-self force"}
    if body.get("nexthop-setting") in setting:
        lines.append(f"{peer} {setting[body['nexthop-setting']]}")
    if on(at(body, "default-route-origination").get("state")):
        lines.append(f"{peer} default-originate")
    paths = {"all-paths": "addpath-tx-all-paths", "best-per-as": "addpath-tx-bestpath-per-AS"}
    if body.get("add-path-tx") in paths:
        lines.append(f"{peer} {paths[body['add-path-tx']]}")
    kept = {"aspath": "as-path", "med": "med", "nexthop": "next-hop"}
    words_ = [word for key, word in kept.items() if on(at(body, "attribute-mod").get(key))]
    lines += [f"{peer} attribute-unchanged {' '.join(words_)}"] if words_ else []
    return lines


def _limits(peer: str, limits: Doc) -> list[str]:
    if not isinstance(limits.get("maximum"), int):
        return []
    text = f"{peer} maximum-prefix {limits['maximum']}"
    if "warning-threshold" in limits:
        text += f" {limits['warning-threshold']}"
    if on(limits.get("warning-only")):
        text += " warning-only"
    elif isinstance(limits.get("reestablish-wait"), int):
        # NVUE takes seconds, FRR minutes.
        text += f" restart {min(-(-limits['reestablish-wait'] // 60), 65535)}"
    return [text]


def _communities(peer: str, advertise: Doc) -> list[str]:
    kinds = {"regular": "standard", "extended": "extended", "large": "large"}
    return [
        f"no {peer} send-community {word}"
        for key, word in kinds.items()
        if advertise.get(key) == "disabled"
    ]


def _as_path(peer: str, aspath: Doc) -> list[str]:
    lines = []
    allow = at(aspath, "allow-my-asn")
    if on(allow.get("state")):
        tail = " origin" if on(allow.get("origin")) else f" {allow.get('occurrences', 3)}"
        lines.append(f"{peer} allowas-in{tail}")
    if aspath.get("private-as") in ("remove", "replace"):
        tail = " replace-AS" if aspath["private-as"] == "replace" else ""
        lines.append(f"{peer} remove-private-AS all{tail}")
    if on(aspath.get("replace-peer-as")):
        lines.append(f"{peer} as-override")
    return lines
