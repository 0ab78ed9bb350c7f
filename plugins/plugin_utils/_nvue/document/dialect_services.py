# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The renames that are no mere moves: NTP, DNS and syslog by VRF, BFD profiles.

All functions edit a document in place; the source of each is D515, *New and Changed NVUE
Commands*, unless said otherwise.
"""

from __future__ import annotations

from ....module_utils._json import Doc
from ..errors import RefusedError
from .dialect_table import BFD_DEFAULTS
from .release import Release, parse
from .shapes import below, mapping, mappings
from .tree_edit import fill, match, take

DEFAULT_VRF = "default"
MOVED = {"dns": "5.15", "syslog": "5.13"}
"""Since which release a service is under ``system``; syslog by D513."""
PEERS = ("vrf/*/router/bgp/neighbor/*/bfd", "vrf/*/router/bgp/peer-group/*/bfd")


def services_to_old(doc: Doc, release: Release) -> None:
    """``system.ntp|dns|syslog`` become ``service.<name>.<vrf>``."""
    _ntp_to_old(doc, release)
    for service, since in MOVED.items():
        if release < parse(since):
            _servers_to_old(doc, service, release)


def services_to_new(doc: Doc) -> None:
    """``service.<name>.<vrf>`` become ``system.ntp|dns|syslog``."""
    _ntp_to_new(doc)
    for service in MOVED:
        _servers_to_new(doc, service)


def _ntp_to_old(doc: Doc, release: Release) -> None:
    for path, _keys in match(doc, "system/ntp"):
        ntp = mapping(take(doc, path))
        if ntp.pop("state", "enabled") != "enabled":
            raise RefusedError(
                f"system/ntp/state cannot be disabled in {release}; leave system/ntp out instead."
            )
        vrf = str(ntp.pop("vrf", DEFAULT_VRF))
        fill(doc, "service/ntp/*", (vrf,), ntp)


def _ntp_to_new(doc: Doc) -> None:
    found = match(doc, "service/ntp/*")
    if len(found) != 1:
        return  # several VRFs at once have no neutral spelling: left as the switch spells it
    path, (vrf,) = found[0]
    ntp = mapping(take(doc, path) or {})
    fill(doc, "system/ntp", (), {"state": "enabled", "vrf": vrf, **ntp})


def _servers_to_old(doc: Doc, service: str, release: Release) -> None:
    for path, _keys in match(doc, f"system/{service}"):
        whole = mapping(take(doc, path))
        servers = mappings(whole.pop("server", {}))
        vrfs = {str(server.get("vrf", DEFAULT_VRF)) for server in servers.values()}
        for address, server in servers.items():
            _server_to_old(doc, service, address, server, release)
        search = whole.pop("search", None)
        if search is not None and service == "dns":
            fill(doc, "service/dns/*/search", (min(vrfs, default=DEFAULT_VRF),), search)
        for key in whole:
            raise RefusedError(
                f"system/{service}/{key} has no spelling in {release}; leave it out."
            )


def _server_to_old(doc: Doc, service: str, address: str, server: Doc, release: Release) -> None:
    rest = {key: value for key, value in server.items() if key != "vrf"}
    for key in rest.keys() - {"port", "protocol"}:
        raise RefusedError(
            f"system/{service}/server/{address}/{key} has no spelling in {release}; leave it out."
        )
    vrf = str(server.get("vrf", DEFAULT_VRF))
    fill(doc, f"service/{service}/*/server/*", (vrf, address), rest)


def _servers_to_new(doc: Doc, service: str) -> None:
    for path, (vrf, address) in match(doc, f"service/{service}/*/server/*"):
        server = mapping(take(doc, path) or {})
        fill(doc, f"system/{service}/server/*", (address,), {"vrf": vrf, **server})
    for path, _keys in match(doc, f"service/{service}/*/search"):
        fill(doc, f"system/{service}/search", (), take(doc, path))


def bfd_to_old(doc: Doc, release: Release) -> None:
    """Write the profile of each peer into the peer."""
    profiles: Doc = {}
    for path, _keys in match(doc, "router/bfd"):
        profiles = below(mapping(take(doc, path)), "profile")
    for place in PEERS:
        for path, keys in match(doc, place):
            name = mapping(take(doc, path)).get("profile")
            if name is not None:
                fill(doc, place, keys, _inline(profiles, str(name), release))


def _inline(profiles: Doc, name: str, release: Release) -> Doc:
    if name not in profiles:
        raise RefusedError(
            f"The BFD profile {name} is used by a BGP peer but not defined below "
            "router/bfd/profile."
        )
    profile = mapping(profiles[name] or {})
    for key in profile.keys() - BFD_DEFAULTS.keys():
        raise RefusedError(
            f"router/bfd/profile/{name}/{key} has no spelling in {release}; leave it out."
        )
    return {"state": "enabled", **BFD_DEFAULTS, **profile}


def bfd_to_new(doc: Doc) -> None:
    """Make a profile of the values of each peer, named after them: ``bfd-3-300-300``."""
    for place in PEERS:
        for path, keys in match(doc, place):
            bfd = mapping(take(doc, path))
            if bfd.get("state") != "enabled":
                continue
            timers = {key: bfd.get(key, value) for key, value in BFD_DEFAULTS.items()}
            name = "bfd-" + "-".join(str(timers[key]) for key in BFD_DEFAULTS)
            fill(doc, place, keys, {"profile": name})
            fill(doc, "router/bfd", (), {"state": "enabled", "profile": {name: timers}})
