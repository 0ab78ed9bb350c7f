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

Answer = tuple[object, object] | None
"""(the NIC's, the leaf's) value; None when an end does not show it."""


def leaf_ports(document: Doc, ports: Mapping[str, str]) -> dict[str, LeafPort]:
    """What a leaf's applied configuration says of each host port: {port: {mtu, speed, ...}}.

    `document` is spelled as in the newest release; `ports` maps host ports to their planned speed,
    which holds where the port negotiates.
    """
    qos = below(document, "qos")
    roce = below(qos, "roce")
    on = roce.get("state", roce.get("enable")) in ("enabled", "on")
    mode, trust = roce.get("mode"), _profile(qos, "mapping").get("trust")
    queues = mappings(_profile(qos, "congestion-control", "traffic-class"))
    found = {}
    for port, planned in ports.items():
        link = below(document, "interface", port, "link")
        stated = str(link.get("speed") or "auto")
        row: LeafPort = {
            "mtu": int(str(link.get("mtu") or DEFAULT_MTU)),
            "speed": _mbit(stated if stated != "auto" else planned),
            "roce": str(mode) if on and mode is not None else None,
            "trust": None if trust is None else str(trust),
            "dscp": _numbers(_profile(qos, "mapping", "dscp"), "switch-priority"),
            "pfc": sorted(int(p) for p in _profile(qos, "pfc", "switch-priority")),
            "classes": _numbers(
                _profile(qos, "egress-queue-mapping", "switch-priority"), "traffic-class"
            ),
            "ecn": sorted(int(tc) for tc, body in queues.items() if body.get("ecn") == "enable"),
        }
        found[port] = row
    return found


def _profile(qos: Doc, name: str, *path: str) -> Doc:
    return below(qos, name, "default-global", *path)


def _numbers(rows: Doc, key: str) -> dict[str, int]:
    return {name: int(str(row[key])) for name, row in mappings(rows).items() if key in row}


def _mbit(text: str) -> int:
    return int(text.rstrip("Gg")) * 1000 if text.rstrip("Gg").isdigit() else 0


def pairs(view: View) -> Iterator[Result]:
    """All pairs of a host, check by check."""
    for check_id in COMPARED:
        if any("qos" in nic for nic in view.wanted["nics"]):
            yield from _pair(view, check_id)
        else:
            why = view.unasked("what a leaf port is compared with")
            yield view.subject.not_run(check_id, why)


def _pair(view: View, check_id: str) -> Iterator[Result]:
    _words, compare = COMPARED[check_id]
    good, unread, unknown = 0, set(), []
    found = {row["name"]: port for port, row in view.ports()}
    for row in view.wanted["interfaces"]:
        port = found.get(row["name"])
        leaf = (view.leaves.get(row["peer"]["device"]) or {}).get(row["peer"]["port"])
        answer = compare(port, leaf) if port and leaf else None
        if not leaf:
            unread.add(row["peer"]["device"])
        elif answer is None:
            unknown.append(row["name"])
        elif answer[0] == answer[1]:
            good += 1
        else:
            yield _mismatch(view, check_id, row, answer)
    if unread or unknown:
        why = " ".join(_unknown(check_id, sorted(unread), unknown))
        yield view.subject.not_run(check_id, why)
    elif good == len(view.wanted["interfaces"]):
        says = str(table("checks_host")[check_id]["says"])
        yield view.subject.passed(check_id, says, found=good)


def _unknown(check_id: str, unread: Sequence[str], unknown: Sequence[str]) -> Iterator[str]:
    if unread:
        yield f"Nothing is known of the configuration applied on {', '.join(unread)}."
    if unknown:
        names, words = ", ".join(unknown), COMPARED[check_id][0]
        yield f"{names}: the NIC or its leaf port does not show it ({words})."


def _mismatch(view: View, check_id: str, row: Interface, answer: tuple[object, object]) -> Result:
    peer = f"{row['peer']['device']} {row['peer']['port']}"
    return view.subject.failed(
        check_id,
        f"{view.subject.device} {row['name']} has {_text(answer[0])} and {peer} has "
        f"{_text(answer[1])} ({COMPARED[check_id][0]}): run playbooks dpus and switches.",
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


def _known(nic: object, leaf: object) -> Answer:
    return None if nic is None or leaf is None else (nic, leaf)


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


COMPARED: dict[str, tuple[str, Callable[[PortRecord, LeafPort], Answer]]] = {
    "pair.mtu": ("MTU", lambda port, leaf: _known(port.get("mtu"), leaf["mtu"])),
    "pair.speed": (
        "Mb/s",
        lambda port, leaf: _known(port.get("speed") or None, leaf["speed"] or None),
    ),
    "pair.trust": ("trust", _trust),
    "pair.dscp": ("DSCP to priority", _priorities),
    "pair.pfc": ("priorities with PFC", _pfc),
    "pair.ecn": ("traffic classes with ECN", _ecn),
}
"""Check -> what it compares, in words, and how."""
