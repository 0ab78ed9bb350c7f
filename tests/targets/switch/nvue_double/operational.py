# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operational answers (`rev=operational`).

With a realiser they come from the kernel, FRR and lldpd only. Without one they are simulated from
the running document with the states a test has set: BGP neighbours are `options.session_state`
(idle unless changed), links `options.link_state`. What a test puts into `extra` is laid on top.
"""

from __future__ import annotations

import fnmatch
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from . import reports, segments, tree

if TYPE_CHECKING:
    from .switch import Switch

# Show commands that came with a release (NVUE reference, Version History); `*` is any name.
INTRODUCED = {
    ("vrf", "*", "router", "fib"): "5.16",
    ("evpn", "multihoming", "esi"): segments.SINCE,
}


class Operational:
    """What a switch reports about itself."""

    def __init__(self, switch: Switch) -> None:
        self.switch = switch
        self.extra: dict[str, Any] = {}
        self.sessions: dict[tuple[str, str], str] = {}
        self.links: dict[str, str] = {}
        self.withheld: dict[tuple[str, str], str] = {}
        self._struck: list[tuple[str, str]] = []

    def get(self, path: list[str]) -> Any:
        """What is at `path`, or tree.MISSING."""
        if not self._known(path):
            return tree.MISSING
        options = self.switch.options
        rules = {("*", "*"): options.session_report, **self.withheld}
        answer = reports.withhold(path, self._answer(path), rules)
        return reports.lace(path, answer, options.hostile_text)

    def _answer(self, path: list[str]) -> Any:
        answer = self._own(path)
        if answer is tree.MISSING and path:
            answer = self._below(path)
        extra = tree.get(self.extra, path)
        if extra is tree.MISSING:
            return answer
        return extra if answer is tree.MISSING else tree.overlay(answer, extra)

    def _known(self, path: list[str]) -> bool:
        """Whether the release has this place at all."""
        release = self.switch.options.parsed_release
        return all(
            release.at_least(since)
            for place, since in INTRODUCED.items()
            if len(path) >= len(place) and all(mine in ("*", key) for mine, key in zip(place, path))
        )

    def _own(self, path: list[str]) -> Any:
        own = {
            "system": self._system_and_below if path[1:] else self._system,
            "platform": self._platform,
        }
        if not path:
            return {
                name: self._answer([name]) for name in ("interface", "platform", "system", "vrf")
            }
        if path[0] in own:
            return tree.get(own[path[0]](), path[1:])
        return tree.MISSING

    def _below(self, path: list[str]) -> Any:
        if self.switch.realiser is not None:
            return self.switch.realiser.operational(path)
        if path[0] == "interface":
            return tree.get(self._interfaces(), path[1:])
        if path[0] == "vrf":
            return tree.get(self._vrfs(), path[1:])
        if path[:3] == ["evpn", "multihoming", "esi"]:
            return tree.get(self._segments(), path[3:])
        known = self.switch.schema.node_at(path)
        return {} if known is not None and known.is_object else tree.MISSING

    def _system(self) -> dict[str, Any]:
        """`/system` in the form of its release: a capture of 5.16.0, NVIDIA's client fixture of 5.11."""
        switch = self.switch
        release = switch.options.parsed_release
        hostname = tree.get(switch.running, ["system", "hostname"])
        realiser = switch.realiser
        if realiser is not None:
            hostname = realiser.operational(["system", "hostname"])
        answer = {
            "hostname": "cumulus" if hostname is tree.MISSING else hostname,
            "timezone": "Etc/UTC",
            "uptime": str(timedelta(seconds=int(time.time() - switch.booted_at))),
        }
        if not release.at_least("5.14"):
            return {"build": f"Cumulus Linux {release}", **answer}
        image = {"build-date": "2026-03-01T00:00:00+00:00", "build-id": f"{release}.0001"}
        version: dict[str, Any] = {"image": image, "kernel": "6.1.0-cl-1-amd64", "onie": "N/A"}
        version["product-release"] = str(release)
        return {"product-name": "Cumulus Linux", **answer, "version": version}

    def _system_and_below(self) -> dict[str, Any]:
        """`/system` with the resources below it, which its own answer leaves out."""
        return {
            **self._system(),
            "health": {"status": "OK", "status-led": "green", "issues": {}},
            "reboot": {"reason": {"reason": "Unknown"}, "required": "no"},
            "message": {"pre-login": "", "post-login": "", **_message(self.switch.running)},
        }

    def _platform(self) -> dict[str, Any]:
        options = self.switch.options
        facts = {
            "model": options.model,
            "product-name": options.model,
            "part-number": f"MSN-{options.model}",
            "serial-number": options.serial,
            "asic-model": options.hardware.asic,
            "system-mac": options.mac,
            "manufacturer": "Mellanox",
        }
        return {**facts, "hardware": dict(facts)}

    def _interfaces(self) -> dict[str, Any]:
        found = {}
        for index, (name, body) in enumerate(self.switch.running.get("interface", {}).items(), 1):
            link = body.get("link", {})
            admin = "down" if "down" in link.get("state", {}) else "up"
            state = self.links.get(name, self.switch.options.link_state)
            oper = state if admin == "up" else "down"
            found[name] = {
                "type": body.get("type", "swp"),
                "ifindex": index,
                "link": {
                    "admin-status": admin,
                    "oper-status": oper,
                    "state": {oper: {}},
                    "mtu": link.get("mtu", 9216),
                    "stats": {"carrier-transitions": 0, "in-errors": 0, "out-errors": 0},
                },
                "lldp": {"neighbor": {}},
                **({"bond": {"member": body["bond"].get("member", {})}} if "bond" in body else {}),
            }
        return found

    def _segments(self) -> dict[str, Any]:
        modern = self.switch.options.parsed_release.modern
        return segments.simulated(self.switch.running, self._up, "enabled" if modern else "on")

    def _up(self, interface: str) -> bool:
        return self.links.get(interface, self.switch.options.link_state) == "up"

    def _vrfs(self) -> dict[str, Any]:
        return {
            name: {"router": {"bgp": {"neighbor": self._neighbors(name, body)}}}
            for name, body in self.switch.running.get("vrf", {}).items()
        }

    def _neighbors(self, vrf: str, body: dict[str, Any]) -> dict[str, Any]:
        bgp = body.get("router", {}).get("bgp", {})
        found = {}
        for name, peer in bgp.get("neighbor", {}).items():
            group = bgp.get("peer-group", {}).get(peer.get("peer-group"), {})
            merged = tree.overlay(group, peer)
            state = self.sessions.get((vrf, name), self.switch.options.session_state)
            if merged.get("shutdown") == "enabled" or (vrf, name) in self._struck:
                state = "idle"
            families = merged.get("address-family", {})
            active = [
                family
                for family in ("ipv4-unicast", "ipv6-unicast", "l2vpn-evpn")
                if families.get(family, {}).get(
                    "state", "enabled" if family == "ipv4-unicast" else "disabled"
                )
                == "enabled"
            ]
            found[name] = {
                "remote-as": merged.get("remote-as"),
                "state": state,
                "address-family": {family: {"rx-prefix": 0, "tx-prefix": 0} for family in active},
            }
        return found

    def strike(self) -> None:
        """Let the ordered session faults strike, once a new document runs."""
        while fault := self.switch.faults.take("session_down"):
            for vrf, body in self.switch.running.get("vrf", {}).items():
                for name in body.get("router", {}).get("bgp", {}).get("neighbor", {}):
                    if fault.get("vrf", vrf) == vrf and fnmatch.fnmatch(
                        name, fault.get("neighbor", "*")
                    ):
                        self._struck.append((vrf, name))

    def recover(self) -> None:
        """Let the struck sessions come back (after a roll-back)."""
        self._struck.clear()


def _message(document: dict[str, Any]) -> dict[str, Any]:
    found = tree.get(document, ["system", "message"])
    return found if isinstance(found, dict) else {}
