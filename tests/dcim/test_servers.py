# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The servers themselves are what the scenarios take them for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from dcim import daemons, servers
from dcim.postgres import DATABASE
from dcim.proxy import Fault, Proxy
from dcim.rest import MANUFACTURERS, ask
from dcim.servers import Server

pytestmark = pytest.mark.slow


def make(url: str, token: str, name: str = "NVIDIA") -> int:
    """The status of making a manufacturer."""
    body = {"name": name, "slug": name.lower()}
    return ask(url, MANUFACTURERS, token, method="POST", body=body)[0]


def count(server: Server) -> int:
    """Count the manufacturers."""
    return int(ask(server.url, MANUFACTURERS, server.token)[1]["count"])


def test_a_server_is_the_version_that_it_says(server: Server) -> None:
    status, answer = ask(server.url, "/api/status/", server.token)
    assert status == 200
    assert answer[f"{server.kind}-version"] == server.version


def test_each_token_may_what_it_is_named_after(server: Server) -> None:
    assert make(server.url, server.token) == 201
    assert make(server.url, server.reader) == 403
    assert ask(server.url, MANUFACTURERS, server.reader)[0] == 200
    assert ask(server.url, MANUFACTURERS, server.expired)[0] in (401, 403)


def test_a_reset_forgets_and_what_was_kept_comes_back(server: Server) -> None:
    assert make(server.url, server.token) == 201
    servers.keep(server, "one")
    assert make(server.url, server.token, "Other") == 201
    servers.reset(server, "one")
    assert count(server) == 1
    servers.reset(server)
    assert count(server) == 0


def test_the_server_itself_writes_down_each_request(server: Server) -> None:
    before = len(server.requests())
    make(server.url, server.token)
    count(server)
    assert server.requests(before + 2)[before:] == [
        ("POST", MANUFACTURERS, 201),
        ("GET", MANUFACTURERS, 200),
    ]


def test_a_lost_answer_is_a_write_that_happened(server: Server) -> None:
    with Proxy(server.url) as proxy:
        proxy.faults += [Fault(), Fault(late=True)]
        assert make(proxy.url, server.token) == 502
        assert count(server) == 0
        assert make(proxy.url, server.token) == 502
        assert count(server) == 1
        following = ask(proxy.url, f"{MANUFACTURERS}?limit=1", server.token)[1]
    assert following["count"] == 1


def test_pages_lead_through_the_proxy(server: Server) -> None:
    for name in ("One", "Two"):
        assert make(server.url, server.token, name) == 201
    with Proxy(server.url) as proxy:
        assert ask(proxy.url, f"{MANUFACTURERS}?limit=1", server.token)[1]["next"].startswith(
            proxy.url
        )


UP = """
import sys
from dcim.products import PRODUCTS
from dcim.servers import up

up(PRODUCTS[sys.argv[1]], sys.argv[2], owner=True)
print("up", flush=True)
sys.stdin.read()
"""


def test_what_a_killed_program_left_is_ended_by_the_next(kind: str) -> None:
    name = f"killed-{os.getpid()}-{kind}"
    command = [sys.executable, "-c", UP, kind, name]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert program.stdout
    assert program.stdout.readline() == "up\n"
    server = servers.find(name)
    pids = [daemons.running(path) for path in server.folder.glob("*.pid")]
    os.kill(program.pid, signal.SIGKILL)
    program.communicate()
    assert len([pid for pid in pids if pid and daemons.birth(pid)]) == 3
    assert server.database.sql("SELECT count(*) FROM django_migrations", DATABASE) != "0"
    servers.sweep()
    assert not any(pid and daemons.birth(pid) for pid in pids)
    assert not server.folder.exists()
