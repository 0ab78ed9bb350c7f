# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recording and alert rules of Prometheus: those of `catalog/alerts.yaml`, with the figures of the plan."""

from __future__ import annotations

import re
import typing as t

from ...catalog import telemetry
from ...catalog.data import table
from ...plan.topology.cages import gbps
from ...tenants.capacity import route_budget

if t.TYPE_CHECKING:
    from ...plan.fabric import Fabric

EVALUATION = 15
"""Seconds between two evaluations of rules."""
_METRIC = re.compile(r"\b(?:nvswitch|nvrouting)_\w+")
_ADDED = "kind, far_device, far_interface, tenant, rail, network"
_LABELS = ("device", "far_device")
"""Labels that the command of an alert may name."""
_SUMMARY = (
    "{{ $labels.device }}{{ with $labels.interface }} {{ . }}{{ end }}"
    "{{ with $labels.far_interface }} to {{ $labels.far_device }} {{ . }}{{ end }}"
    "{{ with $labels.tenant }} (tenant {{ . }}){{ end }}"
)
"""Device, port, far end and tenant, as far as an alert has them."""


class Rule(t.TypedDict, total=False):
    """A rule as Prometheus reads it."""

    record: str
    alert: str
    expr: str
    labels: dict[str, str]
    annotations: dict[str, str]


def figures(fabric: Fabric) -> dict[str, object]:
    """Return the words that expressions may use."""
    d, limits = fabric.description, table("limits_switch")
    kept = telemetry.kept(d.releases)
    octets = [name for name in kept if name.endswith(("_if_in_octets", "_ether_stats_octets"))]
    return {
        **{name: f"{value:g}" for name, value in limits.items()},
        "class": table("qos")["roce_priority"],
        "octets_in": sorted(octets)[-1] if octets else "nvswitch_interface_if_in_octets",
        "fabric_bytes": f"{gbps(d.switches.fabric_speed) * 1e9 / 8:g}",
        "routes": route_budget(fabric)["value"],
    }


def rules(fabric: Fabric) -> dict[str, object]:
    """Return the file of rules."""
    words = figures(fabric)
    records: list[Rule] = [
        {"record": name, "expr": text.format(**words)}
        for name, text in table("alerts")["records"].items()
    ]
    known = telemetry.kept(fabric.description.releases)
    alerts = [
        made
        for name, row in table("alerts")["alerts"].items()
        if (made := _alert(name, row, words, known))
    ]
    return {
        "groups": [
            {"name": "spx-records", "rules": records},
            {"name": "spx-alerts", "rules": alerts},
        ]
    }


def _alert(
    name: str, row: t.Mapping[str, t.Any], words: t.Mapping[str, object], known: t.Container[str]
) -> t.Mapping[str, object] | None:
    """Return an alert; None where no release of the fabric has a metric that it reads."""
    texts = [text.format(**words) for text in row["expressions"]]
    texts = [text for text in texts if all(metric in known for metric in _METRIC.findall(text))]
    if not texts:
        return None
    join = _JOINS[row.get("join", "")]
    return {
        "alert": name,
        "expr": join(" or ".join(f"({text})" for text in texts)),
        "for": row["for"],
        "labels": {"severity": row["severity"], "source": row["from"]},
        "annotations": {
            "summary": f"{name}: {_SUMMARY}",
            "meaning": row["meaning"].format(**words),
            "cause": row["cause"],
            "command": row["command"].format(
                **{label: f"{{{{ $labels.{label} }}}}" for label in _LABELS}
            ),
        },
    }


def _port(text: str) -> str:
    return f"({text}) * on (device, interface) group_left ({_ADDED}) spx:port"


def _peer(text: str) -> str:
    ports = 'spx:port{peer_id!=""}'
    return f"({text}) * on (device, peer_id) group_left (interface, {_ADDED}) {ports}"


def _cage(text: str) -> str:
    return f"max by (device, cage) ({text}) * on (device, cage) group_right () spx:port"


def _node(text: str) -> str:
    return f"({text}) * on (device) group_left (tenant) spx_node_info or on (device) ({text})"


def _silent(text: str) -> str:
    return _node(f'label_replace({text}, "far_device", "$1", "device", "(.+)")')


_JOINS: dict[str, t.Callable[[str], str]] = {
    "": str,
    "port": _port,
    "peer": _peer,
    "cage": _cage,
    "node": _node,
    "silent": _silent,
}
"""Expressions with what the plan adds to their labels."""
