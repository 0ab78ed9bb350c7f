# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operational answers (`rev=operational`).

What the switch tells about itself has the form that its release has in data/operational_shapes.yml.
The rest comes from the kernel, FRR and lldpd with a realiser. Without one it is simulated from the
running document with the states a test has set: BGP neighbours are `options.session_state` (idle
unless changed), links `options.link_state`. What a test puts into `extra` is laid on top.
"""

from __future__ import annotations

import fnmatch
import time
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from . import certificates, reports, segments, sessions, tree

if TYPE_CHECKING:
    from .switch import Switch

# Show commands that came with a release (NVUE reference, Version History); `*` is any name.
INTRODUCED = {
    ("vrf", "*", "router", "fib"): "5.16",
    ("evpn", "multihoming", "esi"): segments.SINCE,
}


_COUNTERS = ("carrier-transitions", "in-bytes", "in-drops", "in-errors", "in-pkts")
_COUNTERS += ("out-bytes", "out-drops", "out-errors", "out-pkts")
"""Counters of a port, by their names in NVIDIA's schema; without `packets_per_second` nothing passes."""
_SHAPES = yaml.safe_load(
    (Path(__file__).parent / "data" / "operational_shapes.yml").read_text("utf-8")
)


class Operational:
    """Reports of a switch about itself."""

    def __init__(self, switch: Switch) -> None:
        self.switch = switch
        self.extra: dict[str, Any] = {}
        self.sessions: dict[tuple[str, str], str] = {}
        self.links: dict[str, str] = {}
        self.withheld: dict[tuple[str, str], str] = {}
        self._struck: list[tuple[str, str]] = []
        self.still: dict[str, dict[str, Any]] = {}

    def get(self, path: list[str], view: str = "") -> Any:
        """What is at `path`, or tree.MISSING; `view` is the named view that was asked for."""
        if not self._known(path):
            return tree.MISSING
        options = self.switch.options
        rules = {("*", "*"): options.session_report, **self.withheld}
        answer = reports.withhold(path, self._formed(path, view), rules)
        return reports.lace(path, answer, options.hostile_text)

    def _formed(self, path: list[str], view: str) -> Any:
        """The answer in the form of the release; what is in a session is looked up in the whole session."""
        depth = len(sessions.PLACE) + 1
        if len(path) <= depth or not sessions.within(path):
            return self._form(path, view).write(path, self._answer(path))
        whole = self._formed(path[:depth], view)
        part = tree.get(whole, path[depth:])
        if part is tree.MISSING and path[depth] not in sessions.STATE_KEYS:
            part = self._answer(path)
        return part

    def _form(self, path: list[str], view: str) -> sessions.Form:
        options = self.switch.options
        rows = _SHAPES["/".join(sessions.PLACE)]
        row = self._row(rows)
        own = len(path) > len(sessions.PLACE)
        whole = {
            "view": own or view == "detail" or "summary" not in row,
            "whole": True,
            "single": own,
            "none": False,
        }[options.session_detail]
        bare = options.session_summary == "bare"
        columns = sessions.BARE if bare else [text[1:].split("/") for text in rows[-1]["summary"]]
        by_release = options.session_key == "by_release"
        off = {"state": "disabled"} if options.parsed_release.modern else {"enable": "off"}
        present = options.inactive_families == "present"
        return sessions.Form(
            None if whole else columns,
            row["state-key"] if by_release else options.session_key,
            {**off, "rx-prefix": 0, "tx-prefix": 0} if present else None,
            row["detail"] if self.switch.realiser is None else {},
        )

    def _answer(self, path: list[str]) -> Any:
        answer = self._own(path)
        if answer is tree.MISSING and path:
            answer = self._below(path)
        if self.still and path[:1] in ([], ["interface"]):
            answer = self._with_idle(path, answer)
        extra = tree.get(self.extra, path)
        if extra is tree.MISSING:
            return answer
        return extra if answer is tree.MISSING else tree.overlay(answer, extra)

    def _known(self, path: list[str]) -> bool:
        """Check whether the release has this place at all."""
        release = self.switch.options.parsed_release
        return all(
            release.at_least(since)
            for place, since in INTRODUCED.items()
            if len(path) >= len(place) and all(mine in ("*", key) for mine, key in zip(place, path))
        )

    def _own(self, path: list[str]) -> Any:
        """Return the switch's report about itself: a resource of its own, or a part of the nearest above."""
        if not path:
            return {
                name: self._answer([name]) for name in ("interface", "platform", "system", "vrf")
            }
        if path[:2] == ["system", "message"]:
            message = {"pre-login": "", "post-login": "", **_message(self.switch.running)}
            return tree.get(message, path[2:])
        if path[:3] == ["system", "image", "files"]:
            known = self._row(_SHAPES["system/image"])
            return tree.get(self.switch.images.listing(), path[3:]) if known else tree.MISSING
        if path[:2] == ["system", "security"] and path[2:3] and path[2] in certificates.KINDS:
            return tree.get(self._certificates(path[2]), path[3:])
        for length in range(len(path), 0, -1):
            resource = "/".join(path[:length])
            if resource in self.switch.options.shapes:
                return tree.get(self._shape(self.switch.options.shapes[resource]), path[length:])
            if resource in _SHAPES:
                row = self._row(_SHAPES[resource])
                shape = self._shape(row["shape"]) if row else tree.MISSING
                source = {"applied": self.switch.revisions.applied, "running": self.switch.running}
                if row.get("configured"):
                    stored = tree.get(source[row["configured"]], path[:length])
                    shape = shape if stored is tree.MISSING else tree.overlay(shape, stored)
                return tree.get(shape, path[length:])
        return tree.MISSING

    def _certificates(self, kind: str) -> Any:
        """The certificates of a kind, each in the shape of the release."""
        known = self.switch.certificates
        row = self._row(_SHAPES[f"system/security/{kind}/*"])
        if not row:
            return tree.MISSING
        users = known.users(self.switch.running)
        return {
            name: {
                **_written(row["shape"], one.words),
                "installed": {user: {} for user in users.get(name, [])},
            }
            for name, one in known.by_kind[kind].items()
        }

    def _row(self, rows: list[dict[str, Any]]) -> dict[str, Any]:
        """The row of the release, the last that has begun; without one an empty row."""
        release = self.switch.options.parsed_release
        begun = [row for row in rows if release.at_least(row["since"])]
        return begun[-1] if begun else {}

    def _shape(self, shape: Any) -> Any:
        """A shape with the words of this switch."""
        options = self.switch.options
        words = {
            "release": options.parsed_release,
            "hostname": self._hostname(),
            "uptime": timedelta(seconds=int(time.time() - self.switch.booted_at)),
            "model": options.model,
            "serial": options.serial,
            "mac": options.mac,
            "asic": options.hardware.asic,
            **self.switch.images.words(),
        }
        return _written(shape, words)

    def _hostname(self) -> str:
        realiser, place = self.switch.realiser, ["system", "hostname"]
        if realiser is not None:
            return str(realiser.operational(place))
        name = tree.get(self.switch.running, place)
        return "cumulus" if name is tree.MISSING else str(name)

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

    def idle(self, interface: str) -> None:
        """Let the counters of an interface stand still from the first look on."""
        self.still[interface] = {}

    def _with_idle(self, path: list[str], answer: Any) -> Any:
        """An answer in which the counters of idle interfaces are those of the first look."""
        if answer is tree.MISSING:
            return answer
        whole = tree.wrap(path, answer)
        for name, first in self.still.items():
            place = ["interface", name, "link", "stats"]
            shown = tree.get(whole, place)
            if isinstance(shown, dict):
                held = {key: first.setdefault(key, value) for key, value in shown.items()}
                whole = tree.overlay(whole, tree.wrap(place, held))
        return tree.get(whole, path)

    def _passed(self, oper: str) -> dict[str, int]:
        """The counters of a simulated port: packets pass while it is up."""
        seconds = time.time() - self.switch.booted_at if oper == "up" else 0.0
        packets = int(seconds * self.switch.options.packets_per_second)
        moving = {"in-bytes": 100 * packets, "out-bytes": 100 * packets}
        moving |= {"in-pkts": packets, "out-pkts": packets}
        return {**dict.fromkeys(_COUNTERS, 0), **moving}

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
                    "stats": self._passed(oper),
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


def _written(shape: Any, words: dict[str, Any]) -> Any:
    if isinstance(shape, dict):
        return {key: _written(value, words) for key, value in shape.items()}
    return shape.format(**words) if isinstance(shape, str) else shape
