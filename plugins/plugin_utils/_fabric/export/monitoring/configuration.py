# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration of Prometheus, Alertmanager and the collector of OTLP, as plain data."""

from __future__ import annotations

import typing as t
from urllib.parse import urlsplit

from ...catalog import telemetry
from ...description import endpoints
from . import places, rules
from .estimate import settings

if t.TYPE_CHECKING:
    from ...plan.fabric import Fabric

COLLECTOR_PORT = 9464
"""Port at which Prometheus scrapes the collector."""
OTLP_PORT = 8443
_TLS = {"cert_file": "/etc/otelcol/server.pem", "key_file": "/etc/otelcol/server.key"}
"""Certificate of the collector; a switch verifies it by switch_base_telemetry_certificate."""
SILENT = ("SpxSwitchSilent", "SpxHostSilent")


def prometheus(fabric: Fabric) -> dict[str, object]:
    """Scrapes the collectors, the hosts by pod, and the textfile of the controller."""
    interval = f"{telemetry.INTERVAL}s"
    hosts = [
        endpoints.split(text, OTLP_PORT)[0] for text in fabric.description.management.telemetry
    ]
    scrapes = [
        {
            "job_name": "spx-switches",
            "honor_labels": True,
            "static_configs": [{"targets": [_target(host, COLLECTOR_PORT) for host in hosts]}],
        },
        {
            "job_name": "spx-hosts",
            "scrape_interval": "30s",
            "file_sd_configs": [{"files": [f"{places.folder(fabric)}/spx_hosts_*.json"]}],
            "metric_relabel_configs": [_only("spx_.*|up")],
        },
        {
            "job_name": "spx-controller",
            "honor_labels": True,
            "static_configs": [{"targets": [f"localhost:{places.EXPORTER_PORT}"]}],
            "metric_relabel_configs": [_only("spx_.*|node_textfile_.*|up")],
        },
    ]
    found = settings(fabric).alertmanager
    made: dict[str, object] = {
        "global": {"scrape_interval": interval, "evaluation_interval": f"{rules.EVALUATION}s"},
        "rule_files": ["rules.yml"],
        "scrape_configs": scrapes,
    }
    if found:
        url = urlsplit(found)
        made["alerting"] = {
            "alertmanagers": [
                {
                    "scheme": url.scheme,
                    "path_prefix": url.path or "/",
                    "static_configs": [{"targets": [url.netloc]}],
                }
            ]
        }
    return made


def _target(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _only(names: str) -> dict[str, object]:
    return {"source_labels": ["__name__"], "regex": names, "action": "keep"}


def alertmanager(_fabric: Fabric) -> dict[str, object]:
    """One message a device and alert; a dead device stops its other alerts, and those at the far ends of its cables."""
    dead = {"source_matchers": [f'alertname=~"{"|".join(SILENT)}"']}
    others = {"target_matchers": [f'alertname!~"{"|".join(SILENT)}"']}
    return {
        "route": {
            "receiver": "site",
            "group_by": ["alertname", "device"],
            "group_wait": "30s",
            "group_interval": "5m",
            "repeat_interval": "12h",
        },
        "inhibit_rules": [
            {**dead, **others, "equal": ["device"]},
            {**dead, **others, "equal": ["far_device"]},
            {
                "source_matchers": ['alertname="SpxSwitchSilent"'],
                "target_matchers": ['alertname="SpxHostSilent"'],
                "equal": ["device"],
            },
        ],
        "receivers": [{"name": "site"}],
    }


def collector(fabric: Fabric) -> dict[str, object]:
    """Receives OTLP by TLS, drops what is not kept, and forgets a silent switch after three intervals."""
    names = sorted(telemetry.kept(fabric.description.releases))
    attributes = [{"key": "device", "from_attribute": "net.host.name", "action": "upsert"}]
    ports = {
        endpoints.split(text, OTLP_PORT)[1] for text in fabric.description.management.telemetry
    }
    return {
        "receivers": {
            "otlp": {
                "protocols": {
                    "grpc": {"endpoint": f"0.0.0.0:{min(ports, default=OTLP_PORT)}", "tls": _TLS}
                }
            }
        },
        "processors": {
            "memory_limiter": {"check_interval": "1s", "limit_percentage": 80},
            "filter/kept": {
                "metrics": {"include": {"match_type": "strict", "metric_names": names}}
            },
            "resource/device": {"attributes": attributes},
        },
        "exporters": {
            "prometheus": {
                "endpoint": f"0.0.0.0:{COLLECTOR_PORT}",
                "metric_expiration": f"{3 * telemetry.INTERVAL}s",
                "add_metric_suffixes": False,
                "resource_to_telemetry_conversion": {"enabled": True},
            }
        },
        "service": {
            "pipelines": {
                "metrics": {
                    "receivers": ["otlp"],
                    "processors": ["memory_limiter", "filter/kept", "resource/device"],
                    "exporters": ["prometheus"],
                }
            }
        },
    }
