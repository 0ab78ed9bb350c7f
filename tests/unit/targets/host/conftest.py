# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulated host in a temporary folder, its tools called in-process."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from typing import Any, NamedTuple

import pytest
from nicsim import admin, dispatch
from simulated_host import SimulatedHost


class Result(NamedTuple):
    """Result of a call: exit status, standard output, standard error."""

    rc: int
    out: str
    err: str


class Host:
    """One simulated host. Calling it runs a stand-in: ``host("mlxconfig", "-d", ...)``."""

    def __init__(self, folder: pathlib.Path, capsys: Any) -> None:
        self.folder, self._capsys = folder, capsys

    def __call__(self, tool: str, *argv: str) -> Result:
        return self._run(dispatch.main, [tool, *argv])

    def admin(self, *argv: str) -> Result:
        """Run `nicsim ...`."""
        return self._run(admin.main, list(argv))

    def _run(self, main: Any, argv: list[str]) -> Result:
        self._capsys.readouterr()
        status = main(argv)
        captured = self._capsys.readouterr()
        return Result(status, captured.out, captured.err)

    def init(self, profile: str = "bf3-nic-2rail") -> Host:
        """Factory state of a profile."""
        result = self.admin("init", "--from", profile)
        assert result.rc == 0, result.err
        return self

    def state(self, path: str = "") -> Any:
        """The state, or a dotted path of it."""
        return json.loads(self.admin("show", path).out)

    def log(self, *, writes: bool = False) -> list[dict[str, Any]]:
        """Logged calls."""
        found = self.admin("log", *(["--writes"] if writes else []))
        return [json.loads(line) for line in found.out.splitlines()]

    def spawn(self, tool: str, *argv: str) -> subprocess.Popen[str]:
        """Start a long-running stand-in as its own process."""
        command = [sys.executable, self.folder / "bin" / tool, *argv]
        return subprocess.Popen(command, text=True, stdout=subprocess.PIPE)


@pytest.fixture
def empty(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Host:
    """A host whose files all lie in a temporary folder; not initialised."""
    for name, value in SimulatedHost(tmp_path).environment.items():
        monkeypatch.setenv(name, value)
    return Host(tmp_path, capsys)


@pytest.fixture
def host(empty: Host) -> Host:
    """Two BlueField-3 SuperNICs in NIC mode."""
    return empty.init()
