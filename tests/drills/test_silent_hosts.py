# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drill: hosts that accept a connection and say nothing, that hang in a look at them, and that are slow.

Who does not answer is unreachable and named while it is awaited; the slow one and all switches are judged.
"""

from __future__ import annotations

import re
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from drills.running import Run
from unit.playbooks.leaves import Lab

SILENT, HANGING, SLOW = (f"worker-su01-rack0{rack}-h0{n}" for rack, n in ((1, 1), (1, 2), (2, 3)))
RESTING = "rest: [{nodes: ['su01/[01-03]'], acceptance: burn-in}]\n"
LONGEST = 420
"""Seconds after which a run that waits for a host has to end."""
TICK = 10
"""Seconds within which a line says who is awaited."""
SHOWN = {
    "ANSIBLE_STDOUT_CALLBACK": "spectrum_x.fabric.summary",
    "ANSIBLE_CALLBACKS_ENABLED": "spectrum_x.fabric.exit_code",
    "ANSIBLE_HOST_KEY_CHECKING": "false",
    "ANSIBLE_TIMEOUT": "10",
}


@pytest.fixture
def silence() -> Iterator[int]:
    """A port that accepts each connection, and never says a word."""
    kept: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0), backlog=50) as listening:

        def accept() -> None:
            while True:
                try:
                    kept.append(listening.accept()[0])
                except OSError:
                    return

        threading.Thread(target=accept, daemon=True).start()
        yield listening.getsockname()[1]
        for one in kept:
            one.close()


def python(folder: Path, name: str, line: str) -> str:
    """An interpreter of a host that does something else first."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("leaves", [RESTING], indirect=True)
def test_all_others_are_judged(leaves: Lab, silence: int, tmp_path: Path) -> None:
    reached = {
        SILENT: {"ansible_host": "127.0.0.1", "ansible_port": silence, "ansible_user": "root"},
        HANGING: {
            "ansible_connection": "local",
            "ansible_python_interpreter": python(tmp_path, "hangs", "exec sleep 400"),
        },
        SLOW: {
            "ansible_connection": "local",
            "ansible_python_interpreter": python(
                tmp_path, "slow", f'sleep 4; exec {sys.executable} "$@"'
            ),
        },
    }
    for name, variables in reached.items():
        path = leaves.folder / "inventory" / "host_vars" / f"{name}.yml"
        path.write_text(yaml.safe_dump(variables))
    report = leaves.folder / "report"
    words = ("--limit", f"localhost,spx_leaf,{','.join(reached)}")
    begun = time.monotonic()
    run = Run(leaves.folder, "validate", *words, environment=SHOWN, spx_report=report)
    code, output = run.end(LONGEST)
    assert time.monotonic() - begun < LONGEST
    assert code == 6, output
    assert "Traceback" not in output, output
    for name in (SILENT, HANGING):
        assert re.search(rf"^UNREACHABLE .*{name}", output, re.MULTILINE), output
    assert not re.search(rf"^UNREACHABLE .*{SLOW}", output, re.MULTILINE), output
    ticks = [line for line in output.splitlines() if line.startswith("+")]
    assert [line for line in ticks if HANGING in line], output
    assert len(ticks) > 100 / TICK, "nothing was said for long"
    judged = {path.name.split(".")[0] for path in (report / "results").iterdir()}
    assert {SLOW, *leaves.doubles} <= judged, judged
