# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers for all tests of a run, each test with a database as new."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from dcim import servers
from dcim.products import PRODUCTS
from dcim.project import Project
from dcim.proxy import Proxy
from dcim.servers import Server

PUSHED = "pushed"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each test runs on each DCIM that this machine has; run.sh says which it has not."""
    if "kind" in metafunc.fixturenames:
        metafunc.parametrize(
            "kind", sorted(product.kind for product in servers.ready()), scope="session"
        )


@pytest.fixture(scope="session")
def running(request: pytest.FixtureRequest) -> Iterator[dict[str, Server]]:
    """The servers that tests were chosen for, in the network namespace of the tests; all start at once."""
    chosen = {
        item.callspec.params["kind"] for item in request.session.items if hasattr(item, "callspec")
    }
    names = {kind: f"tests-{os.getpid()}-{kind}" for kind in sorted(chosen)}
    try:
        with ThreadPoolExecutor() as pool:
            started = {
                kind: pool.submit(servers.up, PRODUCTS[kind], names[kind], owner=True)
                for kind in names
            }
            yield {kind: future.result() for kind, future in started.items()}
    finally:
        for name in names.values():
            servers.down(name)


@pytest.fixture
def server(running: dict[str, Server], kind: str) -> Server:
    """A DCIM without a single object."""
    servers.reset(running[kind])
    return running[kind]


@pytest.fixture
def pushed(project: Project, proxy: Proxy, server: Server) -> Project:
    """The lab as a push left it; only the first test of a server waits for one."""
    if not servers.kept(server, PUSHED):
        project.push()
        servers.keep(server, PUSHED)
    servers.reset(server, PUSHED)
    proxy.exchanges.clear()
    return project


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    """What stands before the DCIM, and sees all that a client writes."""
    with Proxy(server.url) as made:
        yield made


@pytest.fixture
def project(tmp_path: Path, server: Server, proxy: Proxy) -> Project:
    """The lab, which is to be pushed through the proxy."""
    return Project(tmp_path / "lab", server, proxy.url)
