# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Do a NIC and its leaf port agree? The leaf's applied configuration against the NIC's runtime.

Each mismatch names both ends. What neither end can show is not run, never passed.
"""

from __future__ import annotations

import functools
import typing as t

from ..._nvue.document.shapes import below, mappings
from .results import failed, not_run, passed

if t.TYPE_CHECKING:
    from ....module_utils._json import Doc
    from ....module_utils._nic.records import PortRecord
    from .host_view import LeafPort, View
    from .results import Check, Findings

DEFAULT_MTU = 9216
"""MTU of a front port where nothing is configured; source: Cumulus Linux, switch port attributes."""
ROCE_DSCP, CNP_DSCP = 24, 48
"""ToS 96 and the congestion notifications."""

Answer = tuple[object, object] | None
"""(the NIC's, the leaf's) value; None when an end does not show it."""


def leaf_ports(document: Doc, ports: t.Mapping[str, str]) -> dict[str, LeafPort]:
    """Return the settings of each host port in a leaf's applied configuration: {port: {mtu, speed, ...}}.

    `document` is spelled as in the newest release; `ports` maps host ports to their planned speed,
    which holds where the port negotiates.
    """
    qos = below(document, "qos")
    roce = below(qos, "roce")
    on = roce.get("state", roce.get("enable")) in ("enabled", "on")
    mode, trust = roce.get("mode"), _profile(qos, "mapping").get("trust")
    queues = mappings(_profile(qos, "congestion-control", "traffic-class"))
    classes, priority = _profile(qos, "egress-queue-mapping", "switch-priority"), "switch-priority"
    shared: LeafPort = {
        "mtu": DEFAULT_MTU,
        "speed": 0,
        "roce": str(mode) if on and mode is not None else None,
        "trust": None if trust is None else str(trust),
        "dscp": _numbers(_profile(qos, "mapping", "dscp"), priority),
        "pfc": sorted(int(p) for p in _profile(qos, "pfc", priority)),
        "classes": _numbers(classes, "traffic-class"),
        "ecn": sorted(int(tc) for tc, body in queues.items() if body.get("ecn") == "enable"),
    }
    found: dict[str, LeafPort] = {}
    for port, planned in ports.items():
        link = below(document, "interface", port, "link")
        speed = str(link.get("speed") or "auto")
        mbit = _mbit(planned if speed == "auto" else speed)
        found[port] = {**shared, "mtu": int(str(link.get("mtu") or DEFAULT_MTU)), "speed": mbit}
    return found


def _profile(qos: Doc, name: str, *path: str) -> Doc:
    return below(qos, name, "default-global", *path)


def _numbers(rows: Doc, key: str) -> dict[str, int]:
    return {name: int(str(row[key])) for name, row in mappings(rows).items() if key in row}


def _mbit(text: str) -> int:
    return int(text.rstrip("Gg")) * 1000 if text.rstrip("Gg").isdecimal() else 0


def _pair(view: View, words: str, compare: t.Callable[[PortRecord, LeafPort], Answer]) -> Findings:
    """Both ends of each link of a host have the same; `words` say of what."""
    if not any("qos" in nic for nic in view.wanted["nics"]):
        yield not_run(view.unasked("what a leaf port is compared with"))
        return
    unread, unknown = set(), []
    found = {row["name"]: port for port, row in view.ports()}
    for row in view.wanted["interfaces"]:
        name, peer = row["name"], row["peer"]
        port, leaf = found.get(name), view.leaves.get(peer["device"], {}).get(peer["port"])
        answer = compare(port, leaf) if port and leaf else None
        if not leaf:
            unread.add(peer["device"])
        elif answer is None:
            unknown.append(name)
        elif answer[0] != answer[1]:
            nic = f"{view.subject.device} {name} has {_text(answer[0])}"
            end = f"{peer['device']} {peer['port']} has {_text(answer[1])}"
            says = f"{nic} and {end} ({words}): run playbooks dpus and switches."
            yield failed(says, name, {"leaf": answer[1]}, {"nic": answer[0]})
    why = []
    if unread:
        why += [f"Nothing is known of the configuration applied on {', '.join(sorted(unread))}."]
    if unknown:
        names = ", ".join(unknown)
        why += [f"{names}: the NIC or its leaf port does not show it ({words})."]
    if why:
        yield not_run(" ".join(why))
    else:
        yield passed(found=len(view.wanted["interfaces"]))


def cable(view: View) -> Findings:
    """The cables that LLDP leaves unproven are the planned ones, by the MAC addresses at both ends."""
    unread, unknown, proven = set(), [], []
    for row in view.wanted["interfaces"]:
        name, (leaf, port) = row["name"], (row["peer"]["device"], row["peer"]["port"])
        if leaf not in view.unproven:
            unread.add(leaf)
            continue
        heard = view.unproven[leaf].get(port)
        there = sorted({own for own, mac in view.macs if mac in (heard or ())})
        if heard is None:
            continue  # LLDP has decided
        if there == [name]:
            proven.append(name)
        elif there and name not in there and name in dict(view.macs):
            what = f"{leaf} {port} hears the MAC address of {there[0]}, planned is {name}"
            yield failed(f"{what}: correct the cable.", name, name, there[0])
        else:
            unknown.append(name)
    if unread:
        yield not_run(f"Nothing is known of the cables to {', '.join(sorted(unread))}.")
    elif unknown:
        yield not_run(f"{', '.join(unknown)}: neither LLDP nor a MAC address proves the cable.")
    if proven or not (unread or unknown):
        yield passed(found=proven)


def _text(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"DSCP {key} in priority {prio}" for key, prio in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "nothing" if value is None else str(value)


def _mtu(port: PortRecord, leaf: LeafPort) -> Answer:
    return (port["mtu"], leaf["mtu"]) if port.get("mtu") is not None else None


def _speed(port: PortRecord, leaf: LeafPort) -> Answer:
    return (port["speed"], leaf["speed"]) if port.get("speed") and leaf["speed"] else None


def _trust(port: PortRecord, leaf: LeafPort) -> Answer:
    """`both` on the switch means DSCP for what has it."""
    if leaf["trust"] is None or not port.get("qos"):
        return None
    words = {"both": "dscp", "l3": "dscp", "l2": "pcp", "port": "port"}
    return port["qos"].get("trust"), words.get(leaf["trust"], leaf["trust"])


def _priorities(port: PortRecord, leaf: LeafPort) -> Answer:
    mapping = (port.get("qos") or {}).get("dscp2prio")
    if not mapping or not leaf["dscp"]:
        return None
    own = {str(key): value for key, value in mapping.items()}
    keys = (str(ROCE_DSCP), str(port["qos"].get("cnp_dscp") or CNP_DSCP))
    return {k: own.get(k) for k in keys}, {k: leaf["dscp"].get(k) for k in keys}


def _pfc(port: PortRecord, leaf: LeafPort) -> Answer:
    bits = (port.get("qos") or {}).get("pfc")
    if bits is None:
        return None
    return [n for n, bit in enumerate(bits) if bit], leaf["pfc"] if leaf["roce"] else []


def _ecn(port: PortRecord, leaf: LeafPort) -> Answer:
    """The traffic classes of the priorities that the NIC pauses must be marked."""
    bits = (port.get("qos") or {}).get("pfc")
    if bits is None or not leaf["classes"]:
        return None
    wanted = sorted({leaf["classes"].get(str(n), 0) for n, bit in enumerate(bits) if bit})
    return wanted, [tc for tc in wanted if tc in leaf["ecn"]]


CHECKS: dict[str, Check[View]] = {
    "pair.cable": cable,
    **{
        check: functools.partial(_pair, words=words, compare=compare)
        for check, words, compare in (
            ("pair.mtu", "MTU", _mtu),
            ("pair.speed", "Mb/s", _speed),
            ("pair.trust", "trust", _trust),
            ("pair.dscp", "DSCP to priority", _priorities),
            ("pair.pfc", "priorities with PFC", _pfc),
            ("pair.ecn", "traffic classes with ECN", _ecn),
        )
    },
}
