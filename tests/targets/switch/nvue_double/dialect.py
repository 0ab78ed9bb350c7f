# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The structural renames of 5.15: older documents rewritten to the newer form.

Words (on/off) and `enable` are already changed by the schema; here are the objects that moved.
The realiser and the rules know only the newer form. Sources: the rename table of the reference.
"""

from __future__ import annotations

import ipaddress
from typing import Any


def rewrite(doc: dict[str, Any]) -> dict[str, Any]:
    """The document with interface.ip and BFD in the newer place."""
    doc = dict(doc)
    if "interface" in doc:
        doc["interface"] = {name: _interface(body) for name, body in doc["interface"].items()}
    if "vrf" in doc:
        profiles: dict[str, Any] = {}
        doc["vrf"] = {name: _vrf(body, profiles) for name, body in doc["vrf"].items()}
        if profiles:
            router = dict(doc.get("router", {}))
            router["bfd"] = {"state": "enabled", "profile": profiles}
            doc["router"] = router
    return doc


def _interface(body: dict[str, Any]) -> dict[str, Any]:
    body = dict(body)
    old = dict(body.pop("ip", {}))
    if "vrf" in old:
        body["vrf"] = old.pop("vrf")
    four: dict[str, Any] = dict(old.get("ipv4", {}))
    six: dict[str, Any] = dict(old.get("ipv6", {}))
    for kind in ("address", "gateway"):
        for text, value in old.get(kind, {}).items():
            if text in ("dhcp", "dhcp6"):
                (four if text == "dhcp" else six)["dhcp-client"] = {"state": "enabled"}
            else:
                family = four if ipaddress.ip_interface(text).version == 4 else six
                family.setdefault(kind, {})[text] = value
    if "neighbor-discovery" in old:
        six["neighbor-discovery"] = old["neighbor-discovery"]
    for name, family in (("ipv4", four), ("ipv6", six)):
        if family:
            body[name] = family
    return body


def _vrf(body: dict[str, Any], profiles: dict[str, Any]) -> dict[str, Any]:
    router = body.get("router", {})
    bgp = router.get("bgp")
    if bgp is None:
        return body
    bgp = dict(bgp)
    for kind in ("neighbor", "peer-group"):
        if kind in bgp:
            bgp[kind] = {name: _peer(peer, profiles) for name, peer in bgp[kind].items()}
    return {**body, "router": {**router, "bgp": bgp}}


def _peer(peer: dict[str, Any], profiles: dict[str, Any]) -> dict[str, Any]:
    bfd = peer.get("bfd")
    if not isinstance(bfd, dict) or "state" not in bfd:
        return peer
    peer = {key: value for key, value in peer.items() if key != "bfd"}
    if bfd["state"] == "enabled":
        values = {key: value for key, value in bfd.items() if key != "state"}
        name = "-".join(["bfd", *(str(values[key]) for key in sorted(values))])
        profiles[name] = values
        peer["bfd"] = {"profile": name}
    return peer
