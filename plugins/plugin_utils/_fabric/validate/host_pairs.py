# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Do a NIC and its leaf port agree? The leaf's applied configuration against the NIC's runtime.

Each mismatch names both ends. What neither end can show is not run, never passed.
"""

from __future__ import annotations

import typing as t

from ..._nvue.shapes import below, mappings
from ..catalog.data import table

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ....module_utils._json import Doc
    from ....module_utils._nic.records import PortRecord
    from ..host.interfaces import Interface
    from .host_view import LeafPort, View
    from .results import Result

FACT = "spx_fact_host_ports"
"""Fact of a leaf: what `leaf_ports` makes of its applied configuration."""
DEFAULT_MTU = 9216
"""MTU of a front port where nothing is configured; source: Cumulus Linux, switch port attributes."""
ROCE_DSCP, CNP_DSCP = 24, 48
"""ToS 96 and the congestion notifications."""
PROFILE = "default-global"

Answer = tuple[object, object] | None
"""(the NIC's, the leaf's) value; None when an end does not show it."""


def leaf_ports(document: Doc, ports: Mapping[str, str]) -> dict[str, LeafPort]:
    """What a leaf's applied configuration says of each host port: {port: {mtu, speed, ...}}.

    `document` is spelled as in the newest release; `ports` maps host ports to their planned speed,
    which holds where the port negotiates.
    """
    qos, roce = below(document, "qos"), below(document, "qos", "roce")
    mode = roce.get("mode")
    trust = _profile(qos, "mapping").get("trust")
    shared: _Shared = {
        "roce": str(mode) if _on(roce) and mode is not None else None,
        "trust": None if trust is None else str(trust),
        "dscp": _dscp(mappings(below(_profile(qos, "mapping"), "dscp"))),
        "pfc": sorted(int(p) for p in below(_profile(qos, "pfc"), "switch-priority")),
        "classes": _classes(
            mappings(below(_profile(qos, "egress-queue-mapping"), "switch-priority"))
        ),
        "ecn": sorted(
            int(name)
            for name, row in mappings(
                below(_profile(qos, "congestion-control"), "traffic-class")
            ).items()
            if row.get("ecn") == "enable"
        ),
    }
    return {
        port: {**_link(below(document, "interface", port), speed), **shared}
        for port, speed in ports.items()
    }


class _Shared(t.TypedDict):
    """What a leaf has for all of its ports."""

    roce: str | None
    trust: str | None
    dscp: dict[str, int]
    pfc: list[int]
    classes: dict[str, int]
    ecn: list[int]


class _Link(t.TypedDict):
    """What a leaf has for one port."""

    mtu: int
    speed: int
    pfc_profile: str


def _on(roce: Doc) -> bool:
    return roce.get("state", roce.get("enable")) in ("enabled", "on")


def _profile(qos: Doc, name: str) -> Doc:
    return below(qos, name, PROFILE)


def _dscp(rows: Mapping[str, Doc]) -> dict[str, int]:
    return {
        str(key): int(str(row["switch-priority"]))
        for key, row in rows.items()
        if "switch-priority" in row
    }


def _classes(rows: Mapping[str, Doc]) -> dict[str, int]:
    return {
        str(key): int(str(row["traffic-class"]))
        for key, row in rows.items()
        if "traffic-class" in row
    }


def _link(interface: Doc, speed: str) -> _Link:
    link = below(interface, "link")
    stated = str(link.get("speed") or "auto")
    return {
        "mtu": int(str(link.get("mtu") or DEFAULT_MTU)),
        "speed": _mbit(stated if stated != "auto" else speed),
        "pfc_profile": str(below(interface, "qos", "pfc").get("profile", PROFILE)),
    }


def _mbit(text: str) -> int:
    return int(text.rstrip("Gg")) * 1000 if text.rstrip("Gg").isdigit() else 0


def pairs(view: View) -> Iterator[Result]:
    """All pairs of a host, check by check."""
    asked = any("qos" in nic for nic in view.wanted["nics"])
    for check_id, compare in COMPARED.items():
        if asked:
            yield from _pair(view, check_id, compare)
        else:
            yield view.subject.not_run(check_id, view.unasked("what a leaf port is compared with"))


def _pair(
    view: View, check_id: str, compare: Callable[[PortRecord, LeafPort], Answer]
) -> Iterator[Result]:
    good, unread, mute = 0, set(), []
    found = {row["name"]: port for port, row in view.ports()}
    for row in view.wanted["interfaces"]:
        port = found.get(row["name"])
        leaf = (view.leaves.get(row["peer"]["device"]) or {}).get(row["peer"]["port"])
        answer = compare(port, leaf) if port and leaf else None
        if not leaf:
            unread.add(row["peer"]["device"])
        elif answer is None:
            mute.append(row["name"])
        elif answer[0] == answer[1]:
            good += 1
        else:
            yield _mismatch(view, check_id, row, answer)
    if unread or mute:
        yield view.subject.not_run(check_id, " ".join(_unknown(check_id, sorted(unread), mute)))
    elif good == len(view.wanted["interfaces"]):
        says = str(table("checks_host")[check_id]["says"])
        yield view.subject.passed(check_id, says, found=good)


def _unknown(check_id: str, unread: Sequence[str], mute: Sequence[str]) -> Iterator[str]:
    if unread:
        yield f"Nothing is known of the configuration applied on {', '.join(unread)}."
    if mute:
        yield f"{', '.join(mute)}: the NIC or its leaf port does not show it ({WORDS[check_id]})."


def _mismatch(view: View, check_id: str, row: Interface, answer: tuple[object, object]) -> Result:
    peer = f"{row['peer']['device']} {row['peer']['port']}"
    return view.subject.failed(
        check_id,
        f"{view.subject.device} {row['name']} has {_text(answer[0])} and {peer} has "
        f"{_text(answer[1])} ({WORDS[check_id]}): run playbooks dpus and switches.",
        port=row["name"],
        expected={"leaf": answer[1]},
        found={"nic": answer[0]},
    )


def _text(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"DSCP {key} in priority {prio}" for key, prio in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "nothing" if value is None else str(value)


def _mtu(port: PortRecord, leaf: LeafPort) -> Answer:
    return None if port.get("mtu") is None else (port["mtu"], leaf["mtu"])


def _speed(port: PortRecord, leaf: LeafPort) -> Answer:
    return None if not port.get("speed") or not leaf["speed"] else (port["speed"], leaf["speed"])


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
    notification = str((port["qos"]).get("cnp_dscp") or CNP_DSCP)
    keys = (str(ROCE_DSCP), notification)
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


COMPARED: dict[str, Callable[[PortRecord, LeafPort], Answer]] = {
    "pair.mtu": _mtu,
    "pair.speed": _speed,
    "pair.trust": _trust,
    "pair.dscp": _priorities,
    "pair.pfc": _pfc,
    "pair.ecn": _ecn,
}
WORDS = {
    "pair.mtu": "MTU",
    "pair.speed": "Mb/s",
    "pair.trust": "trust",
    "pair.dscp": "DSCP to priority",
    "pair.pfc": "priorities with PFC",
    "pair.ecn": "traffic classes with ECN",
}
