# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One leaf of the lab as a double that is upgraded from 5.16.1 to 5.16.7, and a server with its image."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import threading
from pathlib import Path

import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from nvue_double import images
from nvue_double.testing import running_double

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import switch as edge
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.connection import Endpoint
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.run_store import RunStore
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.switch.leaves import NvueLeaf
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.upgrade import state, steps
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.upgrade.records import (
    STATE,
    Target,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.api import Api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.auth import Auth
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.port import HttpsPort

LEAF, SPINE = "leaf-p1-su001-r1", "spine-p1-s01"
OLD, NEW, BUILD = "5.16.1", "5.16.7", "5.16.7.0042"
IMAGE = images.make(NEW, BUILD)
QUICK = steps.Options(seconds=0, most=2000, apply_wait=0, soak=0)
TEMPLATE = Templar(loader=DataLoader(), variables={}).template
GIVEN = {"switch_apply_settle_time": 0}
ORDER = [name for name in steps.STEPS if name != "soak"]


@contextlib.contextmanager
def serving(content: bytes):
    """Serve one image by HTTP on loopback, and give its URL."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_words):
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/cumulus-linux-{NEW}.bin"
    finally:
        server.shutdown()
        server.server_close()


def describe(project: Path, url: str, **changes) -> Fabric:
    """The lab on its way to the new release."""
    path = project / "model" / "fabric.yml"
    row = {"url": url, "sha256": hashlib.sha256(IMAGE).hexdigest(), "build": BUILD}
    release = {"ra": "2.1", "cumulus": NEW, "images": {NEW: row}}
    stated = {"release": release, "accept_releases": [OLD, NEW], **changes}
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), **stated}))
    return Fabric.load(str(path))


class Upgradable:
    """A switch of the lab: its double, and what a task of the playbook has of it."""

    def __init__(self, project: Path, double, fabric: Fabric, store: RunStore, name: str) -> None:
        self.project, self.double, self.store, self.name = project, double, store, name
        self._path = fabric.source.path

    @property
    def switch(self) -> state.UpgradeSwitch:
        """The switch as a new task sees it."""
        fabric = Fabric.load(self._path)
        endpoint = Endpoint(self.double.host, self.double.port, timeout=5, ca=self.double.ca_file)
        api = Api(HttpsPort(endpoint), Auth(self.double.username, self.double.password))
        how = edge.conditions(
            GIVEN, TEMPLATE, extra={}, origin={}, also=("frr_restart", "switchd_reload")
        )
        leaf = NvueLeaf(self.name, fabric, api, how, {})
        wanted = edge.wanted(fabric, self.name, {}, TEMPLATE)
        registry = Registry.load(fabric)
        return state.UpgradeSwitch(
            fabric, registry, api, leaf, wanted, how, self.store, Target.of(fabric)
        )

    def look(self):
        """Read the switch at the begin of a run, which keeps that."""
        found = state.look(self.switch)
        self.store.put(STATE, found, of=self.name)
        return found

    def take(self, *names: str) -> list[dict]:
        """Take steps, each as a task of its own."""
        return [steps.take(self.switch, name, QUICK) for name in names]

    def again(self):
        """Begin another run, which knows nothing of the one before."""
        self.store.begin()
        return self.look()

    @property
    def actions(self) -> list[str]:
        """The actions that the switch was ordered, in order."""
        return [name for _place, name, _parameters in self.double.switch.jobs.done]


@contextlib.contextmanager
def upgradable(project: Path, folder: Path, name: str = LEAF, **options):
    """A leaf that is in service and as planned, of which nothing is installed."""
    with serving(IMAGE) as url:
        fabric = describe(project, url)
        document = compose.document(fabric, name, tenants=Registry.load(fabric))
        document.get("router", {}).get("bgp", {}).pop("graceful-shutdown", None)
        run = {"release": OLD, "document": document, "step_seconds": 0.002, **options}
        with running_double(packets_per_second=10.0, boot_seconds=0.2, **run) as double:
            double.control.sessions("established")
            folder.mkdir(mode=0o700, exist_ok=True)
            store = RunStore(lambda: folder / "run")
            store.begin()
            yield Upgradable(project, double, fabric, store, name)
