# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dashboards of Grafana as JSON: the fabric, and one place (a switch, a node or a tenant)."""

from __future__ import annotations

import typing as t

from ...catalog.data import table

if t.TYPE_CHECKING:
    from ...plan.fabric import Fabric

_SOURCE = {"type": "prometheus", "uid": "${source}"}
_PORTS = '(spx:port{device=~"$place"} or spx:port{node=~"$place"} or spx:port{tenant=~"$place"})'
"""Ports of a device, of a node at both ends, or of a tenant."""
_WIDTH, _HEIGHT, _COLUMNS = 12, 8, 2


def names() -> list[str]:
    """Return the names of the dashboards."""
    return list(table("dashboards"))


def dashboard(fabric: Fabric, name: str, words: t.Mapping[str, object]) -> dict[str, object]:
    """Return a dashboard in the form that Grafana imports."""
    row = table("dashboards")[name]
    words = {**words, "ports": _PORTS}
    panels = [_panel(number, panel, words) for number, panel in enumerate(row["panels"])]
    return {
        "uid": f"spx-{fabric.description.name}-{name}"[:40],
        "title": f"{row['title']} {fabric.description.name}",
        "tags": ["spectrum-x"],
        "schemaVersion": 39,
        "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "templating": {"list": _variables(place=name == "place")},
        "panels": panels,
    }


def _variables(*, place: bool) -> list[dict[str, object]]:
    source: dict[str, object] = {"name": "source", "type": "datasource", "query": "prometheus"}
    if not place:
        return [source]
    tenants = 'count by (device) (label_replace(spx_node_info, "device", "$1", "tenant", "(.+)"))'
    query = f"query_result(count by (device) (spx_port_info) or {tenants})"
    chosen = {
        "name": "place",
        "type": "query",
        "datasource": _SOURCE,
        "query": query,
        "regex": '/device="([^"]+)"/',
        "refresh": 2,
        "sort": 1,
    }
    return [source, chosen]


def _panel(
    number: int, row: t.Mapping[str, t.Any], words: t.Mapping[str, object]
) -> dict[str, object]:
    kind = "heatmap" if row.get("map") else "table" if row.get("table") else "timeseries"
    down, right = divmod(number, _COLUMNS)
    target = {
        "refId": "A",
        "datasource": _SOURCE,
        "expr": row["expr"].format(**words),
        "legendFormat": " ".join(f"{{{{{label}}}}}" for label in row["by"]),
        "instant": kind == "table",
        "format": "table" if kind == "table" else "time_series",
    }
    return {
        "id": number + 1,
        "title": row["title"],
        "type": kind,
        "datasource": _SOURCE,
        "gridPos": {"h": _HEIGHT, "w": _WIDTH, "x": right * _WIDTH, "y": down * _HEIGHT},
        "fieldConfig": {"defaults": {"unit": row.get("unit", "none")}, "overrides": []},
        "targets": [target],
    }
