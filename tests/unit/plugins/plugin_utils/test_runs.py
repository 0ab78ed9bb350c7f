# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of runs: asked of real processes."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils import _runs


def test_a_run_is_the_parent_of_its_workers():
    """And is not at work beside itself."""
    machine, process, began = _runs.this().split("/")
    assert (machine, process) == (socket.gethostname(), str(os.getppid()))
    assert int(began) > 0
    assert not _runs.at_work(_runs.this())


def test_who_is_at_work():
    """A process until it ends, also while nobody has asked how; not its successor, nor one elsewhere."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        name = _runs._name(other.pid)
        assert _runs.at_work(name)
        machine, process, began = name.split("/")
        assert not _runs.at_work(f"{machine}/{process}/{int(began) + 1}")
        assert not _runs.at_work(f"far-{machine}/{process}/{began}")
        assert not any(map(_runs.at_work, ("", "a/b/c", "a/b", f"{machine}//{began}")))
        other.kill()
        os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
        assert not _runs.at_work(name)
    assert not _runs.at_work(name)
