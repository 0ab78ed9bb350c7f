# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The actions through ansible-playbook, once for real, against the double."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from nvue_double.testing import running_double

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.connection import Endpoint
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire import client
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.api import Api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.auth import Auth
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.port import (
    HttpsPort,
)

BINARY = Path(sys.executable).with_name("ansible-playbook")
CANARY = "canary-of-a-secret"
HASH = f"$6$salt${CANARY}"

ONE = [
    {
        "name": "Bring the switch to the wish",
        "spectrum_x.fabric.nvue_config": {
            "state": "replaced", "report_dir": "{{ playbook_dir }}/report",
            "owns": ["system/hostname", "interface/swp*", "system/aaa/user/watcher"],
            "config": {
                "system": {"hostname": "leaf-01", "aaa": {"user": {"watcher": {
                    "role": "nvue-monitor", "hashed-password": "{{ watcher_hash }}"}}}},
                "interface": {"swp1-2": {"type": "swp", "link": {"mtu": 9216}}},
            },
            "expected": {"releases": ["5.16"], "hostname": "leaf-01", "factory": True},
        },
        "register": "applied",
    },
    {"name": "Show the result", "ansible.builtin.debug": {"var": "applied"}},
]  # fmt: skip


@pytest.fixture
def double() -> Iterator[Any]:
    with running_double(release="5.16.1", step_seconds=0.005) as running:
        yield running


