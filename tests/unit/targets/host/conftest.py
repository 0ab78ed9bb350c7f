# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulated host in a temporary folder, its tools called in-process."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from typing import Any, NamedTuple

import pytest

TARGET = pathlib.Path(__file__).resolve().parents[3] / "targets" / "host"
sys.path.insert(0, str(TARGET))

from nicsim import admin, dispatch


class Result(NamedTuple):
    """What a call left: exit status, standard output, standard error."""

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
        link = self.folder / tool
        if not link.exists():
            link.symlink_to(TARGET / "bin" / "nicsim-tool")
        return subprocess.Popen(
            [sys.executable, str(link), *argv], text=True, stdout=subprocess.PIPE, env=os.environ
        )


@pytest.fixture
def empty(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Host:
    """A host whose files all lie in a temporary folder; not initialised."""
    for name, place in {
        "STATE": "lib/state.json",
        "RUN": "run",
        "NICS": "nics.json",
        "KERNEL_NET": "net",
        "DEV": "dev",
        "TMP": "tmp",
        "UDEV": "rules.d",
        "LINKS": "links",
    }.items():
        monkeypatch.setenv(f"NICSIM_{name}", str(tmp_path / place))
    monkeypatch.setenv("NICSIM_BFB_STEP", "0")
    for place in ("dev", "tmp", "rules.d", "links", "net"):
        (tmp_path / place).mkdir()
    return Host(tmp_path, capsys)


@pytest.fixture
def host(empty: Host) -> Host:
    """Two BlueField-3 SuperNICs in NIC mode."""
    return empty.init()
