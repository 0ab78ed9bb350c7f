# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ethernet segments as ``GET /evpn/multihoming/esi`` shows them, simulated from a document (without a realiser).

The shape is the command reference's (Show Commands, EVPN: `nv show evpn multihoming esi -o json`); since 5.15
its flags are taken to be `enabled` where the page, of an older release, prints `on` [inferred].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Doc = dict[str, Any]
SINCE = "5.5"
DF_PREFERENCE = 32767
FLAGS = ("bridge-port", "local", "nexthop-group-active", "oper-up", "ready-for-bgp")


def identifier(segment: Doc, shared: Doc) -> str:
    """The ten bytes of a segment: type 3 from a MAC address and a number [user guide], or as they are stated.

    >>> identifier({"local-id": 258, "mac-address": "44:38:39:FF:00:AA"}, {})
    '03:44:38:39:ff:00:aa:00:01:02'
    """
    if "identifier" in segment:
        return str(segment["identifier"]).lower()
    mac = str(segment.get("mac-address", shared.get("mac-address", ""))).lower()
    number = int(segment["local-id"]).to_bytes(3, "big")
    return ":".join(["03", mac, *(f"{byte:02x}" for byte in number)])


def simulated(document: Doc, up: Callable[[str], bool], on: str) -> Doc:
    """The segments of a document's bonds; `on` is the word of the release, other switches are not known."""
    shared = _at(document, "evpn", "multihoming", "segment")
    found = {}
    for name, body in _at(document, "interface").items():
        segment = _at(body, "evpn", "multihoming", "segment")
        if not {"local-id", "identifier"} & set(segment) or segment.get("state") == "disabled":
            continue
        found[identifier(segment, shared)] = {
            "df-preference": segment.get(
                "df-preference", shared.get("df-preference", DF_PREFERENCE)
            ),
            "flags": {flag: on for flag in FLAGS if flag != "oper-up" or up(name)},
            "local-interface": name,
            "mac-count": 0,
            "remote-vtep": {},
            "vni-count": len(_carried(document, body)),
        }
    return found


def _carried(document: Doc, body: Doc) -> set[str]:
    """The VNIs of the VLANs of a bond."""
    found = set()
    for name, row in _at(body, "bridge", "domain").items():
        vlans = _at(document, "bridge", "domain", name, "vlan")
        own = {str(row.get(key)) for key in ("access", "untagged")} | set(_at(row, "vlan"))
        found |= {vni for vlan in own for vni in _at(vlans, vlan, "vni")}
    return found


def _at(doc: Any, *path: str) -> Any:
    for key in path:
        doc = doc.get(key, {}) if isinstance(doc, dict) else {}
    return doc
