# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches and hosts in Linux namespaces of a test's own, without any route outside.

A switch runs start.sh with private mounts (/run, /etc/frr, /var/lib/nvue_double) in its own
network, UTS and pid namespace; its API is asked over the local unix socket.
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[3] / "targets" / "switch"
PATIENCE = 60
"""Seconds for a machine's first process; a busy machine, or one within another, takes some."""
NEEDED = ("ip", "unshare", "nsenter", "vtysh", "lldpd", "nft", "ping", "openssl")


def missing() -> str:
    """Reason that the lab cannot run here; empty when it can."""
    if os.geteuid() != 0:
        return "needs root"
    absent = [name for name in NEEDED if shutil.which(name) is None]
    if absent or not Path("/usr/lib/frr/zebra").exists():
        return f"not installed: {', '.join(absent) or 'frr'}"
    probe = subprocess.run(["unshare", "-m", "-n", "-p", "-u", "-f", "true"], check=False)
    if probe.returncode:
        return "namespaces are not allowed"
    modules = ["/usr/bin/python3", "-c", "import aiohttp, yaml"]
    if subprocess.run(modules, capture_output=True, check=False).returncode:
        return "python3-aiohttp or python3-yaml is not installed"
    return ""


class Node:
    """A machine: a first process and its namespaces."""

    def __init__(self, name: str, script: str, log: Path) -> None:
        self.name = name
        self.log = log
        prepare = (
            "mount -t proc proc /proc && mount -t sysfs sysfs /sys && mount -t tmpfs tmpfs /run && "
            "mkdir -p /run/netns /etc/frr /var/lib/nvue_double && "
            "for own in /etc/frr /var/lib/nvue_double /var/tmp; do mount -t tmpfs tmpfs $own; done && "
            f"echo {name} >/proc/sys/kernel/hostname && ip link set lo up && touch /run/up && "
        )
        kinds = ["--mount", "--net", "--pid", "--uts", "--ipc", "--fork", "--kill-child"]
        with log.open("wb") as sink:
            self.process = subprocess.Popen(
                ["unshare", *kinds, "--propagation", "private", "sh", "-c", prepare + script],
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
            )
        self.pid = self._first()

    def _first(self) -> int:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
            for text in children.read_text("ascii").split() if children.exists() else ():
                if Path(f"/proc/{text}/root/run/up").exists():
                    return int(text)
            time.sleep(0.02)
        raise RuntimeError(f"{self.name} did not start: {self.log.read_text()}")

    def run(self, *argv: str, vrf: str = "") -> subprocess.CompletedProcess[str]:
        """A command inside, in one of its VRF namespaces if given."""
        where = ["ip", "netns", "exec", vrf] if vrf else []
        command = ["nsenter", "-t", str(self.pid), "-m", "-n", "-p", "-u", *where, *argv]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)

    def sh(self, text: str) -> str:
        """Shell commands inside that must succeed."""
        done = self.run("sh", "-ec", text)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def go(self) -> None:
        """Let the first process pass its gate."""
        Path(f"/proc/{self.pid}/root/run/go").touch()

    def stop(self) -> None:
        """End every process of the machine."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)


GATE = "while [ ! -e /run/go ]; do sleep 0.05; done; "


class Host(Node):
    """A host: an address and a route through its leaf."""

    def __init__(self, name: str, folder: Path) -> None:
        super().__init__(name, "exec sleep 1000000", folder / f"{name}.log")

    def ping(self, address: str, *options: str, count: int = 1) -> bool:
        """Check whether an address answers."""
        return (
            self.run("ping", "-n", "-c", str(count), "-W", "1", *options, address).returncode == 0
        )


class Switch(Node):
    """A switch that runs the double with its realiser."""

    def __init__(self, name: str, folder: Path, **settings: str) -> None:
        values = {"SPX_DEVICE": name, "SPX_PASSWORD": "Spectrum-X1!", **settings}
        values["SPX_TLS"] = str(folder / f"{name}-tls")  # /etc is the machine's, and all switches'
        values["SPX_DOUBLE_OPTIONS"] = "--step-seconds 0.01 --boot-seconds 1"
        exports = "".join(f"export {key}='{value}'; " for key, value in values.items())
        super().__init__(name, f"{GATE}{exports}sh {TARGET}/start.sh", folder / f"{name}.log")

    def _request(self, path: str, method: str, body: Any, sock: str, base: str) -> Any:
        connection = http.client.HTTPConnection("localhost", timeout=60)
        connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.sock.settimeout(60)
        connection.sock.connect(f"/proc/{self.pid}/root/run/nvue/{sock}")
        data = None if body is None else json.dumps(body)
        connection.request(method, base + path, data, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        assert answer.status < 300, f"{method} {path}: {answer.status} {text.decode()}"
        return json.loads(text) if text else None

    def ready(self) -> bool:
        """Check whether the API answers."""
        return Path(f"/proc/{self.pid}/root/run/nvue/control.sock").exists()

    def api(self, method: str, path: str, body: Any = None) -> Any:
        """A request to the REST API that must succeed."""
        return self._request(path, method, body, "nvue.sock", "/nvue_v1")

    def control(self, order: str, **arguments: Any) -> Any:
        """An order to the control API."""
        return self._request(f"/{order}", "POST", arguments, "control.sock", "")

    def apply(self, change: Any, *, expect: str = "applied_and_saved", **order: Any) -> Any:
        """Patch a new revision, apply it, wait for its end."""
        number = next(iter(self.api("POST", "/revision")))
        self.api("PATCH", f"/?rev={number}", change)
        wanted = {"state": "apply", "auto-prompt": {"ays": "ays_yes"}, **order}
        self.api("PATCH", f"/revision/{number}", wanted)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            view = self.api("GET", f"/revision/{number}")
            if view["state"] == expect:
                return view
            assert not view["state"].endswith(("fail", "error", "invalid")), view
            time.sleep(0.02)
        raise AssertionError(f"{self.name}: {view} {self.log.read_text()}")

    def operational(self, path: str) -> Any:
        """An operational answer."""
        return self.api("GET", f"{path}?rev=operational")


def cable(first: Node, port: str, second: Node, other: str, mtu: int = 9216) -> None:
    """A veth pair between two machines."""
    subprocess.run(
        f"ip link add {port} mtu {mtu} netns {first.pid} type veth "
        f"peer name {other} mtu {mtu} netns {second.pid}".split(),
        check=True,
    )


def eventually(check: Any, seconds: float = 30.0) -> bool:
    """Wait until `check()` is true, and return whether it was in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if check():
            return True
        time.sleep(0.1)
    return bool(check())
