# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prometheus and Alertmanager take their files; a collector forgets a silent switch."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.monitoring import (
    configuration,
    files,
)

MANAGEMENT = {"telemetry": ["192.0.2.30:4317", "[2001:db8::1]:4317"]}


@pytest.fixture
def folder(load, tmp_path):
    monitoring = {"alertmanager": "https://alerts.example:9093/am", "textfile": "kept"}
    fabric = load(management=MANAGEMENT, monitoring=monitoring)
    for name, chunks in files.files(fabric, None):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(chunks))
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        ("promtool", "check", "config", "--syntax-only", "prometheus.yml"),
        ("promtool", "check", "rules", "rules.yml"),
        ("amtool", "check-config", "alertmanager.yml"),
    ],
)
def test_the_programs_take_their_files(folder, command):
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed: run make packages")
    done = subprocess.run(
        command,
        cwd=folder / "monitoring",
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_changes_with_tenants_is_where_the_description_says(folder):
    names = {path.name for path in (folder / "kept").iterdir()}
    assert names == {"spx_ports.prom", "spx_nodes.prom", "spx_hosts_pod001.json"}
    assert f"{folder}/kept/spx_hosts_*.json" in (folder / "monitoring/prometheus.yml").read_text()


def test_collectors_and_alertmanager_are_those_of_the_description(load):
    made = configuration.prometheus(load(management=MANAGEMENT, monitoring={}))
    scrape = made["scrape_configs"][0]
    assert scrape["static_configs"] == [{"targets": ["192.0.2.30:9464", "[2001:db8::1]:9464"]}]
    assert "alerting" not in made
    stated = {"alertmanager": "https://alerts.example:9093/am/"}
    made = configuration.prometheus(load(management=MANAGEMENT, monitoring=stated))
    (alerting,) = made["alerting"]["alertmanagers"]
    assert (alerting["scheme"], alerting["path_prefix"]) == ("https", "/am")
    assert alerting["static_configs"] == [{"targets": ["alerts.example:9093"]}]


def test_the_collector_drops_what_is_not_kept_and_forgets_a_silent_switch(load):
    made = configuration.collector(load(management=MANAGEMENT))
    names = made["processors"]["filter/kept"]["metrics"]["include"]["metric_names"]
    assert "nvswitch_interface_oper_state" in names
    assert "nvswitch_interface_mtu_bytes" not in names
    assert made["exporters"]["prometheus"]["metric_expiration"] == "30s"
    assert made["receivers"]["otlp"]["protocols"]["grpc"]["endpoint"] == "0.0.0.0:4317"
    assert made["receivers"]["otlp"]["protocols"]["grpc"]["tls"]


def test_a_dead_device_stops_its_other_alerts_and_the_far_ends(load):
    made = configuration.alertmanager(load())
    equal = [rule["equal"] for rule in made["inhibit_rules"]]
    assert equal == [["device"], ["far_device"], ["device"]]


@pytest.mark.parametrize(
    "url",
    [
        "prometheus.example:9090",
        "ftp://prometheus.example",
        "http://me:secret@prometheus.example",
        "http://",
        "http://prometheus.example/?q=1",
        "http://a b",
    ],
)
def test_a_url_that_is_none_or_has_a_password_is_refused(load, url):
    with pytest.raises(FabricError, match=r"a URL such as https://prometheus\.example:9090"):
        load(monitoring={"prometheus": url})
