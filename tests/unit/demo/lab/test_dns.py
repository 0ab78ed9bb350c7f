# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The exported zones, served as the demo serves them: `dig -x` is a locate."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys

import pytest
from lab import dns, machine

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import dns as zones
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

NAME = f"dns{os.getpid() % 100000}"
needed = pytest.mark.skipif(
    not (dns.program() and shutil.which("dig")),
    reason="nsd or dig is not installed: run tests/setup/packages.sh dns",
)


@pytest.fixture(name="exported", scope="module")
def _exported(tmp_path_factory):
    """The zones of the example lab."""
    folder = tmp_path_factory.mktemp("zones")
    for name, parts in zones.zones(example("lab"), None, lambda _file: ()):
        (folder / name.removeprefix("dns/")).write_text("".join(parts))
    return folder


@pytest.fixture(name="port")
def _port():
    """A port of loopback that nobody has."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@pytest.fixture(name="folder")
def _folder(tmp_path):
    """Folder of the server's files; the server is ended afterwards."""
    yield tmp_path / "dns"
    dns.stop(tmp_path / "dns")


def dig(port, *words):
    argv = ["dig", "@127.0.0.1", "-p", str(port), *words, "+short", "+tries=1", "+time=5"]
    return subprocess.run(argv, capture_output=True, text=True, check=False).stdout.strip()


@needed
def test_dig_locates_by_address_and_by_name(exported, folder, port):
    assert dns.start(NAME, folder, exported, port) == ""
    assert dig(port, "-x", "172.18.1.2") == "rail2p1.worker-su02-rack01-h02.lab.example."
    assert dig(port, "rail2p1.worker-su02-rack01-h02.lab.example") == "172.18.1.2"


@needed
def test_a_second_start_takes_the_place_of_the_first(exported, folder, port):
    assert dns.start(NAME, folder, exported, port) == ""
    first = (folder / "process").read_text()
    assert dns.start(NAME, folder, exported, port) == ""
    assert machine.alive(first) is None
    assert dig(port, "-x", "172.18.1.2")


@needed
def test_stop_leaves_nothing(exported, folder, port):
    assert dns.start(NAME, folder, exported, port) == ""
    dns.stop(folder)
    assert not folder.exists()
    assert list(machine.marked(NAME)) == []
    dns.stop(folder)


@needed
def test_a_port_that_somebody_has_is_one_sentence(exported, folder, port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", port))
        why = dns.start(NAME, folder, exported, port)
    assert f"127.0.0.1 port {port} " in why
    assert "Address already in use): free the port" in why
    assert list(machine.marked(NAME)) == []


@pytest.mark.parametrize("remembered", ["", "12", "12 ", "{own} 1", "word"])
def test_what_is_remembered_by_halves_or_of_another_process_is_let_be(folder, remembered):
    folder.mkdir()
    (folder / "process").write_text(remembered.format(own=os.getpid()))
    dns.stop(folder)
    assert not folder.exists()


def test_without_nsd_that_is_said(exported, folder, monkeypatch):
    monkeypatch.setattr(dns, "program", lambda: None)
    assert "packages.sh dns" in dns.start(NAME, folder, exported)
    assert not folder.exists()


def test_the_command_line_of_the_demo(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(dns, "ROOT", tmp_path)
    monkeypatch.setattr(dns, "program", lambda: None)
    monkeypatch.setattr(sys, "argv", ["lab.dns", "start", "demo", str(tmp_path), "--port", "5354"])
    assert dns.main() == 1
    assert capsys.readouterr().out.startswith("The zones are not served: ")
    monkeypatch.setattr(sys, "argv", ["lab.dns", "stop", "demo"])
    assert dns.main() == 0
