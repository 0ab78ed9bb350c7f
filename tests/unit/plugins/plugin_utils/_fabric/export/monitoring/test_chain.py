# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the series of a collector to the message: real Prometheus and Alertmanager, with the files of the plan.

The collector is a stand-in that shows what a test sets, in the text format; no OTLP is spoken here. Times are those of
the plan, divided, so that an alert takes seconds.
"""

from __future__ import annotations

import http.server
import json
import re
import shutil
import socket
import subprocess
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.monitoring import (
    files,
    places,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs import clock
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.switch import silences

PROGRAMS = ("prometheus", "prometheus-alertmanager")
pytestmark = [
    pytest.mark.large,
    pytest.mark.skipif(
        not all(map(shutil.which, PROGRAMS)), reason="Prometheus or Alertmanager is not installed"
    ),
]
SPINE, LEAF, NODE = "spine-p1-s01", "leaf-p1-su001-r1", "worker-su01-rack01-h01"
QUIET = 12
"""Seconds after which a message that has not come does not come."""


class Served(http.server.ThreadingHTTPServer):
    """The collector, the textfile of the controller, and the receiver of messages."""

    daemon_threads = True

    def __init__(self) -> None:
        self.metrics, self.plan, self.messages = {}, "", []
        super().__init__(("127.0.0.1", 0), Handler)

    def lines(self) -> str:
        return "".join(f"{series} {value}\n" for series, value in dict(self.metrics).items())

    def told(self, seconds: float = 30) -> list[dict]:
        """The alerts of the messages, once the first has come and nothing has followed for some time."""
        end = time.monotonic() + seconds
        while not self.messages and time.monotonic() < end:
            time.sleep(0.2)
        seen = -1
        while seen != len(self.messages):
            seen = len(self.messages)
            time.sleep(4)
        return [alert for message in self.messages for alert in message["alerts"]]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        text = self.server.plan if self.path == "/plan" else self.server.lines()
        self.send_response(200)
        self.send_header("content-type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(text.encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        message = json.loads(body)
        if message["status"] == "firing":
            self.server.messages.append(message)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_args):
        """Stay silent."""


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


@contextmanager
def running(*command: str, folder: Path):
    with (folder / f"{Path(command[0]).name}.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
        try:
            yield
        finally:
            process.terminate()
            process.wait(timeout=20)


def shortened(text: str) -> str:
    """`for`, windows and pauses of seconds in place of minutes."""
    text = re.sub(r"\bfor: \w+", "for: 1s", text)
    return re.sub(r"\[(?:1h|5m|2m)\]", "[4s]", text)


@pytest.fixture(scope="module")
def chain(tmp_path_factory):
    """The fabric, what is served, and the URL of Alertmanager."""
    folder = tmp_path_factory.mktemp("chain")
    served, alerts, prometheus = Served(), free_port(), free_port()
    threading.Thread(target=served.serve_forever, daemon=True).start()
    text = (Path(__file__).parents[7] / "inventories" / "lab" / "model" / "fabric.yml").read_text()
    described = {
        **yaml.safe_load(text),
        "monitoring": {"alertmanager": f"http://127.0.0.1:{alerts}"},
    }
    (folder / "fabric.yml").write_text(yaml.safe_dump(described))
    (folder / "tenants.yml").write_text("tenants: [{id: 21, slug: acme, nodes: [su01/h01]}]\n")
    fabric = Fabric.load(str(folder / "fabric.yml"))
    made = {name: "".join(chunks) for name, chunks in files.files(fabric, None)}
    served.plan = "".join(text for name, text in made.items() if name.endswith(".prom"))
    (folder / "rules.yml").write_text(shortened(made["monitoring/rules.yml"]))
    own = f"127.0.0.1:{served.server_port}"
    configured = yaml.safe_load(made["monitoring/prometheus.yml"])
    configured["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    configured["scrape_configs"] = [
        {"job_name": name, "honor_labels": True, "metrics_path": path,
         "static_configs": [{"targets": [own]}]}
        for name, path in (("spx-switches", "/metrics"), ("spx-controller", "/plan"))
    ]  # fmt: skip
    (folder / "prometheus.yml").write_text(yaml.safe_dump(configured))
    manager = yaml.safe_load(made["monitoring/alertmanager.yml"])
    manager["route"] |= {"group_wait": "3s", "group_interval": "3s"}
    manager["receivers"] = [{"name": "site", "webhook_configs": [{"url": f"http://{own}/"}]}]
    (folder / "alertmanager.yml").write_text(yaml.safe_dump(manager))
    reset(served, fabric)
    listens = ("--cluster.listen-address=", f"--web.listen-address=127.0.0.1:{alerts}")
    with (
        running(
            PROGRAMS[1],
            "--config.file=alertmanager.yml",
            "--storage.path=am",
            *listens,
            folder=folder,
        ),
        running(
            *(PROGRAMS[0], "--config.file=prometheus.yml", "--storage.tsdb.path=tsdb"),
            f"--web.listen-address=127.0.0.1:{prometheus}",
            folder=folder,
        ),
    ):
        yield fabric, served
    served.shutdown()
    served.server_close()


def reset(served, fabric):
    """All ports of the plan are up, and all sessions Established."""
    served.metrics = {
        f'nvswitch_interface_oper_state{{device="{d}",interface="{p}"}}': 1
        for d, p, _far in ports(fabric)
    } | {
        f'nvrouting_bgp_peer_state{{device="{d}",peer_id="{p}",vrf="default"}}': 1
        for d, p, far in ports(fabric)
        if not far.startswith("worker")
    }
    served.messages.clear()


def ports(fabric):
    text = "".join(places.ports(fabric, None))
    pattern = r'spx_port_info\{device="([^"]+)",interface="([^"]+)",kind="(?:host|up|down)",far_device="([^"]+)"'
    return re.findall(pattern, text)


def calm(chain):
    """Wait until what an earlier test broke is forgotten."""
    fabric, served = chain
    reset(served, fabric)
    time.sleep(8)
    served.messages.clear()


def test_a_killed_spine_is_one_message(chain):
    fabric, served = chain
    time.sleep(QUIET)
    assert served.messages == []
    gone = {key for key in served.metrics if f'device="{SPINE}"' in key}
    far = {(d, p) for d, p, peer in ports(fabric) if peer == SPINE}
    served.metrics = {
        key: 2 if any(f'device="{d}"' in key and f'"{p}"' in key for d, p in far) else value
        for key, value in served.metrics.items()
        if key not in gone
    }
    labels = [alert["labels"] for alert in served.told(40)]
    assert [(row["alertname"], row["device"]) for row in labels] == [("SpxSwitchSilent", SPINE)]


def test_a_pulled_cable_names_port_far_end_tenant_and_command(chain):
    _fabric, served = chain
    calm(chain)
    served.metrics[f'nvswitch_interface_oper_state{{device="{LEAF}",interface="swp1s0"}}'] = 2
    (alert,) = served.told()
    labels = alert["labels"]
    assert labels["alertname"] == "SpxLink"
    assert (labels["device"], labels["interface"]) == (LEAF, "swp1s0")
    assert (labels["far_device"], labels["tenant"]) == (NODE, "acme")
    told = alert["annotations"]
    assert told["summary"] == f"SpxLink: {LEAF} swp1s0 to {NODE} rail1p1 (tenant acme)"
    assert f"-e spx_where={LEAF}" in told["command"]


def test_a_switch_in_maintenance_is_silent_and_others_are_not(chain):
    fabric, served = chain
    calm(chain)
    now = clock.now()
    done = silences.silence(fabric, SPINE, enter=True, hours=1, now=now, check=False)
    assert done == {"changed": True}
    for device, port, far in ports(fabric):
        if SPINE in (device, far):
            served.metrics[
                f'nvswitch_interface_oper_state{{device="{device}",interface="{port}"}}'
            ] = 2
    time.sleep(QUIET)
    assert served.messages == []
    served.metrics[f'nvswitch_interface_oper_state{{device="{LEAF}",interface="swp1s1"}}'] = 2
    assert {alert["labels"]["interface"] for alert in served.told()} == {"swp1s1"}
    done = silences.silence(fabric, SPINE, enter=False, hours=1, now=now, check=False)
    assert done == {"changed": True}
    served.messages.clear()
    assert SPINE in {alert["labels"]["device"] for alert in served.told()}