def start(
    folder: Path, double: Any, tasks: list[dict[str, Any]], *arguments: str
) -> subprocess.Popen[str]:
    """Begin a play over one switch."""
    host = {
        "ansible_host": double.host,
        "spx_nvue_port": double.port,
        "spx_nvue_password": "{{ 'x' | replace('x', secret_password) }}",
        "secret_password": double.password,
        "watcher_hash": HASH,
    }
    inventory = {"all": {"hosts": {"leaf-01": host}}}
    connection = {"user": double.username, "ca": double.ca_file}
    book = [
        {
            "name": "Speak to a switch",
            "hosts": "all",
            "gather_facts": False,
            "module_defaults": {"group/spectrum_x.fabric.nvue": connection},
            "tasks": tasks,
        }
    ]
    (folder / "hosts.yml").write_text(yaml.safe_dump(inventory))
    (folder / "play.yml").write_text(yaml.safe_dump(book))
    return subprocess.Popen(
        [BINARY, "-i", "hosts.yml", "play.yml", *arguments],
        cwd=folder,
        env={**os.environ, "ANSIBLE_NOCOLOR": "1", "HOME": str(folder), "ANSIBLE_CONFIG": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def play(
    folder: Path, double: Any, tasks: list[dict[str, Any]], *arguments: str
) -> tuple[int, str]:
    """Run a play over one switch and return its exit code and everything it said."""
    with start(folder, double, tasks, *arguments) as running:
        said, errors = running.communicate(timeout=120)
    return running.returncode, said + errors


def requests(double: Any) -> list[str]:
    found = double.control.log()["requests"]
    return [f"{one['method']} {one['path']}" for one in found]


def test_a_wish_becomes_one_transaction_and_then_nothing(double: Any, tmp_path: Path) -> None:
    status, said = play(tmp_path, double, ONE, "--check", "--diff")
    assert status == 0, said
    assert "+      mtu: 9216" in said
    assert "changed=1" in said
    assert all(entry.startswith("GET") for entry in requests(double))

    double.control.clear_log()
    status, said = play(tmp_path, double, ONE, "--diff", "-vvvv")
    assert status == 0, said
    assert "changed=1" in said
    assert CANARY not in said
    assert double.password not in said
    assert requests(double).count("POST /revision") == 1
    user = double.control.applied()["system"]["aaa"]["user"]["watcher"]
    assert user["hashed-password"] == HASH

    change = json.loads((tmp_path / "report" / "changes" / "leaf-01.json").read_text())
    assert change["device"] == "leaf-01"
    assert "interface/swp2/link/mtu" in change["paths"]
    everything = [*tmp_path.rglob("*.json"), *tmp_path.rglob("*.diff")]
    assert all(CANARY not in file.read_text() for file in everything)

    double.control.clear_log()
    status, said = play(tmp_path, double, ONE)
    assert status == 0, said
    assert "changed=0" in said
    assert requests(double) == ["GET /system", "GET /"]


def test_reading_acting_and_failing(double: Any, tmp_path: Path) -> None:
    tasks: list[dict[str, Any]] = [
        {
            "name": "Read two places over one connection",
            "spectrum_x.fabric.nvue_info": {"paths": ["system/health", "platform"]},
            "register": "seen",
        },
        {
            "name": "Check what was read",
            "ansible.builtin.assert": {"that": [
                "seen.data['system/health'].status == 'OK'",
                "seen.data.platform['product-name'] == 'SN5600'",
            ]},
        },
        {
            "name": "Read a place that is not there",
            "spectrum_x.fabric.nvue_info": {"path": "nowhere/at/all"},
            "register": "missing",
            "ignore_errors": True,
        },
        {
            "name": "Read a document",
            "spectrum_x.fabric.nvue_info": {
                "path": "/", "rev": "applied", "params": {"filled": "false"}, "neutral": True},
            "register": "document",
        },
        {
            "name": "Clear counters",
            "spectrum_x.fabric.nvue_action": {"path": "interface/eth0/counters", "action": "clear"},
            "register": "cleared",
        },
        {
            "name": "Check the answers",
            "ansible.builtin.assert": {"that": [
                "'was answered 404' in missing.msg", "missing.msg.count('\\n') == 0",
                "document.data.system.hostname == 'cumulus'", "document.release == '5.16.1'",
                "cleared.answer.state == 'action_success'",
            ]},
        },
        {
            "name": "Ask for nonsense",
            "spectrum_x.fabric.nvue_config": {"config": {"system": {"hostname": True}}},
        },
    ]  # fmt: skip
    status, said = play(tmp_path, double, tasks)
    assert status == 2
    assert "config/system/hostname is the boolean True" in said
    assert "Traceback" not in said
    assert "failed=1" in said


def test_a_switch_that_does_not_answer_is_unreachable(double: Any, tmp_path: Path) -> None:
    nowhere = {"host": "127.0.0.1", "port": 1, "config": {"system": {"hostname": "x"}}}
    tasks = [{"name": "Try", "spectrum_x.fabric.nvue_config": nowhere}]
    status, said = play(tmp_path, double, tasks)
    assert status == 4
    assert "127.0.0.1:1: no connection" in said
    assert "unreachable=1" in said


WAITING = "waits for revision 2 of"


def left_behind(double: Any) -> Callable[[], None]:
    """Begin a change as a run does that is killed before it confirms; what is returned has it rolled back.

    The switch would roll back by itself, which a run on a busy machine might not live to see.
    """
    endpoint = Endpoint(double.host, double.port, ca=double.ca_file)
    api = Api(HttpsPort(endpoint), Auth(double.username, double.password))
    revision = client.create(api)
    client.send(api, revision, {}, {"system": {"date-time": {"timezone": "Etc/UTC"}}}, mixed=True)
    client.start_apply(api, revision, confirm=100)
    deadline = time.monotonic() + 5
    while (state := client.read(api, revision).state) != "confirm":
        assert time.monotonic() < deadline, state
        if state == "ays":
            client.answer(api, revision, "ays", yes=True)
        time.sleep(0.05)
    return lambda: client.answer(api, revision, "confirm", yes=False)


@pytest.mark.parametrize("callback", ["default", "minimal", "spectrum_x.fabric.summary"])
def test_a_wait_is_announced_while_it_lasts(
    double: Any, tmp_path: Path, callback: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a worker, under any callback, and apart from what the callback writes."""
    monkeypatch.setenv("ANSIBLE_STDOUT_CALLBACK", callback)
    roll_back = left_behind(double)
    config = {"system": {"message": {"pre-login": "hello"}}}
    task = {"name": "Change it", "spectrum_x.fabric.nvue_config": {"config": config}}
    running = start(tmp_path, double, [task])
    assert running.stderr is not None
    heard = next((line for line in running.stderr if WAITING in line), "")
    still_waiting = double.control.state()["revisions"]["2"]["state"] == "confirm"
    roll_back()
    said, _errors = running.communicate(timeout=60)
    assert "(state confirm)" in heard
    assert "Leave this run alone" in heard
    assert still_waiting
    assert WAITING not in said
    assert running.returncode == 0, said


def test_an_untrusted_certificate_is_told_apart(double: Any, tmp_path: Path) -> None:
    tasks: list[dict[str, Any]] = [
        {"name": "Read it", "spectrum_x.fabric.nvue_info": {"path": "system", "server_name": "x"},
         "register": "read", "ignore_errors": True},
        {"name": "Look", "ansible.builtin.assert": {
            "that": ["read is failed", "read.untrusted", "read is reachable"]}},
    ]  # fmt: skip
    status, said = play(tmp_path, double, tasks)
    assert status == 0, said
