# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Do a NIC and its leaf port agree? The leaf's applied configuration against the NIC's runtime.

Each mismatch names both ends. What neither end can show is not run, never passed.
"""

from __future__ import annotations

import typing as t

from ..catalog.data import table

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from .host_view import Plain, View
    from .results import Result

FACT = "spx_fact_host_ports"
"""Fact of a leaf: what `leaf_ports` makes of its applied configuration."""
DEFAULT_MTU = 9216
"""MTU of a front port where nothing is configured; source: Cumulus Linux, switch port attributes."""
ROCE_DSCP, CNP_DSCP = 24, 48
"""ToS 96 and the congestion notifications."""
PROFILE = "default-global"

Answer = tuple[t.Any, t.Any] | None
"""(the NIC's, the leaf's) value; None when an end does not show it."""


def leaf_ports(document: Mapping[str, t.Any], ports: Mapping[str, str]) -> dict[str, Plain]:
    """What a leaf's applied configuration says of each host port: {port: {mtu, speed, ...}}.

    `document` is spelled as in the newest release; `ports` maps host ports to their planned speed,
    which holds where the port negotiates.
    """
    qos = document.get("qos") or {}
    shared = {
        "roce": (qos.get("roce") or {}).get("mode") if _on(qos.get("roce")) else None,
        "trust": _profile(qos, "mapping").get("trust"),
        "dscp": _dscp(_profile(qos, "mapping").get("dscp") or {}),
        "pfc": sorted(int(p) for p in _profile(qos, "pfc").get("switch-priority") or {}),
        "classes": _classes(_profile(qos, "egress-queue-mapping").get("switch-priority") or {}),
        "ecn": sorted(
            int(name)
            for name, row in (
                _profile(qos, "congestion-control").get("traffic-class") or {}
            ).items()
            if row.get("ecn") == "enable"
        ),
    }
    interfaces = document.get("interface") or {}
    return {
        port: {**shared, **_link(interfaces.get(port) or {}, speed)}
        for port, speed in ports.items()
    }


def _on(roce: Mapping[str, t.Any] | None) -> bool:
    return bool(roce) and (roce or {}).get("state", (roce or {}).get("enable")) in ("enabled", "on")


def _profile(qos: Mapping[str, t.Any], name: str) -> Mapping[str, t.Any]:
    return (qos.get(name) or {}).get(PROFILE) or {}


def _dscp(rows: Mapping[str, t.Any]) -> dict[str, int]:
    return {
        str(key): int(row["switch-priority"])
        for key, row in rows.items()
        if "switch-priority" in row
    }


def _classes(rows: Mapping[str, t.Any]) -> dict[str, int]:
    return {
        str(key): int(row["traffic-class"]) for key, row in rows.items() if "traffic-class" in row
    }


def _link(interface: Mapping[str, t.Any], speed: str) -> Plain:
    link = interface.get("link") or {}
    stated = str(link.get("speed") or "auto")
    return {
        "mtu": int(link.get("mtu") or DEFAULT_MTU),
        "speed": _mbit(stated if stated != "auto" else speed),
        "pfc_profile": ((interface.get("qos") or {}).get("pfc") or {}).get("profile", PROFILE),
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
            yield view.not_run(check_id, view.unasked("what a leaf port is compared with"))


def _pair(view: View, check_id: str, compare: Callable[[Plain, Plain], Answer]) -> Iterator[Result]:
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
        yield view.not_run(check_id, " ".join(_unknown(check_id, sorted(unread), mute)))
    elif good == len(view.wanted["interfaces"]):
        says = str(table("checks_host")[check_id]["says"])
        yield view.passed(check_id, says, found=good)


def _unknown(check_id: str, unread: Sequence[str], mute: Sequence[str]) -> Iterator[str]:
    if unread:
        yield f"Nothing is known of the configuration applied on {', '.join(unread)}."
    if mute:
        yield f"{', '.join(mute)}: the NIC or its leaf port does not show it ({WORDS[check_id]})."


def _mismatch(view: View, check_id: str, row: Plain, answer: tuple[t.Any, t.Any]) -> Result:
    peer = f"{row['peer']['device']} {row['peer']['port']}"
    return view.failed(
        check_id,
        f"{view.subject.device} {row['name']} has {_text(answer[0])} and {peer} has "
        f"{_text(answer[1])} ({WORDS[check_id]}): run playbooks dpus and switches.",
        port=row["name"],
        expected={"leaf": answer[1]},
        found={"nic": answer[0]},
    )


def _text(value: t.Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"DSCP {key} in priority {prio}" for key, prio in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "nothing" if value is None else str(value)


def _mtu(port: Plain, leaf: Plain) -> Answer:
    return None if port.get("mtu") is None else (port["mtu"], leaf["mtu"])


def _speed(port: Plain, leaf: Plain) -> Answer:
    return None if not port.get("speed") or not leaf["speed"] else (port["speed"], leaf["speed"])


def _trust(port: Plain, leaf: Plain) -> Answer:
    """`both` on the switch means DSCP for what has it."""
    if leaf["trust"] is None or not port.get("qos"):
        return None
    words = {"both": "dscp", "l3": "dscp", "l2": "pcp", "port": "port"}
    return port["qos"].get("trust"), words.get(leaf["trust"], leaf["trust"])


def _priorities(port: Plain, leaf: Plain) -> Answer:
    mapping = (port.get("qos") or {}).get("dscp2prio")
    if not mapping or not leaf["dscp"]:
        return None
    own = {str(key): value for key, value in mapping.items()}
    notification = str((port["qos"]).get("cnp_dscp") or CNP_DSCP)
    keys = (str(ROCE_DSCP), notification)
    return {k: own.get(k) for k in keys}, {k: leaf["dscp"].get(k) for k in keys}


def _pfc(port: Plain, leaf: Plain) -> Answer:
    bits = (port.get("qos") or {}).get("pfc")
    if bits is None:
        return None
    return [n for n, bit in enumerate(bits) if bit], leaf["pfc"] if leaf["roce"] else []


def _ecn(port: Plain, leaf: Plain) -> Answer:
    """The traffic classes of the priorities that the NIC pauses must be marked."""
    bits = (port.get("qos") or {}).get("pfc")
    if bits is None or not leaf["classes"]:
        return None
    wanted = sorted({leaf["classes"].get(str(n), 0) for n, bit in enumerate(bits) if bit})
    return wanted, [tc for tc in wanted if tc in leaf["ecn"]]


COMPARED: dict[str, Callable[[Plain, Plain], Answer]] = {
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
