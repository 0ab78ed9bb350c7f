# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bugs of named releases that the double reproduces (ids and ranges as in the release notes).

Those that are not `RACY` show whenever the release has them; `RACY` ones only when a test asks for them by id,
because the release notes say "can", or because no note tells when.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .options import Options
from .tree import Doc

RANGES = {
    "5067214": "5.11.5-5.17.0",
    "5118919": "5.16.1-5.17.0",
    "5172157": "5.16.4-5.17.0",
    "5172071": "5.16.5-5.17.0",
    "5072739": "5.17.0-5.18.0",
    "4871161": "5.9.1-5.18.0",
    "4895582": "5.16.0-5.16.4",
    "5040890": "5.14.0-5.17.0",
    "5215333": "5.18.0",
    "3341214": "5.4.0-5.19.0",  # a hashed password sent by REST locks its user out (accounts.py)
    "4993970": "5.18.0",  # failed logins over REST do not lock (restrictions.py)
}
RACY = {"5118919", "5172157", "3341214", "4993970"}


def active(options: Options, issue: str) -> bool:
    """Check whether this double shows the bug `issue`."""
    if issue in options.known_issues:
        return True
    if options.ignore_known_issues or issue in RACY:
        return False
    return options.parsed_release.within(RANGES[issue])


def apply_failures(old: Doc, new: Doc, options: Options) -> Iterator[str]:
    """Reasons that applying `new` over `old` (newer spelling) fails on this release although it is valid."""
    for issue, check in _CHECKS.items():
        if active(options, issue):
            for sentence in check(old, new):
                yield f"{sentence} (known issue {issue})"


def _bgp(doc: Doc) -> dict[str, Any]:
    found = {}
    for name, body in doc.get("vrf", {}).items():
        bgp = body.get("router", {}).get("bgp")
        if bgp:
            found[name] = bgp
    return found


def _asn_with_l3vni(old: Doc, new: Doc) -> Iterator[str]:
    was, now = _bgp(old), _bgp(new)
    shared_old = old.get("router", {}).get("bgp", {}).get("autonomous-system")
    shared_new = new.get("router", {}).get("bgp", {}).get("autonomous-system")
    for name in was.keys() & now.keys():
        before = was[name].get("autonomous-system", shared_old)
        after = now[name].get("autonomous-system", shared_new)
        if before != after and new["vrf"][name].get("evpn", {}).get("vni") and before is not None:
            yield f"FRR reload failed: autonomous-system of VRF {name} changed with an L3VNI"


def _renumber_and_delete(old: Doc, new: Doc) -> Iterator[str]:
    was, now = _bgp(old), _bgp(new)
    for name in was.keys() & now.keys():
        gone = set(was[name].get("peer-group", {})) - set(now[name].get("peer-group", {}))
        kept_before = _members(was[name]) - {
            item for item in _members(was[name]) if item[1] in gone
        }
        if gone and kept_before != _members(now[name]):
            yield f"FRR reload failed: peers of VRF {name} changed while a peer-group was deleted"


def _members(bgp: Doc) -> set[tuple[str, str]]:
    peers = bgp.get("neighbor", {})
    return {(peer, body["peer-group"]) for peer, body in peers.items() if "peer-group" in body}


def _many_vrfs(old: Doc, new: Doc) -> Iterator[str]:
    gone = set(old.get("vrf", {})) - set(new.get("vrf", {}))
    if len(gone) > 500:
        yield f"failed to delete {len(gone)} VRFs in one apply"


def _allow_my_asn(old: Doc, new: Doc) -> Iterator[str]:
    for name, bgp in _bgp(new).items():
        for peer in [*bgp.get("peer-group", {}).values(), *bgp.get("neighbor", {}).values()]:
            for family in peer.get("address-family", {}).values():
                allow = family.get("aspath", {}).get("allow-my-asn", {})
                if "occurrences" in allow and allow.get("origin") == "enabled":
                    yield f"FRR reload failed: allow-my-asn occurrences and origin in VRF {name}"


def _non_ascii(old: Doc, new: Doc) -> Iterator[str]:
    if any(ord(char) > 127 for char in repr(new)):
        yield "internal error: 'ascii' codec can't decode byte"


_CHECKS: dict[str, Callable[[Doc, Doc], Iterator[str]]] = {
    "4871161": _asn_with_l3vni,
    "5172071": _renumber_and_delete,
    "5072739": _many_vrfs,
    "4895582": _allow_my_asn,
    "5215333": _non_ascii,
}
