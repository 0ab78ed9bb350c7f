# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules that join several objects, checked when a revision is applied.

Each rule is a generator of breaches over the whole configuration in the newer spelling. Which
rule is sourced and which inferred is listed in data/README.md under the rule's function name.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator
from typing import Any

from . import attachments
from .models import Model
from .release import Release
from .schema import Breach

Doc = dict[str, Any]
Rule = Callable[[Doc, Release, Model], Iterator[Breach]]
RESERVED_L3VNI_VLANS = 65
MAX_VRFS = 255


def check(doc: Doc, release: Release, model: Model) -> list[Breach]:
    """Every breach of `doc`, in the order of RULES; locations in the spelling of `release`."""
    found = [breach for rule in RULES for breach in rule(doc, release, model)]
    if release.modern:
        return found
    return [Breach(re.sub(r"\.state$", ".enable", b.location), b.reason) for b in found]


def _at(doc: Any, *path: str) -> Any:
    """The object below `path`, or an empty one."""
    for key in path:
        doc = doc.get(key, {}) if isinstance(doc, dict) else {}
    return doc


def _on(value: Any) -> bool:
    return value == "enabled"


def bgp_identity(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """BGP needs an ASN and a router id, globally or in each VRF that runs it."""
    shared = _at(doc, "router", "bgp")
    if not _on(shared.get("state")):
        return
    enabled = {
        name: _at(vrf, "router", "bgp")
        for name, vrf in _at(doc, "vrf").items()
        if _on(_at(vrf, "router", "bgp").get("state"))
    }
    for key, word in (("autonomous-system", "autonomous-system"), ("router-id", "router-id")):
        missing = not enabled or any(key not in bgp for bgp in enabled.values())
        if key not in shared and missing:
            reason = f"BGP requires {word} to be set globally or in each VRF"
            yield Breach("router.bgp.state", reason)


def bgp_peers(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """A neighbour's peer group exists, and one of the two names the remote AS."""
    for vrf, body in _at(doc, "vrf").items():
        bgp = _at(body, "router", "bgp")
        groups = bgp.get("peer-group", {})
        for name, peer in bgp.get("neighbor", {}).items():
            place = f"vrf.{vrf}.router.bgp.neighbor.{name}"
            group = peer.get("peer-group")
            if group is not None and group not in groups:
                yield Breach(f"{place}.peer-group", f"peer-group {group} does not exist")
            elif "remote-as" not in peer and "remote-as" not in groups.get(group, {}):
                yield Breach(place, "a neighbor requires remote-as, its own or its peer-group's")
            profile = _at(peer, "bfd").get("profile")
            if profile is not None and profile not in _at(doc, "router", "bfd", "profile"):
                yield Breach(f"{place}.bfd.profile", f"BFD profile {profile} does not exist")


def bgp_multipaths(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """256 paths need 5.15 and Spectrum-4 or later; otherwise 128."""
    limit = 256 if release.modern else 128
    for vrf, body in _at(doc, "vrf").items():
        for family, content in _at(body, "router", "bgp", "address-family").items():
            for kind, width in _at(content, "multipaths").items():
                if isinstance(width, int) and width > limit:
                    place = f"vrf.{vrf}.router.bgp.address-family.{family}.multipaths.{kind}"
                    yield Breach(place, f"{width} is above the limit of {limit}")


def evpn_modes(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """EVPN excludes data-plane MAC learning."""
    vxlan = _at(doc, "nve", "vxlan")
    if _on(_at(doc, "evpn").get("state")) and _on(vxlan.get("mac-learning")):
        yield Breach("nve.vxlan.mac-learning", "mac-learning must be off when EVPN is enabled")


def vnis(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """One L3VNI per VRF, each id once, none that is also an L2 VNI; VLANs reserved for them."""
    owners: dict[str, str] = {}
    bridged = {
        vni
        for domain in _at(doc, "bridge", "domain").values()
        for vlan in domain.get("vlan", {}).values()
        for vni in vlan.get("vni", {})
    }
    for vrf, body in _at(doc, "vrf").items():
        ids = list(_at(body, "evpn", "vni"))
        if len(ids) > 1:
            yield Breach(f"vrf.{vrf}.evpn.vni", "a VRF has at most one L3VNI")
        for vni in ids:
            if vni in owners:
                yield Breach(f"vrf.{vrf}.evpn.vni.{vni}", f"VNI {vni} is used by {owners[vni]}")
            elif vni in bridged:
                yield Breach(f"vrf.{vrf}.evpn.vni.{vni}", f"VNI {vni} is an L2 VNI")
            owners[vni] = vrf
    reserved = _at(doc, "system", "global", "reserved", "vlan", "l3-vni-vlan")
    room = RESERVED_L3VNI_VLANS
    if "begin" in reserved and "end" in reserved:
        room = reserved["end"] - reserved["begin"] + 1
    if len(owners) > room:
        place = "system.global.reserved.vlan.l3-vni-vlan"
        yield Breach(place, f"{len(owners)} L3VNIs need more than the {room} reserved VLANs")


def vrfs(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """An interface's VRF exists, and there are not too many of them."""
    known = {"default", "mgmt", *_at(doc, "vrf")}
    for name, body in _at(doc, "interface").items():
        vrf = body.get("vrf")
        if vrf is not None and vrf not in known:
            yield Breach(f"interface.{name}.vrf", f"VRF {vrf} does not exist")
    if len(known) - 2 > MAX_VRFS:
        yield Breach("vrf", f"{len(known) - 2} VRFs are above the limit of {MAX_VRFS}")


_SUB_PORT = re.compile(r"swp(\d+)s(\d+)(?:\.\d+)?")
_PORT = re.compile(r"swp(\d+)(?:\.\d+)?")


def ports(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """Ports exist on the model; a sub-port's cage is broken out, and wide enough."""
    interfaces = _at(doc, "interface")
    for name, body in interfaces.items():
        sub, plain = _SUB_PORT.fullmatch(name), _PORT.fullmatch(name)
        cage = int((sub or plain).group(1)) if sub or plain else 1  # type: ignore[union-attr]
        if name.startswith("swp") and not (sub or plain):
            yield Breach(f"interface.{name}", "not a port name such as swp1 or swp1s0")
        elif not 1 <= cage <= model.ports:
            yield Breach(f"interface.{name}", f"{model.name} has no cage {cage}")
        elif sub:
            modes = _at(interfaces, f"swp{cage}", "link", "breakout")
            width = max((int(mode[0]) for mode in modes if mode[0].isdigit()), default=0)
            if int(sub.group(2)) >= width:
                reason = f"swp{cage} is not broken out into more than {sub.group(2)} ports"
                yield Breach(f"interface.{name}", reason)
        elif plain and _broken_out(body) and ({"ipv4", "ipv6", "vrf"} & set(body)):
            yield Breach(f"interface.{name}", "a port that is broken out has no layer 3 settings")


def _broken_out(body: Doc) -> bool:
    return any(mode[0] in "248" for mode in _at(body, "link", "breakout"))


def choices(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """Route maps and ACL rules have an action; prefix lengths of a prefix list ascend."""
    for name, body in _at(doc, "router", "policy", "route-map").items():
        for number, rule in body.get("rule", {}).items():
            if not rule.get("action"):
                yield Breach(f"router.policy.route-map.{name}.rule.{number}", "action is required")
    for name, body in _at(doc, "router", "policy", "prefix-list").items():
        for number, rule in body.get("rule", {}).items():
            place = f"router.policy.prefix-list.{name}.rule.{number}"
            yield from _prefix_rule(place, rule)
    for name, body in _at(doc, "acl").items():
        if "type" not in body:
            yield Breach(f"acl.{name}.type", "type is required")
        for number, rule in body.get("rule", {}).items():
            if not rule.get("action"):
                yield Breach(f"acl.{name}.rule.{number}", "action is required")


def _prefix_rule(place: str, rule: Doc) -> Iterator[Breach]:
    if "action" not in rule:
        yield Breach(f"{place}.action", "action is required")
    for prefix, bounds in rule.get("match", {}).items():
        if prefix == "any":
            continue
        length = ipaddress.ip_interface(prefix).network.prefixlen
        low = bounds.get("min-prefix-len", length)
        high = bounds.get("max-prefix-len", 128 if ":" in prefix else 32)
        if not length <= low <= high:
            yield Breach(f"{place}.match.{prefix}", "prefix lengths must ascend")


def acl_bindings(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """An ACL bound to an interface or to the control plane exists (two defaults are built in)."""
    known = {"acl-default-dos", "acl-default-whitelist", *_at(doc, "acl")}
    for name, body in _at(doc, "interface").items():
        for acl in body.get("acl", {}):
            if acl not in known:
                yield Breach(f"interface.{name}.acl.{acl}", f"ACL {acl} does not exist")
    for acl in _at(doc, "system", "control-plane", "acl"):
        if acl not in known:
            yield Breach(f"system.control-plane.acl.{acl}", f"ACL {acl} does not exist")


def packet_trim(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """The trimmed size is a multiple of 4."""
    size = _at(doc, "system", "forwarding", "packet-trim").get("size")
    if isinstance(size, int) and size % 4:
        yield Breach("system.forwarding.packet-trim.size", f"{size} is not a multiple of 4")


def qos_pools(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """Percentages are given and sum to at most 100; which pools go together, and priorities."""
    pools = _at(doc, "qos", "traffic-pool")
    for name, pool in pools.items():
        if "memory-percent" not in pool:
            yield Breach(f"qos.traffic-pool.{name}", "memory-percent is required")
        if name in ("roce-lossless", "default-lossless") and pool.get("switch-priority"):
            reason = "switch-priority is not allowed for lossless pools"
            yield Breach(f"qos.traffic-pool.{name}.switch-priority", reason)
        if name == "mc-lossy" and not pool.get("switch-priority"):
            yield Breach(f"qos.traffic-pool.{name}", "switch-priority is required")
    total = sum(pool.get("memory-percent", 0) for pool in pools.values())
    if total > 100:
        yield Breach("qos.traffic-pool", f"the sum of memory-percent is {total}, above 100")
    exclusive = (
        ("roce-lossy", "roce-lossless"),
        ("default-lossless", "roce-lossy"),
        ("default-lossless", "roce-lossless"),
    )
    for first, second in exclusive:
        if first in pools and second in pools:
            yield Breach(f"qos.traffic-pool.{first}", f"{first} and {second} exclude each other")


def qos_roce(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """Yield the pools that each RoCE mode forbids."""
    roce = _at(doc, "qos", "roce")
    forbidden = {
        "lossless": ("default-lossless", "mc-lossy", "roce-lossy"),
        "lossy": ("default-lossless", "roce-lossless", "mc-lossy"),
    }
    if not _on(roce.get("state")):
        return
    mode = roce.get("mode", "lossless")
    for name in forbidden.get(mode, ()):
        if name in _at(doc, "qos", "traffic-pool"):
            yield Breach(f"qos.traffic-pool.{name}", f"RoCE {mode} mode forbids pool {name}")


def qos_pfc(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """PFC profiles name priorities, give all thresholds or none, and have a lossless pool."""
    roce = _at(doc, "qos", "roce")
    lossless = _on(roce.get("state")) and roce.get("mode", "lossless").startswith("lossless")
    pools = _at(doc, "qos", "traffic-pool")
    for name, profile in _at(doc, "qos", "pfc").items():
        place = f"qos.pfc.{name}"
        if not profile.get("switch-priority"):
            yield Breach(place, "switch-priority is required")
        given = {"xon-threshold", "xoff-threshold", "port-buffer"} & set(profile)
        if given and len(given) < 3:
            reason = "xon-threshold, xoff-threshold and port-buffer must be set together"
            yield Breach(place, reason)
        if not lossless and not {"default-lossless", "roce-lossless"} & set(pools):
            yield Breach(place, "PFC requires a lossless traffic-pool or RoCE lossless mode")


def qos_profiles(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """Schedulers, mappings and congestion control are complete; bound profiles exist."""
    for name, profile in _at(doc, "qos", "egress-scheduler").items():
        for number, item in profile.get("traffic-class", {}).items():
            place = f"qos.egress-scheduler.{name}.traffic-class.{number}"
            if "mode" not in item:
                yield Breach(place, "mode is required")
            elif (item["mode"] == "dwrr") != ("bw-percent" in item):
                yield Breach(place, "bw-percent is required with dwrr and forbidden otherwise")
    for name, profile in _at(doc, "qos", "mapping").items():
        trust = profile.get("trust")
        for kind, fitting in (("dscp", ("l3", "both")), ("pcp", ("l2", "both"))):
            if profile.get(kind) and trust not in fitting:
                reason = f"{kind} requires trust {' or '.join(fitting)}"
                yield Breach(f"qos.mapping.{name}.{kind}", reason)
    for name, profile in _at(doc, "qos", "congestion-control").items():
        if not profile.get("traffic-class"):
            place = f"qos.congestion-control.{name}"
            yield Breach(place, "at least one traffic-class is required")
    yield from _bound_profiles(doc)


def _bound_profiles(doc: Doc) -> Iterator[Breach]:
    kinds = ("mapping", "remark", "pfc", "link-pause", "congestion-control", "egress-scheduler")
    for name, body in _at(doc, "interface").items():
        for kind in (*kinds, "egress-shaper"):
            profile = _at(body, "qos", kind).get("profile")
            if profile and profile != "default-global" and profile not in _at(doc, "qos", kind):
                place = f"interface.{name}.qos.{kind}.profile"
                yield Breach(place, f"profile {profile} does not exist")


def policies(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """A route map or prefix list that BGP names exists."""
    known = _at(doc, "router", "policy")
    for vrf, body in _at(doc, "vrf").items():
        bgp = _at(body, "router", "bgp")
        for place, kind, name in _named(bgp, f"vrf.{vrf}.router.bgp"):
            if name not in _at(known, kind):
                yield Breach(place, f"{kind} {name} does not exist")
    for name, body in _at(known, "route-map").items():
        for number, rule in body.get("rule", {}).items():
            listed = _at(rule, "match").get("ip-prefix-list")
            if listed is not None and listed not in _at(known, "prefix-list"):
                place = f"router.policy.route-map.{name}.rule.{number}.match.ip-prefix-list"
                yield Breach(place, f"prefix-list {listed} does not exist")


def _named(body: Doc, place: str) -> Iterator[tuple[str, str, str]]:
    """(place, kind, name) of every policy that is named below an object."""
    for key, value in body.items():
        here = f"{place}.{key}"
        if isinstance(value, dict):
            yield from _named(value, here)
        elif key in ("route-map", "prefix-list") and isinstance(value, str):
            yield here, key, value


def congestion(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """The least threshold of a traffic class is not above its greatest."""
    for name, profile in _at(doc, "qos", "congestion-control").items():
        for number, item in profile.get("traffic-class", {}).items():
            low, high = item.get("min-threshold"), item.get("max-threshold")
            if isinstance(low, int) and isinstance(high, int) and low > high:
                place = f"qos.congestion-control.{name}.traffic-class.{number}.min-threshold"
                yield Breach(place, f"{low} is above max-threshold {high}")


def vtep(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """A VXLAN tunnel has a source, which is an address of the loopback."""
    vxlan = _at(doc, "nve", "vxlan")
    if not _on(vxlan.get("state")):
        return
    source = _at(vxlan, "source").get("address")
    addresses = [
        address.partition("/")[0]
        for family in ("ipv4", "ipv6")
        for address in _at(doc, "interface", "lo", family, "address")
    ]
    if source is None:
        yield Breach("nve.vxlan.source.address", "a VXLAN tunnel requires a source address")
    elif source not in addresses and not (source == "auto" and addresses):
        yield Breach("nve.vxlan.source.address", f"{source} is no address of interface lo")


_NAMED_BY_KIND = re.compile(r"swp.*|eth\d+|lo|vlan\d+(_l3|-v\d+)?|bond\w*|peerlink(\.\d+)?|br_\w+")


def interface_types(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """A name of no known kind states its type; the name of a port is no bond's."""
    for name, body in _at(doc, "interface").items():
        kind = body.get("type")
        if name.startswith("swp") and kind not in (None, "swp", "sub"):
            yield Breach(f"interface.{name}.type", f"a port cannot be of type {kind}")
        elif kind is None and not _NAMED_BY_KIND.fullmatch(name) and "." not in name:
            yield Breach(f"interface.{name}", "type is required for an interface of this name")


def adaptive_ports(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """Adaptive routing is for ports of the default VRF; no subinterface, SVI or bond has it."""
    members = {
        port for body in _at(doc, "interface").values() for port in _at(body, "bond", "member")
    }
    for name, body in _at(doc, "interface").items():
        if not _on(_at(body, "router", "adaptive-routing").get("state")):
            continue
        place = f"interface.{name}.router.adaptive-routing.state"
        if "." in name or not (_PORT.fullmatch(name) or _SUB_PORT.fullmatch(name)):
            yield Breach(place, "adaptive routing is not supported on this kind of interface")
        elif name in members:
            yield Breach(place, "adaptive routing is not supported on a bond member")
        elif body.get("vrf", "default") != "default":
            yield Breach(place, f"adaptive routing is not supported in VRF {body['vrf']}")


def segments(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """An Ethernet segment is a bond's; it has one kind of id, and a MAC address."""
    shared = _at(doc, "evpn", "multihoming", "segment")
    for name, body in _at(doc, "interface").items():
        segment = _at(body, "evpn", "multihoming", "segment")
        place = f"interface.{name}.evpn.multihoming.segment"
        ids = {"local-id", "identifier"} & set(segment)
        if ids and not _at(body, "bond", "member"):
            yield Breach(place, "an Ethernet segment is supported on bonds only")
        if len(ids) > 1:
            yield Breach(place, "local-id and identifier exclude each other")
        if ids and "mac-address" not in segment and "mac-address" not in shared:
            yield Breach(place, "mac-address is required, here or in evpn.multihoming.segment")


def relays(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """A group of DHCP servers is complete, and a downstream interface names one that exists."""
    for vrf, body in _at(doc, "service", "dhcp-relay").items():
        place = f"service.dhcp-relay.{vrf}"
        if ("interface" in body) != ("server" in body):
            yield Breach(place, "a relay requires interfaces and servers")
        groups = body.get("server-group", {})
        for name, group in groups.items():
            if not group.get("server") or not group.get("upstream-interface"):
                reason = "a server group requires a server and an upstream interface"
                yield Breach(f"{place}.server-group.{name}", reason)
        for name, downstream in body.get("downstream-interface", {}).items():
            group = downstream.get("server-group-name")
            if group not in groups:
                here = f"{place}.downstream-interface.{name}.server-group-name"
                yield Breach(here, f"server group {group} does not exist")


def link_tracking(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """The group that tracks an interface's uplinks exists."""
    groups = _at(doc, "system", "link-tracking", "group")
    for name, body in _at(doc, "interface").items():
        group = _at(body, "link-tracking").get("group")
        if group is not None and group not in groups:
            place = f"interface.{name}.link-tracking.group"
            yield Breach(place, f"link tracking group {group} does not exist")


def spanning_tree(doc: Doc, release: Release, model: Model) -> Iterator[Breach]:
    """The priority of a bridge is a multiple of 4096."""
    for name, body in _at(doc, "bridge", "domain").items():
        priority = _at(body, "stp").get("priority", 0)
        if priority % 4096:
            place = f"bridge.domain.{name}.stp.priority"
            yield Breach(place, f"{priority} is not a multiple of 4096")


RULES: tuple[Rule, ...] = (
    bgp_identity,
    bgp_peers,
    bgp_multipaths,
    evpn_modes,
    vnis,
    vrfs,
    ports,
    choices,
    acl_bindings,
    packet_trim,
    qos_pools,
    qos_roce,
    qos_pfc,
    qos_profiles,
    policies,
    congestion,
    vtep,
    interface_types,
    adaptive_ports,
    segments,
    relays,
    link_tracking,
    spanning_tree,
    *attachments.RULES,
)
