# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DHCP relay and VRR, whose shapes changed: relays with 5.14, VRR with 5.15.

    neutral                                                  before 5.14
    service.dhcp-relay.RED: {server-group: {g: {server,      service.dhcp-relay.RED: {server, interface}
      upstream-interface}}, downstream-interface}

    neutral                                                  before 5.15
    interface.vlan10.ipv4.vrr: {state: enabled,              interface.vlan10.ip.vrr: {enable: 'on',
      vrr-state: {up: {}}, mac-address}                        state: {up: {}}, mac-address}

All functions edit a document in place. Sources: Cumulus Linux 5.18, DHCP Relays (server groups since 5.14); 5.15,
*New and Changed NVUE Commands*; NVIDIA's rendered switches of both spellings. That `vrr-state` holds a key, as `state`
did, is inferred.
"""

from __future__ import annotations

from ....module_utils._json import Doc, Json
from ..errors import RefusedError
from .release import Release
from .shapes import mapping, mappings
from .tree_edit import fill, match, take

RELAYS_SINCE = Release(5, 14)
GROUP = "default"
"""The group of an older switch's servers, which have none."""
_RELAY = "service/dhcp-relay/*"
_FAMILIES = ("ipv4", "ipv6")
_VRR = {"state": "enable", "vrr-state": "state", "mac-address": "mac-address"}
_SWITCHED = {"enabled": "on", "disabled": "off"}


def relays_to_old(doc: Doc, release: Release) -> None:
    """One server group of a VRF becomes its servers, and what faces servers or hosts its interfaces."""
    if release >= RELAYS_SINCE:
        return
    for path, keys in match(doc, _RELAY):
        body = dict(mapping(take(doc, path)))
        groups = mappings(body.pop("server-group", {}))
        downstream = mapping(body.pop("downstream-interface", {}))
        if len(groups) > 1:
            raise RefusedError(
                f"service/dhcp-relay/{keys[0]}/server-group has the members {', '.join(sorted(groups))}; "
                f"{release} sends requests to all servers of a VRF, so it takes one group."
            )
        for group in groups.values():
            faces: Doc = {name: {} for name in downstream}
            body["interface"] = faces | mapping(group.get("upstream-interface", {}))
            body["server"] = group.get("server", {})
        fill(doc, _RELAY, keys, body)


def relays_to_new(doc: Doc) -> None:
    """The servers of a VRF become one group. An SVI faces hosts, that of an L3VNI and a port servers."""
    for path, keys in match(doc, _RELAY):
        body = dict(mapping(take(doc, path) or {}))
        if "interface" in body:
            names = list(mapping(body.pop("interface")))
            hosts = [name for name in names if _faces_hosts(name)]
            upstream: Doc = {name: {} for name in names if name not in hosts}
            servers = mapping(body.pop("server", {}))
            body["server-group"] = {GROUP: {"server": servers, "upstream-interface": upstream}}
            body["downstream-interface"] = {name: {"server-group-name": GROUP} for name in hosts}
        fill(doc, _RELAY, keys, body)


def _faces_hosts(name: str) -> bool:
    return name.startswith("vlan") and not name.endswith("_l3")


def vrr_to_old(doc: Doc) -> None:
    """State and MAC of VRR, which both families shared; its addresses move with those of the interface."""
    for family in _FAMILIES:
        for new, old in _VRR.items():
            for path, keys in match(doc, f"interface/*/{family}/vrr/{new}"):
                value = take(doc, path)
                fill(
                    doc,
                    f"interface/*/ip/vrr/{old}",
                    keys,
                    _word(value) if new == "state" else value,
                )


def vrr_to_new(doc: Doc) -> None:
    """Revert ``vrr_to_old``: for the families that VRR has an address of, before any word is turned."""
    for path, keys in match(doc, "interface/*/ip/vrr"):
        body = dict(mapping(take(doc, path) or {}))
        addresses = mapping(body.get("address", {}))
        families = {"ipv6" if ":" in address else "ipv4" for address in addresses} or {"ipv4"}
        for new, old in _VRR.items():
            if old in body:
                value = body.pop(old)
                for family in sorted(families):
                    said = _word(value, back=True) if new == "state" else value
                    fill(doc, f"interface/*/{family}/vrr/{new}", keys, said)
        if body:
            fill(doc, "interface/*/ip/vrr", keys, body)


def _word(value: Json, *, back: bool = False) -> Json:
    words = {old: new for new, old in _SWITCHED.items()} if back else _SWITCHED
    return words.get(str(value), value)
