# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers for all tests of a run, each test with a database as new."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from dcim import servers
from dcim.products import PRODUCTS
from dcim.project import Project
from dcim.proxy import Proxy
from dcim.servers import Server

PUSHED = "pushed"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each test runs on the DCIM of SPX_DCIM, which run.sh gives each process, or on all that are ready."""
    if "kind" in metafunc.fixturenames:
        ready = os.environ.get("SPX_DCIM", "").split() or sorted(
            product.kind for product in servers.ready()
        )
        known = getattr(metafunc.module, "KINDS", ready)
        metafunc.parametrize("kind", [kind for kind in ready if kind in known], scope="session")


@pytest.fixture(scope="session")
def running(kind: str) -> Iterator[Server]:
    """A DCIM in the network namespace of the tests."""
    name = f"tests-{os.getpid()}-{kind}"
    try:
        yield servers.up(PRODUCTS[kind], name, owner=True)
    finally:
        servers.down(name)


@pytest.fixture
def server(running: Server) -> Server:
    """A DCIM without a single object."""
    servers.reset(running)
    return running


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
    """Start the proxy before the DCIM, which sees all writes of a client."""
    with Proxy(server.url) as made:
        yield made


@pytest.fixture
def project(tmp_path: Path, server: Server, proxy: Proxy) -> Project:
    """The lab, which is to be pushed through the proxy."""
    return Project(tmp_path / "lab", server, proxy.url)
