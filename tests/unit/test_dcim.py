# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts on which the scenarios of ``make dcim`` rely: daemons that always end, and a proxy that does its orders."""

from __future__ import annotations

import http.server
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from dcim import daemons, figures
from dcim.proxy import Fault, Proxy
from dcim.servers import Server

TESTS = str(Path(__file__).resolve().parents[1])


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[Path]:
    daemons.start("sleeper", ["sleep", "60"], folder=tmp_path, environment={})
    path = tmp_path / "sleeper.pid"
    while not daemons.running(path):
        pass
    yield path
    daemons.end(path)


def test_a_daemon_ends_and_its_file_goes(sleeper: Path) -> None:
    pid = daemons.running(sleeper)
    assert pid
    assert daemons.birth(pid)
    daemons.end(sleeper)
    assert not daemons.birth(pid)
    assert not sleeper.exists()


def test_a_process_id_that_was_given_out_again_is_left_alone(sleeper: Path) -> None:
    pid = daemons.running(sleeper)
    assert pid
    other = sleeper.with_name("other.pid")
    other.write_text(f"{pid} 1 another-boot\n", encoding="utf-8")
    daemons.end(other)
    assert daemons.running(sleeper) == pid


def test_a_playbook_that_is_measured_stands_still_for_bare_objects(tmp_path: Path) -> None:
    """What it began stands still too, and both go on afterwards."""
    log = tmp_path / "log"
    script = f"while :; do echo >>{log}; sleep 0.01; done"
    server = Server("none", "netbox", "4", "", "", "", "", 0, 0)
    process = subprocess.Popen(["sh", "-c", f"sh -c '{script}'; true"])
    try:
        assert len(set(sized(log))) > 1
        sizes: list[int] = []
        figures._stopped(process.pid, server, lambda: sizes.extend(sized(log)))
        assert len(set(sizes)) == 1
        assert len(set(sized(log))) > 1
    finally:
        figures._told((process.pid, *figures._below(process.pid)), signal.SIGKILL)
        process.wait()


def sized(log: Path) -> Iterator[int]:
    for _look in range(10):
        yield log.stat().st_size if log.is_file() else 0
        time.sleep(0.03)


@pytest.mark.parametrize("text", ["", "12", "x 1 boot", "999999999 1 boot"])
def test_a_file_that_names_no_process_ends_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.pid"
    path.write_text(text, encoding="utf-8")
    daemons.end(path)
    assert not path.exists()


def test_the_next_start_ends_what_a_killed_program_left(tmp_path: Path) -> None:
    code = (
        "import sys, time, pathlib; from dcim import daemons\n"
        "folder = pathlib.Path(sys.argv[1]); daemons.note_self(folder / 'owner')\n"
        "daemons.start('left', ['sleep', '60'], folder=folder, environment={})\n"
        "while not daemons.running(folder / 'left.pid'): pass\n"
        "print('up', flush=True); time.sleep(60)\n"
    )
    program = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": TESTS},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout
    assert program.stdout.readline() == "up\n"
    assert daemons.running(tmp_path / "owner") == program.pid
    os.kill(program.pid, signal.SIGKILL)
    program.communicate()
    assert daemons.running(tmp_path / "owner") is None
    left = daemons.running(tmp_path / "left.pid")
    assert left
    daemons.end(tmp_path / "left.pid")
    assert not daemons.birth(left)


class Echo(http.server.BaseHTTPRequestHandler):
    """Answers 201 to a write and counts it."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append((self.path, body, self.headers["Authorization"]))  # type: ignore[attr-defined]
        self.send_response(201)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Nothing."""


@pytest.fixture
def echo() -> Iterator[http.server.ThreadingHTTPServer]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    server.seen = []  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def post(url: str, path: str = "/api/dcim/devices/") -> int:
    request = urllib.request.Request(url + path, b"[1]", {"Authorization": "Token secret"})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as exc:
        exc.close()
        return exc.code


def test_a_proxy_passes_on_and_loses_what_it_is_told_to(
    echo: http.server.ThreadingHTTPServer,
) -> None:
    with Proxy(f"http://127.0.0.1:{echo.server_port}") as proxy:
        proxy.faults += [Fault(after=1), Fault(late=True)]
        assert [post(proxy.url) for _time in range(4)] == [201, 502, 502, 201]
        assert len(echo.seen) == 3  # type: ignore[attr-defined]
        assert post(proxy.url, "/api/graphql/") == 201
        assert [exchange.status for exchange in proxy.writes] == [201, 502, 502, 201]
        assert proxy.writes[0].sent == proxy.writes[0].received == "[1]"
        assert "secret" not in str(proxy.exchanges)


def test_a_proxy_acts_before_it_passes_on(echo: http.server.ThreadingHTTPServer) -> None:
    before: list[int] = []
    with Proxy(f"http://127.0.0.1:{echo.server_port}") as proxy:
        proxy.faults.append(Fault(act=lambda: before.append(len(echo.seen))))  # type: ignore[attr-defined]
        assert post(proxy.url) == 201
    assert before == [0]
    assert len(echo.seen) == 1  # type: ignore[attr-defined]
