# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces of a run on the controller's disk when it is killed in the middle: they hold no secret."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
import yaml
from playing import BINARY, SETTINGS, below, written

from .fleet import SPINE, factory_lab

pytestmark = pytest.mark.slow

HASH, COMMUNITY = "$6$salt$canary-of-a-hash", "canary-of-a-community"


def begin(lab, home: Path) -> subprocess.Popen:
    """`switches` for one spine, with a home, a folder for temporary files and a cache of facts of its own."""
    home.mkdir()
    environment = {
        **os.environ,
        **SETTINGS,
        "HOME": str(home),
        "TMPDIR": str(home),
        "SPX_PROJECT": str(lab.folder),
        "ANSIBLE_CACHE_PLUGIN": "ansible.builtin.jsonfile",
        "ANSIBLE_CACHE_PLUGIN_CONNECTION": str(home / "facts"),
        "ANSIBLE_LOG_PATH": str(home / "ansible.log"),
    }
    words = ["-i", "inventory", "spectrum_x.fabric.switches", "--limit", SPINE, "-vvvv", "--diff"]
    extra = ["-e", "spx_factory=true", "-e", "spx_report=report"]
    return subprocess.Popen(
        [BINARY, *words, *extra],
        cwd=lab.folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def kill_while_the_switch_is_asked(run: subprocess.Popen, double) -> None:
    """End every process of the run while the switch lets it wait, with the whole wish in memory.

    Ansible's workers are sessions of their own: each is ended by its number.
    """
    until = time.monotonic() + 120
    try:
        while not double.log.requests and run.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
    finally:
        for process in [run.pid, *below(run.pid)]:
            os.kill(process, signal.SIGKILL)
    assert run.wait(10) == -signal.SIGKILL


@pytest.mark.large
def test_a_killed_run_leaves_no_secret_behind(tmp_path):
    with factory_lab(tmp_path) as lab:
        double = lab.doubles[SPINE]
        path = lab.folder / "inventory" / "host_vars" / f"{SPINE}.yml"
        secret = {
            "switch_base_users": {"ops": {"hashed_password": HASH, "role": "nvue-admin"}},
            "switch_base_snmp": {"community": COMMUNITY},
        }
        path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), **secret}))
        double.control.fault("delay", count=None, seconds=5)
        kill_while_the_switch_is_asked(begin(lab, tmp_path / "home"), double)
        assert not double.log.writes
        left = written(tmp_path)
        assert [path for path in left if path.name == "ansible.log"], "killed too early"
        for word in (HASH, COMMUNITY, double.password):
            assert [path for path, text in left.items() if word.encode() in text] == []
